"""Run a summary over a source: the one thing cross-validation, threads and disk have in common.

run         rows -> one summary
run_parts   rows, each in a part -> one summary for each part, in the same single pass
engine      within it, that engine runs whatever does not name one itself

Unless told otherwise the source chooses: rows in memory are shared out to threads, a stream is read ahead from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

from acumen.data.table import Table
from acumen.engines.blocks import BLOCK_ROWS, Source, blocks
from acumen.engines.cores import cores
from acumen.engines.disk import run_from_disk
from acumen.engines.serial import run_serially
from acumen.engines.threads import run_in_threads
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.summaries.algebra import Parts, Summary, add_up
from acumen.types import Codes

S = TypeVar("S", bound=Summary)
Engine: TypeAlias = Literal["threads", "serial", "disk"]

_ENGINES: dict[str, Callable[[Iterator[Callable[[], Any]], int], Iterator[Any]]] = {
    "threads": run_in_threads,
    "serial": run_serially,
    "disk": run_from_disk,
}


def run(
    summarise: Callable[[Table], S],
    source: Source,
    *,
    engine: Engine | None = None,
    n_jobs: int | None = None,
) -> S:
    """Summarise every row of a source.

    Parameters
    ----------
    summarise : callable
        Turns a table into a summary; called once for each block of 65,536 rows, possibly in threads.
    source : Table or iterable of Tables
        Tables of any length under one schema, as `acumen.scan` gives.
    engine : "threads", "serial" or "disk", optional
        By itself "threads" for a Table and "disk" for a stream.
        "disk" reads ahead in a thread of its own and holds as few blocks as possible.
    n_jobs : int or None
        How many threads; None means all permitted cores (one inside a joblib worker).

    Returns
    -------
    Summary
        The same to the byte for every engine, every `n_jobs` and every way the rows were cut into tables.
    """
    chosen = engine or _told.get()
    if chosen is None and isinstance(source, Table) and len(source) <= BLOCK_ROWS:
        return summarise(source)  # one block: there is nothing to share out and nothing to add
    tasks = (partial(summarise, block) for block in blocks(source))
    summaries: Iterator[S] = _engine(chosen, source)(tasks, cores(n_jobs))
    return add_up(summaries)


def run_parts(
    summarise: Callable[[Table, Codes], Sequence[S]],
    source: Source,
    parts: Codes,
    *,
    engine: Engine | None = None,
    n_jobs: int | None = None,
) -> list[S]:
    """Summarise every part (fold) of a source in one pass, without copying any rows apart.

    `parts` holds the part of each row; `summarise` is handed a block and its rows' parts and returns one
    summary for each part, as the `of_parts` of the summaries do. The rest is as in `run`.
    """

    chosen = engine or _told.get()
    if chosen is None and isinstance(source, Table) and len(source) == len(parts) <= BLOCK_ROWS:
        return list(summarise(source, parts))

    def tasks() -> Iterator[Callable[[], Parts[S]]]:
        start = 0
        for block in blocks(source):
            end = start + len(block)
            if end > len(parts):
                raise DataError(f"run_parts: there are more rows than the {len(parts)} parts given.")
            yield partial(_summarise_parts, summarise, block, parts[start:end])
            start = end
        if start != len(parts):
            raise DataError(
                f"run_parts: there are {start} rows but {len(parts)} parts; give one for each row."
            )

    return list(add_up(_engine(chosen, source)(tasks(), cores(n_jobs))).parts)


def _summarise_parts(
    summarise: Callable[[Table, Codes], Sequence[S]], block: Table, parts: Codes
) -> Parts[S]:
    return Parts(tuple(summarise(block, parts)))


_told: ContextVar[Engine | None] = ContextVar("_told", default=None)


@contextmanager
def engine(name: Engine) -> Iterator[None]:
    """Within this, `name` ("threads", "serial", "disk") runs every summary; the answers do not depend on it."""
    _engine(name, ())  # refuses what is no engine
    before = _told.set(name)
    try:
        yield
    finally:
        _told.reset(before)


def _engine(name: str | None, source: Source) -> Callable[[Iterator[Callable[[], Any]], int], Iterator[Any]]:
    if name is None:
        name = "threads" if isinstance(source, Table) else "disk"
    try:
        return _ENGINES[name]
    except KeyError:
        known = ", ".join(_ENGINES)
        raise ParameterError(
            f"engine must be one of {known}; got {name!r}.{did_you_mean(name, _ENGINES)}"
        ) from None
