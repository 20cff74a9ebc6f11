"""Normal mixtures: numbers of the literature, a twin, marginalised gaps, laws of their own."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen import _native
from acumen.clusters.mixture import MixtureBlock, MixtureParameters, maximise, scatter_of
from acumen.errors import AcumenWarning, DataError, ParameterError, TableWarning
from clusters.cluster_tables import IRIS
from reference.mixture import naive_expectation

POINTS = np.column_stack([column for _, column in IRIS.numeric_columns()])
KINDS = ("full", "shared", "diagonal", "spherical")


def clouds(n=120, d=2, seed=0, apart=8.0):
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    return rng.normal(size=(n, d)) + apart * np.eye(3, d)[group], group


def test_w001_24_a_step_divides_by_the_components_own_weights_and_the_likelihood_rises():
    points = np.array([[0.0], [1.0], [4.0], [5.0]])
    start = MixtureParameters.of(
        "diagonal", np.array([0.5, 0.5]), np.array([[0.0], [5.0]]), np.array([[1.0], [1.0]])
    )
    sums = scatter_of(MixtureBlock.of(points, np.empty(0)), start)
    after = maximise(sums, start, 0.0, np.ones(1))
    assert after.means.ravel() == pytest.approx([0.5008384846, 4.4991615154], abs=1e-10)
    assert after.covariances.ravel() == pytest.approx([0.2533532352] * 2, abs=1e-10)
    then = scatter_of(MixtureBlock.of(points, np.empty(0)), after)
    assert (sums.likelihood, then.likelihood) == (
        pytest.approx(-7.4472295388, abs=1e-10),
        pytest.approx(-5.6759364201, abs=1e-10),
    )


@pytest.mark.parametrize(
    ("parts", "expected"), [([0, 50, 100, 150], -180.996958), ([0, 50, 150], -215.166069)]
)
def test_iris_from_the_means_of_species_has_the_likelihood_of_the_notes(parts, expected):
    means = np.array([POINTS[a:b].mean(axis=0) for a, b in itertools.pairwise(parts)])
    found = acumen.GaussianMixture(len(means), init=means, tol=1e-13, max_iter=2000).fit(IRIS)
    assert found.log_likelihood_ == pytest.approx(expected, abs=1e-6)
    assert found.objective_ == -found.log_likelihood_
    assert found.log_density(IRIS).sum() == pytest.approx(found.log_likelihood_, abs=1e-9)
    far = acumen.GaussianMixture(len(means), init=means + 1e8, tol=1e-13, max_iter=2000).fit(POINTS + 1e8)
    assert far.log_likelihood_ == pytest.approx(
        expected, abs=1e-5
    )  # the numbers themselves are rounded there
    assert np.array_equal(far.labels_, found.labels_)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_one_pass_is_the_naive_loop(seed, weighted):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(1, 150)), int(rng.integers(1, 7)), int(rng.integers(1, 5))
    values = rng.normal(size=(n, d)) * 3
    weights = rng.integers(1, 4, n).astype(np.float64) if weighted else np.empty(0)
    roots = rng.normal(size=(k, d, d)) + 2 * np.eye(d)
    # Never nearly singular: there the twin itself loses digits.
    covariances = roots @ np.swapaxes(roots, 1, 2) + 0.1 * np.eye(d)
    shares = rng.dirichlet(np.ones(k))
    mixture = MixtureParameters.of("full", shares, rng.normal(size=(k, d)), covariances)
    found = scatter_of(MixtureBlock.of(values, weights), mixture)
    own = weights if weighted else np.ones(n)
    weight, first, second, likelihood = naive_expectation(values, own, shares, mixture.means, covariances)
    assert np.allclose(found.weight, weight) and np.allclose(found.first, first, atol=1e-9)
    assert np.allclose(found.second, second, atol=1e-8)
    assert found.likelihood == pytest.approx(likelihood, rel=1e-10)
    lines = np.ascontiguousarray(np.diagonal(covariances, axis1=1, axis2=2))
    plain = scatter_of(
        MixtureBlock.of(values, weights), MixtureParameters.of("diagonal", shares, mixture.means, lines)
    )
    diagonal = naive_expectation(values, own, shares, mixture.means, lines[:, :, None] * np.eye(d))
    assert plain.likelihood == pytest.approx(diagonal[3], rel=1e-10)
    assert np.allclose(plain.second, np.diagonal(diagonal[2], axis1=1, axis2=2), atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_the_penalised_likelihood_never_falls_with_gaps_and_weights(kind):
    points, _ = clouds(150, 3, apart=2.0)
    rng = np.random.default_rng(1)
    points[rng.random(points.shape) < 0.2] = np.nan
    weights = rng.integers(1, 4, len(points)).astype(np.float64)
    found = acumen.GaussianMixture(3, covariance=kind, random_state=0, tol=0.0, max_iter=60)
    path = found.fit(points, sample_weight=weights).log_likelihoods_
    assert len(path) > 5 and (np.diff(path) >= 0).all()


def test_a_gap_is_marginalised_not_filled():
    model = acumen.GaussianMixture(2, random_state=0).fit(POINTS)
    rows = POINTS[:5].copy()
    rows[:, [1, 3]] = np.nan
    means, covariances, shares = model.means_, model.covariances_, model.shares_
    for row, told in zip(rows, model.log_density(rows), strict=True):
        dense = 0.0
        for c in range(2):
            y, own = row[[0, 2]] - means[c][[0, 2]], covariances[c][np.ix_([0, 2], [0, 2])]
            dense += (
                shares[c]
                * np.exp(-0.5 * y @ np.linalg.solve(own, y))
                / np.sqrt(np.linalg.det(2 * np.pi * own))
            )
        assert told == pytest.approx(np.log(dense), abs=1e-9)
    unknown = np.full((1, 4), np.nan)
    assert model.predict(unknown).tolist() == [-1]
    assert model.predict_proba(unknown)[0] == pytest.approx(shares)


def test_gaps_at_random_leave_the_means_where_they_were():
    points, group = clouds(3000, 3)
    holes = points.copy()
    holes[np.random.default_rng(3).random(points.shape) < 0.3] = np.nan
    found = acumen.GaussianMixture(3, random_state=0).fit(holes)
    truth = np.array([points[group == g].mean(axis=0) for g in range(3)])
    order = [int(np.argmin(((truth - mean) ** 2).sum(axis=1))) for mean in found.means_]
    assert np.abs(found.means_ - truth[order]).max() < 0.2
    assert np.abs(found.covariances_ - np.eye(3)).max() < 0.25


def test_one_component_is_the_mean_and_the_covariance_of_all_rows():
    found = acumen.GaussianMixture(1).fit(IRIS)
    assert np.allclose(found.means_[0], POINTS.mean(axis=0))
    assert np.allclose(found.covariances_[0], np.cov(POINTS.T, bias=True), rtol=1e-6)
    # No normal density is likelier: n / 2 (log det 2 pi e C).
    best = -75 * np.linalg.slogdet(2 * np.pi * np.e * np.cov(POINTS.T, bias=True))[1]
    assert found.log_likelihood_ == pytest.approx(best, abs=1e-6)
    assert found.bic_ == pytest.approx(-2 * best + 14 * np.log(150), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", ["bic", "mdl"])
def test_k_is_found_where_it_is_plain(k, kind):
    points, group = clouds()
    found = acumen.GaussianMixture(k, covariance=kind, random_state=0, max_components=5, n_init=3).fit(points)
    assert (
        found.n_clusters_ == 3
        and int(np.argmin(found.criterion_values_)) == 2
        and len(found.criterion_values_) == 5
    )
    assert acumen.clustering.adjusted_rand(group, found.labels_) == 1.0
    if k == "bic":
        assert found.criterion_values_[2] == pytest.approx(found.bic_)


def test_units_and_weights_change_nothing_but_the_likelihoods_unit():
    points, _ = clouds()
    plain = acumen.GaussianMixture(3, random_state=0).fit(points)
    other = acumen.GaussianMixture(3, random_state=0).fit(points * [1e6, 1e-6])
    assert np.array_equal(plain.labels_, other.labels_)
    assert other.log_likelihood_ == pytest.approx(plain.log_likelihood_, abs=1e-6)  # the units cancel
    twice = acumen.GaussianMixture(3, random_state=0).fit(points, sample_weight=np.full(len(points), 2.0))
    again = acumen.GaussianMixture(3, random_state=0).fit(np.repeat(points, 2, axis=0))
    assert np.allclose(twice.means_, again.means_) and np.allclose(twice.covariances_, again.covariances_)
    assert twice.log_likelihood_ == pytest.approx(again.log_likelihood_)


def test_degenerate_components_are_reported_and_never_chosen():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(60, 2)), np.full((40, 2), 30.0)])
    with pytest.warns(AcumenWarning, match="degenerate"):
        found = acumen.GaussianMixture(2, random_state=0).fit(points)
    assert found.degenerate_.tolist() == [False, True] and "degenerate" in found.model_.describe(
        found.schema_
    )
    chosen = acumen.GaussianMixture("bic", random_state=0, max_components=4).fit(points)
    assert not chosen.degenerate_.any() and np.isinf(chosen.criterion_values_[1])


def test_collinear_and_constant_columns_are_no_components_fault():
    points, group = clouds()
    wide = np.column_stack([points, points[:, 0], np.full(len(points), 7.0), np.full(len(points), np.nan)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        found = acumen.GaussianMixture(3, random_state=0).fit(wide)
    assert acumen.clustering.adjusted_rand(group, found.labels_) == 1.0 and not found.degenerate_.any()
    assert found.means_[:, 3].tolist() == [7.0] * 3 and not found.covariances_[:, 3].any()


def test_memberships_add_up_and_agree_with_labels():
    found = acumen.GaussianMixture(3, random_state=0).fit(IRIS)
    shares = found.predict_proba(IRIS)
    assert np.allclose(shares.sum(axis=1), 1) and np.array_equal(shares.argmax(axis=1), found.labels_)
    assert shares.mean(axis=0) == pytest.approx(found.shares_, abs=1e-4)  # a fixed point of EM


def test_parts_of_many_blocks_and_a_sample_give_what_one_table_gives():
    points, _ = clouds(66_000, 2, apart=4.0)
    points[np.random.default_rng(1).random(points.shape) < 0.01] = np.nan
    table = acumen.read(points)
    asked = {"n_init": 1, "random_state": 4, "tol": 1e-4}
    whole = acumen.GaussianMixture(3, **asked).fit(table)
    parts = [table.take(slice(a, b)) for a, b in itertools.pairwise([0, 3, 65_999, len(table)])]
    streamed = acumen.GaussianMixture(3, **asked).fit_stream(parts)
    alone = acumen.GaussianMixture(3, **asked, n_jobs=1).fit(table)
    for name, array in whole.model_.to_arrays().items():
        assert array.tobytes() == streamed.model_.to_arrays()[name].tobytes(), name
        assert array.tobytes() == alone.model_.to_arrays()[name].tobytes(), name


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_tables_are_answered_or_refused_in_a_sentence(kind):
    one = acumen.GaussianMixture(1, covariance=kind).fit(np.ones((1, 2)))
    assert one.labels_.tolist() == [0] and one.n_clusters_ == 1
    same = acumen.GaussianMixture("bic", covariance=kind).fit(np.ones((5, 2)))
    assert same.labels_.tolist() == [0] * 5
    with pytest.raises(DataError, match="only 1 different one; ask for at most 1"):
        acumen.GaussianMixture(2, covariance=kind).fit(np.ones((5, 2)))


def test_what_does_not_fit_is_refused_in_a_sentence():
    with pytest.raises(DataError, match="levels have no normal density"):
        acumen.GaussianMixture(2).fit(acumen.datasets.load("loan"))
    with pytest.raises(ParameterError, match="2 lines of 4"):
        acumen.GaussianMixture(2, init=np.zeros((3, 4))).fit(IRIS)
    with pytest.raises(ParameterError, match="say how many"):
        acumen.GaussianMixture("bic", init=np.zeros((3, 4))).fit(IRIS)
    with pytest.raises(ValueError, match="a line for each component"):
        _native.mixture_logs(
            np.zeros((4, 2)), np.zeros(2), np.zeros((2, 3)), np.zeros((2, 2)), True, np.zeros((4, 2))
        )
