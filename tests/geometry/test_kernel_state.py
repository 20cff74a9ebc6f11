"""Kernels in model files, and kernels meant by parameters."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.svm import SVC

from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.kernels import RBF, Function, Linear, Polynomial, Precomputed, Sigmoid, from_state, resolve
from acumen.store.parameters import decode, encode

KERNELS = (
    Linear(),
    Polynomial(3, 0.5, 2.0),
    RBF(sigma=0.3),
    Sigmoid(0.1, -1.0),
    Precomputed(),
    2.0 * (Linear() + RBF(gamma=1.0)) * Polynomial(2) + 0.5 * Linear(),
)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_states_survive_json(kernel: Any) -> None:
    state = json.loads(json.dumps(kernel.to_state()))
    assert from_state(state) == kernel
    assert decode(json.loads(json.dumps(encode(kernel, "kernel")))) == kernel


def _deep(n: int) -> dict[str, Any]:
    return {"kernel": "linear"} if not n else {"kernel": "multiple", "factor": 1.0, "of": _deep(n - 1)}


@pytest.mark.parametrize(
    "state",
    [
        None, [], {}, {"kernel": 3}, {"kernel": "exec"}, {"kernel": "function", "function": "os.system"},
        {"kernel": "rbf"}, {"kernel": "rbf", "gamma": -1.0}, {"kernel": "rbf", "gamma": "1"},
        {"kernel": "rbf", "gamma": True}, {"kernel": "rbf", "gamma": 1.0, "sigma": 1.0},
        {"kernel": "polynomial", "degree": 2.5, "offset": 1.0, "scale": 1.0},
        {"kernel": "polynomial", "degree": 10**9, "offset": 1.0, "scale": 1.0},
        {"kernel": "sum", "terms": []}, {"kernel": "sum", "terms": "linear"}, {"kernel": "sum"},
        {"kernel": "product", "terms": [{"kernel": "linear"}] * 1000},
        {"kernel": "multiple", "factor": 0.0, "of": {"kernel": "linear"}}, {"kernel": "multiple", "of": 1},
        _deep(200),
    ],
)  # fmt: skip
def test_states_of_no_kernel_are_refused(state: Any) -> None:
    with pytest.raises(ModelFileError, match="damaged or forged"):
        from_state(state)


def test_functions_cannot_be_stored() -> None:
    for kernel in (Function(np.dot), Linear() + Function(np.dot)):
        with pytest.raises(ParameterError, match="function of your own"):
            encode(kernel, "kernel")


def test_words_mean_what_scikit_learn_means_by_them() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1.0, 2.0, 5.0]
    y = (X[:, 0] > 0).astype(int)
    for gamma in ("scale", "auto", 0.7):
        for rows in (X, csr_matrix(X)):
            peer = SVC(gamma=gamma).fit(rows, y)
            assert resolve("rbf", gamma=gamma, X=rows).gamma == pytest.approx(peer._gamma, rel=1e-12)
    assert resolve("poly", gamma=0.5, degree=4, offset=2.0) == Polynomial(4, 2.0, 0.5)
    assert resolve("sigmoid", gamma=0.5, offset=2.0) == Sigmoid(0.5, 2.0)
    assert resolve("linear") == Linear() and resolve("precomputed") == Precomputed()
    kernel = RBF(sigma=1.0)
    assert resolve(kernel) is kernel
    assert resolve(np.dot) == Function(np.dot)


def test_the_variance_is_that_of_repeated_rows() -> None:
    X = np.random.default_rng(1).normal(size=(10, 2))
    weights = np.arange(1.0, 11.0)
    repeated = np.repeat(X, weights.astype(int), axis=0)
    for rows in (X, csr_matrix(X)):
        found = resolve("rbf", X=rows, weights=weights)
        assert found.gamma == pytest.approx(resolve("rbf", X=repeated).gamma, rel=1e-12)


def test_constant_rows_have_a_width_too() -> None:
    assert resolve("rbf", X=np.ones((5, 2))).gamma == 1.0
    assert resolve("rbf", X=np.empty((0, 0))).gamma == 1.0


def test_unknown_words_are_refused_with_a_guess() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'linear'"):
        resolve("liner")
    with pytest.raises(ParameterError, match="gamma"):
        resolve("rbf", gamma="wide", X=np.ones((2, 2)))
    with pytest.raises(ParameterError, match="above 0"):
        resolve("rbf", gamma=0.0)
    with pytest.raises(DataError, match="needs rows"):
        resolve("rbf")
