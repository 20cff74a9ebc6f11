"""What the drawings found once, by hand: each ends in an answer or a sentence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError

THREE = Attribute("y", "nominal", ("a", "b", "c"))


def quietly(learner, table):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", acumen.errors.AcumenWarning)
        fitted = learner.fit(table)
        assert fitted.describe() and str(fitted.explain(table.take(slice(0, 1))))
    return fitted


def test_fisher_without_an_attribute_answers_by_the_classes():
    table = Table(Schema((), THREE), 2, labels=np.array([0, 2], dtype=np.int32))
    assert np.allclose(quietly(acumen.Fisher(), table).predict_proba(table), [[0.5, 0, 0.5]] * 2)


@pytest.mark.parametrize("learner", [acumen.SVM(), acumen.SVR()], ids=["classes", "numbers"])
def test_a_margin_of_levels_that_are_none_is_a_constant(learner):
    levels = (Attribute("x", "nominal", ()),)
    codes = [np.full(6, -1, dtype=np.int32)]
    if isinstance(learner, acumen.SVR):
        table = Table(Schema(levels, Attribute("y")), 6, nominal=codes, response=np.arange(6.0))
    else:
        table = Table(Schema(levels, THREE), 6, nominal=codes, labels=np.arange(6, dtype=np.int32) % 3)
    assert len(set(quietly(learner, table).predict(table).tolist())) == 1


def test_numbers_beyond_any_square_are_described():
    rng = np.random.default_rng(0)
    x, y = 1e250 * rng.normal(size=40) + 1e251, rng.normal(size=40)
    table = Table(Schema((Attribute("x"),), Attribute("y")), 40, numeric=[x], response=y)
    assert np.isfinite(quietly(acumen.PolynomialRegression(random_state=0), table).predict(table)).all()
    labelled = Table(
        Schema((Attribute("x"),), THREE), 40, numeric=[x], labels=np.arange(40, dtype=np.int32) % 3
    )
    try:
        quietly(acumen.FullBayes(), labelled)
    except acumen.errors.DataError as error:
        assert "beyond 1e150" in str(error)


def test_a_radius_of_huge_weights_is_reached():
    x = np.array([1e-160, 3e-160, -2e-160])
    table = Table(
        Schema((Attribute("x"),), Attribute("y")), 3, numeric=[x], response=np.array([1.0, 5.0, -3.0])
    )
    assert np.isfinite(quietly(acumen.Ridge(radius=10), table).predict(table)).all()


def test_rows_beside_cores_are_within_reach_also_where_a_level_has_no_name():
    x = np.array([1.24, 0.84, -7.53, 1.78, 1.98, 3.29, -7.19])
    codes = np.array([1, 1, 1, 1, -2, 1, -2], dtype=np.int32)  # -2: a level the schema does not know
    table = Table(
        Schema((Attribute("x"), Attribute("c", "nominal", ("v0", "v1")))), 7, numeric=[x], nominal=[codes]
    )
    found = quietly(acumen.DBSCAN(eps=0.45, min_samples=5), table)
    assert (found.labels_ == 0).all() and 0 < found.objective_ <= 0.45 * 7


@pytest.mark.parametrize("linkage", ["single", "average", "ward"])
def test_numbers_whose_distances_no_number_holds_are_refused(linkage):
    """They had counted as no distance at all."""
    x = np.arange(9.0)
    x[4] = -1e308
    table = Table(Schema((Attribute("x"),)), 9, numeric=[x])
    with pytest.raises(DataError, match="'x' are so large"):
        acumen.Agglomerative(n_clusters=2, linkage=linkage, scale=False).fit(table)
    assert acumen.Agglomerative(n_clusters=2, linkage=linkage).fit(table).labels_.tolist() == [
        0,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        0,
    ]
