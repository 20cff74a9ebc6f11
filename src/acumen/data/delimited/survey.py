"""Survey a delimited source before its rows are read: layout, header, and the type of each column.

survey_text    source, request -> TextSurvey    one pass over the source, and another for columns that need it

A column that stops looking numeric at some line is read again as strings, on its own. So is a column whose options only
become known with the header, which is decided at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from acumen import _native, messages
from acumen.data.delimited.bound import delimiter_of, header_of
from acumen.data.delimited.passes import DelimitedText, NamedColumns, TextColumns
from acumen.data.delimited.preamble import Preamble, find_preamble, without_lines
from acumen.data.delimited.sniff import Below, check_width, find_header
from acumen.data.delimited.written_columns import (
    Marks,
    begins_written,
    find_written,
    judge_marks,
    values_of,
)
from acumen.data.encoding import FALLBACK, UTF8, NotUtf8, check_encoding, find_encoding
from acumen.data.files import CHUNK, Source
from acumen.data.forms import ColumnForm
from acumen.data.naming import unique_names
from acumen.data.request import Request, Roles
from acumen.errors import DataError, HeaderAlone, ParameterError, RaggedRows

_HEAD_SIZES = (1 << 18, 1 << 22, 1 << 26)


@dataclass(frozen=True, slots=True)
class TextHeader:
    """The first record: whether it holds the names, the reason, and its cells with whether each was quoted."""

    present: bool
    reason: str
    cells: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class RaggedRecords:
    """Records of another length: line and number of fields of the first ones, and the number of short and long ones."""

    lines: tuple[tuple[int, int], ...]
    short: int
    long: int


@dataclass(frozen=True, slots=True)
class TextSurvey:
    """The result of a full pass over a delimited source."""

    columns: TextColumns
    preamble: Preamble
    header: TextHeader
    trailing: bool  # the last column was only a delimiter at the end of each line
    ragged: RaggedRecords
    marks: Marks
    written: Mapping[int, ColumnForm]  # numbers and dates written for people
    latin_line: int  # the first line that is not UTF-8, when Latin-1 was taken instead; else 0

    @property
    def text(self) -> DelimitedText:
        return self.columns.text


def survey_text(source: Source, request: Request, *, store: bool, chunk: int = CHUNK) -> TextSurvey:
    """Survey a source in a full pass before its rows are read."""
    request.require_no_query()
    _check_dialect(request)
    head, complete = _head(source)
    stated = request.dialect.encoding
    encoding = check_encoding(stated) if stated is not None and not source.decoded else find_encoding(head)
    if source.decoded:
        encoding = UTF8
    start = head if encoding == UTF8 else head.decode(encoding, "replace").encode()
    start = start.removeprefix(b"\xef\xbb\xbf")
    if request.like is not None and (delimiter := delimiter_of(start, request.like, request.dialect)):
        request = replace(request, dialect=replace(request.dialect, delimiter=delimiter))
    preamble, layout = find_preamble(start, complete, source.suffix, request.dialect)
    if preamble.delimiter is not None:
        request = replace(request, dialect=replace(request.dialect, delimiter=preamble.delimiter))
    check_width(layout.columns, source.name)
    text = DelimitedText(source, request, store, chunk, encoding, layout, preamble.skip)
    start = b"".join(without_lines([start], preamble.skip))
    try:
        return _survey(text, preamble, start, complete, 0)
    except NotUtf8 as error:
        if stated is not None:
            raise DataError(
                f"{source.name}: line {error.line} holds bytes that are not UTF-8; set the right encoding with "
                f"{messages.dialect('encoding')}, or do not set it."
            ) from None
        return _survey(replace(text, encoding=FALLBACK), preamble, start, complete, error.line)


def _check_dialect(request: Request) -> None:
    if request.dialect.sheet is not None:
        raise ParameterError(f"only workbooks have sheets; remove {messages.dialect('sheet')}.")
    for what in ("delimiter", "quote", "comment"):
        character = getattr(request.dialect, what)
        if character and not character.isascii():
            raise ParameterError(f"Dialect: {what} must be an ASCII character; got {character!r}.")


def _head(source: Source) -> tuple[bytes, bool]:
    """Read enough of the start to hold a good number of records."""
    head, complete = b"", False
    for size in _HEAD_SIZES:
        head, complete = source.head(size)
        breaks = head.count(b"\n") + head.count(b"\r")
        if complete or breaks >= 100 or (size > _HEAD_SIZES[0] and breaks >= 3):
            break
    return head, complete


def _survey(
    text: DelimitedText, preamble: Preamble, start: bytes, complete: bool, latin_line: int
) -> TextSurvey:
    """Run the passes in order; each decides some of the survey."""
    stated = text.request.dialect.header
    record = "data" if stated is False else "hold"  # what the tokenizer does with the first record
    columns = TextColumns.read(text, _guess_names(text, start, complete), record)
    table = columns.first
    if not (table.rows or table.first_line or table.short_rows or table.long_rows):
        raise DataError(f"{text.source.name} is empty: it has no rows.")
    columns = columns.reread_mixed(record)
    header = _find_header(columns)
    if not header.present and (table.first_count == text.layout.columns or text.request.ragged == "fill"):
        for each in {id(t): t for t in (table, *columns.tables)}.values():
            each.settle(True)
    ragged = _count_ragged(columns, header)
    trailing = _has_lone_end(columns, header, table.first_count)
    columns = replace(columns, named=_name_columns(columns, header, trailing))
    if not columns.n_rows:
        if ragged.short + ragged.long:
            raise DataError(f"{text.source.name} has no rows left: all have the wrong number of fields.")
        raise HeaderAlone(f"{text.source.name} has a header but no rows.")
    record = "skip" if header.present else "data"
    columns = columns.reread_mixed(record)
    columns = columns.reread(_missed_modes(columns), record).reread_mixed(record)
    marks, columns = judge_marks(columns, record)
    written = find_written(columns, marks, record)
    columns, marks = written.columns, written.marks
    _require_numbers(columns, written.no_number)
    columns, bound_forms = _read_bound(columns, record)
    forms = {**written.forms, **bound_forms}
    return TextSurvey(columns, preamble, header, trailing, ragged, marks, forms, latin_line)


# -- names ---------------------------------------------------------------------------------------------


def _guess_names(text: DelimitedText, start: bytes, complete: bool) -> NamedColumns:
    """Guess the names before the header is decided: nearly always right, and checked at the end."""
    request, n = text.request, text.layout.columns
    records, _ = _native.sample_records(
        start, text.layout.native(request.dialect), last=complete, limit=1, cells=True
    )
    cells = [cell for cell, _ in records[0].cells] if records else []
    numbered = [f"x{i + 1}" for i in range(n)]
    titled = unique_names((cells + [""] * n)[:n])[0]
    order = (numbered, titled) if request.dialect.header is False else (titled, numbered)
    for names in order:
        try:
            return NamedColumns.of(names, Roles.of(request, names), request)
        except DataError:
            continue
    return NamedColumns.of(numbered, Roles.of(Request(), numbered), request)


def _find_header(columns: TextColumns) -> TextHeader:
    """Whether the first record holds the names, and the reason for the report."""
    request = columns.text.request
    cells = tuple(columns.first.first_cells)
    stated, like = request.dialect.header, request.like
    if stated is not None:
        return TextHeader(stated, "as set in the dialect", cells)
    by_name = [column for column in request.columns if isinstance(column, str)]
    titles = {title for title, _ in cells}
    if by_name and titles.issuperset(by_name):
        return TextHeader(True, f"column {by_name[0]!r} was given by name", cells)
    if like is not None and (has_names := header_of(titles, like)) is not None:
        return TextHeader(has_names, "as in the table given as like", cells)
    present, reason = find_header(
        cells,
        [_below(columns, column) for column in range(columns.text.layout.columns)],
        frozenset((*request.dialect.missing, *request.missing)),
        lambda column, title: columns.tables[column].has_level(column, title),
    )
    return TextHeader(present, reason, cells)


def _below(columns: TextColumns, column: int) -> Below:
    """What a column holds below the first record."""
    form, stats = columns.form(column), columns.stats(column)
    if form == _native.FORM_NUMBER:
        return "number"
    if form == _native.FORM_DATE:
        return "date"
    if form == _native.FORM_EMPTY or stats.missing == columns.n_rows:
        return "nothing"
    if columns.modes[column] == _native.MODE_FIXED:
        levels = columns.named.levels().get(column, [])
        plain = all(_native.parse_number(level) is not None for level in levels) and not stats.unknown
        return "number" if plain else "text"
    if form == _native.FORM_MIXED or stats.first_other is not None:
        return "written" if begins_written(columns, column) else "text"
    if stats.distinct_dates and not stats.distinct_numbers:
        return "date"
    return "number" if not stats.distinct_dates else "text"


def _name_columns(columns: TextColumns, header: TextHeader, trailing: bool) -> NamedColumns:
    n = columns.text.layout.columns - trailing
    names: Sequence[str] = [f"x{i + 1}" for i in range(n)]
    if header.present:
        names, _, _ = unique_names([title for title, _ in header.cells[:n]])
    request = columns.text.request
    try:
        return NamedColumns.of(names, Roles.of(request, names), request)
    except DataError as error:
        if header.present:
            raise
        raise DataError(
            f"{error} No header was detected ({header.reason}); if there is one, set "
            f"{messages.dialect('header', True)}."
        ) from None


def _missed_modes(columns: TextColumns) -> dict[int, int]:
    """The modes of columns whose options did not apply under the guessed names."""
    wanted = columns.named.modes(columns.text.layout.columns, columns.text.request)

    def strings_by_values(column: int) -> bool:
        """Whether a column was read as strings because of its own values."""
        is_strings = columns.modes[column] == _native.MODE_STRING
        return is_strings and columns.first.form(column) != _native.FORM_STRING

    return {
        column: mode
        for column, mode in enumerate(wanted[: len(columns.names)])
        if mode != columns.modes[column] and not (mode == _native.MODE_AUTO and strings_by_values(column))
    }


# -- records of another length -------------------------------------------------------------------------


def _count_ragged(columns: TextColumns, header: TextHeader) -> RaggedRecords:
    """Count the records of another length; they are an error unless `ragged` is "fill" or "drop"."""
    table, width, request = columns.first, columns.text.layout.columns, columns.text.request
    lines, short, long = list(table.ragged), table.short_rows, table.long_rows
    count = table.first_count
    is_odd = table.first_line and count != width
    is_odd = is_odd and not (header.present and _has_lone_end(columns, header, count))
    first = [(table.first_line, count)] if is_odd else []
    if first and not header.present:  # a header of another length is a matter of its own
        lines = first + lines
        short += count < width
        long += count > width
        first = []
    n = len(first) + short + long
    if n and request.ragged == "error":
        shown = ", ".join(f"line {line} has {count}" for line, count in (first + lines)[:5])
        more = f" and {n - 5:,} more" if n > 5 else ""
        many = 4 * n >= columns.n_rows
        basket = f"; if each line is a list of items, use {messages.dialect('format', 'basket')}"
        raise RaggedRows(
            f"{columns.text.source.name}: {n:,} {'row does' if n == 1 else 'rows do'} not have the table's {width} "
            f"fields: {shown}{more}. Fix the file, or use {messages.option('ragged', 'fill')} or "
            f"{messages.option('ragged', 'drop')}{basket if many else ''}.",
            many,
        )
    return RaggedRecords(tuple(lines), short, long)


def _has_lone_end(columns: TextColumns, header: TextHeader, header_count: int) -> bool:
    """Whether the last column is nothing but a delimiter at the end of each line."""
    last, like = columns.text.layout.columns - 1, columns.text.request.like
    if last < 1 or not columns.n_rows:
        return False
    if not header.present and like is not None and f"x{last + 1}" in like:
        return False
    unnamed = not header.present or header_count == last or header.cells[last] == ("", False)
    return unnamed and columns.stats(last).empty == columns.n_rows


# -- numbers -------------------------------------------------------------------------------------------


def _read_bound(columns: TextColumns, record: str) -> tuple[TextColumns, dict[int, ColumnForm]]:
    """Read bound numeric columns as strings where the tokenizer fails; each cell must have the schema's format."""
    forms = {
        column: form
        for column in columns.named.bound
        if (form := columns.named.bound_form(column, columns.text.request)) is not None
    }
    unread = [
        c for c in forms if columns.modes[c] != _native.MODE_STRING and columns.stats(c).turn is not None
    ]
    columns = columns.reread(dict.fromkeys(unread, _native.MODE_STRING), record)
    written = {}
    for column, form in forms.items():
        if columns.form(column) != _native.FORM_STRING:
            continue
        wrong = next((value for value in values_of(columns, column) if form.number(value) is None), None)
        if wrong is not None:
            raise form.refusal(columns.names[column], wrong)
        written[column] = ColumnForm(form)
    return columns, written


def _require_numbers(columns: TextColumns, no_number: Mapping[int, str]) -> None:
    """Refuse a column that the caller declared numeric but that is not."""
    name_of_source, request = columns.text.source.name, columns.text.request
    for column, name in enumerate(columns.names):
        if columns.modes[column] != _native.MODE_NUMERIC:
            continue
        stats = columns.stats(column)
        open_mark = request.dialect.decimal is None and columns.text.layout.delimiter == ","
        if stats.comma and stats.thousands and open_mark:
            raise DataError(
                f"{name_of_source}: column {name!r} should be numeric, but every comma in it is followed by three "
                "digits: remove the commas if they separate thousands, or use "
                f"{messages.dialect('decimal', ',')} if they are decimal commas."
            )
        if stats.turn is not None:
            line, value = stats.turn
            other = no_number.get(column) or value
            where = f"line {line} holds {value!r}" if other.startswith(value) else f"holds {other!r}"
            raise DataError(
                f"{name_of_source}: column {name!r} should be numeric, but {where}; use "
                f"{messages.option('missing', value)} if that means missing, or do not set the column's kind."
            )
