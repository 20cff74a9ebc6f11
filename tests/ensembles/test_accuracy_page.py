"""benchmarks/accuracy.md: RandomForest is no worse than scikit-learn's."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "benchmarks" / "accuracy.md"
#: Ours and scikit-learn's by the same folds, as benchmarks/accuracy.py measured them.
MEASURED = [
    ("median error", "0.0946", "0.0954"),
    ("median log loss", "0.3305", "0.3505"),
]


def test_the_forest_is_no_worse_than_scikit_learns_by_the_same_folds() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for measure, ours, theirs in MEASURED:
        assert float(ours) <= float(theirs)
        assert f"{measure} {ours}, scikit-learn's {theirs}" in page
