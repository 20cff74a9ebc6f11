"""Reasons in words and in columns: the one place where what models say of a row is turned into sentences.

    class_lines, value_lines           the starting point, then what speaks for and against, strongest first
    class_sentences, value_sentences   the same as running text
    headings, cells                    the same as columns of a table, which can be filtered

Evidence for a class is in log-odds where the model has probabilities: +0.69 doubles the odds. Where it has none,
amounts are those of its own score, and no odds are spoken of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acumen.data.escape import printable
from acumen.data.table import Table
from acumen.explain.cell_text import value_said
from acumen.render.text import number, percent

if TYPE_CHECKING:
    from acumen.explain.explanation import Evidence, Explanation, ValueExplanation

#: Smaller log-odds change no odds by a thousandth: they are neither for nor against.
LEAST = 0.0005
#: Of numbers in a table, which are looked up there: as the row has them.
_FIGURES = 12
#: Columns of each reason in a table.
_PARTS = ("attribute", "value", "effect", "direction")


def share(log_odds: float) -> float:
    """The probability with these odds."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds)) if log_odds > -700 else 0.0


def effect(part: Evidence, odds: bool) -> str:
    """`odds x 2.04`, `odds / 1.2`, or an amount of a score."""
    if part.contribution is None:
        return ""
    if not odds:
        return f"score {part.contribution:+.3g}"
    size = abs(part.contribution)
    how = "x" if part.contribution >= 0 else "/"
    if size > math.log(1e6):
        return f"odds {how} {'more than a million' if math.isfinite(size) else 'without bound'}"
    factor = math.exp(size)
    shown = f"{factor:,.0f}" if factor >= 100 else f"{factor:.1f}" if factor >= 10 else f"{factor:.2f}"
    return f"odds {how} {shown}"


# -- classes -------------------------------------------------------------------------------------------


def class_lines(why: Explanation) -> list[str]:
    """The answer, the starting point, and the reasons for it and against it, each group strongest first."""
    odds = why.probabilities is not None
    lines = [_answer(why)]
    lines += [f"  {start}" for start in [_start(why)] if start]
    sides = [
        (why.reasons_for, f"for {printable(why.label)}"),
        (why.reasons_against, f"against {printable(why.label)}"),
    ]
    width = max((len(_text(part)) for parts, _ in sides for part in parts), default=0)
    reach = max((len(effect(part, odds)) for parts, _ in sides for part in parts), default=0)
    for parts, head in sides:
        if parts:
            lines.append(f"  {head}")
        for part in parts:
            amount = f"  {_signed_text(part.log_odds)}" if odds else ""
            line = f"    {_text(part):<{width}}  {effect(part, odds):<{reach}}{amount}"
            lines.append(f"{line}{_behind(why, part)}".rstrip())
    rest = [part for part in why.evidence if part.role == "rest" and abs(part.log_odds) >= LEAST]
    lines += [f"  {_text(part)}: {effect(part, odds)}" for part in rest]
    lines += [f"  {_text(part)}" for part in why.reasons if part.contribution is None]
    idle = [_text(p) for p in why.reasons if p.contribution is not None and abs(p.log_odds) < LEAST]
    return [*lines, f"  of no weight: {', '.join(idle)}"] if idle else lines


def class_sentences(why: Explanation, most: int | None = None) -> str:
    """The answer, the starting point and the reasons as running text."""
    odds = why.probabilities is not None
    if why.rival is None and not odds and why.note:  # a group
        return why.note
    sentences = [f"{_answer(why)}."]
    sentences += [f"{start}." for start in [_start(why)] if start]
    shown = [p for p in why.reasons if p.contribution is None or abs(p.log_odds) >= LEAST][:most]
    n_more = sum(p.contribution is not None and abs(p.log_odds) >= LEAST for p in why.reasons) - len(shown)
    pro = [f"{_text(p)} ({effect(p, odds)})" for p in shown if p.log_odds > 0]
    con = [f"{_text(p)} ({effect(p, odds)})" for p in shown if p.log_odds < 0]
    clauses = [
        f"{what} {_list_parts(parts)}" for what, parts in (("for it", pro), ("against it", con)) if parts
    ]
    if clauses:
        spoken = "; ".join(clauses)
        sentences.append(f"{spoken[0].upper()}{spoken[1:]}" + (f"; {n_more} weaker." if n_more > 0 else "."))
    sentences += [f"{_text(p)}." for p in shown if p.contribution is None]
    if not clauses and not any(p.contribution is None for p in shown) and why.rival is not None:
        sentences.append("Nothing speaks for it or against it.")
    return " ".join([*sentences, why.note] if why.note else sentences)


def _answer(why: Explanation) -> str:
    sure = "" if why.probability is None else f" with probability {why.probability:.4g}"
    return f"{printable(why.label)}{sure}" + (
        f", rather than {printable(why.rival)}" if why.rival is not None else ""
    )


