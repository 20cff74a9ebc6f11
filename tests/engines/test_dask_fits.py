"""Forests, boosting, additive models and others that go over rows often: a cluster gives what one machine gives."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import acumen
from acumen.base.availability import require_parts
from acumen.errors import AcumenWarning, DataError
from acumen.store import save

pytest.importorskip("distributed", reason="the engine dask needs the package distributed")

#: A block and a little, once rows without a label have been left out.
N = 66_600


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    """Numbers with gaps, levels, weights, a class that some rows lack, and a number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(27)
    a, b = rng.normal(size=N).round(2), rng.integers(0, 40, N).astype(float)
    b[rng.random(N) < 0.02] = np.nan
    level = rng.integers(0, 4, N)
    number = a * 2 + np.nan_to_num(b) / 10 + rng.normal(size=N)
    label = np.array(["n", "p"])[(number + level + rng.normal(size=N) > 3).astype(int)].astype(object)
    label[::997] = None
    columns = {
        "a": a,
        "b": b,
        "level": np.array(list("uvwx"))[level],
        "weight": rng.integers(1, 9, N) / 4,
        "number": number,
        "y": label,
    }
    made = tmp_path_factory.mktemp("fits") / "t.parquet"
    pq.write_table(pa.table(columns), made, row_group_size=25_000)
    return made


CLASSES = {"target": "y", "columns": ["a", "b", "level"]}
WEIGHED = {"target": "y", "columns": ["a", "b", "level"], "weight": "weight"}
NUMBERS = {"target": "number", "columns": ["a", "b", "level"], "weight": "weight"}
POINTS = {"columns": ["a", "b"]}


def _bytes(model, folder: Path) -> bytes:
    save(model, folder / "m.acm")
    return (folder / "m.acm").read_bytes()


def _there(learner, path: Path, engine, given):
    with acumen.engine(engine):
        return clone(learner).fit_stream(acumen.scan(path, **given))


slow = pytest.mark.slow
CASES = [
    pytest.param(acumen.RandomForest(3, stop_size=300, random_state=1), CLASSES, id="forest"),
    pytest.param(
        acumen.RandomForest(4, stop_size=300, class_weight="balanced", random_state=1),
        WEIGHED,
        id="forest of weighed rows",
        marks=slow,
    ),
    pytest.param(acumen.ExtraTrees(3, stop_size=300, random_state=1), CLASSES, id="extra trees", marks=slow),
    pytest.param(
        acumen.RandomForestRegressor(3, stop_size=300, random_state=1), NUMBERS, id="forest of numbers"
    ),
    pytest.param(
        acumen.ExtraTreesRegressor(3, stop_size=300, max_samples=0.5, random_state=1),
        NUMBERS,
        id="extra trees of numbers",
        marks=slow,
    ),
    pytest.param(acumen.Boosting(n_estimators=4, random_state=1), WEIGHED, id="boosting"),
    pytest.param(
        acumen.Boosting(learning_rate=0.9, random_state=1), CLASSES, id="boosting by itself", marks=slow
    ),
    pytest.param(
        acumen.BoostingRegressor(n_estimators=4, random_state=1),
        NUMBERS,
        id="boosting of numbers",
        marks=slow,
    ),
    pytest.param(acumen.Additive(bins=8, smoothing=2.0), WEIGHED, id="additive"),
    pytest.param(acumen.Additive(bins=8, pairs=1), CLASSES, id="additive with a pair", marks=slow),
    pytest.param(
        acumen.AdditiveRegressor(bins=8, smoothing=2.0), NUMBERS, id="additive of numbers", marks=slow
    ),
    pytest.param(acumen.Birch(n_clusters=3, max_subclusters=60), POINTS, id="birch"),
]


@pytest.mark.parametrize(("learner", "given"), CASES)
def test_the_model_file_is_that_of_one_machine(learner, given, path, cluster, tmp_path):
    here = clone(learner)
    here = (
        here.fit_stream(acumen.scan(path, **given)) if here.streams else here.fit(acumen.read(path, **given))
    )
    there = _there(learner, path, acumen.engines.Dask(cluster.client, runs=0), given)
    assert _bytes(here, tmp_path) == _bytes(there, tmp_path)


