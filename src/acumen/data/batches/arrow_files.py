"""Parquet and Arrow IPC files, by pyarrow: row groups and record batches come one by one.

    accepts   .parquet, .pq, .arrow, .feather, .ipc, .arrows; or how a file begins
    read      the file at once, borrowed where it lies in one piece
    scan      row group by row group; the first pass leaves out columns that can only be numbers

Only columns that are wanted are read. Dictionary columns keep their levels and their order; strings are
fetched as dictionaries, which is how Parquet keeps them, so that each value becomes text once.

A file may say anything of itself: that a string begins gigabytes behind its buffer, that a batch has rows it does
not have. So each batch is validated in full by pyarrow before anyone looks into it; see `_valid`. Pages of Parquet are
held against their checksums where they have them; Arrow IPC knows none.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from acumen import messages
from acumen.data.batches.batched import Batches, Filling, read_whole, scan_batches
from acumen.data.batches.filled_rows import FilledRows
from acumen.data.batches.spool import pieces_of
from acumen.data.columns import RawColumn
from acumen.data.delimited.sniff import check_width
from acumen.data.files import Source, head_of, suffix_of
from acumen.data.formats import FORMATS
from acumen.data.located import Located, Stamp
from acumen.data.memory import arrow_c, arrow_columns
from acumen.data.naming import column_names
from acumen.data.parts import Parts
from acumen.data.raw_table import RawTable
from acumen.data.remote_files import RemoteFile
from acumen.data.report import Report
from acumen.data.request import Request, resolve
from acumen.data.table import Table
from acumen.errors import AcumenError, DataError, MissingExtra, ParameterError, did_you_mean

PARQUET = FORMATS["parquet"]
#: Rows of a row group that are turned into columns at a time while scanning, and cells at most.
ROWS = 65_536
CELLS = 1 << 22
#: A record batch of more cells is fetched column by column.
LARGE = 1 << 24
#: Bytes of each column that are fetched at a time while scanning: a row group may be as large as the file.
FETCHED = 1 << 18
#: Arrow's types that are numbers whatever the rows hold: all but 64-bit integers, which may be beyond 2^53.
_PLAIN = frozenset({*arrow_columns.FLOATS, "c", "C", "s", "S", "i", "I"})


def read(source: Any, request: Request) -> Table:
    """The whole file as one table."""
    with _sentences(source):
        file = _open(source, request)
        report = Report(file.name)
        names = column_names(file.names, report)
        wanted = _wanted_columns(names, request)
        whole = file.read([file.names[j] for j, _ in wanted])
        columns = _gather(whole, [name for _, name in wanted], file.strings, report)
    return read_whole(columns, request, report)


def scan(source: Any, request: Request, rows: int) -> Parts:
    """The file in parts; it is opened anew each time it is gone through."""
    with _sentences(source):
        file = _open(source, request)
        report = Report(file.name)
        wanted = _wanted_columns(column_names(file.names, report), request)
    names = tuple(name for _, name in wanted)
    forms = [file.forms[j] for j, _ in wanted]
    plain = frozenset(name for name, form in zip(names, forms, strict=True) if form in _PLAIN)

    typed = frozenset(name for name, form in zip(names, forms, strict=True) if form != "n")

    def batches(notes: Report, only: frozenset[str] | None) -> Iterator[RawTable]:
        chosen = [(j, name) for j, name in wanted if only is None or name in only]
        with _sentences(source):
            again = _open(source, request)
            if again.names != file.names:
                raise DataError(f"{file.name} changed while it was being read: it has other columns.")
            if not chosen:
                yield RawTable.of_columns([], again.n_rows())
                return
            for batch in again.batches([file.names[j] for j, _ in chosen]):
                yield _gather(batch, [name for _, name in chosen], file.strings, notes)

    def place(filling: Filling) -> Located | None:
        if file.groups is None or not isinstance(source, (str, os.PathLike, RemoteFile)):
            return None
        small = replace(filling, request=replace(filling.request, like=None))
        columns = tuple((file.names[j], name) for j, name in wanted)
        return ArrowRows(small, file.groups, Stamp.of(source), columns)

    return scan_batches(Batches(batches, plain, typed), RawTable(0, names, {}), request, report, rows, place)


@dataclass(frozen=True)
class ArrowRows(FilledRows):
    """The rows of a Parquet or Arrow file, to be read from any of its row groups or record batches on."""

    stamp: Stamp
    columns: tuple[tuple[str, str], ...]  # what the file calls each, and what it is called here

    def batches(self, first: int, last: int) -> Iterator[RawTable]:
        self.stamp.check(self.name)
        with _sentences(self.name):
            file = _open(self.stamp.place, self.filling.request)
            if file.groups != self.stretches:
                raise DataError(f"{self.name} changed while it was being read: it has other row groups.")
            names = [name for _, name in self.columns]
            # One thread: whoever reads from the middle is one of several who do.
            for batch in file.batches([called for called, _ in self.columns], first, last, threads=False):
                yield _gather(batch, names, file.strings, Report())


def _wanted_columns(names: Sequence[str], request: Request) -> list[tuple[int, str]]:
    """Positions and names of the columns that must be read, in the file's order."""
    if not request.select and request.needs is None:
        return list(enumerate(names))
    keep = {resolve(column, names) for column in request.columns}
    for name in request.select:
        if name not in names:
            raise DataError(f"there is no column {name!r} in the file.{did_you_mean(name, names)}")
    keep |= {*request.select, *(request.needs or ())}
    wanted = [(j, name) for j, name in enumerate(names) if name in keep]
    return wanted or list(enumerate(names))