def _start(why: Explanation) -> str:
    """The starting point in words; nothing where a model has none."""
    parts = [part for part in why.evidence if part.role == "start"]
    if not parts:
        return ""
    of = ", ".join(_text(part) for part in parts)
    if why.start is None:
        return f"Starting point: score {why.start_log_odds:+.3g} ({of})"
    several = why.probabilities is not None and len(why.probabilities) > 2
    against = f" against {printable(why.rival)}" if several else ""
    return f"Starting point: {percent(why.start)} {printable(why.label)}{against} ({of})"


def _rows(weight: float) -> str:
    return f"{number(weight)} {'row' if weight == 1 else 'rows'}"


def _behind(why: Explanation, part: Evidence) -> str:
    """The rows behind a reason."""
    behind = [] if part.support is None else [_rows(part.support)]
    behind += [] if part.confidence is None else [f"{100 * part.confidence:.1f} % {printable(why.label)}"]
    return f"  ({', '.join(behind)})" if behind else ""


def _text(part: Evidence) -> str:
    """What held, on one line: a level may have line breaks."""
    return printable(part.text)


def _signed_text(amount: float) -> str:
    return f"{amount:+8.3f}"


def _list_parts(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


# -- numbers -------------------------------------------------------------------------------------------


def value_lines(why: ValueExplanation) -> list[str]:
    """The number, where it starts from, and what raises and lowers it."""
    width = max((len(_text(each)) for each in why.contributions), default=0)
    lines = [f"{printable(why.target)} = {why.value:.6g}, starting from {why.start:.6g}{_start_of(why)}"]
    for each in why.contributions:
        moved = "" if each.contribution is None else f"  {each.contribution:+.6g}"
        lines.append(f"  {_text(each):<{width if moved else 0}}{moved}")
    return lines


def _start_of(why: ValueExplanation) -> str:
    return f" ({printable(why.start_words)})" if why.start_words else ""


def value_sentences(why: ValueExplanation, most: int | None = None) -> str:
    """The same as running text."""
    sentences = [f"{printable(why.target)} = {why.value:.4g}, starting from {why.start:.4g}{_start_of(why)}."]
    moved = [part for part in why.reasons if part.contribution][:most]
    up = [f"{_text(p)} ({p.amount:+.4g})" for p in moved if p.amount > 0]
    down = [f"{_text(p)} ({p.amount:+.4g})" for p in moved if p.amount < 0]
    clauses = [
        f"{what} {_list_parts(parts)}" for what, parts in (("raised by", up), ("lowered by", down)) if parts
    ]
    n_more = sum(bool(part.contribution) for part in why.reasons) - len(moved)
    if clauses:
        spoken = "; ".join(clauses)
        sentences.append(f"{spoken[0].upper()}{spoken[1:]}" + (f"; {n_more} weaker." if n_more > 0 else "."))
    return " ".join([*sentences, why.note] if why.note else sentences)


# -- columns -------------------------------------------------------------------------------------------


def headings(most: int, *, measured: bool = False) -> list[str]:
    """The names of the columns that `cells` fills: of a class, or of a number."""
    first = ["start"] if measured else ["rival", "start"]
    return [*first, *(f"reason_{i + 1}_{part}" for i in range(most) for part in _PARTS)]


def cells(why: Explanation | ValueExplanation, row: Table, most: int) -> list[Any]:
    """The reasons of the one row of a table; None where there are no more.

    What several conditions on one attribute add is one reason. Where a reason is about several attributes, or about
    none, the attribute is None and the value says what held.
    """
    from acumen.explain.explanation import ValueExplanation

    measured = isinstance(why, ValueExplanation)
    row_cells: list[Any] = (
        [_round_amount(why.start)]
        if isinstance(why, ValueExplanation)
        else [why.rival, None if why.start is None else round(why.start, 4)]
    )
    names = set(row.schema.names)
    sums: dict[tuple[str | None, str], float | None] = {}
    for part in why.reasons:
        one = part.attribute if part.attribute in names else None
        key = (one, "" if one is not None else part.text)
        before = sums.get(key)
        sums[key] = before if part.contribution is None else part.contribution + (before or 0.0)
    least = 0.0 if measured else LEAST
    strong = [(key, moved) for key, moved in sums.items() if moved is None or abs(moved) > least]
    strong.sort(key=lambda each: (each[1] is None, -abs(each[1] or 0.0)))
    ways = ("raises", "lowers") if measured else ("for", "against")
    for (name, text), moved in strong[:most]:
        value = text if name is None else value_said(row, name, _FIGURES) or None
        row_cells += [
            name,
            value,
            _round_amount(moved),
            None if moved is None else ways[0] if moved > 0 else ways[1],
        ]
    return row_cells + [None] * (len(_PARTS) * (most - min(most, len(strong))))


def _round_amount(amount: float | None) -> float | None:
    """To four figures: what nobody reads is not written."""
    return None if amount is None else float(f"{amount:.4g}")
