"""Bins without end are refused, and weights do not make them."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.errors import ParameterError

X, Y = np.random.default_rng(0).normal(size=(20, 1)), np.arange(20) % 2
ROWS = acumen.read((X, Y))


@pytest.mark.parametrize(
    "learner",
    [
        acumen.HistogramBayes(bins=10**9),
        acumen.HistogramBayes(bins={ROWS.schema.names[0]: 10**9}),
        acumen.NaiveBayes(numeric="histogram", bins=10**9),
        acumen.NaiveBayes(numeric="discretise", bins=10**9),
    ],
    ids=repr,
)
def test_a_milliard_of_bins_is_refused_with_the_numbers(learner) -> None:
    with pytest.raises(ParameterError, match=r"at most 10,000; got 1,000,000,000"):
        learner.fit(ROWS)


@pytest.mark.parametrize("weight", [1e20, 1e150])
def test_bins_end_however_heavy_the_rows(weight: float) -> None:
    model = acumen.HistogramBayes().fit(X, Y, sample_weight=np.full(20, weight))
    assert np.isfinite(model.predict_proba(X)).all()
    assert all(len(one) <= 10_000 for one in model.model_.binning.intervals)