def test_words_are_those_of_one_machine(tmp_path, cluster):
    rng = np.random.default_rng(4)
    words = np.array(["red", "green", "blue", "old", "new"])
    lines = [
        f"{' '.join(rng.choice(words, 3))},{i % 7 / 2 + 0.5},{'np'[rng.integers(2)]}" for i in range(300)
    ]
    (tmp_path / "t.csv").write_text("said,weight,y\n" + "\n".join(lines) + "\n")
    given = {"target": "y", "weight": "weight", "kinds": {"said": "text"}}
    for learner in (acumen.RandomForest(3, random_state=1), acumen.Additive(smoothing=2.0)):
        here = clone(learner).fit(acumen.read(tmp_path / "t.csv", **given))
        there = _there(learner, tmp_path / "t.csv", cluster, given)
        assert _bytes(here, tmp_path) == _bytes(there, tmp_path)


@slow
@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_changes_nothing(workers, path, tmp_path):
    some = [
        acumen.RandomForest(5, stop_size=300, random_state=1),
        acumen.Boosting(n_estimators=4, random_state=1),
        acumen.Additive(bins=8, smoothing=2.0),
    ]
    with acumen.engines.Dask(workers=workers, runs=0) as engine:
        there = [_bytes(_there(each, path, engine, CLASSES), tmp_path) for each in some]
    table = acumen.read(path, **CLASSES)
    assert [_bytes(clone(each).fit(table), tmp_path) for each in some] == there


def test_what_a_forest_tells_besides_is_that_of_one_machine(path, cluster):
    learner = acumen.RandomForest(12, stop_size=2000, patience=2, random_state=3)
    here = clone(learner).fit(acumen.read(path, **CLASSES))
    there = _there(learner, path, cluster, CLASSES)
    assert there.n_estimators_ == here.n_estimators_ < 12  # patience ran out, in both after the same tree
    assert there.out_of_bag_.error == here.out_of_bag_.error
    assert there.out_of_bag_.interval == here.out_of_bag_.interval
    assert not len(there.out_of_bag_.predictions)  # what is said of each row stays where the row is
    assert str(there.to_rules(max_leaf_nodes=4)) == str(here.to_rules(max_leaf_nodes=4))


@slow
def test_a_worker_killed_while_trees_grow_changes_nothing(path, tmp_path):
    learner = acumen.RandomForest(8, stop_size=100, random_state=1)
    here = _bytes(clone(learner).fit(acumen.read(path, **CLASSES)), tmp_path)
    with acumen.engines.Dask(workers=2, runs=0) as engine:
        client, killed, trees = engine.client, [], []
        submit, pids = client.submit, list(client.run(os.getpid).values())

        def watched(*args, **given):
            made = submit(*args, **given)
            if "-then-" in given["key"]:
                trees.append(made)
            if len(trees) == 4 and not killed:  # some trees are under way, and rows are with both workers
                trees[0].result(timeout=60)
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)
            return made

        client.submit = watched
        there = _bytes(_there(learner, path, engine, CLASSES), tmp_path)
    assert killed
    assert here == there


def test_a_forest_that_a_worker_cannot_hold_is_refused(path, cluster, monkeypatch):
    monkeypatch.setattr(acumen.engines.Dask, "least_memory", 1_000_000)
    for learner in (acumen.RandomForest(2), acumen.Boosting(n_estimators=2)):
        with pytest.raises(
            DataError, match=r"holds all rows as codes; that takes .* the smallest worker has 1 MB"
        ):
            _there(learner, path, cluster, CLASSES)


@pytest.mark.parametrize(
    "learner",
    [
        acumen.RandomForest(groups="a"),
        acumen.Additive(smoothing="cv"),
        acumen.Logistic(solver="sgd"),
        acumen.SVM(),
    ],
    ids=repr,
)
def test_what_needs_all_rows_together_says_so(learner, cluster):
    with pytest.raises(DataError, match="is for one machine"):
        require_parts(learner)
    with acumen.engine(cluster):
        assert not hasattr(learner, "fit_stream")


