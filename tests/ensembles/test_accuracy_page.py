"""What benchmarks/accuracy.md says: RandomForest is no worse than scikit-learn's."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "benchmarks" / "accuracy.md"


def test_the_forest_is_no_worse_than_scikit_learns_by_the_same_folds() -> None:
    said = re.findall(r"median (?:error|log loss) ([\d.]+), scikit-learn's ([\d.]+)", PAGE.read_text())
    assert len(said) == 2
    for ours, theirs in said:
        assert float(ours) <= float(theirs)
