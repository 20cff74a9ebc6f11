"""Labels spread over neighbours: the direct solution, repeated rows, and what rows without a label changed."""

from __future__ import annotations

import doctest
import warnings

import numpy as np
import pytest

import acumen
from acumen import LabelSpreading
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import AcumenWarning, DataError, ModelFileError
from acumen.neighbours import label_spreading


def moons(n, seed, noise=0.08):
    rng = np.random.default_rng(seed)
    t, y = rng.random(n) * np.pi, np.arange(n) % 2
    X = np.c_[np.where(y, 1 - np.cos(t), np.cos(t)), np.where(y, 0.5 - np.sin(t), np.sin(t))]
    return X + rng.normal(0, noise, (n, 2)), y


def hidden(y, known):
    made = np.asarray(y).astype(object)
    made[known:] = None
    return made


def directly(X, labels, k, alpha, say):
    """The same by all distances and one solution of linear equations."""
    n = len(X)
    away = np.sqrt(((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2))
    others = away + np.where(np.eye(n) > 0, np.inf, 0.0)
    reach = np.sort(others, axis=1)[:, k - 1]
    near = others <= reach[:, None] * (1 + 1e-12)
    W = np.exp(-(away**2) / (2 * np.outer(reach, reach))) if say == "kernel" else np.ones((n, n))
    W = np.where(near | near.T, W, 0.0)
    S = W / np.sqrt(np.outer(W.sum(axis=1), W.sum(axis=1)))
    Y = np.zeros((n, 2))
    known = np.flatnonzero([label is not None for label in labels])
    Y[known, [labels[i] for i in known]] = 1
    F = (1 - alpha) * np.linalg.solve(np.eye(n) - alpha * S, Y)
    return F / F.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("say", ["kernel", "uniform"])
@pytest.mark.parametrize("alpha", [0.3, 0.97])
def test_the_shares_are_those_of_the_direct_solution(say, alpha):
    X, y = moons(60, 0)
    labels = hidden(y, 10)
    model = LabelSpreading(5, clamping=alpha, weights=say, scale=False, folds=None).fit(X, labels)
    np.testing.assert_allclose(model.shares_, directly(X, labels, 5, alpha, say), atol=1e-6)


def test_too_few_steps_are_warned_of():
    X, y = moons(60, 0)
    with pytest.warns(AcumenWarning, match="2 steps were not enough"):
        LabelSpreading(max_iter=2, folds=None).fit(X, hidden(y, 10))


def test_a_few_labels_are_enough_for_bands_and_help_is_reported():
    X, y = moons(240, 1)
    labels = hidden(y, 24)
    model = LabelSpreading().fit(X, labels)
    assert (model.transduction_ == y).mean() > 0.97
    assert model.score(*moons(100, 2)) > 0.97
    report = model.report_
    assert (report.labelled, report.unlabelled, report.rounds) == (24, 216, (216,))
    assert report.tested == 24 and report.error_with <= report.error_without and not report.hurts
    assert report.better - report.worse == round((report.error_without - report.error_with) * 24)


def test_a_warning_is_given_where_unlabelled_rows_hurt():
    # Labels of no meaning to neighbours: each labelled row's class is that of its parity, its twin beside it.
    x = np.repeat(np.arange(16.0), 2) * 10 + np.tile([0.0, 0.1], 16)
    y = np.repeat(np.arange(16) % 2, 2)
    fill = np.arange(0.0, 160.0, 0.25)
    X, labels = np.r_[x, fill][:, None], np.r_[y.astype(object), np.full(len(fill), None)]
    with pytest.warns(AcumenWarning, match="the unlabelled rows hurt: of 32 held-out labelled rows"):
        model = LabelSpreading(20, clamping=0.999, weights="uniform", scale=False).fit(X, labels)
    report = model.report_
    assert report.hurts and report.worse > report.better and report.error_with > report.error_without
    assert "they hurt" in str(report) and report.to_dict()["hurts"] is True


def test_a_whole_weight_is_a_repeated_row():
    X, y = moons(30, 3)
    labels, times = hidden(y, 8), np.array([1, 2, 3] * 10)
    weighed = LabelSpreading(6, scale=False, folds=None).fit(X, labels, sample_weight=times)
    repeated = LabelSpreading(6, scale=False, folds=None).fit(
        np.repeat(X, times, axis=0), np.repeat(labels, times)
    )
    np.testing.assert_allclose(np.repeat(weighed.shares_, times, axis=0), repeated.shares_, atol=1e-6)
    np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def mixed(n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 2).astype(np.int32)
    size = rng.normal(3.0 * y, 0.5)
    size[::7] = np.nan
    schema = Schema((Attribute("size"), Attribute("colour", "nominal", ("red", "blue"))),
                    Attribute("kind", "nominal", ("a", "b")))  # fmt: skip
    labels = np.where(np.arange(n) < 10, y, -1).astype(np.int32)
    return Table(schema, n, numeric=[size], nominal=[y.copy()], labels=labels), y


def test_mixed_tables_are_spread_over_by_gower_and_kept_in_files(tmp_path):
    rows, y = mixed()
    model = LabelSpreading(4).fit(rows)
    assert model.distance_.name == "gower" and (model.transduction_ == np.array(["a", "b"])[y]).all()
    acumen.save(model, tmp_path / "m.acm")
    kept = acumen.load(tmp_path / "m.acm")
    np.testing.assert_array_equal(kept.predict_proba(rows), model.predict_proba(rows))
    assert "10 rows with a label, 30 rows without" in kept.describe()


def test_spoilt_files_are_refused():
    model = LabelSpreading(4).fit(mixed()[0])
    for name, value in (("labels", np.full(40, 2, dtype=np.int32)), ("shares", np.full((40, 2), 2.0)),
                        ("reach", np.full(40, -1.0)), ("totals", np.zeros(2))):  # fmt: skip
        with pytest.raises(ModelFileError):
            type(model.model_).from_arrays({**model.model_.to_arrays(), name: value}, model.schema_)


def test_rows_that_no_label_reaches_have_the_shares_of_the_classes():
    X = np.r_[np.arange(6.0), 1000 + np.arange(6.0)][:, None]
    y = np.array([0, 0, 1] + [None] * 9, dtype=object)
    model = LabelSpreading(2, scale=False, folds=None).fit(X, y)
    assert model.transduction_[6:].tolist() == [None] * 6 and "No label came to 6 rows" in model.describe()
    np.testing.assert_allclose(model.predict_proba([[1002.5]]), [[2 / 3, 1 / 3]])


def test_distances_that_look_at_classes_are_refused():
    with pytest.raises(DataError, match="looks at classes"):
        LabelSpreading(distance="value-difference").fit(mixed()[0])


def test_without_unlabelled_rows_nothing_is_reported_nor_suited():
    X, y = moons(30, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = LabelSpreading().fit(X, y).report_
    assert report.tested == 0 and report.rounds == () and "is unknown" in str(report)
    assert "label-spreading" in acumen.suitable_learners(acumen.datasets.load("iris")).left_out


def test_assessing_gives_every_fold_the_rows_without_a_label():
    X, y = moons(200, 6)
    labels = hidden(y, 24)
    schema = Schema((Attribute("a"), Attribute("b")), Attribute("y", "nominal", (0, 1)))
    codes = np.array([-1 if label is None else label for label in labels], dtype=np.int32)
    rows = Table(schema, 200, numeric=[*X.T.copy()], labels=codes)
    found = acumen.assess(LabelSpreading(folds=None), rows, acumen.KFold(4), random_state=0)
    assert found.mean < 0.1


def test_documented_examples_are_true():
    assert doctest.testmod(label_spreading).failed == 0


@pytest.mark.parametrize("say", ["kernel", "uniform"])
def test_copying_every_row_eight_times_changes_little(say):
    X, y = moons(120, 2)
    labels, fresh = hidden(y, 16), moons(80, 9)
    once = LabelSpreading(weights=say, folds=None).fit(X, labels)
    copied = LabelSpreading(weights=say, folds=None).fit(np.repeat(X, 8, axis=0), np.repeat(labels, 8))
    assert once.score(*fresh) > 0.9 and copied.score(*fresh) > 0.9
    assert (copied.predict(fresh[0]) == once.predict(fresh[0])).all()
    assert np.abs(copied.predict_proba(fresh[0]) - once.predict_proba(fresh[0])).max() < 0.1
    assert copied.transduction_.tolist() == np.repeat(once.transduction_, 8).tolist()


def test_rows_at_no_distance_are_joined_to_the_first_at_any_distance():
    """A missing value is at no distance from any other: the k nearest may all be such."""
    colour = np.array([0, 1] * 8, dtype=np.int32)
    size = np.full(16, np.nan)
    size[:4] = [1.0, 1.2, 5.0, 5.1]
    schema = Schema((Attribute("size"), Attribute("colour", "nominal", ("red", "blue"))),
                    Attribute("kind", "nominal", ("a", "b")))  # fmt: skip
    labels = np.where(np.arange(16) < 4, [0, 1] * 8, -1).astype(np.int32)
    rows = Table(schema, 16, numeric=[size], nominal=[colour], labels=labels)
    model = LabelSpreading(1, distance="gower", folds=None).fit(rows)
    assert (model.model_.reach > 0).all()


def test_contradicting_labels_of_one_place_are_kept_apart():
    X = np.repeat(np.arange(6.0), 3)[:, None]
    labels = np.array([0, 1, None, 0, 0, None] + [None] * 9 + [1, 1, None], dtype=object)
    model = LabelSpreading(2, scale=False, folds=None).fit(X, labels)
    assert model.shares_[0, 0] > model.shares_[2, 0] > model.shares_[1, 0]
    assert model.transduction_[5] == 0 and model.transduction_[-1] == 1