def test_boosting_says_that_its_rounds_are_not_told_from_there(path, cluster, capsys):
    _there(acumen.Boosting(n_estimators=1, progress=True), path, cluster, CLASSES)
    assert "one worker runs all rounds" in capsys.readouterr().err


# -- to 1e-10 -------------------------------------------------------------------------------------


def _near(one, other) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("given", [CLASSES, pytest.param(WEIGHED, marks=slow)], ids=["rows", "weighed rows"])
def test_logistic_regression_without_a_penalty_ends_where_it_ends_on_one_machine(given, path, cluster):
    here = acumen.Logistic(penalty=None, tol=1e-10).fit(acumen.read(path, **given))
    there = _there(acumen.Logistic(penalty=None), path, cluster, given)
    _near(there.coef_, here.coef_)
    _near(there.intercept_, here.intercept_)
    assert (there.coef_ == 0).sum() == 1  # the reference level


def test_logistic_regression_learns_from_parts_that_are_in_memory_too(path, cluster):
    rows = acumen.read(path, **CLASSES)
    here = acumen.Logistic(penalty=None, tol=1e-10).fit(rows)
    parts = [rows.take(np.arange(len(rows)) < 700), rows.take(np.arange(len(rows)) >= 700)]
    with acumen.engine(cluster):
        there = acumen.Logistic(penalty=None).fit_stream(parts)
    _near(there.coef_, here.coef_)


def test_columns_that_follow_from_others_and_classes_that_are_separated_are_told_there_too(tmp_path, cluster):
    x = np.arange(200) % 50
    lines = [f"{v},{2 * v},{'np'[int(v > 24)]}\n" for v in x]
    (tmp_path / "t.csv").write_text("x,twice,y\n" + "".join(lines))
    with pytest.warns(AcumenWarning) as said:
        _there(acumen.Logistic(penalty=None), tmp_path / "t.csv", cluster, {"target": "y"})
    words = " ".join(str(each.message) for each in said)
    assert "'twice' follows from the columns before" in words
    assert "separate the classes perfectly" in words


@pytest.mark.parametrize(
    "features",
    [None, pytest.param(["class", "level & b", "a -> p"], marks=slow)],
    ids=["of all", "of templates"],
)
def test_maximum_entropy_ends_where_it_ends_on_one_machine(features, path, cluster):
    learner = acumen.MaxEnt(features, C=10.0, tol=1e-11)
    here = clone(learner).fit(acumen.read(path, **CLASSES))
    there = _there(learner, path, cluster, CLASSES)
    for column in ("multiplier", "observed", "expected"):
        _near(there.averages_.column(column), here.averages_.column(column))


@pytest.mark.parametrize(
    "learner",
    [acumen.Logistic(), acumen.Logistic(penalty=None), acumen.Logistic(penalty="l1"), acumen.MaxEnt()],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:.*separate the classes")
def test_newton_s_steps_end_where_they_end_on_one_machine(learner, tmp_path, cluster):
    """A level of one row, which its class separates: without a penalty its coefficient grows with every step."""
    rng = np.random.default_rng(3)
    a, k = rng.normal(size=600), rng.integers(0, 3, 600)
    lines = [
        f"{x + c:.4f},{'uv'[i % 2] if i < 599 else 'late'},{'npq'[c]}\n"
        for i, (x, c) in enumerate(zip(a, k, strict=True))
    ]
    file = tmp_path / "t.csv"
    file.write_text("a,level,y\n" + "".join(lines))
    rows = acumen.read(file, target="y")
    here, there = clone(learner).fit(rows), _there(learner, file, cluster, {"target": "y"})
    assert there.n_iter_ == here.n_iter_
    _near(there.predict_proba(rows), here.predict_proba(rows))


def test_texts_are_coded_in_one_place(tmp_path, cluster):
    (tmp_path / "t.csv").write_text(
        "said,y\n" + "".join(f"word{i} and more words,{'np'[i % 2]}\n" for i in range(40))
    )
    for learner in (acumen.MaxEnt(), acumen.Logistic()):
        with pytest.raises(DataError, match="texts are coded in one place"):
            _there(learner, tmp_path / "t.csv", cluster, {"target": "y", "kinds": {"said": "text"}})
