"""What each column of a delimited file turns out to be, and what the report says about it.

find_columns    survey -> Findings     kinds, labels of the target, and every note
ColumnFinding         one column: its kind, and how its rows are fetched
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen import _native, messages
from acumen.data.columns import MANY_CLASSES, PERHAPS, label_of, string_kind
from acumen.data.delimited.bound import find_respellings
from acumen.data.delimited.notes import note_column, note_layout, warn_of_alike, warn_of_second_header
from acumen.data.delimited.survey import TextSurvey
from acumen.data.delimited.written_notes import missing_tokens, stay_levels
from acumen.data.forms import ZONED, CellForm
from acumen.data.naming import MOST_COMPARED, level_text
from acumen.data.report import Report
from acumen.data.request import Roles
from acumen.data.schema import Schema
from acumen.errors import DataError, did_you_mean
from acumen.types import MISSING, UNKNOWN, Codes, Kind, Label


@dataclass(slots=True)
class ColumnFinding:
    """One column. Exactly one of the three ways of having levels applies to a nominal one:

    `given` by the caller, `spellings` that stand for fewer labels (None: missing), or its own strings.
    """

    position: int
    name: str
    kind: Kind
    mark: str = "."
    levels: tuple[Label, ...] = ()
    spellings: dict[str, str | None] | None = None
    labels: tuple[Label, ...] = ()
    ignored: bool = False
    form: CellForm | None = None  # where they are written for people
    spec: str = ""  # how the schema keeps it

    def numbers(self, levels: Iterable[str]) -> list[float]:
        """Strings that are known to be numbers, dates or missing tokens as numbers."""
        numbers = []
        for level in levels:
            number = self.number(level)
            numbers.append(np.nan if number is None else number)
        return numbers

    def number(self, level: str) -> float | None:
        """What one string says as a number."""
        return _number(level, self.mark) if self.form is None else self.form.number(level)

    def label_codes(self, levels: Sequence[str], labels: Sequence[Label]) -> Codes:
        """For each string's code, then for unknown and for missing, the code of its label."""
        assert self.spellings is not None
        place: dict[Label | None, int] = {label: code for code, label in enumerate(labels)}
        place[None] = MISSING
        codes = [place[self.spellings[level]] for level in levels]
        return np.array([*codes, UNKNOWN, MISSING], dtype=np.int32)

    def kernel_levels(self, schema: Schema) -> list[str]:
        """The strings whose codes the tokenizer is to give out."""
        if self.ignored:
            return []
        if self.spellings is not None:
            return list(self.spellings)
        return [level_text(level) for level in schema[self.name].levels]

    def part_mode(self, survey: TextSurvey) -> int:
        """How the tokenizer reads this column when its form is known."""
        if self.form is not None and self.kind == "numeric":
            return _native.MODE_STRING
        if self.kind == "numeric":
            stats, form = survey.columns.stats(self.position), survey.columns.form(self.position)
            if form == _native.FORM_DATE or (form == _native.FORM_STRING and stats.distinct_dates):
                return _native.MODE_DATE
            return _native.MODE_COMMA if self.mark == "," else _native.MODE_DOT
        if self.kind == "text" or self.ignored:
            return _native.MODE_STRING
        return _native.MODE_FIXED


@dataclass(slots=True)
class ColumnFindings:
    """All columns kept, and the roles under which they become a schema."""

    columns: list[ColumnFinding]
    roles: Roles


