"""Every learner that says workers of a cluster may read its parts learns on a cluster what it learns here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.models.task import CLASSES, NUMBERS
from acumen.registry import entries

pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
SPREADING = [each for each in entries() if each.make().streams]


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 2, 400)
    words = ("sun", "rain")
    lines = [
        f"{rng.normal(2 * k):.4f},{rng.normal(-k):.4f},{'pqr'[rng.integers(0, 3)]},{words[k]} fog,{'ab'[k]}\n"
        for k in kind.tolist()
    ]
    path = tmp_path_factory.mktemp("spread") / "rows.csv"
    path.write_text("x,z,level,said,y\n" + "".join(lines))
    return path


def test_the_table_of_learners_marks_these_and_no_others():
    from handbook.tried import tried

    spreading = {each.name for each in SPREADING}
    assert len(spreading) > 15
    for each in entries():
        if each.name in ("NaiveBayes", "KMeans", "Logistic", "SVM", "Birch", "RandomForest"):
            assert tried(each)["Dask"].done == (each.name in spreading)


@pytest.mark.slow
@pytest.mark.parametrize("each", SPREADING, ids=lambda each: each.name)
def test_it_learns_there_what_it_learns_here(each, file, cluster):
    """Logistic regression sums gradients part by part there, and agrees to its tolerance; all others to the byte."""
    options = {"columns": ["x", "z"], "target": None}
    if each.name == "TextBayes":
        options = {"columns": ["said"], "kinds": {"said": "text"}, "target": "y"}
    elif each.task is CLASSES or each.task.name == "transformation by classes":
        options = {"columns": ["x", "z", "level"], "target": "y"}
    elif each.task is NUMBERS:
        options = {"columns": ["x", "level"], "target": "z"}
    given = {"random_state": 0} if any(spec.name == "random_state" for spec in each.parameters) else {}
    learner = each.make(**given)
    rows = acumen.read(file, **options)
    here = clone(learner).fit(rows)
    with acumen.engine(cluster):
        there = clone(learner).fit_stream(acumen.scan(file, **options))
    if each.task.columns:
        mine, other = (made.transform(rows) for made in (here, there))
        for name in here.get_feature_names_out():
            np.testing.assert_array_equal(mine.column(name), other.column(name))
    elif each.name == "Logistic":
        np.testing.assert_allclose(here.predict_proba(rows), there.predict_proba(rows), atol=1e-5)
    else:
        np.testing.assert_array_equal(here.predict(rows), there.predict(rows))
