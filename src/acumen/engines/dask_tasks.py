"""What runs on the workers of a Dask cluster: functions of plain values, so that any of them can be run again.

    Job          a function and the rows it is asked of; goes to every worker once
    Packed       such a value, if it is small: its bytes go along with each task
    Piece        what a run of blocks comes to; adds in the order of `add_up`
    first_run    raw blocks: counted, noted, and summarised if nothing was left out of them
    later_run    canonical blocks, their places known
    added        pieces in a row -> their sum
    called       any function, on one core
    Card         which build of acumen worked on which kind of processor

Rows never travel: a task reads its own blocks, one at a time, and gives what they come to.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from acumen.data.table import Table
from acumen.engines.block_source import Counts, Placement
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.cores import limited_to
from acumen.errors import AcumenError, DataError, EngineError
from acumen.summaries.algebra import add_up


@dataclass(frozen=True)
class WorkerBuild:
    """What must be the same wherever blocks are summarised, if sums are to be the same to the byte."""

    version: str
    build: str  # of the kernels
    processor: str  # which instructions numpy and BLAS choose

    @classmethod
    def here(cls) -> WorkerBuild:
        return _worker_build()


@lru_cache(maxsize=1)
def _worker_build() -> WorkerBuild:
    import acumen
    from acumen import _native

    build = hashlib.sha256(Path(str(_native.__file__)).read_bytes()).hexdigest()[:16]
    core: Any = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get(
        "numpy.core._multiarray_umath"
    )
    features = sorted(name for name, there in getattr(core, "__cpu_features__", {}).items() if there)
    processor = hashlib.sha256(repr((np.__version__, features, _blas_kinds())).encode()).hexdigest()[:16]
    return WorkerBuild(str(acumen.__version__), build, processor)


def _blas_kinds() -> list[str]:
    """The processors that numpy's BLAS takes this one for; what else a process happens to have loaded plays no part."""
    with suppress(ImportError):  # scikit-learn brings it; without it only numpy is asked
        from threadpoolctl import ThreadpoolController

        some = [one.info() for one in ThreadpoolController().lib_controllers if one.user_api == "blas"]
        libraries = [one for one in some if "numpy" in Path(str(one.get("filepath"))).parent.name] or some
        return sorted({str(one["architecture"]) for one in libraries if one.get("architecture")})
    return []


@dataclass(frozen=True)
class BlockJob:
    """A function of a block (and, if `numbered`, of the number of its first row), and where the blocks are."""

    function: Callable[..., Any]
    placement: Placement
    numbered: bool = False

    def of(self, block: Table, first_row: int) -> Any:
        return self.function(block, first_row) if self.numbered else self.function(block)


class HasPlacement(Protocol):
    """Whatever else knows where its rows are."""

    @property
    def placement(self) -> Placement: ...


@dataclass(frozen=True)
class PartialSum:
    """What some blocks in a row come to."""

    total: Any  # None where rows were left out, so that the blocks are not canonical
    builds: frozenset[WorkerBuild]
    kept: Counts | None = None  # of each raw block, in a first pass
    note: Any = None

    def __add__(self, other: PartialSum) -> PartialSum:
        whole = self.total is not None and other.total is not None
        return PartialSum(
            self.total + other.total if whole else None,
            self.builds | other.builds,
            None if self.kept is None or other.kept is None else np.concatenate([self.kept, other.kept]),
            self.note if other.note is None else other.note if self.note is None else self.note + other.note,
        )


@dataclass(frozen=True)
class PickledValue:
    """A small value as its bytes: it goes along with each task, so that no task waits for it, or must be near it."""

    data: bytes

    def load(self) -> Any:
        return _unpickle(self.data)


@lru_cache(maxsize=4)  # a worker is handed the same again and again
def _unpickle(data: bytes) -> Any:
    from distributed import protocol

    return protocol.pickle.loads(data)  # type: ignore[no-untyped-call]


def value_of(value: Any) -> Any:
    """What a task is handed, whether it came along or was made by another task."""
    return value.load() if isinstance(value, PickledValue) else value


def sum_raw_blocks(job_value: BlockJob | PickledValue, first: int, last: int) -> PartialSum:
    """Raw blocks: what remains of each, what is noted, and their sum if all of it does."""
    job: BlockJob = value_of(job_value)
    with locate_errors(job, first, last, raw=True):
        return add_up(_first_blocks(job, first, last))


def _first_blocks(job: BlockJob, first: int, last: int) -> Iterator[PartialSum]:
    builds, whole = frozenset([WorkerBuild.here()]), True
    for number, block in enumerate(job.placement.raw(first, last), first):
        rows, note = job.placement.prepare(block)
        whole = whole and len(rows) == len(block)
        total = job.of(rows, number * BLOCK_ROWS) if whole else None
        yield PartialSum(total, builds, np.array([len(rows)], dtype=np.int64), note)


def sum_canonical_blocks(job_value: BlockJob | PickledValue, first: int, last: int) -> PartialSum:
    """Canonical blocks: their sum."""
    job: BlockJob = value_of(job_value)
    with locate_errors(job, first, last, raw=False):
        tables = job.placement.canonical(first, last)
        total = add_up(job.of(block, number * BLOCK_ROWS) for number, block in enumerate(tables, first))
        return PartialSum(total, frozenset([WorkerBuild.here()]))


class BlockItems(list[Any]):
    """What was made of some blocks, as a list whose size Dask knows."""


@dataclass(frozen=True)
class WorkerItem:
    """Anything that stays with a worker, in a form whose size Dask knows."""

    it: Any


