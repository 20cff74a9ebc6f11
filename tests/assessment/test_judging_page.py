"""The page on judging: its code runs and prints what it says; its table of one-pass learners is true."""

from __future__ import annotations

from pathlib import Path

import acumen
from acumen.assessment.left_out import leaves_out
from judged_tables import mixed

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "judging.md").read_text(encoding="utf-8")


def test_the_table_of_one_pass_learners_is_true():
    numeric, nominal, text = (mixed(kinds=kind) for kind in ("numeric", "nominal", "text"))
    cases = [
        (acumen.NaiveBayes(), numeric, True, True),
        (acumen.NaiveBayes(numeric="kernel"), numeric, True, False),
        (acumen.NaiveBayes(numeric="discretise"), numeric, True, False),
        (acumen.NaiveBayes(numeric="histogram"), numeric, False, False),
        (acumen.NaiveBayes(), text, False, False),
        (acumen.FullBayes(), numeric, True, True),
        (acumen.FullBayes(covariance="shared"), numeric, True, True),
        (acumen.FullBayes(covariance="diagonal"), numeric, True, False),
        (acumen.FullBayes(), nominal, True, False),
        (acumen.FullBayes(shrinkage=0.1), numeric, True, False),
        (acumen.TextBayes(), mixed(kinds="counts"), True, False),
        (acumen.TextBayes(), text, False, False),
        (acumen.HistogramBayes(), numeric, False, False),
        (acumen.HistogramBayes(), nominal, True, False),
        (acumen.Parzen(), numeric, True, False),
        (acumen.OneR(), numeric, True, False),
        (acumen.OneR(), text, False, False),
        (acumen.Majority(), numeric, True, True),
    ]
    for learner, table, folds, rows in cases:
        assert learner.can_add_folds(table.schema) is folds, learner
        assert leaves_out(learner, table) is rows, learner
