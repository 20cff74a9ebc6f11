"""Cochran's Q: do three or more models err equally often on one common test set?"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.tails import chi2_above
from acumen.errors import DataError


def cochran_q(values: Any) -> TestResult:
    """Cochran's Q (1950, Biometrika 37): McNemar's question of more than two models at once.

    Q = (k - 1) (k sum of C^2 - T^2) / (k T - sum of R^2), chi-square with k - 1 degrees of freedom; C are the totals
    of the models, R those of the rows, T that of all. Rows on which all models are right, or all wrong, say nothing;
    where there are no others, Q is 0 and p is 1. Of two models it is McNemar's chi-square without continuity
    correction. A small p says that they are not all equal, not which of them differ; the chi-square is fair
    from about 24 rows on which they disagree.

    Parameters
    ----------
    values : matrix of zeros and ones, or of truth values
        A line for each row of the test set, a column for each of two or more models: whether it errs (or is right).
    """
    found = np.asarray(values)
    if found.ndim != 2 or found.shape[1] < 2 or not len(found) or not np.isin(found, (0, 1)).all():
        raise DataError(
            "cochran_q: the values must be zeros and ones, a line for each row of the test set and a column for each "
            f"of two or more models; got an array of shape {found.shape}."
        )
    marks = found.astype(np.int64)
    k = marks.shape[1]
    models, rows = marks.sum(axis=0), marks.sum(axis=1)
    total = int(marks.sum())
    within = k * total - int((rows**2).sum())
    q = (k - 1) * (k * int((models**2).sum()) - total**2) / within if within else 0.0
    return TestResult(
        "Cochran's Q", q, k - 1.0, chi2_above(q, k - 1.0), n=len(marks), symbol="Q", of="share of errors"
    )
