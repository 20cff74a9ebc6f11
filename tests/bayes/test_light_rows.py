"""Thresholds count weight, and there is none that a light row could fail to pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from tables import table_of


@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(alpha=0), acumen.OneR(min_bucket=1e-9, alpha=0)], ids=repr
)
def test_words_of_light_rows_are_counted(learner: Any) -> None:
    texts = ["buy now", "buy it", "hello you", "see you"]
    table = table_of({"note": texts}, list("sshh"), text=("note",))
    light = learner.fit(table, sample_weight=np.full(4, 0.01)).predict_proba(table)
    np.testing.assert_allclose(light, learner.fit(table).predict_proba(table), atol=1e-12)
    assert (light.max(axis=1) > 0.99).all()
