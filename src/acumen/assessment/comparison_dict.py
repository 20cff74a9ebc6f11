"""A comparison as plain values, under stable keys.

dict_of     all of it, for JSON
record_of   what a model file keeps beside the model that the comparison chose
splits_of   the splits that the ranking is made of
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison

#: Characters kept of why a learner was not judged.
_SHORT = 200


def dict_of(found: Comparison) -> dict[str, Any]:
    """Convert to JSON-ready values; undefined and infinite values become None."""
    return {
        "schema_version": 1,
        "measure": found.measure,
        "method": str(found.method),
        "seed": found.seed,
        "baseline": found.baseline,
        "rope": found.rope,
        "time": found.time,
        "splits": splits_of(found),
        "answer": found.answer.to_dict(),
        "headline": found.headline.to_dict(),
        "table": [{key: _plain(value) for key, value in row.items()} for row in found.table],
        "pairs": [{key: _plain(value) for key, value in pair._asdict().items()} for pair in found.pairs],
        "unjudged": [{"learner": name, "why": why} for name, why in found.unjudged.items()],
        "left_out": [{"column": name, "why": why} for name, why in found.left_out.items()],
        "notes": list(found.notes),
    }


def record_of(found: Comparison) -> dict[str, Any]:
    """The answer, the ranking, and the splits."""
    summary = found.answer
    answer = summary.to_dict()
    return {
        "schema_version": 1,
        "measure": found.measure,
        "method": str(found.method),
        "seed": found.seed,
        "time": found.time,
        "rows": found.n_rows if found.sample is None else found.sample,
        "of_rows": found.n_rows,
        "recommended": summary.recommended,
        "simplest": summary.simplest,
        "fastest": summary.fastest,
        "best": list(summary.best),
        "worse": list(summary.worse),
        "untested": list(summary.untested),
        "optimistic": summary.optimistic,
        **{key: answer[key] for key in ("estimate", "interval")},
        "table": [
            {
                "learner": row["learner"],
                "value": _plain(row[found.measure]),
                "low": _plain(row["low"]),
                "high": _plain(row["high"]),
                "verdict": row["verdict"],
            }
            for row in found.table
        ],
        "unjudged": {name: _short(why) for name, why in found.unjudged.items()},
    }


def splits_of(found: Comparison) -> dict[str, Any]:
    """The splits of the ranking, and how far each learner went."""
    return {
        "method": str(found.method),
        "folds": getattr(found.method, "n_splits", None),
        "repeats": getattr(found.method, "n_repeats", 1),
        "asked": str(found.method if found.asked is None else found.asked),
        "rows": found.n_rows if found.sample is None else found.sample,
        "of_rows": found.n_rows,
        "by_learner": found.repeats,
    }


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