def find_columns(survey: TextSurvey, report: Report) -> ColumnFindings:
    """Decide what each column is, and say so."""
    columns = survey.columns
    note_layout(survey, report)
    roles = columns.named.roles
    findings = []
    for position, name in enumerate(columns.names):
        finding = ColumnFinding(position, name, "numeric", mark=_mark(survey, position))
        finding.ignored = name in roles.ignored
        stats = columns.stats(position)
        if position in survey.written:
            finding.form = survey.written[position].form
        finding.spec = _spec(finding, survey)
        if name == roles.target:
            roles = _target(finding, survey, roles, report)
        elif name in roles.levels and columns.modes[position] == _native.MODE_FIXED:
            finding.kind, finding.levels = roles.kinds.get(name, "nominal"), roles.levels[name]
        elif finding.form is None and columns.form(position) == _native.FORM_STRING:
            wish = roles.kinds.get(name)
            finding.kind = _kind_of_strings(survey, position) if wish in (None, "ignored") else wish
            if finding.kind in ("nominal", "ordinal"):
                _spell(finding, survey, roles)
            is_plain = (
                finding.kind in ("nominal", "ordinal") and not finding.ignored and not survey.text.store
            )
            if is_plain and finding.spellings is None:
                finding.labels = tuple(columns.tables[position].levels(position))
        note_column(survey, finding, report)
        if tokens := missing_tokens(survey, position, finding.kind):
            report.missing_tokens[name] = tokens
        if finding.kind == "text" and stats.capped:
            report.note(
                "many-values", f"column {name!r} has more than 2,000,000 distinct values (or 64 MB of them).",
                column=name,
            )  # fmt: skip
        if (
            finding.kind in ("nominal", "ordinal")
            and not finding.ignored
            and not finding.levels
            and not stats.capped
        ):
            warn_of_alike(name, finding.labels or table_levels(survey, position), report)
        findings.append(finding)
    warn_of_second_header(survey, report)
    return ColumnFindings(findings, roles)


def table_levels(survey: TextSurvey, position: int) -> list[str]:
    """The distinct strings of a column, if they are few enough to be compared."""
    table = survey.columns.tables[position]
    return table.levels(position) if table.count_levels(position) <= MOST_COMPARED else []


def _spec(finding: ColumnFinding, survey: TextSurvey) -> str:
    """What a schema keeps of how a column's numbers are written."""
    columns = survey.columns
    if (attribute := columns.named.bound.get(finding.position)) is not None:
        return attribute.form
    if finding.form is not None:
        return finding.form.spec
    form, stats = columns.form(finding.position), columns.stats(finding.position)
    if form == _native.FORM_DATE or (form == _native.FORM_STRING and stats.distinct_dates):
        zoned = stats.first_zoned is not None and stats.first_unzoned is None
        return f"datetime{ZONED if zoned else ''}" if stats.timed else "date"
    if finding.mark == ",":
        return "number ,"
    return "number ." if stats.point and form == _native.FORM_NUMBER else ""


def _spell(finding: ColumnFinding, survey: TextSurvey, roles: Roles) -> None:
    """Which strings of a nominal column are missing, and which are one level under several names."""
    columns = survey.columns
    merge = {level_text(old): level_text(new) for old, new in roles.merge.get(finding.name, {}).items()}
    levels: Sequence[str] = ()
    if merge or columns.stats(finding.position).maybe_missing or _may_be_respelled(finding, survey):
        levels = columns.tables[finding.position].levels(finding.position)
    if _may_be_respelled(finding, survey):
        merge = find_respellings(columns.named.bound[finding.position], levels)
    if not merge and not columns.stats(finding.position).maybe_missing:
        return
    unmet = [old for old in merge if old not in levels and PERHAPS + old not in levels]
    if unmet:
        raise DataError(
            f"read: {messages.option('merge')} names {unmet[0]!r} in column {finding.name!r}, which has no such level."
            + did_you_mean(unmet[0], levels)
        )
    stays = stay_levels(survey, finding.position, levels)
    spellings: dict[str, str | None] = {}
    for level in levels:
        plain = level.removeprefix(PERHAPS)
        missing = level is not plain and level != plain and plain not in stays and plain not in merge
        spellings[level] = None if missing else merge.get(plain, plain)
    finding.spellings = spellings
    finding.labels = tuple(dict.fromkeys(label for label in spellings.values() if label is not None))


def _may_be_respelled(finding: ColumnFinding, survey: TextSurvey) -> bool:
    """Whether a level may be spelled as another number: in a target, and where the schema's levels are no texts."""
    like, attribute = survey.text.request.like, survey.columns.named.bound.get(finding.position)
    if like is None or attribute is None or not attribute.is_nominal:
        return False
    return attribute is like.target or not all(isinstance(level, str) for level in attribute.levels)


def _kind_of_strings(survey: TextSurvey, position: int) -> Kind:
    columns = survey.columns
    stats = columns.stats(position)
    if stats.capped:  # the same for a source that is stored and one that is not
        return "text"
    distinct = columns.tables[position].count_levels(position)
    return string_kind(columns.n_rows - stats.missing, distinct, stats.with_blank)


