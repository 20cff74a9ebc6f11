"""Calls that do not depend on each other: one after another here, or each a task of a cluster.

each_task    what a function gives for each of several arguments, in order
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from acumen.engines.run import cluster


def each_task(
    function: Callable[..., Any],
    arguments: Iterable[Sequence[Any]],
    *,
    shared: Sequence[Any] = (),
    what: str | Callable[[int], str],
) -> Iterator[Any]:
    """`function(*shared, *each)` for each of the arguments, as they are asked for.

    On a cluster `shared` goes to each worker once, several calls are under way at a time, and what they warn of is said
    here. `what` says for sentences what a task works on, perhaps by its number.
    """
    engine = cluster()
    if engine is None:
        for each in arguments:
            yield function(*shared, *each)
        return
    for result, caught in engine.mapped(_with_warnings, arguments, shared=(function, *shared), what=what):
        for message, category in caught:
            warnings.warn(message, category, stacklevel=2)
        yield result


def _with_warnings(function: Callable[..., Any], *given: Any) -> tuple[Any, list[tuple[str, type[Warning]]]]:
    """What a function gives, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*given)
    return result, [(str(each.message), each.category) for each in caught]
