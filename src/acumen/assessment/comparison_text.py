"""A comparison in words that a person who is no statistician can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen.assessment.statistics.power import FAR, rounded

if TYPE_CHECKING:
    from acumen.assessment.compare import Comparison, Pair

_SHARES = ("error", "accuracy", "balanced_accuracy", "precision", "recall", "f1", "macro_f1")


def comparison_text(comparison: Comparison) -> str:
    """The ranking as a table, then a sentence for each pair worth one."""
    measure = comparison.measure
    cells = [("", "learner", measure, "95 % interval", "fit", "size")]
    cells += [
        (
            f"{row['rank']}.",
            str(row["learner"]),
            said(row[measure], measure),
            f"{said(row['low'], measure)} to {said(row['high'], measure)}" if np.isfinite(row["low"]) else "",
            duration(row["fit_time"]),
            "" if np.isnan(row["size"]) else f"{row['size']:g}",
        )
        for row in comparison.table
    ]
    widths = [max(len(line[j]) for line in cells) for j in range(len(cells[0]))]
    lines = [f"{measure} by {comparison.method}, seed {comparison.seed}", ""]
    for line in cells:
        shown = [line[0].rjust(widths[0]), line[1].ljust(widths[1])]
        shown += [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
        lines.append("  ".join(shown).rstrip())
    lines += ["", *verdicts(comparison)]
    lines += [f"note: {note}" for note in comparison.notes[:5]]
    return "\n".join(lines)


def verdicts(comparison: Comparison) -> list[str]:
    """One sentence for each pair: all while they are few, else those of the best and the baseline."""
    pairs = comparison.pairs
    if comparison.baseline is None and len(pairs) > 10:
        best = comparison.names[0]
        pairs = [pair for pair in pairs if best in (pair.a, pair.b)]
    return [verdict_sentence(pair, comparison) for pair in pairs]


def verdict_sentence(pair: Pair, comparison: Comparison) -> str:
    """What the comparison says of two learners."""
    measure = comparison.measure
    apart = said(abs(pair.difference), measure)
    sure = "p < 0.0001" if pair.p < 0.0001 else f"p = {pair.p:.4f}"
    if pair.verdict == "no difference":
        needed = comparison.rows_to_settle(pair.a, pair.b)
        more = (
            f"about {rounded(needed.rows):,} rows would settle it"
            if needed.times <= FAR
            else "practically equal"
        )
        return f"{pair.a} and {pair.b}: no difference beyond chance ({apart}, {sure}; {more})."
    first, second = (pair.a, pair.b) if pair.verdict == "better" else (pair.b, pair.a)
    return f"{first} is better than {second}: {measure} differs by {apart} ({sure})."


def said(value: float, measure: str) -> str:
    """A value of a measure: shares in per cent."""
    if np.isnan(value):
        return "undefined"
    return f"{100 * value:.2f} %" if measure in _SHARES else f"{value:.4g}"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
