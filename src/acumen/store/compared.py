"""The comparison a model was chosen by, as a model file keeps it: plain values, checked before anybody sees them.

    check_comparison   value of a manifest -> the same, or ModelFileError
    told_comparison    -> lines for a person

A file may be forged: texts are bounded and shown escaped, numbers are numbers, and nothing in it is run or followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acumen.preprocessing.stored_arrays import require

#: No more learners than these, and no longer texts.
MOST_LEARNERS, LONGEST = 1000, 2000

_TEXTS = ("measure", "method", "recommended", "simplest", "fastest")
_NAMES = ("best", "worse", "untested")
_FIELDS = {
    "schema_version", "seed", "time", "optimistic", "estimate", "interval", "table", "unjudged", *_TEXTS, *_NAMES,
}  # fmt: skip
#: How many rows were judged on, and of how many.
_ROWS = ("rows", "of_rows")


def check_comparison(comparison: Any) -> dict[str, Any]:
    """The record of a comparison, if every value is what it should be."""
    require(isinstance(comparison, dict), "its comparison is not an object")
    fields = _FIELDS.union(_ROWS)
    require(set(comparison) == fields, f"its comparison must have the fields {', '.join(sorted(fields))}")
    counts = [comparison[name] for name in _ROWS]
    require(all(type(n) is int and n > 0 for n in counts), "the rows of its comparison are no number")
    require(counts == sorted(counts), "its comparison was judged on more rows than there were")
    require(comparison["schema_version"] == 1, "its comparison is of another version")
    require(all(_is_text(comparison[name]) for name in _TEXTS), "a word of its comparison is none")
    require(all(_are_texts(comparison[name]) for name in _NAMES), "the names of its comparison are no names")
    require(
        type(comparison["seed"]) is int and comparison["seed"] >= 0,
        "the seed of its comparison is no such number",
    )
    require(
        comparison["time"] is None or _is_number(comparison["time"]),
        "the time of its comparison is no number",
    )
    require(
        type(comparison["optimistic"]) is bool,
        "its comparison does not say whether its estimate is optimistic",
    )
    ends = comparison["interval"]
    require(isinstance(ends, dict) and set(ends) == {"low", "high"}, "the interval of its comparison is none")
    require(
        all(v is None or _is_number(v) for v in (comparison["estimate"], *ends.values())),
        "the estimate of its comparison is no number",
    )
    rows = comparison["table"]
    require(isinstance(rows, list) and 0 < len(rows) <= MOST_LEARNERS, "its comparison has no ranking")
    for row in rows:
        require(isinstance(row, dict), "a line of its comparison is none")
        require(
            set(row) == {"learner", "value", "low", "high", "verdict"}, "a line of its comparison is none"
        )
        require(_is_text(row["learner"]) and _is_text(row["verdict"]), "a line of its comparison has no name")
        values = [row[name] for name in ("value", "low", "high")]
        require(all(v is None or _is_number(v) for v in values), "a value of its comparison is no number")
    others = comparison["unjudged"]
    require(isinstance(others, dict) and len(others) <= MOST_LEARNERS, "its comparison has too many learners")
    require(_are_texts([*others, *others.values()]), "a reason of its comparison is no text")
    record: dict[str, Any] = comparison
    return record


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and len(values) <= 2 * MOST_LEARNERS and all(map(_is_text, values))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def told_comparison(record: Mapping[str, Any]) -> list[str]:
    """Summarise a comparison in a few lines; names are not escaped, so escape them before you show them."""
    value = record["table"][0]["value"]
    value = next((row["value"] for row in record["table"] if row["learner"] == record["recommended"]), value)
    text = "undefined" if value is None else f"{value:.4g}"
    among = len(record["table"]) + len(record["unjudged"])
    rows, of = record.get("rows"), record.get("of_rows")
    some = "" if rows == of else f" on {rows:,} of {of:,} rows"
    lines = [
        f"Chosen among {among} learners by {record['measure']}, {text} by {record['method']}{some}, "
        f"seed {record['seed']}."
    ]
    ends = record["interval"]
    chosen_for_it = record["optimistic"] and record["recommended"] == next(iter(record["best"]), None)
    if chosen_for_it and None not in (record["estimate"], *ends.values()):
        lines[0] += (
            f" Corrected for the choice, expect {record['estimate']:.4g} on new data "
            f"(95 % CI {ends['low']:.4g} to {ends['high']:.4g})."
        )
    rest = [name for name in record["best"] if name != record["recommended"]]
    if rest:
        lines.append(f"No significant difference from it: {', '.join(rest)}.")
        lines.append(f"Simplest of them: {record['simplest']}. Fastest: {record['fastest']}.")
    if record["worse"]:
        lines.append(f"Worse: {', '.join(record['worse'])}.")
    lines += [f"{name}: {why}" for name, why in record["unjudged"].items()]
    return lines