def encode_blocks(job_value: BlockJob | PickledValue, first: int, last: int) -> BlockItems:
    """What a function makes of each of some canonical blocks, to be held for further tasks."""
    job: BlockJob = value_of(job_value)
    with locate_errors(job, first, last, raw=False):
        return BlockItems(encoded_items(job, first, last))


def encoded_items(job: BlockJob, first: int, last: int) -> Iterator[Any]:
    for number, block in enumerate(job.placement.canonical(first, last), first):
        yield job.of(block, number * BLOCK_ROWS)


def advance_states(
    function: Callable[..., Any], shared: Any, held: list[Any], states: list[Any] | None,
    job_value: BlockJob | PickledValue, first: int, last: int,
) -> BlockItems:  # fmt: skip
    """The state of each of some blocks that comes after another (after none), for further tasks."""
    job: BlockJob = value_of(job_value)
    shared = value_of(shared)
    with locate_errors(job, first, last, raw=False):
        before = [None] * len(held) if states is None else states
        return BlockItems(function(shared, item, state) for item, state in zip(held, before, strict=True))


def sum_items(
    function: Callable[..., Any], shared: Any, held: list[Any] | None, states: list[Any] | None,
    job_value: BlockJob | PickledValue, first: int, last: int, at_once: bool,
) -> PartialSum:  # fmt: skip
    """Sum a function over the items of some blocks, computing items that are not kept.

    With `at_once` the function gets all items with their states and returns their sum: for exact sums.
    """
    job: BlockJob = value_of(job_value)
    shared = value_of(shared)
    with locate_errors(job, first, last, raw=False):
        each = encoded_items(job, first, last) if held is None else held
        if at_once:
            total = function(shared, zip(each, repeat(None) if states is None else states))  # noqa: B905
        else:
            total = add_up(function(shared, item) for item in each)
        return PartialSum(total, frozenset([WorkerBuild.here()]))


def map_items_of_run(
    function: Any,
    held: list[Any] | None,
    job_value: BlockJob | PickledValue,
    first: int,
    last: int,
    numbered: bool,
) -> tuple[list[Any], WorkerBuild]:
    """What a function gives of each of some blocks."""
    job: BlockJob = value_of(job_value)
    function = value_of(function)
    with locate_errors(job, first, last, raw=False):
        each = encoded_items(job, first, last) if held is None else held
        if numbered:
            return [function(item, number) for number, item in enumerate(each, first)], WorkerBuild.here()
        return [function(item) for item in each], WorkerBuild.here()


def add_pieces(pieces: Sequence[Any]) -> Any:
    """The sum of pieces in a row, of which all but the last are of equally many blocks, a power of two."""
    return add_up(pieces)


def call_on_one_core(function: Callable[..., Any], *arguments: Any) -> Any:
    """A function, on one core: a worker has as many tasks at a time as cores."""
    with limited_to(1):
        return function(*arguments)


def task_key(name: str, role: str, *numbers: int) -> tuple[str | int, ...]:
    """The key of a task: Dask takes tasks whose keys begin alike for one group, and shares a group out evenly.

    What a group's tasks take is learned by the words at its beginning: blocks, additions and held rows apart.
    """
    return (f"acumen-{role}-{name.removeprefix('acumen-')}", *numbers)


def identity(value: Any) -> Any:
    """A small value that many tasks need: made by a task, so that it can be made again."""
    return value


@contextmanager
def locate_errors(job: BlockJob | HasPlacement, first: int, last: int, *, raw: bool) -> Iterator[None]:
    """On one core; whatever goes wrong is told with the file and the lines."""
    try:
        with limited_to(1):
            yield
    except MemoryError:
        raise EngineError(
            f"a worker had not enough memory for {job.placement.where(first, last, raw=raw)}; give workers more memory."
        ) from None
    except AcumenError as error:
        where = job.placement.where(first, last, raw=raw)
        raise DataError(f"{error} This came up in {where}.") from None
    except Exception as error:
        where = job.placement.where(first, last, raw=raw)
        raise EngineError(f"a task failed on {where}: {type(error).__name__}: {error}.") from error


def _register_sizes() -> None:
    """Tell Dask what tables weigh: else it takes them for nothing, and neither places nor spills them well."""
    from dask import sizeof

    def size(table: Table) -> int:
        total = sum(column.nbytes for column in table.numeric.columns)
        total += sum(column.nbytes for column in table.nominal.columns)
        total += table.weights.nbytes + sum(
            part.nbytes for part in (table.labels, table.response) if part is not None
        )
        if table.sparse is not None:
            total += table.sparse.data.nbytes + table.sparse.indices.nbytes + table.sparse.indptr.nbytes
        for texts in table.text:
            some = texts[:256]
            total += int(
                len(texts) * (8 + np.mean([sys.getsizeof(text) for text in some]) if len(some) else 0)
            )
        return total

    register: Any = sizeof.sizeof.register
    register(Table)(size)
    register(BlockItems)(lambda items: sum(_bytes(item) for item in items))
    register(WorkerItem)(lambda value: _bytes(value.it))


def _bytes(value: Any) -> int:
    """The arrays in a value, as bytes."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, (tuple, list)):
        return sum(map(_bytes, value))
    if is_dataclass(value):
        return sum(_bytes(getattr(value, field.name, None)) for field in fields(value))
    return sys.getsizeof(value)


with suppress(ImportError):  # without Dask nobody asks
    _register_sizes()
