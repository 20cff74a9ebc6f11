"""A comparison in words that a person who is no statistician can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from acumen.assessment.assessment import note_lines
from acumen.assessment.statistics.power import FAR, rounded
from acumen.assessment.statistics.result import said_p
from acumen.show.escape import printable
from acumen.show.text import Heading, table
from acumen.show.width import fit, wrap

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison, Pair

_SHARES = ("error", "accuracy", "balanced_accuracy", "precision", "recall", "f1", "macro_f1")

#: Up to so many pairs each gets its sentence; of more, those of the best.
MOST_PAIRS = 10


def comparison_text(comparison: Comparison, width: int | None = None) -> str:
    """The ranking as a table, the answer in a sentence, then a sentence for each pair worth one.

    Lines are at most `width` cells wide, if it is given; names are made printable.
    """
    room = 10**6 if width is None else width
    measure = comparison.measure
    headings = [
        Heading("", "right"),
        Heading("learner", least=24),
        Heading(measure, "right"),
        Heading("95 % interval", "right", spare=1),
        Heading(f"against {fit(printable(comparison.reference), 16)}"),
        *(Heading(name, "right", spare=2) for name in comparison.others),
        Heading("fit", "right", spare=3),
        Heading("size", "right", spare=4),
    ]
    rows = [
        [
            f"{row['rank']}.",
            printable(row["learner"]),
            said(row[measure], measure),
            _interval(row["low"], row["high"], measure),
            str(row["verdict"]),
            *(said(row[name], name) for name in comparison.others),
            duration(row["fit_time"]),
            size(row["size"]),
        ]
        for row in comparison.table
    ]
    lines = _wrapped(f"{measure} by {comparison.method}, seed {comparison.seed}", room)
    lines += ["", *table(headings, rows, room, indent=0), ""]
    lines += [line for text in (lead(comparison), "") for line in _wrapped(text, room)]
    for sentence in [*verdicts(comparison), *note_lines(comparison.notes)]:
        lines += _wrapped(sentence, room)
    return "\n".join(lines).rstrip("\n")


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(printable(text), width, then="  ")


def _interval(low: float, high: float, measure: str) -> str:
    return f"{said(low, measure)} to {said(high, measure)}" if np.isfinite(low) and np.isfinite(high) else ""


def lead(comparison: Comparison) -> str:
    """The answer in a sentence or two."""
    stand: dict[str, list[str]] = {"better": [], "worse": [], "no difference": []}
    for name in comparison.names:
        if name != comparison.reference:
            stand[comparison.standing(name)].append(name)
    if comparison.baseline is not None:
        words = {"better": "better", "worse": "worse", "no difference": "no difference beyond chance"}
        parts = [f"{words[verdict]}: {listed(names)}" for verdict, names in stand.items() if names]
        return f"Against {comparison.baseline}: " + ("; ".join(parts) or "nobody") + "."
    best = comparison.best
    if not any(stand.values()):
        return f"{best} had no rival."
    if not stand["worse"]:
        others = listed(stand["no difference"])
        return f"{best} comes first, but it may be by chance: no difference from {others} shows."
    sentence = f"{best} comes first. It is better than {listed(stand['worse'])}"
    if stand["no difference"]:
        sentence += f"; that it is ahead of {listed(stand['no difference'])} may be chance"
    return sentence + "."


def listed(names: Sequence[str]) -> str:
    """Names as people list them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def verdicts(comparison: Comparison) -> list[str]:
    """One sentence for each pair: all while they are few, else those of the best or the baseline."""
    pairs = comparison.pairs
    if comparison.baseline is None and len(pairs) > MOST_PAIRS:
        pairs = [pair for pair in pairs if comparison.best in (pair.a, pair.b)]
    return [verdict_sentence(pair, comparison) for pair in pairs]


def verdict_sentence(pair: Pair, comparison: Comparison) -> str:
    """What the comparison says of two learners."""
    apart = difference(pair.difference, comparison.measure)
    if np.isnan(pair.p):
        return f"{pair.a} and {pair.b}: not tested ({apart}); {_why_not(comparison)}."
    sure = said_p(pair.p)
    if pair.verdict == "no difference":
        needed = comparison.rows_to_settle(pair.a, pair.b)
        if not pair.difference:
            more = "equal so far"
        elif needed.times > FAR:
            more = "practically equal"
        else:
            more = f"about {rounded(needed.rows):,} rows would settle it"
        return f"{pair.a} and {pair.b}: no difference beyond chance ({apart}, {sure}; {more})."
    first, second = (pair.a, pair.b) if pair.verdict == "better" else (pair.b, pair.a)
    way = "lower" if comparison.smaller_is_better else "higher"
    return f"{first} is better than {second}: its {comparison.measure} is {way} by {apart} ({sure})."


def _why_not(comparison: Comparison) -> str:
    if any(not np.isfinite(each.mean) for each in comparison.assessments.values()):
        return "a value is infinite or undefined"
    return "one split alone says nothing about chance"


def difference(value: float, measure: str) -> str:
    """How far apart two learners are: shares in percentage points."""
    if not np.isfinite(value):
        return "no finite difference"
    return f"{100 * abs(value):.2f} points" if measure in _SHARES else f"{abs(value):.4g}"


def said(value: float, measure: str) -> str:
    """A value of a measure: shares in per cent."""
    if np.isnan(value):
        return "undefined"
    return f"{100 * value:.2f} %" if measure in _SHARES else f"{value:.4g}"


def size(value: float) -> str:
    """Nodes, rules or parameters; a mean over splits need not be whole."""
    if np.isnan(value):
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
