"""Values that stay with a worker of a Dask cluster, for learners whose tasks each need all rows, made small.

    gathered   what is made of each block, joined into one value by a task -> There
    There      such a value; tasks work on it, wherever they run, and what they give may stay there too

The value is the result of a task, so it can be made again; it goes to each worker that works on it once. Of the rows
themselves nothing travels: what is joined are codes of one or two bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from acumen.engines.block_source import Placed, runs
from acumen.engines.dask_tasks import Job, Value, called, itself, made_run

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask


def gathered(
    engine: Dask,
    make: Callable[..., Any],
    placed: Placed,
    join: Callable[[Sequence[Any]], Any],
    *,
    what: str,
) -> There:
    """`join` of what `make` gives of each canonical block, in order; `what` says for sentences what it is."""
    job = Job(make, placed.bare())
    name, n = engine._name(job), placed.n_blocks
    k = engine.run_length(n, placed)
    shared = engine._submitted(itself, job, key=f"{name}-job")
    pieces = [
        engine._submitted(made_run, shared, first, last, key=f"{name}-block-{first}")
        for first, last in runs(n, k)
    ]
    future = engine._submitted(_joined, join, pieces, key=f"{name}-joined")
    blocks = engine._where(placed, k, n, raw=False)
    return There(engine, future, name, lambda key: blocks(key) if "-block-" in key else what)


def _joined(join: Callable[[Sequence[Any]], Any], pieces: Sequence[Sequence[Any]]) -> Value:
    return Value(called(join, [item for piece in pieces for item in piece]))


def _worked(alone: bool, function: Callable[..., Any], *given: Any) -> Value:
    """What a function gives, on one core or, of a task that is the only one, on all that the worker has."""
    plain = [each.it if isinstance(each, Value) else each for each in given]
    return Value(function(*plain) if alone else called(function, *plain))


class There:
    """A value on a worker, or on its way to be."""

    def __init__(self, engine: Dask, future: Any, name: str, where: Callable[[str], str]) -> None:
        self._engine, self._future, self._name, self._where = engine, future, name, where
        self._numbers = itertools.count()

    def then(self, function: Callable[..., Any], *given: Any, alone: bool = False) -> There:
        """What a function gives of this value and others, some of which may be There themselves; it stays there.

        A task that is `alone` may use all threads of its worker.
        """
        name = f"{self._name}-then-{next(self._numbers)}"
        others = [each._future if isinstance(each, There) else each for each in given]
        future = self._engine._submitted(_worked, alone, function, self._future, *others, key=name)
        return There(self._engine, future, name, self._where)

    def fetched(self) -> Any:
        """The value itself; the cluster may forget it then."""
        return self._engine._awaited(self._future, self._where).it
