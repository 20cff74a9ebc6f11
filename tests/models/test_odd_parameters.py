"""Numbers of numpy are taken as Python's; what is no number, or no seed, is refused in a sentence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.sparse import random as random_sparse

import acumen
from acumen.errors import AcumenError, ModelFileError

X = np.random.default_rng(0).normal(size=(30, 3))
NUMBERS = X @ [1.0, 2.0, 3.0]
LABELS = (NUMBERS > 0).astype(int)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8])
@pytest.mark.parametrize("learner", [acumen.Lasso, acumen.Ridge])
def test_numbers_of_numpy_fit_and_can_be_saved(learner, kind, tmp_path):
    fitted = learner(alpha=kind(1)).fit(X, NUMBERS)
    np.testing.assert_array_equal(fitted.predict(X), learner(alpha=1.0).fit(X, NUMBERS).predict(X))
    acumen.save(fitted, tmp_path / "m.acm")
    np.testing.assert_array_equal(acumen.load(tmp_path / "m.acm").predict(X), fitted.predict(X))


def test_the_path_of_a_lasso_takes_numbers_of_numpy():
    given = {"tol": np.float32(1e-6), "max_iter": np.int32(1000)}
    assert len(acumen.Lasso(**given).path(X, NUMBERS, alphas=5).alphas) == 5


@pytest.mark.parametrize(
    "learner",
    [
        acumen.DecisionTree(max_depth=10**30),
        acumen.Logistic(max_iter=2**63),
        acumen.NaiveBayes(n_jobs=-(10**30)),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_whole_numbers_beyond_64_bits_are_refused_in_a_sentence(learner):
    with pytest.raises(AcumenError, match="64 bits"):
        learner.fit(X, LABELS)


@pytest.mark.parametrize(
    "learner",
    [
        acumen.RandomTree,
        acumen.Perceptron,
        acumen.OutputCodes,
        lambda **given: acumen.Logistic(solver="sgd", **given),
        lambda **given: acumen.KernelFisher(landmarks=5, **given),
    ],
)
@pytest.mark.parametrize("seed", [-1, 1.5, "one"])
def test_what_is_no_seed_is_refused_in_a_sentence(learner, seed):
    with pytest.raises(AcumenError, match="random_state must be"):
        learner(random_state=seed).fit(X, LABELS)


def test_a_split_refuses_what_is_no_seed():
    with pytest.raises(AcumenError, match="split: random_state must be"):
        acumen.datasets.load("iris").split(0.5, random_state=-1)


def test_a_target_whose_squares_overflow_is_refused_by_mean():
    with pytest.raises(AcumenError, match=r"Mean: the squares of the target .* divide"):
        acumen.Mean().fit(X, NUMBERS * 1e200)


@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(), acumen.FullBayes(), acumen.Fisher(), acumen.NearestMean(), acumen.Logistic()],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_numpys_own_warnings_do_not_reach_users(learner):
    wild = X * np.array([1e160, 1.0, 1e-160])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        try:
            learner.fit(wild, LABELS).predict(wild * 1e100)
        except AcumenError as error:
            assert str(error).endswith(".")


def test_a_column_of_a_sparse_table_is_that_of_the_dense_one():
    sparse = random_sparse(30, 20, 0.3, random_state=0, format="csr")
    table, dense = acumen.read(sparse), sparse.toarray()
    for j, name in enumerate(table.schema.names):
        np.testing.assert_array_equal(table.column(name), dense[:, j])
    assert all(np.array_equal(values, dense[:, j]) for j, (_, values) in enumerate(table.numeric_columns()))


def test_a_shift_beyond_any_priors_is_refused():
    from dataclasses import replace

    fitted = acumen.NaiveBayes(priors="uniform").fit(X, LABELS)
    fitted.predictor_ = replace(fitted.predictor_, shift=np.array([1e308, 0.0]))
    with pytest.raises(ModelFileError, match="shift"):
        acumen.save(fitted, "/dev/null/never")


def test_windows_know_no_text():
    fitted = acumen.Parzen().fit(X, LABELS)
    schema = acumen.Schema(
        (*fitted.schema_.attributes, acumen.Attribute("note", "text")), fitted.schema_.target
    )
    with pytest.raises(ModelFileError, match="text"):
        type(fitted.model_).from_arrays(fitted.model_.to_arrays(), schema)
