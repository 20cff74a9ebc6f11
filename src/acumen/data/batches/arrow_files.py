"""Read Parquet and Arrow IPC files with pyarrow, one row group or record batch at a time.

    read      the whole file, borrowed without copying where it is contiguous
    scan      row group by row group; the first pass skips columns that can only be numbers

Files are recognised by .parquet, .pq, .arrow, .feather, .ipc or .arrows, or by their first bytes. Only the requested
columns are read. Dictionary columns keep their levels and their order. Strings are read as dictionaries, as Parquet
stores them, so that each value becomes text once.

The metadata of a file can be wrong: a string may start gigabytes beyond its buffer, or a batch may claim rows that it
does not have. So pyarrow validates each batch in full before anything reads it; see `_valid`. Parquet pages are checked
against their checksums if they have any; Arrow IPC has none.
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
#: The most rows, and the most cells, of a row group that are converted at a time while scanning.
ROWS = 65_536
CELLS = 1 << 22
#: A record batch with more cells than this is read column by column.
LARGE = 1 << 24
#: Bytes of each column that are read at a time while scanning: a row group may be as large as the file.
FETCHED = 1 << 18
#: Arrow's types that are always numeric: all numbers but 64-bit integers, which may exceed 2^53.
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
    """Read the file in parts; each pass opens it again."""
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
    """The rows of a Parquet or Arrow file; reading can start at any row group or record batch."""

    stamp: Stamp
    columns: tuple[tuple[str, str], ...]  # the name of each column in the file, and its name here

    def batches(self, first: int, last: int) -> Iterator[RawTable]:
        self.stamp.check(self.name)
        with _sentences(self.name):
            file = _open(self.stamp.place, self.filling.request)
            if file.groups != self.stretches:
                raise DataError(f"{self.name} changed while it was being read: it has other row groups.")
            names = [name for _, name in self.columns]
            # One thread, because several workers read their own stretches at the same time.
            for batch in file.batches([called for called, _ in self.columns], first, last, threads=False):
                yield _gather(batch, names, file.strings, Report())


def _wanted_columns(names: Sequence[str], request: Request) -> list[tuple[int, str]]:
    """Choose the columns to read: their positions and names, in the file's order."""
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
    """Convert an Arrow table to columns of acumen."""
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
    """Convert strings that were read as a dictionary: their levels were found in the rows, not declared."""
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
    #: Takes the columns, the first group and the one after the last (default: all), and whether to use several threads.
    batches: Callable[..., Iterator[Any]]
    groups: tuple[int, ...] | None  # rows of each piece that can be read on its own; None if there are none


def _open(source: Any, request: Request) -> _ArrowFile:
    request.require_no_query()
    request.require_text("a Parquet or Arrow file")
    if request.max_bytes is not None:
        raise ParameterError(
            f"read: {messages.option('max_bytes')} applies to text files; select the columns you need with "
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
        raise DataError(f"{shown} has two columns called {twice!r}; rename one of them.")
    return file


def _place(source: Any) -> tuple[Any, str]:
    """The object that pyarrow opens, and its name for messages."""
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
        source.state()  # raises an error if the file does not exist
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
            f"{shown} is damaged: its metadata states {metadata.num_rows:,} rows, but its row groups have "
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
            raise DataError(
                f"{shown} is damaged: its metadata states {stated:,} rows, but it holds {n_rows:,}."
            )

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
        """A reader of record batches that reads only these columns."""
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
    """Validate lengths, offsets, indices and texts of a record batch or table with pyarrow, and return it."""
    batch.validate(full=True)
    return batch


@contextmanager
def _sentences(source: Any) -> Iterator[None]:
    """Turn pyarrow's exceptions into a DataError that names the file."""
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
    """Whether this is one of pyarrow's own exceptions; some derive from none of Python's error classes."""
    return type(error).__module__.startswith("pyarrow")
