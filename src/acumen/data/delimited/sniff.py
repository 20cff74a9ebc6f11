"""Detect the layout of a delimited file from its first records.

find_layout    the first bytes -> delimiter, comments, number of columns
find_header    the first record and the columns below it -> whether it holds the names

The delimiter is the candidate with which all records have the same number of fields. The tokenizer does all counting,
so quotes have the same meaning here as later. The header is decided only after a pass over the whole file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from acumen import _native
from acumen.data.dialect import Dialect
from acumen.data.forms import looks_written
from acumen.errors import DataError

#: The number of records used, and the most cells of them.
RECORDS = 100
CELLS = 20_000

_CANDIDATES = ("\t", ";", "|", ",")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")

#: More columns than this are refused: each takes a kilobyte before its first row is read.
MANY_COLUMNS = 200_000

#: What a column holds below the first record.
Below: TypeAlias = Literal["number", "date", "written", "text", "nothing"]


@dataclass(frozen=True, slots=True)
class ItemLists:
    """Lines that a delimiter splits into different numbers of fields: baskets, or a very ragged table."""

    delimiter: str
    fewest: int
    most: int
    lines: int  # looked at


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How records are split. An empty `delimiter` means one field per line, a blank means any number of blanks."""

    delimiter: str
    columns: int
    comment: str
    loose_comment: bool
    lists: ItemLists | None = None  # where every line is one field, but looks like a list

    def native(
        self, dialect: Dialect, missing: Sequence[str] = (), perhaps: Sequence[str] = ()
    ) -> _native.TextDialect:
        """In the tokenizer's terms."""
        blanks = self.delimiter == " "
        return _native.TextDialect(
            delimiter="" if blanks else self.delimiter,
            blanks=blanks,
            quotes=dialect.quote,
            comment=self.comment,
            loose_comment=self.loose_comment,
            decimal=dialect.decimal or "",
            missing=list(dialect.missing),
            missing_always=list(missing),
            missing_perhaps=list(perhaps),
        )

    def verbatim(self, dialect: Dialect) -> _native.TextDialect:
        """The same for cells as they are written: no token is missing, and blanks are kept."""
        blanks = self.delimiter == " "
        return _native.TextDialect(
            delimiter="" if blanks else self.delimiter, blanks=blanks, quotes=dialect.quote, comment=self.comment,
            loose_comment=self.loose_comment, verbatim=True,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Trial:
    """The records as split by one delimiter."""

    delimiter: str
    counts: tuple[int, ...]
    sound: bool

    @property
    def width(self) -> int:
        """The most frequent number of fields; on ties, the one that occurs first."""
        return Counter(self.counts).most_common(1)[0][0] if self.counts else 1

    @property
    def share(self) -> float:
        """The fraction of records with that number of fields."""
        return self.counts.count(self.width) / len(self.counts) if self.counts else 0.0

    @property
    def usable(self) -> bool:
        if self.width < 2:
            return False
        # A short file may well be ragged; lines of prose with commas in them are not a table.
        several = sum(count > 1 for count in self.counts)
        return self.share >= 0.5 or (len(self.counts) < 10 and 2 * several >= len(self.counts))


def check_width(columns: int, name: str) -> None:
    """Refuse a table with an absurd number of columns."""
    if columns > MANY_COLUMNS:
        raise DataError(
            f"{name} has {columns:,} columns, but at most {MANY_COLUMNS:,} are allowed. If rows and columns are "
            "swapped, transpose the file; if most cells are zero, use a sparse format such as svmlight."
        )


def find_layout(head: bytes, complete: bool, suffix: str, dialect: Dialect) -> TextLayout:
    """Detect the layout from the first bytes (all of them if `complete`); settings of `dialect` take precedence."""
    comment, leading = dialect.comment, 0
    if comment is None:
        leading = _leading_hashes(head)
        comment = "#" if leading else ""
    loose = dialect.comment is None and not leading

    def attempt(delimiter: str, comment: str) -> _Trial:
        layout = TextLayout(delimiter, 0, comment, False).native(dialect)
        records, fault = _native.sample_records(head, layout, last=complete, limit=RECORDS, cells=False)
        counts = [record.count for record in records]
        if loose:  # a line that begins with # and differs from the others is a comment
            plain = _Trial(delimiter, tuple(counts), True).width
            counts = [r.count for r in records if not (r.hash and r.count != plain)]
        return _Trial(delimiter, tuple(counts), fault == 0)

    def cells(delimiter: str, width: int) -> list[list[str]]:
        layout = TextLayout(delimiter, 0, comment, False).native(dialect)
        limit = max(2, min(RECORDS, CELLS // max(width, 1)))
        records, _ = _native.sample_records(head, layout, last=complete, limit=limit, cells=True)
        return [[text for text, _ in record.cells] for record in records if record.count == width]

    if dialect.delimiter is not None:
        chosen = attempt(dialect.delimiter, comment)
    else:
        trials = [attempt(d, comment) for d in _candidates(dialect)]
        chosen = _choose(trials, cells, suffix)
        if chosen.delimiter == "":
            return TextLayout("", 1, comment, loose, _find_lists(trials, cells))
    if leading == 1 and _names_behind_hash(head):
        # One line `#id,name,size` above rows of as many fields is a header, not a comment.
        whole = attempt(chosen.delimiter, "")
        if chosen.width > 1 and whole.counts[:1] == (chosen.width,):
            return TextLayout(chosen.delimiter, chosen.width, "", True)
    width = chosen.width
    if dialect.header is not False and chosen.counts[:1] > (width,):
        # Names above rows that are mostly shorter are names all the same: it is the rows that lack fields.
        first = next(iter(cells(chosen.delimiter, chosen.counts[0])), [])
        width = len(first) if _only_names(first) else width
    return TextLayout(chosen.delimiter, width, comment, loose)


def _candidates(dialect: Dialect) -> list[str]:
    return [c for c in (*_CANDIDATES, " ", "") if c != dialect.decimal]


def _choose(trials: list[_Trial], cells: Callable[[str, int], list[list[str]]], suffix: str) -> _Trial:
    """Choose the delimiter with which the records form a table."""
    by = {trial.delimiter: trial for trial in trials}
    blank, single = by.pop(" "), by.pop("")
    usable = [trial for trial in by.values() if trial.usable]
    if suffix in (".tsv", ".tab") and by["\t"].usable:
        return by["\t"]
    if blank.usable and blank.share == 1.0 and blank.sound and _plausible(blank, cells):
        others = [trial for trial in usable if trial.sound and trial.share >= 0.8 and trial.delimiter != ","]
        commas = [trial for trial in usable if trial.delimiter == "," and trial.share >= 0.8]
        if not others and (not commas or _commas_are_decimal(blank, cells)):
            return blank
    comma = by.get(",")
    if comma in usable and any(
        trial.share >= 0.8 and _commas_are_decimal(trial, cells) for trial in usable if trial is not comma
    ):
        usable.remove(comma)
    # The order of the candidates decides between equals: a tab is rarely anything but a delimiter.
    return max(usable, key=lambda trial: (trial.sound, trial.share, trial.width), default=single)


def _find_lists(trials: list[_Trial], cells: Callable[[str, int], list[list[str]]]) -> ItemLists | None:
    """Whether lines that make no table are lists of items: cut by a delimiter, and not prose with commas in it."""
    for trial in trials:
        several = sum(count > 1 for count in trial.counts)
        if (
            trial.delimiter == ""
            or len(trial.counts) < 2
            or 2 * several < len(trial.counts)
            or not trial.sound
        ):
            continue
        items = [cell for width in set(trial.counts) for row in cells(trial.delimiter, width) for cell in row]
        if trial.delimiter == " ":
            listed = all(item.isdigit() for item in items)
        else:
            # Words of a list recur, and are short; clauses of prose do neither.
            few = len(set(items)) <= 0.7 * len(items)
            listed = few or sum(" " in item for item in items) < 0.3 * len(items)
        if listed:
            return ItemLists(trial.delimiter, min(trial.counts), max(trial.counts), len(trial.counts))
    return None


def _plausible(trial: _Trial, cells: Callable[[str, int], list[list[str]]]) -> bool:
    """Whether blanks separate the columns of a table rather than words: three columns or more, or one of numbers."""
    if trial.width > 2:
        return True
    rows = cells(trial.delimiter, trial.width)[1:]
    return bool(rows) and any(all(number_like(cell) for cell in column) for column in zip(*rows, strict=True))


def _commas_are_decimal(trial: _Trial, cells: Callable[[str, int], list[list[str]]]) -> bool:
    """Whether cells contain commas under this delimiter, and all of them are decimal commas."""
    with_comma = [cell for row in cells(trial.delimiter, trial.width) for cell in row if "," in cell]
    return bool(with_comma) and all(_DECIMAL_COMMA.fullmatch(cell) for cell in with_comma)


def _only_names(cells: list[str]) -> bool:
    """Whether a record can only be names: a title above the table has blanks or empty cells."""
    plain = len(set(cells)) == len(cells) and not any(
        _look(cell, False, frozenset()) != "text" for cell in cells
    )
    return plain and not any(" " in cell for cell in cells)


def number_like(cell: str) -> bool:
    return any(_native.parse_number(cell, mark) is not None for mark in ".,")


def _leading_hashes(head: bytes) -> int:
    """How many lines begin with # before the first that does not; blank ones do not count."""
    count = 0
    for line in re.split(rb"\r\n|\n|\r", head[: 1 << 16]):
        if line.startswith(b"#"):
            count += 1
        elif line.strip():
            break
    return count


def _names_behind_hash(head: bytes) -> bool:
    """Whether the leading # touches what follows it, as in `#id,name`."""
    return re.match(rb"\s*#[^\s#]", head) is not None


def find_header(
    cells: Sequence[tuple[str, bool]],
    below: Sequence[Below],
    missing: frozenset[str],
    recurs: Callable[[int, str], bool],
) -> tuple[bool, str]:
    """Whether the first record holds the names, and the reason for the report.

    `cells` are its texts and whether they were quoted, `below` what each column holds under it,
    `recurs(column, text)` whether a text occurs again further down in its column.
    """
    looks = [_look(text, quoted, missing) for text, quoted in cells]
    for position, kind in enumerate(
        below
    ):  # numbers and dates written for people are no names above their like
        if kind == "written" and looks[position] == "text" and looks_written(cells[position][0]):
            looks[position] = "number"
    for position, (look, kind) in enumerate(zip(looks, below, strict=True)):
        if look == "text" and kind in ("number", "date", "written"):
            return True, f"{cells[position][0]!r} stands above {'number' if kind == 'written' else kind}s"
    for position, look in enumerate(looks):
        if look in ("number", "date"):
            return False, f"its first record holds the {look} {cells[position][0]!r}"
        # The corner above row names, and what a delimiter at the line's end leaves, are empty in headers too.
        at_edge = position in (0, len(looks) - 1) and cells[position][0] == ""
        if look == "missing" and not at_edge:
            return False, f"its first record has a missing value in column {position + 1}"
    for position, (text, _) in enumerate(cells):
        if looks[position] == "text" and recurs(position, text):
            return False, f"{text!r} of the first record occurs again in its column"
    return True, "all values are text and those of the first record do not occur again"


def _look(text: str, quoted: bool, missing: frozenset[str]) -> str:
    if (not quoted and text in missing) or text == "":
        return "missing"
    plain = text.strip()
    if number_like(plain):
        return "number"
    return "date" if _native.parse_date(plain) is not None else "text"
