"""Parameters that no number stands for end in a sentence, and far values in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import ParameterError

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 4.0]])
Y = np.array(["a", "a", "b", "b"])


@pytest.mark.parametrize(
    "parameters",
    [
        {"alpha": 10**400},
        {"alpha": [1.0, [1.0, 2.0]]},
        {"mean_prior": (10**400, 1.0)},
        {"costs": 10**400},
        {"costs": [[0.0, 10**400], [1.0, 0.0]]},
    ],
)
def test_parameters_beyond_doubles_are_refused_by_name(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        acumen.NaiveBayes(**parameters).fit(X, Y)


@pytest.mark.parametrize("numeric", ["gaussian", "histogram", "kernel", "discretise"])
def test_scores_of_far_rows_are_numbers(numeric: Any) -> None:
    model = acumen.NaiveBayes(numeric=numeric).fit(X, Y)
    for far in (1e300, -1e300):
        scores = model.predictor_.scores(model._query(np.array([[far, 0.0]])))
        assert not np.isnan(scores).any()
