"""The kernel of Parzen windows, called as the library calls it, against densities of scipy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm, uniform

from acumen import _native

CLASSES, N, ROWS = 2, 9, 12
STARTS = np.array([0, 5, 9], dtype=np.int64)
NOBODY = np.empty(0, dtype=np.int64)


def arguments(box: bool = False) -> dict[str, Any]:
    """Two numeric and one nominal attribute, with missing values among the rows and the training rows."""
    rng = np.random.default_rng(8)
    values, rows = rng.normal(size=(2, N)), rng.normal(size=(ROWS, 2))
    values[1, [2, 6]] = np.nan
    rows[3, 0], rows[4, 1], rows[5] = np.nan, np.inf, np.nan
    codes = rng.integers(-1, 3, (1, N)).astype(np.int32)
    logs = np.log(rng.dirichlet(np.ones(3), CLASSES))
    return {
        "columns": list(rows.T),
        "code_columns": [rng.integers(-2, 4, ROWS).astype(np.int32)],
        "values": values,
        "codes": codes,
        "weight": rng.choice([0.5, 1.0, 2.0], N),
        "starts": STARTS,
        "box": box,
        "width": rng.random((CLASSES, 2)) + 0.5,
        "centre": rng.normal(size=(CLASSES, 2)),
        "spread": rng.random((CLASSES, 2)) + 1.0,
        "log_same": np.full((CLASSES, 1), np.log(0.8)),
        "log_other": np.full((CLASSES, 1), np.log(0.1)),
        "log_level": [logs],
        "leave_out": NOBODY,
        "total": np.zeros((ROWS, CLASSES)),
    }


def log_window(a: dict[str, Any], row: int, c: int, i: int) -> float:
    """The log of the window of one training row at one row."""
    density = 0.0
    for j, column in enumerate(a["columns"]):
        centre, width = a["values"][j, i], a["width"][c, j]
        if np.isnan(centre):
            centre, width = a["centre"][c, j], a["spread"][c, j]
        if np.isfinite(column[row]):
            kind = uniform(centre - width / 2, width) if a["box"] else norm(centre, width)
            density += kind.logpdf(column[row])
    code, level = a["code_columns"][0][row], a["codes"][0, i]
    if not 0 <= code < 3:
        return density
    if level < 0:
        return float(density + a["log_level"][0][c, code])
    return float(density + (a["log_same"] if level == code else a["log_other"])[c, 0])


def log_densities(a: dict[str, Any]) -> np.ndarray:
    logs = np.empty((ROWS, CLASSES))
    for row in range(ROWS):
        for c, (start, end) in enumerate(itertools.pairwise(STARTS)):
            rows = np.arange(start, end)
            weight = a["weight"][rows].copy()
            if len(a["leave_out"]):
                weight -= np.minimum(weight, 1.0) * (rows == a["leave_out"][row])
            windows = [log_window(a, row, c, int(i)) for i in rows]
            logs[row, c] = logsumexp(windows, b=weight) - np.log(a["weight"][rows].sum())
    return logs


@pytest.mark.parametrize("box", [False, True])
@pytest.mark.parametrize("without", [False, True])
def test_add_parzen_logs_adds_the_mean_of_the_windows(box: bool, without: bool) -> None:
    a = arguments(box)
    if without:
        a["leave_out"] = (np.arange(ROWS) % (N + 1) - 1).astype(np.int64)
    with np.errstate(divide="ignore"):
        expected = log_densities(a)
    assert not box or np.isneginf(expected).any()
    a["total"][:] = 0.25
    _native.add_parzen_logs(**a)
    np.testing.assert_allclose(a["total"], 0.25 + expected, rtol=1e-12)


def test_add_parzen_logs_is_finite_far_from_every_row_and_falls_with_the_distance() -> None:
    a = arguments()
    a["columns"] = [np.logspace(3, 300, ROWS), np.zeros(ROWS)]
    _native.add_parzen_logs(**a)
    assert np.isfinite(a["total"]).all()
    assert (np.diff(a["total"], axis=0) < 0).all()


def test_add_parzen_logs_refuses_arrays_that_do_not_fit() -> None:
    good = arguments()
    for name, value, message in [
        ("columns", good["columns"][:1], "differ in their attributes"),
        ("weight", good["weight"][1:], "training rows' arrays"),
        ("starts", STARTS[1:], "training rows' arrays"),
        ("starts", STARTS[[0, 2, 1]], "starts must ascend"),
        ("width", good["width"][:, 1:].copy(), "the windows do not go with the attributes"),
        ("log_level", [good["log_level"][0][:1]], "a table of levels"),
        ("leave_out", np.zeros(3, dtype=np.int64), "one training row to leave out"),
    ]:
        with pytest.raises(ValueError, match=f"add_parzen_logs: .*{message}"):
            _native.add_parzen_logs(**(good | {name: value}))
