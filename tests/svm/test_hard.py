"""Hard margins: found where there are any, however narrow; refused, naming rows, where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import acumen
from acumen.errors import DataError
from svm.document_data import ROWS, SIDES


def test_rows_that_cannot_be_separated_are_named():
    with pytest.raises(DataError, match=r"rows 17, 15, 16, 14 \(counted from 0 "):
        acumen.SVM(kernel="linear", C=np.inf, scale=False).fit(ROWS, SIDES)
    twins = np.array([[0.0], [1.0], [1.0], [3.0]])
    with pytest.raises(DataError, match=r"rows (1, 2|2, 1) "):
        acumen.SVM(C=np.inf).fit(twins, [0, 0, 1, 1])


@pytest.mark.parametrize("solver", ["auto", "smo", "chunking", "dual-ascent", "newton", "sgd", "adatron"])
@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_one_row_among_the_others_is_named_by_every_solver(solver, loss):
    rng = np.random.default_rng(0)
    sides = np.where(np.arange(40) < 20, 1.0, -1.0)
    rows = rng.normal(size=(40, 2))
    rows[:, 0] = (1 + np.abs(rows[:, 0])) * sides
    sides[7] = -1.0  # and it is on the other side by far
    with pytest.raises(DataError, match=r"margin wider than [\d.]+e-0[56]: rows 7"):
        acumen.SVM(kernel="linear", C=np.inf, scale=False, solver=solver, loss=loss).fit(rows, sides)


@pytest.mark.parametrize("solver", ["auto", "smo", "newton"])
@pytest.mark.parametrize("half", [0.1, 1e-3, 1e-5])
def test_a_hard_margin_may_be_narrow(solver, half):
    rng = np.random.default_rng(0)
    sides = np.where(np.arange(40) < 20, 1.0, -1.0)
    rows = rng.normal(size=(40, 2))
    rows[:, 0] = (half + np.abs(rows[:, 0])) * sides
    rows[0], rows[20] = [half, 0.0], [-half, 0.0]
    found = acumen.SVM(kernel="linear", C=np.inf, scale=False, solver=solver).fit(rows, sides)
    assert found.margin_width_ == pytest.approx(2 * half, rel=1e-4)
    assert found.margin_.min() > 1 - 1e-4


def test_a_limit_on_steps_is_no_proof_of_inseparability():
    rows, sides = ROWS[:14], SIDES[:14]
    with pytest.warns(ConvergenceWarning, match=r"stopped after \d steps.*gap of"):
        acumen.SVM(kernel="linear", C=np.inf, scale=False, max_iter=2).fit(rows, sides)


def test_a_hard_margin_separates_by_any_kernel():
    model = acumen.SVM(C=np.inf, gamma=2.0).fit(ROWS, SIDES)
    assert (model.predict(ROWS) == SIDES).all()
    assert model.margin_.min() > 0.999
