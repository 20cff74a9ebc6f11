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
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from acumen.data.table import Table
from acumen.engines.block_source import placement_of
from acumen.engines.blocks import BLOCK_ROWS, Source, blocks
from acumen.engines.cores import cores
from acumen.engines.executors import run_from_disk, run_in_threads, run_serially
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.summaries.algebra import Addable, Summary, SummaryGroup, add_up
from acumen.types import Codes

if TYPE_CHECKING:
    from acumen.engines.dask_engine import Dask

S = TypeVar("S", bound=Summary)
A = TypeVar("A", bound=Addable)
Engine: TypeAlias = "Literal['threads', 'serial', 'disk', 'dask'] | Dask"

_ENGINES: dict[str, Callable[[Iterator[Callable[[], Any]], int], Iterator[Any]]] = {
    "threads": run_in_threads,
    "serial": run_serially,
    "disk": run_from_disk,
}


def run(
    summarise: Callable[..., S],
    source: Source,
    *,
    engine: Engine | None = None,
    n_jobs: int | None = None,
    numbered: bool = False,
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
    numbered : bool
        Whether `summarise` is told the number of the block's first row too.

    Returns
    -------
    Summary
        The same to the byte for every engine, every `n_jobs` and every way the rows were cut into tables.
    """
    chosen = engine or _engine_in_use.get()
    if cluster := _cluster(chosen):
        if (placement := placement_of(source)) is not None:
            total: S = cluster.sum_blocks(summarise, placement, numbered=numbered)
            return total
        chosen = None  # rows that are here are summarised here: to send them would take longer
    if chosen is None and isinstance(source, Table) and len(source) <= BLOCK_ROWS:
        # one block: there is nothing to share out and nothing to add
        return summarise(source, 0) if numbered else summarise(source)
    tasks = (
        partial(summarise, block, i * BLOCK_ROWS) if numbered else partial(summarise, block)
        for i, block in enumerate(blocks(source))
    )
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
    """Summarise every part (fold) of a source in one pass, without copying rows.

    `parts` holds the part of each row; `summarise` is handed a block and its rows' parts and returns one
    summary for each part, as the `of_parts` of the summaries do. The rest is as in `run`.
    """

    chosen = engine or _engine_in_use.get()
    if _cluster(chosen):
        chosen = None  # the parts of rows are known where the rows are
    if chosen is None and isinstance(source, Table) and len(source) == len(parts) <= BLOCK_ROWS:
        return list(summarise(source, parts))

    def tasks() -> Iterator[Callable[[], SummaryGroup[S]]]:
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
) -> SummaryGroup[S]:
    return SummaryGroup(tuple(summarise(block, parts)))


_engine_in_use: ContextVar[Any] = ContextVar("_told", default=None)


@contextmanager
def engine(name: Engine, client: Any = None, **options: Any) -> Iterator[Any]:
    """Choose the engine that runs the summaries inside this block; results do not depend on it.

    Parameters
    ----------
    name : "threads", "serial", "disk", "dask", or an `acumen.engines.Dask`
        An engine that is handed over stays open; one that is named ends with the block.
    client, **options
        Of "dask" alone: as for `acumen.engines.Dask`.
    """
    if isinstance(name, str) and name != "dask" and (client is not None or options):
        raise ParameterError(f"engine: only dask takes more than its name; got {name!r}.")
    if not isinstance(name, str) and (client is not None or options):
        raise ParameterError("engine: an engine that is made already takes nothing more.")
    dask: Any = name
    if name == "dask":
        from acumen.engines.dask_engine import Dask

        dask = Dask(client, **options)
    elif not _cluster(name):
        _engine(cast(str, name), ())  # refuses what is no engine
    before = _engine_in_use.set(dask)
    try:
        yield dask
    finally:
        _engine_in_use.reset(before)
        if name == "dask":
            dask.close()


@contextmanager
def using(chosen: Engine | None) -> Iterator[None]:
    """Within this, the engine that was chosen runs every summary; None changes nothing."""
    before = _engine_in_use.set(chosen or _engine_in_use.get())
    try:
        yield
    finally:
        _engine_in_use.reset(before)


def run_over(summarise: Callable[[Table], A], rows: Source) -> A | None:
    """What `run` gives, by whatever engine is to be used here; None where there is no table at all."""
    if isinstance(rows, (tuple, list)) and not rows:
        return None
    return cast("A", run(cast(Any, summarise), rows))


def cluster() -> Dask | None:
    """The engine of many machines that is to be used here, if one is."""
    return _cluster(_engine_in_use.get())


def _cluster(chosen: Any) -> Dask | None:
    if chosen is None or isinstance(chosen, str):
        if chosen == "dask":
            raise ParameterError(
                "engine: dask must be started first; say `with acumen.engine('dask'):`, or give an "
                "acumen.engines.Dask."
            )
        return None
    return cast("Dask | None", chosen) if hasattr(chosen, "sum_blocks") else None


def _engine(name: Any, source: Source) -> Callable[[Iterator[Callable[[], Any]], int], Iterator[Any]]:
    if name is None:
        name = "threads" if isinstance(source, Table) else "disk"
    try:
        return _ENGINES[name]
    except (KeyError, TypeError):
        known = [*_ENGINES, "dask"]
        raise ParameterError(
            f"engine must be one of {', '.join(known)}; got {name!r}.{did_you_mean(str(name), known)}"
        ) from None
