"""Finding out all there is to know of a delimited source before its rows are given out.

survey    source, request -> Survey    one pass over all of it, and another for columns that need it

A column that looked like numbers until some line said otherwise is read again as strings, alone; so is
one for which the header, known only at the end, brings another wish of the caller to light.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from acumen import _native, messages
from acumen.data.delimited.bound import delimiter_of, header_of
from acumen.data.delimited.passes import NotUtf8, Passes
from acumen.data.delimited.preamble import Above, find_above, without_lines
from acumen.data.delimited.sniff import Below, check_width, find_header
from acumen.data.delimited.written import begins_written, find_written, kept_form, shown_marks, values_of
from acumen.data.encoding import FALLBACK, UTF8, checked, find_encoding
from acumen.data.files import CHUNK, Source
from acumen.data.forms import Found, looks_written
from acumen.data.naming import unique_names
from acumen.data.number_forms import NumberForm
from acumen.data.request import Request, Roles
from acumen.errors import DataError, HeaderAlone, ParameterError, RaggedRows

_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_HEAD_SIZES = (1 << 18, 1 << 22, 1 << 26)


@dataclass(slots=True)
class Survey(Passes):
    """What is known of a source after going through it. `names` are those of the columns kept."""

    latin_line: int = 0  # the first line that is not UTF-8, when Latin-1 was taken instead
    header: bool = False
    header_reason: str = ""
    cells: list[tuple[str, bool]] = field(default_factory=list)  # the first record
    trailing: bool = False  # the last column was only a delimiter at the end of each line
    ragged: list[tuple[int, int]] = field(default_factory=list)  # line and number of fields
    short_rows: int = 0
    long_rows: int = 0
    marks_clash: set[int] = field(default_factory=set)  # decimal commas that may be none; kept as strings
    thousands: set[int] = field(default_factory=set)  # those of them that look like thousands
    grouped: set[int] = field(default_factory=set)  # points between thousands, as commas elsewhere show
    written: dict[int, Found] = field(default_factory=dict)  # numbers and dates written for people
    no_number: dict[int, str] = field(default_factory=dict)  # what a column asked to be numeric holds
    above: Above = field(default_factory=Above)
    doubtful: set[int] = field(
        default_factory=set
    )  # points read as decimals that may stand between thousands

    @property
    def _open_mark(self) -> bool:
        """Whether it is left to us which mark stands before decimals."""
        return self.request.dialect.decimal is None

    def _guess(self, cells: list[str]) -> None:
        """Names before the header is certain: right nearly always, and checked at the end."""
        numbered = tuple(f"x{i + 1}" for i in range(self.layout.columns))
        titled = tuple(unique_names(cells)[0])
        order = (numbered, titled) if self.request.dialect.header is False else (titled, numbered)
        for names in order:
            try:
                self.give_roles(names, Roles.of(self.request, names))
                return
            except DataError:
                continue
        self.give_roles(numbered, Roles.of(Request(), numbered))

    def run(self, head: bytes, complete: bool) -> None:
        """Fill in everything above."""
        stated = self.request.dialect.header
        records, _ = _native.sample_records(
            head, self.layout.native(self.request.dialect), last=complete, limit=1, cells=True
        )
        cells = [text for text, _ in records[0].cells] if records else []
        self._guess((cells + [""] * self.layout.columns)[: self.layout.columns])
        self.modes = self.wanted()
        first = "data" if stated is False else "hold"
        self.first = self.go(self.modes, first)
        self.tables = [self.first] * self.layout.columns
        table = self.first
        if not (table.rows or table.first_line or table.short_rows or table.long_rows):
            raise DataError(f"{self.source.name} is empty: there is no row in it.")
        self.settle_forms(first)
        self._find_header(stated)
        self._count_ragged()
        first = "skip" if self.header else "data"
        self._name_columns()
        if not self.n_rows:
            if self.short_rows + self.long_rows:
                raise DataError(f"{self.source.name} has no row left: all have another number of fields.")
            raise HeaderAlone(f"{self.source.name} has a header but no rows.")
        self.settle_forms(first)
        self._ask_again(first)
        self._judge_marks(first)
        self._find_written(first)
        self._demand_numbers()
        self._read_bound(first)

    def _find_header(self, stated: bool | None) -> None:
        table = self.first
        self.cells = list(table.first_cells)
        if stated is not None:
            self.header, self.header_reason = stated, "as the dialect says"
        else:
            asked = [c for c in self.request.columns if isinstance(c, str)]
            titles = {text for text, _ in self.cells}
            like = self.request.like
            if asked and titles.issuperset(asked):
                self.header, self.header_reason = True, f"column {asked[0]!r} was asked for by name"
            elif like is not None and (told := header_of(titles, like)) is not None:
                self.header, self.header_reason = told, "as in the table that it is read like"
            else:
                self.header, self.header_reason = find_header(
                    self.cells,
                    [self._below(column) for column in range(self.layout.columns)],
                    frozenset((*self.request.dialect.missing, *self.request.missing)),
                    lambda column, text: self.tables[column].has_level(column, text),
                )
        fits = table.first_count == self.layout.columns
        if not self.header and (fits or self.request.ragged == "fill"):
            for each in {id(t): t for t in (self.first, *self.tables)}.values():
                each.settle(True)

    def _below(self, column: int) -> Below:
        form, stats = self.form(column), self.stats(column)
        if form == _native.FORM_NUMBER:
            return "number"
        if form == _native.FORM_DATE:
            return "date"
        if form == _native.FORM_EMPTY or stats.missing == self.n_rows:
            return "nothing"
        if self.modes[column] == _native.MODE_FIXED:
            levels = self.given_levels().get(column, [])
            plain = all(_native.parse_number(level) is not None for level in levels) and not stats.unknown
            return "number" if plain else "text"
        if form == _native.FORM_MIXED or stats.first_other is not None:
            return "written" if begins_written(self, column) else "text"
        if stats.distinct_dates and not stats.distinct_numbers:
            return "date"
        return "number" if not stats.distinct_dates else "text"

    def _count_ragged(self) -> None:
        table, columns = self.first, self.layout.columns
        self.ragged = list(table.ragged)
        self.short_rows, self.long_rows = table.short_rows, table.long_rows
        count = table.first_count
        odd = table.first_line and count != columns and not (self.header and self._lone_end(count))
        first = [(table.first_line, count)] if odd else []
        if first and not self.header:  # a header of another length is a matter of its own
            self.ragged = first + self.ragged
            self.short_rows += count < columns
            self.long_rows += count > columns
            first = []
        n = len(first) + self.short_rows + self.long_rows
        if n and self.request.ragged == "error":
            shown = ", ".join(f"line {line} has {count}" for line, count in (first + self.ragged)[:5])
            more = f" and {n - 5:,} more" if n > 5 else ""
            many = 4 * n >= self.n_rows
            raise RaggedRows(
                f"{self.source.name}: {n:,} {'row has' if n == 1 else 'rows have'} another number of fields "
                f"than the {columns} of the table: {shown}{more}. "
                f"Say {messages.option('ragged', 'fill')} or {messages.option('ragged', 'drop')} to go on without "
                "mending the file"
                + (
                    f"; if each line is a list of items, say {messages.dialect('format', 'basket')}."
                    if many
                    else "."
                ),
                many,
            )

    def _lone_end(self, header_count: int) -> bool:
        """Whether the last column is nothing but a delimiter at the end of each line."""
        last = self.layout.columns - 1
        if last < 1 or not self.n_rows:
            return False
        if not self.header and self.request.like is not None and f"x{last + 1}" in self.request.like:
            return False
        unnamed = not self.header or header_count == last or self.cells[last] == ("", False)
        return unnamed and self.stats(last).empty == self.n_rows

    def _name_columns(self) -> None:
        self.trailing = self._lone_end(self.first.first_count)
        kept = self.layout.columns - self.trailing
        if self.header:
            names, _, _ = unique_names([text for text, _ in self.cells[:kept]])
        else:
            names = [f"x{i + 1}" for i in range(kept)]
        try:
            self.give_roles(tuple(names), Roles.of(self.request, names))
        except DataError as error:
            if self.header:
                raise
            raise DataError(
                f"{error} No header was found ({self.header_reason}); if there is one, say "
                f"{messages.dialect('header', True)}."
            ) from None

    def _judge_marks(self, first: str) -> None:
        """Keep as strings the commas of which nobody can tell what they are.

        They stand beside decimal points in other columns, or (quoted, between commas) look like thousands.
        """
        if not self._open_mark:
            return
        numbers = [
            c for c, mode in enumerate(self.modes)
            if c not in self.bound and (
                self.form(c) == _native.FORM_NUMBER
                or (mode == _native.MODE_STRING and self._below(c) == "number")
            )
        ]  # fmt: skip
        one_mark = [c for c in numbers if self.stats(c).point != self.stats(c).comma]
        commas = {c for c in one_mark if self.stats(c).comma and self.modes[c] != _native.MODE_NUMERIC}
        grouped = {c for c in commas if self._like_thousands(c)}
        pointed = {c for c in one_mark if self.stats(c).point}
        if commas - grouped and all(self.stats(c).thousands for c in pointed):
            # Decimal commas for certain, and every point could stand between thousands: then it does.
            self.grouped, pointed = {c for c in pointed if self.modes[c] != _native.MODE_STRING}, set()
        points = bool(pointed)
        if self.layout.delimiter == ",":
            self.thousands = grouped
        self.marks_clash = commas if points else self.thousands
        self.doubtful = self._doubtful_points([c for c in pointed if c not in commas])
        self.go_again(
            {
                c: _native.MODE_STRING
                for c in (*self.marks_clash, *self.grouped)
                if self.modes[c] == _native.MODE_AUTO
            },
            first,
        )

    def _doubtful_points(self, columns: list[int]) -> set[int]:
        """Columns whose every point has three digits behind it, where no other column shows what points are.

        Beside short whole numbers (950, 1.234) they are thousands more often than not; alone they are looked at
        where commas are not the delimiter, for then they may well be decimal marks.
        """
        pointed = [c for c in columns if self.stats(c).point]
        if any(not self.stats(c).thousands for c in pointed):
            return set()
        return {
            c
            for c in pointed
            if (not self.stats(c).long_whole if self.stats(c).whole else self.layout.delimiter == ";")
        }

    def _find_written(self, first: str) -> None:
        """Find the numbers and dates written for people among the columns that are no plain numbers."""
        asked = {
            c for c, mode in enumerate(self.modes[: len(self.names)])
            if mode == _native.MODE_NUMERIC and self.stats(c).turn is not None
        }  # fmt: skip
        free = [c for c in range(len(self.names)) if c not in self.bound]
        again = asked | {c for c in free if self._read_otherwise(c)}
        before = {c: (self.tables[c], self.modes[c]) for c in again}
        self.go_again(dict.fromkeys(again, _native.MODE_STRING), first)
        tried = [c for c in free if c in again or self._maybe_written(c)]
        self.written = find_written(self, tried, frozenset(asked))
        self._settle_doubts(first)
        for column, (table, mode) in before.items():
            if column not in self.written:
                # Of values written for people it is not the first that is at fault, but the first that is no number.
                self.no_number[column] = next(
                    (v for v in values_of(self, column) if not looks_written(v)), ""
                )
                self.tables[column], self.modes[column] = table, mode

    def _settle_doubts(self, first: str) -> None:
        """What numbers written for people show of their marks settles what points among plain ones are."""
        marks = shown_marks(self.written.values())
        if len(marks) != 1 or not self._open_mark:
            return
        if marks == {","}:
            self.grouped |= {c for c in self.doubtful if self.modes[c] == _native.MODE_AUTO}
            again = {c: _native.MODE_STRING for c in self.doubtful if c in self.grouped}
            self.go_again(again, first)
            self.written |= find_written(self, again, frozenset())
        self.doubtful -= self.grouped if marks == {","} else self.doubtful

    def _maybe_written(self, column: int) -> bool:
        """Whether a column of strings that nobody spoke of may be worth a look."""
        name, stats = self.names[column], self.stats(column)
        if self.modes[column] == _native.MODE_FIXED or self.form(column) != _native.FORM_STRING:
            return False
        if self.roles.kinds.get(name) is not None or name in self.roles.merge or stats.capped:
            return False
        if column in self.grouped or kept_form(self, column) is not None:
            return True
        if column in self.marks_clash:
            return False
        # Where all are plain numbers or dates there is another reason why they are strings, unless it is the marks.
        codes = (
            stats.leading_zero or stats.big_integer or (stats.distinct_dates and not stats.distinct_numbers)
        )
        return (
            stats.first_other is not None
            or bool(stats.maybe_missing)
            or (stats.point and stats.comma and not codes)
        )

    def _read_otherwise(self, column: int) -> bool:
        """Whether numbers were read with marks that mean something else in the schema they are to be read like."""
        kept = kept_form(self, column) if self.form(column) == _native.FORM_NUMBER else None
        stats = self.stats(column)
        return isinstance(kept, NumberForm) and (
            (stats.point and kept.decimal != ".") or (stats.comma and kept.decimal != ",")
        )

    def _like_thousands(self, column: int) -> bool:
        """Whether every comma of a column of numbers has three digits behind it, and at most three before."""
        stats = self.stats(column)
        if self.form(column) != _native.FORM_STRING:
            return stats.thousands
        if stats.capped:
            return False
        levels = self.tables[column].levels(column)
        return all(_THOUSANDS.fullmatch(level.strip()) for level in levels if "," in level)

    def _ask_again(self, first: str) -> None:
        """Read again the columns whose wish the guessed names had missed."""
        wanted = {
            column: mode
            for column, mode in enumerate(self.wanted()[: len(self.names)])
            if mode != self.modes[column] and not (mode == _native.MODE_AUTO and self._auto_born(column))
        }
        self.go_again(wanted, first)
        self.settle_forms(first)

    def _auto_born(self, column: int) -> bool:
        """Whether a column nobody asked for was read as strings because of its own values."""
        if self.modes[column] != _native.MODE_STRING:
            return False
        return self.first.form(column) != _native.FORM_STRING

    def _read_bound(self, first: str) -> None:
        """Read bound columns of numbers as strings where the tokenizer cannot; each cell has the schema's form."""
        forms = {c: form for c in self.bound if (form := self.bound_form(c)) is not None}
        turned = [c for c in forms if self.modes[c] != _native.MODE_STRING and self.stats(c).turn is not None]
        self.go_again(dict.fromkeys(turned, _native.MODE_STRING), first)
        for column, form in forms.items():
            if self.form(column) != _native.FORM_STRING:
                continue
            wrong = next((text for text in values_of(self, column) if form.number(text) is None), None)
            if wrong is not None:
                raise form.refuse(self.names[column], wrong)
            self.written[column] = Found(form)

    def _demand_numbers(self) -> None:
        for column, name in enumerate(self.names):
            if self.modes[column] != _native.MODE_NUMERIC:
                continue
            stats = self.stats(column)
            if stats.comma and stats.thousands and self._open_mark and self.layout.delimiter == ",":
                raise DataError(
                    f"{self.source.name}: column {name!r} is to be numeric, but every comma in it has three digits "
                    "behind it: take the commas out if they are thousands, or say "
                    f"{messages.dialect('decimal', ',')} if they are decimals."
                )
            if stats.turn is not None:
                line, value = stats.turn
                other = self.no_number.get(column) or value
                where = f"line {line} holds {value!r}" if other.startswith(value) else f"holds {other!r}"
                raise DataError(
                    f"{self.source.name}: column {name!r} is to be numeric, but {where}; "
                    f"say {messages.option('missing', value)} if it stands for a missing value, or leave the "
                    "column's kind open."
                )


