"""Notes and warnings on formatted numbers and dates, and on tokens that may mean missing."""

from __future__ import annotations

from collections.abc import Collection

from acumen import _native, messages
from acumen.data.columns import PERHAPS
from acumen.data.date_forms import DateDoubt
from acumen.data.delimited.survey import TextSurvey
from acumen.data.dialect import NOT_A_NUMBER
from acumen.data.forms import shown_as
from acumen.data.number_forms import Doubt
from acumen.data.report import Report, short_value
from acumen.types import Kind

_ORDER_WORDS = {"dmy": "the day first", "mdy": "the month first", "ymd": "the year first"}


def note_written(survey: TextSurvey, position: int, report: Report) -> None:
    """Report the format of a column, and whether it is ambiguous."""
    name, one = survey.columns.names[position], survey.written[position]
    seen = survey.columns.stats(position).first_other
    example = ""
    lines: tuple[int, ...] = ()
    if seen is not None and (number := one.form.number(seen[1])) is not None:
        value = shown_as(one.form.spec, number) or f"{number:.10g}"
        example, lines = f" (line {seen[0]}: {short_value(seen[1])!r} is {value})", (seen[0],)
    dated = not one.form.spec.startswith("number")
    whole = one.form.spec.startswith("date")  # no time of day alone
    report.note(
        "dates" if dated else "written-numbers",
        f"column {name!r} holds {one.form.describe()}{example}{offered_parts(survey, name) if whole else ''}.",
        column=name, lines=lines,
    )  # fmt: skip
    if isinstance(one.doubt, Doubt):
        doubt = one.doubt
        report.warn(
            "decimal-marks",
            f"column {name!r}: {doubt.example!r} may mean {doubt.as_taken:.10g} or {doubt.as_other:.10g} and was read "
            f"as the first. For the second, use {messages.dialect('decimal', doubt.other.decimal)}.",
            column=name,
        )
    if isinstance(one.doubt, DateDoubt):
        report.warn(
            "date-order",
            f"column {name!r}: dates such as {one.doubt.example!r} are ambiguous and were read with "
            f"{_ORDER_WORDS[one.doubt.taken]}. For the other order, use "
            f"{messages.option('date_order', one.doubt.other)}.",
            column=name,
        )
    if one.zones.zoned:
        warn_of_zones(report, name, (0, one.zones.zoned), (0, one.zones.unzoned))


def offered_parts(survey: TextSurvey, name: str) -> str:
    """The hint that a date input can be split into parts."""
    if name in survey.text.request.date_parts or name in (
        survey.columns.named.roles.target,
        *survey.columns.named.roles.ignored,
    ):
        return ""
    return f"; {messages.option('date_parts', name)} adds year, month and weekday"


def warn_of_zones(report: Report, name: str, zoned: tuple[int, str], unzoned: tuple[int, str]) -> None:
    """Warn of a column that mixes times with and without a zone, because the latter are ambiguous."""
    where = [f" on line {line}" if line else "" for line, _ in (zoned, unzoned)]
    report.warn(
        "zones",
        f"column {name!r} mixes times with a zone ({short_value(zoned[1])!r}{where[0]}) and without one "
        f"({short_value(unzoned[1])!r}{where[1]}); the former are converted to UTC, the latter read unchanged.",
        column=name, lines=[line for line, _ in (zoned, unzoned) if line],
    )  # fmt: skip


def note_tokens(survey: TextSurvey, position: int, kind: Kind, report: Report) -> None:
    """Report tokens that count as missing in a column, or might."""
    columns = survey.columns
    name, stats = columns.names[position], columns.stats(position)
    n, seen = stats.maybe_missing, stats.first_maybe
    if not n or seen is None:
        return
    of_words = columns.form(position) == _native.FORM_STRING and kind != "numeric"
    tokens = missing_here(survey, position) if of_words and not stats.capped else [seen[1]]
    if columns.modes[position] == _native.MODE_FIXED:
        tokens = [seen[1]]
    if not tokens:
        if name == columns.named.roles.target:
            report.warn(
                "missing-tokens",
                f"target {name!r}: {seen[1]!r} (first on line {seen[0]}) is kept as a class; if it means missing, use "
                f"{messages.option('missing', seen[1])}.",
                column=name, lines=(seen[0],), count=n,
            )  # fmt: skip
        return
    listed = ", ".join(repr(token) for token in tokens)
    advice = (
        f"column {name!r}: {n:,} {'value' if n == 1 else 'values'} such as {listed} (first on line {seen[0]}) "
        f"{'counts' if n == 1 else 'count'} as missing"
    )
    if of_words:
        advice += f"; use {messages.option('not_missing', tokens[0])} if it is a value"
    tell = report.warn if of_words else report.note
    tell("missing-tokens", f"{advice}.", column=name, lines=(seen[0],), count=n)


def stay_levels(survey: TextSurvey, column: int, levels: Collection[str]) -> frozenset[str]:
    """The tokens that are levels in a column.

    In the target all of them are, so that no row is lost by a guess. A minus is one if there is also a plus. So are
    the tokens that are levels in the schema of `like`.
    """
    columns = survey.columns
    name, like = columns.names[column], survey.text.request.like
    tokens = frozenset(level.removeprefix(PERHAPS) for level in levels if level.startswith(PERHAPS))
    if name == columns.named.roles.target or (
        like is not None and like.target is not None and name == like.target.name
    ):
        return tokens
    stated = frozenset(map(str, like[name].levels)) if like is not None and name in like else frozenset()
    signs = frozenset({"-"}) if "+" in levels and column not in columns.named.bound else frozenset()
    return tokens & (stated | signs)


def missing_tokens(survey: TextSurvey, column: int, kind: Kind) -> frozenset[str]:
    """The tokens that this column may hold as missing values, other than those that the caller or a schema stated."""
    columns, request = survey.columns, survey.text.request
    if request.like is not None or columns.modes[column] == _native.MODE_FIXED:
        return frozenset()
    stats, tokens = columns.stats(column), set[str]()
    if stats.missing or stats.quoted_missing:
        tokens.update(request.dialect.missing)
    if stats.not_a_number:
        tokens.update(NOT_A_NUMBER)
    if stats.maybe_missing:
        of_words = columns.form(column) == _native.FORM_STRING and kind != "numeric" and not stats.capped
        tokens.update(missing_here(survey, column) if of_words else request.perhaps_missing)
    return frozenset(tokens - {*request.missing, *(() if stats.quoted_missing else ("",))})


def missing_here(survey: TextSurvey, column: int) -> list[str]:
    """The tokens that count as missing in a column of words, in order of appearance."""
    levels = survey.columns.tables[column].levels(column)
    stays = stay_levels(survey, column, levels)
    tokens = [level.removeprefix(PERHAPS) for level in levels if level.startswith(PERHAPS)]
    return [token for token in tokens if token not in stays]
