"""Names and levels with line breaks do not tear what is written of a model."""

from __future__ import annotations

import pandas as pd
import pytest

import acumen

FRAME = pd.DataFrame(
    {"a\nb": ["x", "y\r\nz"] * 10, "n\n": [0.5 * i for i in range(20)], "plain": ["u", "u", "v", "v"] * 5}
)
LABELS = [*["no\nway", "yes"] * 9, "yes", "yes"]


@pytest.mark.parametrize(
    "learner",
    [acumen.NaiveBayes(), acumen.DecisionTree(), acumen.Logistic(), acumen.OneR(), acumen.Majority(),
     acumen.Ripper(random_state=0), acumen.FullBayes(), acumen.LeastSquares()],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_no_line_begins_within_a_name(learner):
    frame = FRAME[["n\n"]] if isinstance(learner, acumen.FullBayes) else FRAME
    text = str(learner.fit(frame, LABELS))
    assert not any(line.startswith(("b", "z", "way", " |")) for line in text.splitlines()), text
    assert "\\n" in text
