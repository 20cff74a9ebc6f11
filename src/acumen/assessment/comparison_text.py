"""A comparison in words that a person who is no statistician can read."""

from __future__ import annotations

import math

import numpy as np

from acumen.assessment.assessment import note_lines
from acumen.assessment.comparison import Comparison
from acumen.assessment.scores import measure as measure_of
from acumen.assessment.statistics.power import FAR, round_up
from acumen.assessment.statistics.result import said_p
from acumen.assessment.verdicts import ALPHA, FEW_SPLITS, PairVerdict
from acumen.data.escape import printable
from acumen.render.text import Heading, fit, table, wrap
from acumen.render.views import register_renderers

#: Up to so many pairs each gets its sentence; of more, those of the best.
MOST_PAIRS = 10


def comparison_text(comparison: Comparison, width: int | None = None, *, pairs: bool = False) -> str:
    """The ranking as a table, those that could not be judged, and the answer; with `pairs` a sentence for each pair.

    Lines are at most `width` cells wide, if it is given; names are made printable.
    """
    room = 10**6 if width is None else width
    measure = comparison.measure
    headings = [
        Heading("", "right"),
        Heading("learner", least=24),
        Heading(measure, "right"),
        Heading("95 % interval", "right", spare=1),
        Heading(f"versus {fit(printable(comparison.reference), 16)}"),
        *(Heading(name, "right", spare=2) for name in comparison.others),
        Heading("fit", "right", spare=3, reserve=len("999.9 ms")),
        Heading("size", "right", spare=4),
    ]
    rows = [
        [
            f"{row['rank']}.",
            printable(row["learner"]),
            value_text(row[measure], measure),
            _interval(row["low"], row["high"], measure),
            row["verdict"],
            *(value_text(row[name], name) for name in comparison.others),
            duration(row["fit_time"]),
            size(row["size"]),
        ]
        for row in comparison.table
    ]
    lines = _wrap_lines(heading(comparison), room)
    lines += ["", *table(headings, rows, room, indent=0)]
    lines += [line for text in unjudged_lines(comparison) for line in _wrap_lines(text, room)]
    lines += ["", *(line for text in answer_lines(comparison) for line in _wrap_lines(text, room)), ""]
    sentences = pair_sentences(comparison) if pairs else []
    for sentence in [*sentences, *left_out_lines(comparison), *note_lines(comparison.notes)]:
        lines += _wrap_lines(sentence, room)
    return "\n".join(lines).rstrip("\n")


def heading(comparison: Comparison) -> str:
    """What was measured, and on which splits of which rows."""
    return f"{comparison.measure} by {comparison.method}, seed {comparison.seed}{on_rows(comparison)}"


def on_rows(comparison: Comparison) -> str:
    """Which rows were judged on, where these are not all."""
    if comparison.sample is None:
        return ""
    return f", judged on {comparison.sample:,} of {comparison.n_rows:,} rows"


def left_out_lines(comparison: Comparison) -> list[str]:
    """The columns that were not learned from, in a line."""
    names = [repr(name) for name in comparison.left_out]
    if not names:
        return []
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return [f"Ignored (identifier, constant or empty): {', '.join(names[:5])}{more}"]


def unjudged_lines(comparison: Comparison) -> list[str]:
    """A line for each learner without a verdict: why."""
    return [f" -  {name}: {why}" for name, why in comparison.unjudged.items()]


def _wrap_lines(text: str, width: int) -> list[str]:
    return wrap(printable(text), width, then="  ")


def _interval(low: float, high: float, measure: str) -> str:
    return (
        f"{value_text(low, measure)} to {value_text(high, measure)}"
        if np.isfinite(low) and np.isfinite(high)
        else ""
    )


def answer_lines(comparison: Comparison) -> list[str]:
    """The answer in a few lines; against a baseline, if there is one."""
    if comparison.baseline is not None:
        return [_against(comparison)]
    if len(comparison.names) == 1:
        return [f"{comparison.best} is the only learner compared."]
    answer = comparison.answer
    if len(answer.best) == 1:
        lines = [f"Best: {answer.recommended}."]
    else:
        lines = [f"Best (statistically tied): {', '.join(answer.best)}.", _merits(comparison)]
    if answer.worse:
        lines.append(f"Worse: {', '.join(answer.worse)}.")
    if answer.untested:
        lines.append(f"Not tested against {answer.recommended}: {', '.join(answer.untested)}.")
    return [*lines, *_expectation(comparison)]


def _merits(comparison: Comparison) -> str:
    """Which of the best is the simplest, the fastest and has the best estimate."""
    answer = comparison.answer
    way = "Lowest" if comparison.smaller_is_better else "Highest"
    if answer.simplest == answer.fastest:
        first = f"Simplest and fastest of them: {answer.simplest}."
    else:
        first = f"Simplest of them: {answer.simplest}. Fastest: {answer.fastest}."
    return f"{first} {way} estimated {comparison.measure}: {answer.recommended}."