def _mark(survey: TextSurvey, position: int) -> str:
    """The decimal mark of a column, also of one that was kept as strings."""
    columns = survey.columns
    if columns.form(position) != _native.FORM_STRING:
        return columns.tables[position].mark(position)
    return "," if columns.stats(position).comma and position not in survey.marks.ambiguous else "."


def _number(text: str, mark: str) -> float | None:
    text = text.strip()
    number = _native.parse_number(text, mark)
    return number if number is not None else _native.parse_date(text)


def _target(finding: ColumnFinding, survey: TextSurvey, roles: Roles, report: Report) -> Roles:
    """A target is kept as text; numbers are class labels when they are whole and few."""
    columns = survey.columns
    name, position = finding.name, finding.position
    wish = roles.kinds.get(name)
    table, stats = columns.tables[position], columns.stats(position)
    if columns.form(position) != _native.FORM_STRING:
        return roles  # asked to be numeric
    if columns.modes[position] == _native.MODE_FIXED:
        finding.kind, finding.levels = wish or "nominal", roles.levels[name]
        return roles
    finding.kind = wish or "nominal"
    if wish == "numeric" and finding.form is not None:
        return roles
    if wish is None and name not in roles.merge:
        numeric = _numeric_target(finding, survey)
        if numeric is True:
            finding.kind = "numeric"
            report.note(
                "target-numeric",
                f"target {name!r} is numeric: its values are to be regressed on.",
                column=name,
            )
            return replace(roles, kinds={**roles.kinds, name: "numeric"})
        if stats.capped:
            raise DataError(
                f"target {name!r} has more than 2,000,000 distinct values and they are not numbers; "
                f"a class needs rows. Name another target, or say {messages.option('kinds', {name: 'nominal'})} "
                "if you mean it."
            )
    if finding.spellings is None:
        _spell(finding, survey, roles)
        if finding.spellings is None:
            finding.labels = tuple(table.levels(position))
        finding.form = None
        return roles
    finding.labels = tuple(dict.fromkeys(s for s in finding.spellings.values() if s is not None))
    what = "whole days" if stats.distinct_dates else "whole numbers"
    report.note(
        "target-nominal",
        f"target {name!r} holds {what} of {len(finding.labels)} values and is taken as class labels.",
        column=name,
    )
    merged = len([s for s in finding.spellings.values() if s is not None]) - len(finding.labels)
    if merged:
        report.note(
            "labels-merged",
            f"target {name!r}: {merged} further spellings of the same numbers (as 1 and 1.0) were merged.",
            column=name, count=merged,
        )  # fmt: skip
    return roles


def _numeric_target(finding: ColumnFinding, survey: TextSurvey) -> bool:
    """Whether a target kept as text is one of numbers; if they are labels, `spellings` is set instead."""
    table, stats = survey.columns.tables[finding.position], survey.columns.stats(finding.position)
    if finding.form is None:
        if finding.position in survey.marks.ambiguous or stats.leading_zero or stats.big_integer:
            return False
        if stats.distinct_dates and stats.distinct_numbers:
            return False
    if stats.capped:
        return stats.first_other is None
    tokens = frozenset(survey.text.request.dialect.missing)
    levels = table.levels(finding.position)
    # A quoted missing token cannot be a number, so among numbers it is missing; so is one that may be missing.
    numbers = {
        level: finding.number(level)
        for level in levels
        if level not in tokens and not level.startswith(PERHAPS)
    }
    if not numbers or any(number is None for number in numbers.values()):
        return False
    values = {number for number in numbers.values() if number is not None and number == number}
    if len(values) > MANY_CLASSES or not all(np.isfinite(v) and v == np.floor(v) for v in values):
        return True
    if finding.form is not None:
        return False  # classes written as they are: 1 star, 2 stars
    first: dict[float, list[str]] = {}
    for level, number in numbers.items():
        if number is not None and number == number:
            first.setdefault(number, []).append(level)
    # Labels keep their spelling unless one number has two: then all are spelled alike.
    alike = any(len(spellings) > 1 for spellings in first.values())
    label = {n: str(label_of(n, str)) if alike else s[0] for n, s in first.items()}
    finding.spellings = {
        level: label.get(number) if (number := numbers.get(level)) is not None else None for level in levels
    }
    return False