def _gather(batch: Any, names: Sequence[str], strings: frozenset[str], report: Report) -> RawTable:
    """An Arrow table as columns of ours."""
    imported = arrow_c.fields_of(arrow_c.import_array(batch))
    assert imported is not None
    columns = []
    for name, column in zip(names, imported, strict=True):
        raw = arrow_columns.column_of(name, column, report)
        if column.field.name in strings and column.field.dictionary is not None:
            raw = _without_declaration(raw)
        columns.append(raw)
    return RawTable.of_columns(columns, batch.num_rows)


def _without_declaration(column: RawColumn) -> RawColumn:
    """Strings that came as a dictionary: their levels are what was found, not what was declared."""
    return RawColumn(column.name, "nominal", codes=column.codes, levels=column.levels)


# -- the two formats --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ArrowFile:
    """An open file of either format."""

    name: str
    names: tuple[str, ...]
    forms: tuple[str, ...]
    strings: frozenset[str]  # columns of plain strings that are fetched as dictionaries
    n_rows: Callable[[], int]
    read: Callable[[list[str]], Any]
    #: Columns, the first group and the one behind the last (all by default), and whether by several threads.
    batches: Callable[..., Iterator[Any]]
    groups: tuple[int, ...] | None  # rows of each piece that can be read alone; None where there are none


def _open(source: Any, request: Request) -> _ArrowFile:
    request.require_no_query()
    request.require_text("a Parquet or Arrow file")
    if request.max_bytes is not None:
        raise ParameterError(
            f"read: {messages.option('max_bytes')} is for texts; name what is wanted of this file with "
            f"{messages.option('columns')}."
        )
    try:
        import pyarrow  # noqa: F401 - only to say so in a sentence
    except ImportError:
        raise MissingExtra(
            "reading Parquet and Arrow files needs pyarrow: pip install 'acumen-learn[arrow]'."
        ) from None
    place, shown = _place(source)
    form = request.dialect.format
    is_parquet = form == "parquet" or (
        form != "arrow"
        and (suffix_of(source) in PARQUET.suffixes or head_of(source).startswith(PARQUET.beginnings))
    )
    file = _parquet(place, shown) if is_parquet else _ipc(place, shown)
    if not file.names:
        raise DataError(f"{shown} has no columns.")
    if not request.select and request.needs is None:
        check_width(len(file.names), shown)
    if len(set(file.names)) < len(file.names):
        twice = Counter(file.names).most_common(1)[0][0]
        raise DataError(f"{shown} has two columns called {twice!r}; give them names of their own.")
    return file