def _expectation(comparison: Comparison) -> list[str]:
    """What to expect of the recommended learner on new rows."""
    answer, measure = comparison.answer, comparison.measure
    if not math.isfinite(answer.interval.low):
        return []
    low, high = (value_text(end, measure) for end in (answer.interval.low, answer.interval.high))
    return [
        f"Expected {measure} of {answer.recommended} on new rows: {value_text(answer.estimate, measure)} (95 % CI "
        f"{low} to {high}, corrected for choosing the best of {len(comparison.names)} learners)."
    ]


def _against(comparison: Comparison) -> str:
    headline = comparison.headline
    rest = [name for name in headline.group if name != headline.leader]
    parts = [
        f"{words}: {', '.join(names)}"
        for words, names in (
            ("better", headline.better),
            ("worse", headline.worse),
            ("no significant difference", rest),
            ("not tested", headline.untested),
        )
        if names
    ]
    return f"Compared with {headline.leader}: " + ("; ".join(parts) or "no other learner") + "."


def lead(comparison: Comparison) -> str:
    """The answer in a sentence or two, corrected for the number of pairs."""
    return " ".join(answer_lines(comparison))


def pair_sentences(comparison: Comparison) -> list[str]:
    """One sentence for every pair."""
    return [verdict_sentence(pair, comparison) for pair in comparison.pairs]


def verdicts(comparison: Comparison) -> list[str]:
    """One sentence for each pair: all while they are few, else those of the best or the baseline."""
    pairs = comparison.pairs
    if comparison.baseline is None and len(pairs) > MOST_PAIRS:
        pairs = [pair for pair in pairs if comparison.best in (pair.a, pair.b)]
    return [verdict_sentence(pair, comparison) for pair in pairs]


def verdict_sentence(pair: PairVerdict, comparison: Comparison) -> str:
    """What the comparison says of two learners."""
    measure = comparison.measure
    apart = difference(pair.difference, measure)
    if np.isnan(pair.p):
        return f"{pair.a} and {pair.b}: not tested ({apart}); {_why_not(comparison)}."
    sure = said_p(pair.p)
    if pair.p < ALPHA <= pair.p_corrected:  # the one case in which p seems to contradict the verdict
        sure += f", corrected for {comparison.headline.n_pairs} pairs {said_p(pair.p_corrected)}"
    if pair.verdict in ("better", "worse"):
        first, second = (pair.a, pair.b) if pair.verdict == "better" else (pair.b, pair.a)
        way = "lower" if comparison.smaller_is_better else "higher"
        ends = sorted(abs(end) for end in (pair.low, pair.high))
        return (
            f"{first} is better than {second}: its {measure} is {way} by {apart} "
            f"(95 % CI {_between(ends[0], ends[1], measure)}, {sure})."
        )
    within = "" if np.isnan(pair.low) else f"95 % CI {_between(pair.low, pair.high, measure)}, "
    if pair.verdict == "practically equal":
        return (
            f"{pair.a} and {pair.b} are practically equal: {apart} apart ({within}{sure}), "
            f"within the {difference(comparison.rope, measure)} that do not matter."
        )
    if not pair.difference or np.isnan(pair.low):
        more = "Their estimates are equal."
    elif np.isnan(comparison.test(pair.a, pair.b).se):
        more = "Too few rows distinguish them."  # signs alone were counted, which have no standard error
    elif (needed := comparison.rows_to_settle(pair.a, pair.b)).times > FAR:
        more = "No realistic number of rows would detect one this small."
    else:
        more = f"You would need about {round_up(needed.rows):,} rows to detect one this small."
    return f"{pair.a} and {pair.b}: no significant difference ({apart}, {within}{sure}). {more}"


def _between(low: float, high: float, measure: str) -> str:
    """The ends of the interval of a difference."""
    scale, form, unit = (100, ".2f", " points") if measure_of(measure).is_fraction else (1, ".4g", "")
    return f"{scale * low:{form}} to {scale * high:{form}}{unit}"


def _why_not(comparison: Comparison) -> str:
    if any(not np.isfinite(each.mean) for each in comparison.assessments.values()):
        return "a value is infinite or undefined"
    if measure_of(comparison.measure).needs == "run":
        return f"fewer than {FEW_SPLITS} splits are too few for a test"
    return "its standard error cannot be estimated from these rows"


def difference(value: float, measure: str) -> str:
    """How far apart two learners are: shares in percentage points."""
    if not np.isfinite(value):
        return "no finite difference"
    return f"{100 * abs(value):.2f} points" if measure_of(measure).is_fraction else f"{abs(value):.4g}"


def value_text(value: float, measure: str) -> str:
    """A value of a measure: shares in per cent."""
    if np.isnan(value):
        return "undefined"
    return f"{100 * value:.2f} %" if measure_of(measure).is_fraction else f"{value:.4g}"


def size(value: float) -> str:
    """Nodes, rules or parameters as people say them, such as 1.2 M; a mean over splits need not be whole."""
    if np.isnan(value):
        return ""
    if not np.isfinite(value):
        return "-"
    for unit, sign in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= 0.99995 * unit:
            return f"{value:.1e}" if value >= 1e15 else f"{value / unit:.3g} {sign}"
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


register_renderers("text", {Comparison: comparison_text})