def survey(source: Source, request: Request, *, store: bool, chunk: int = CHUNK) -> Survey:
    """Go through a source and find out all there is to know before its rows are given out."""
    request.require_no_query()
    _check_dialect(request)
    head, complete = _head(source)
    stated = request.dialect.encoding
    encoding = checked(stated) if stated is not None and not source.decoded else find_encoding(head)
    if source.decoded:
        encoding = UTF8
    text = head if encoding == UTF8 else head.decode(encoding, "replace").encode()
    text = text.removeprefix(b"\xef\xbb\xbf")
    if (delimiter := delimiter_of(text, request.like, request.dialect)) is not None:
        request = replace(request, dialect=replace(request.dialect, delimiter=delimiter))
    above, layout = find_above(text, complete, source.suffix, request.dialect)
    if above.delimiter is not None:
        request = replace(request, dialect=replace(request.dialect, delimiter=above.delimiter))
    check_width(layout.columns, source.name)
    made = Survey(source, request, store, chunk, encoding, layout, skip=above.skip, above=above)
    text = b"".join(without_lines([text], above.skip))
    try:
        made.run(text, complete)
    except NotUtf8 as signal:
        if stated is not None:
            raise DataError(
                f"{source.name}: line {signal.line} holds bytes that are not UTF-8; "
                f"name the right one with {messages.dialect('encoding')}, or leave it open."
            ) from None
        made = Survey(
            source,
            request,
            store,
            chunk,
            FALLBACK,
            layout,
            skip=above.skip,
            above=above,
            latin_line=signal.line,
        )
        made.run(text, complete)
    return made


def _check_dialect(request: Request) -> None:
    if request.dialect.sheet is not None:
        raise ParameterError(f"only a workbook has sheets; leave {messages.dialect('sheet')} out.")
    for what in ("delimiter", "quote", "comment"):
        character = getattr(request.dialect, what)
        if character and not character.isascii():
            raise ParameterError(f"Dialect: {what} must be an ASCII character; got {character!r}.")


def _head(source: Source) -> tuple[bytes, bool]:
    """Enough of the start to hold a good number of records."""
    head, complete = b"", False
    for size in _HEAD_SIZES:
        head, complete = source.head(size)
        breaks = head.count(b"\n") + head.count(b"\r")
        if complete or breaks >= 100 or (size > _HEAD_SIZES[0] and breaks >= 3):
            break
    return head, complete
