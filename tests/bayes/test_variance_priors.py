"""Priors on the variance, alone and with the mean: Student's t in every face of the model."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.errors import DataError, ParameterError
from reference.student import normal_gamma_predictive, variance_predictive

VALUES = np.array([1.0, 2.5, 2.0, 4.0])
BOTH = (0.5, 2.0, 1.5, 2.0)


def _read(columns: dict, **options: object) -> acumen.Table:
    return acumen.read(pd.DataFrame(columns), **options)  # type: ignore[arg-type]


def _log_likelihoods(learner: acumen.NaiveBayes, xs: list[float]) -> np.ndarray:
    """log p(x | the one class)."""
    table = _read({"x": np.array(xs, dtype=float)})
    return np.asarray(learner.model_.scores(table))[:, 0]


def _one_class(**parameters: object) -> acumen.NaiveBayes:
    table = _read({"x": VALUES, "kind": ["a"] * len(VALUES)}, target="kind")
    return acumen.NaiveBayes(**parameters).fit(table)  # type: ignore[arg-type]


@pytest.mark.parametrize("x", [-3.0, 2.0, 9.0])
def test_a_gamma_prior_predicts_what_integration_over_the_precision_does(x: float) -> None:
    learner = _one_class(variance_prior=(1.5, 2.0))
    expected = variance_predictive(VALUES, VALUES.mean(), x, 1.5, 2.0)
    assert math.exp(_log_likelihoods(learner, [x])[0]) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("x", [-3.0, 2.0, 9.0])
def test_a_normal_gamma_prior_predicts_what_integration_over_both_does(x: float) -> None:
    learner = _one_class(normal_gamma_prior=BOTH)
    expected = normal_gamma_predictive(VALUES, x, *BOTH)
    assert math.exp(_log_likelihoods(learner, [x])[0]) == pytest.approx(expected, rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=8),
    st.lists(st.floats(-50, 50), min_size=1, max_size=8),
    st.tuples(st.floats(-5, 5), st.floats(0.1, 5), st.floats(0.3, 5), st.floats(0.1, 5)),
)
def test_learning_in_two_steps_is_learning_at_once(a: list, b: list, prior: tuple) -> None:
    def learned(values: list, start: tuple) -> acumen.bayes.normal_posteriors.NormalPosterior:
        names = ("prior_mean", "prior_strength", "prior_shape", "prior_rate")
        return acumen.estimate_normal(values, **dict(zip(names, start, strict=True)))

    first = learned(a, prior)
    second = learned(b, (first.mean, first.strength, first.shape, first.rate))
    at_once = learned(a + b, prior)
    for name in ("mean", "strength", "shape", "rate", "scale"):
        assert getattr(second, name) == pytest.approx(getattr(at_once, name), rel=1e-9, abs=1e-9)


def test_the_densities_are_scipys_with_many_degrees_of_freedom_and_far_away_too() -> None:
    from scipy.stats import norm, t

    from acumen.bayes.factors.student import log_density

    x = np.array([-1e4, -2.0, 0.0, 0.3, 7.0])
    for freedom in (0.6, 3.0, 50.0):
        np.testing.assert_allclose(
            log_density(x, 0.3, 2.0, freedom), t.logpdf(x, freedom, 0.3, 2.0), rtol=1e-12
        )
    np.testing.assert_allclose(log_density(x[1:], 0.3, 2.0, 1e13), norm.logpdf(x[1:], 0.3, 2.0), rtol=1e-10)
    assert np.isfinite(log_density(np.array([1e300, -1e300]), 0.0, 1e-150, 3.0)).all()


def test_a_heavy_prior_wins_and_a_faint_one_leaves_the_gaussian() -> None:
    rng = np.random.default_rng(0)
    rows = {"x": np.round(rng.normal(3, 2, 4000), 3), "kind": ["a"] * 4000}
    table = _read(rows, target="kind")
    plain = acumen.NaiveBayes().fit(table)
    faint = acumen.NaiveBayes(normal_gamma_prior=(0.0, 1e-6, 1e-6, 1e-6)).fit(table)
    heavy = acumen.NaiveBayes(normal_gamma_prior=(0.0, 1e9, 1e9, 1e9)).fit(table)
    xs = [1.0, 3.0, 5.0]
    np.testing.assert_allclose(_log_likelihoods(faint, xs), _log_likelihoods(plain, xs), atol=2e-3)
    np.testing.assert_allclose(
        _log_likelihoods(heavy, xs), -0.5 * np.log(2 * np.pi) - np.array(xs) ** 2 / 2, atol=1e-3
    )


def test_rows_of_weight_two_are_rows_twice_and_gaps_are_left_out() -> None:
    rows = {
        "x": [1.0, 2.0, None, 5.0, 6.5],
        "y": [1.0, 1.5, 2.0, 0.0, 1.0],
        "kind": ["a", "a", "a", "b", "b"],
    }
    twice = {name: [v for v in column for _ in range(2)] for name, column in rows.items()}
    learner = acumen.NaiveBayes(variance_prior={"x": (1, 1)}, normal_gamma_prior={"y": BOTH})
    query = _read({"x": [1.0, None, 4.0], "y": [None, None, 2.0]}, kinds={"x": "numeric", "y": "numeric"})
    table = _read(rows, target="kind")
    weighted = learner.fit(table, sample_weight=np.full(5, 2.0)).predict_proba(query)
    repeated = learner.fit(_read(twice, target="kind")).predict_proba(query)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-10)
    np.testing.assert_allclose(weighted[1], [0.6, 0.4])


def test_evidence_adds_up_the_file_keeps_it_and_the_description_tells_it(tmp_path) -> None:
    iris = acumen.datasets.load("iris")
    name = iris.schema.numeric[0].name
    learner = acumen.NaiveBayes(variance_prior={name: (2.0, 1.0)}).fit(iris)
    acumen.save(learner, tmp_path / "m.acm")
    again = acumen.load(tmp_path / "m.acm")
    assert np.array_equal(again.predict_proba(iris), learner.predict_proba(iris))
    assert again.get_params()["variance_prior"] == {name: [2.0, 1.0]} or again.get_params()[
        "variance_prior"
    ] == {name: (2.0, 1.0)}
    said = learner.describe()
    assert "Student's t: middle ± scale, degrees of freedom" in said
    assert "mean ± standard deviation" in said  # the other attributes
    model = learner.model_
    row = iris.take(np.array([70]))
    evidence = model.evidence(row, iris.schema, 1, 2)
    scores = model.scores(row)[0]
    assert sum(e.contribution for e in evidence) == pytest.approx(scores[1] - scores[2], rel=1e-9)


def test_a_stored_student_is_checked() -> None:
    iris = acumen.datasets.load("iris")
    model = acumen.NaiveBayes(variance_prior=(2.0, 1.0)).fit(iris).model_
    arrays = dict(model.to_arrays())
    for name, wrong in (("scale", 0.0), ("freedom", -1.0), ("freedom", np.nan)):
        broken = arrays["numeric/student/" + name].copy()
        broken[0, 0] = wrong
        with pytest.raises(acumen.errors.AcumenError):
            type(model).from_arrays({**arrays, "numeric/student/" + name: broken}, iris.schema)
    half = arrays["numeric/student/freedom"].copy()
    half[0, 0] = 0.0
    with pytest.raises(acumen.errors.AcumenError, match="Gaussian in some classes"):
        type(model).from_arrays({**arrays, "numeric/student/freedom": half}, iris.schema)


def test_a_class_of_one_value_needs_no_floor_and_no_warning() -> None:
    table = _read({"x": [1.0, 1.0, 1.0, 2.0, 3.0, 4.0], "kind": list("aaabbb")}, target="kind")
    with pytest.warns(acumen.errors.AcumenWarning, match="only one value"):
        acumen.NaiveBayes().fit(table)
    fitted = acumen.NaiveBayes(normal_gamma_prior=(2.0, 1.0, 1.0, 1.0)).fit(table)
    assert fitted.predict(table).tolist() == list("aaaabb")  # 2 is no surprise to class a


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"variance_prior": (0.0, 1.0)}, "variance_prior must be a pair"),
        ({"variance_prior": (1.0,)}, "variance_prior must be a pair"),
        ({"normal_gamma_prior": (0.0, 1.0)}, "normal_gamma_prior must be four numbers"),
        ({"normal_gamma_prior": {"z": BOTH}}, "'z', which is not a numeric attribute"),
        ({"numeric": "kernel", "variance_prior": (1, 1)}, "variance_prior is for numeric='gaussian'"),
        ({"mean_prior": (0, 1), "variance_prior": (1, 1)}, "both given for all numeric attributes"),
        ({"mean_prior": {"x": (0, 1)}, "variance_prior": (1, 1)}, "both given for 'x'"),
        ({"normal_gamma_prior": {"x": BOTH}, "variance_prior": {"x": (1, 1)}}, "both given for 'x'"),
    ],
)
def test_wrong_priors_are_refused_in_a_sentence(parameters: dict, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        _one_class(**parameters)


def test_leave_one_out_refits_and_agrees_with_a_loop() -> None:
    rng = np.random.default_rng(1)
    table = _read({"x": rng.normal(size=12), "kind": list("ab") * 6}, target="kind")
    learner = acumen.NaiveBayes(normal_gamma_prior=BOTH)
    assert not learner.can_leave_one_out(table)
    found = acumen.assess(learner, table, acumen.LeaveOneOut())
    every = np.arange(12)
    wrong = sum(
        learner.fit(table.take(every != i)).predict(table.take(every == i))[0] != "ab"[i % 2]
        for i in range(12)
    )
    assert found.mean == pytest.approx(wrong / 12)


def test_estimates_of_a_normal_variance_and_of_both() -> None:
    alone = acumen.estimate_normal_variance([1.0, 3.0], 2.0, prior_shape=2.0, prior_rate=1.0)
    assert (alone.ml, alone.map, alone.bayes, alone.freedom) == (1.0, 0.5, 1.0, 6.0)
    low, high = alone.interval(0.9)
    from scipy.stats import invgamma

    assert (low, high) == pytest.approx(invgamma.ppf([0.05, 0.95], 3.0, scale=2.0))
    nothing = acumen.estimate_normal([], prior_mean=7.0, prior_strength=1.0, prior_shape=1.0, prior_rate=3.0)
    assert (nothing.mean, nothing.rate, nothing.bayes) == (7.0, 3.0, math.inf)
    both = acumen.estimate_normal(VALUES, prior_mean=0.5, prior_strength=2.0, prior_shape=1.5, prior_rate=2.0)
    learner = _one_class(normal_gamma_prior=BOTH)
    assert both.log_density(3.0) == pytest.approx(_log_likelihoods(learner, [3.0])[0], rel=1e-12)
    with pytest.raises(ParameterError, match="prior_rate must be"):
        acumen.estimate_normal_variance([1.0], 0.0, prior_shape=1.0, prior_rate=0.0)
    with pytest.raises(DataError, match="finite numbers"):
        acumen.estimate_normal([math.nan], prior_strength=1, prior_shape=1, prior_rate=1)
    with pytest.raises(ParameterError, match="level must lie"):
        alone.interval(1.0)