def _place(source: Any) -> tuple[Any, str]:
    """What pyarrow is to open, and what it is called."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source).expanduser()
        if path.is_dir():
            raise DataError(f"read: {source} is a directory; give one Parquet or Arrow file in it.")
        if not path.exists():
            near = (
                did_you_mean(path.name, (p.name for p in path.parent.iterdir()), 0.75)
                if path.parent.is_dir()
                else ""
            )
            raise DataError(f"read: there is no file {str(source)!r}.{near}")
        return str(path), str(source)
    if isinstance(source, RemoteFile):
        source.state()  # a sentence where there is none
        return source.open(), source.name
    if isinstance(source, Source):  # from a pipe: these formats are read from their end
        import io

        return io.BytesIO(b"".join(bytes(piece) for piece in source.raw())), source.name
    name = getattr(source, "name", None)
    if callable(getattr(source, "seek", None)):
        source.seek(0)
    return source, name if isinstance(name, str) else f"the {type(source).__name__} given"


def _forms(schema: Any) -> tuple[str, ...]:
    """Each column's format in Arrow's C data interface."""
    fields = arrow_c.schema_fields(schema)
    return tuple(field.format if field.dictionary is None else "dictionary" for field in fields)


def _steps(n_columns: int) -> int:
    """How many rows are taken at a time."""
    return max(1, min(ROWS, CELLS // n_columns))


def _parquet(place: Any, shown: str) -> _ArrowFile:
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(place)
    counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    if min(counts, default=0) < 0 or sum(counts) != metadata.num_rows:
        raise DataError(
            f"{shown} is damaged: it says that it has {metadata.num_rows:,} rows, and its row groups have "
            f"{sum(counts):,}."
        )
    schema = metadata.schema.to_arrow_schema()
    forms = _forms(schema)
    strings = frozenset(name for name, form in zip(schema.names, forms, strict=True) if form in ("u", "U"))

    def open_file(**how: Any) -> Any:
        return pq.ParquetFile(
            place, metadata=metadata, read_dictionary=sorted(strings), page_checksum_verification=True, **how
        )

    def require_rows(stated: int, n_rows: int) -> None:
        if n_rows != stated:
            raise DataError(f"{shown} is damaged: it says that it has {stated:,} rows, and holds {n_rows:,}.")

    def batches(
        names: list[str], first: int = 0, last: int | None = None, threads: bool = True
    ) -> Iterator[Any]:
        import pyarrow

        file, rows = open_file(pre_buffer=False, buffer_size=FETCHED), _steps(len(names))
        for group in range(first, file.num_row_groups if last is None else last):
            given_rows = 0
            for batch in file.iter_batches(rows, [group], names, use_threads=threads):
                given_rows += batch.num_rows
                yield pyarrow.Table.from_batches([_valid(batch)]).select(names)
            require_rows(
                counts[group], given_rows
            )  # a column that is shorter would end a group without a word

    def read_all(names: list[str]) -> Any:
        table = _valid(open_file(pre_buffer=True).read(columns=names))
        require_rows(metadata.num_rows, table.num_rows)
        return table.select(names)

    return _ArrowFile(
        shown,
        tuple(schema.names),
        forms,
        strings,
        lambda: int(metadata.num_rows),
        read_all,
        batches,
        tuple(counts),
    )


def _ipc(path: Any, shown: str) -> _ArrowFile:
    import pyarrow
    import pyarrow.ipc

    # Not mapped into memory: a file that shrinks meanwhile would take the process with it.
    place = pyarrow.OSFile(path) if isinstance(path, str) else path
    start = place.read(8)
    place.seek(0)
    in_file = start.startswith(b"ARROW1")
    schema = (pyarrow.ipc.open_file if in_file else pyarrow.ipc.open_stream)(place).schema

    def reader(names: list[str], threads: bool = True) -> Any:
        """Someone to read record batches, of which only these columns are fetched."""
        wanted = pyarrow.ipc.IpcReadOptions(
            included_fields=sorted(schema.get_field_index(n) for n in names), use_threads=threads
        )
        place.seek(0)
        return (pyarrow.ipc.open_file if in_file else pyarrow.ipc.open_stream)(place, options=wanted)

    def open_batches(
        names: list[str], first: int = 0, last: int | None = None, threads: bool = True
    ) -> Iterator[Any]:
        batches = reader(names, threads)
        if not in_file:
            return map(_valid, batches)
        return (
            _valid(batches.get_batch(i))
            for i in range(first, batches.num_record_batches if last is None else last)
        )

    def fetch_batch(i: int, threads: bool, names: list[str]) -> Any:
        return _valid(reader(names, threads).get_batch(i))

    def batches(
        names: list[str], first: int = 0, last: int | None = None, threads: bool = True
    ) -> Iterator[Any]:
        rows = _steps(len(names))
        some = open_batches(names[:1], first, last) if in_file and len(names) > 1 else ()
        sizes = [batch.num_rows for batch in some] or [0]
        if max(sizes, default=0) * len(names) > LARGE:
            for i in range(first, first + len(sizes)):
                yield from pieces_of(partial(fetch_batch, i, threads), names, rows)
            return
        for batch in open_batches(names, first, last, threads):
            whole = pyarrow.Table.from_batches([batch]).select(names)
            for start in range(0, max(1, whole.num_rows), rows):
                yield whole.slice(start, rows)

    def read_all(names: list[str]) -> Any:
        shape = pyarrow.schema([schema.field(name) for name in names])
        batches = [batch.select(names) for batch in open_batches(names)]
        return pyarrow.Table.from_batches(batches, schema=shape)

    def count() -> int:
        return sum(batch.num_rows for batch in open_batches(schema.names[:1]))

    groups = (
        tuple(batch.num_rows for batch in open_batches(schema.names[:1]))
        if in_file and schema.names
        else None
    )
    return _ArrowFile(
        shown, tuple(schema.names), _forms(schema), frozenset(), count, read_all, batches, groups
    )


def _valid(batch: Any) -> Any:
    """A record batch or table, once pyarrow has seen that lengths, offsets, indices and texts are in order."""
    batch.validate(full=True)
    return batch


@contextmanager
def _sentences(source: Any) -> Iterator[None]:
    """What pyarrow raises, as a sentence that names the file."""
    try:
        yield
    except AcumenError:
        raise
    except Exception as error:
        if not (
            isinstance(error, (OSError, ValueError, KeyError, MemoryError, OverflowError)) or _of_arrow(error)
        ):
            raise
        shown = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", "the file")
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataError(f"{shown} cannot be read as a Parquet or Arrow file: {reason}.") from None


def _of_arrow(error: Exception) -> bool:
    """Whether this is one of pyarrow's own exceptions, some of which are no kind of error that Python has."""
    return type(error).__module__.startswith("pyarrow")
