"""Rows in parts: the file of a streamed model is that of `fit`, to the byte; chunks go on, or say why not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.errors import DataError, ParameterError

ROWS = 150_000


@pytest.fixture(scope="module")
def csv_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than two blocks; gaps everywhere, also among the labels; the target in the middle; weights with zeros."""
    rng = np.random.default_rng(5)
    label = rng.choice(["yes", "no", "perhaps"], ROWS, p=[0.5, 0.3, 0.2])
    frame = pd.DataFrame(
        {
            "x": np.round(rng.normal(size=ROWS) + (label == "yes"), 2),
            "level": np.where(rng.random(ROWS) < 0.6, np.where(label == "no", "low", "high"), "middle"),
            "class": label,
            "z": np.round(rng.gamma(2, size=ROWS), 2),
            "weight": rng.integers(0, 7, ROWS) / 3,
        }
    )
    frame.loc[::11, "z"], frame.loc[::13, "level"], frame.loc[5::17, "class"] = np.nan, None, None
    path = tmp_path_factory.mktemp("stream") / "t.csv"
    frame.to_csv(path, index=False)
    return path


def saved(learner: object, folder: Path) -> bytes:
    acumen.save(learner, folder / "m.acm", summary=True)
    return (folder / "m.acm").read_bytes()


@pytest.mark.parametrize(
    "learner",
    [
        acumen.NaiveBayes(),
        acumen.NaiveBayes(numeric="histogram"),
        acumen.NaiveBayes(numeric="discretise", bins=4),
        acumen.NaiveBayes(class_weight="balanced", priors="uniform"),
        acumen.FullBayes(covariance="shared"),
        acumen.HistogramBayes(bins=4),
        acumen.OneR(),
        acumen.Majority(class_weight={"no": 0, "yes": 2.5}),
    ],
    ids=repr,
)
def test_a_streamed_file_gives_the_model_file_of_fit(learner, csv_file, tmp_path):
    table = acumen.read(csv_file, target="class", weight="weight")
    whole = saved(learner.fit(table), tmp_path)
    for rows in (65_536, 10_001):
        parts = acumen.scan(csv_file, target="class", weight="weight", rows=rows)
        assert saved(learner.fit_stream(parts), tmp_path) == whole, rows


def test_engines_and_threads_give_one_model_file(csv_file, tmp_path):
    table = acumen.read(csv_file, target="class", weight="weight")
    for learner in (acumen.NaiveBayes(), acumen.FullBayes()):
        files = []
        for n_jobs in (1, 2, 3):
            files.append(saved(learner.set_params(n_jobs=n_jobs).fit(table), tmp_path))
            parts = acumen.scan(csv_file, target="class", weight="weight", rows=40_000)
            files.append(saved(learner.fit_stream(parts), tmp_path))
        assert len(set(files)) == 1


def test_rows_without_label_are_not_counted_as_training_rows():
    table = acumen.read(pd.DataFrame({"x": [1.0, 2, 3], "c": ["a", "b", None]}), target="c")
    assert acumen.NaiveBayes().fit(table).training_ == {"rows": 2, "weight": 2.0}
    assert acumen.NaiveBayes(unlabelled="em").fit(table).training_["rows"] == 3


def test_a_table_is_one_part_and_other_things_are_refused():
    iris = acumen.datasets.load("iris")
    whole, streamed = acumen.NaiveBayes().fit(iris), acumen.NaiveBayes().fit_stream(iris)
    np.testing.assert_array_equal(streamed.predict_proba(iris), whole.predict_proba(iris))
    with pytest.raises(DataError, match="got a DataFrame"):
        acumen.NaiveBayes().fit_stream([pd.DataFrame({"x": [1.0]})])


def test_chunks_do_not_go_on_from_a_file_without_summary(tmp_path):
    iris = acumen.datasets.load("iris")
    acumen.save(acumen.NaiveBayes().fit(iris), tmp_path / "m.acm")
    with pytest.raises(DataError, match="summary=True"):
        acumen.load(tmp_path / "m.acm").partial_fit(iris)
    assert acumen.load(tmp_path / "m.acm").fit(iris).partial_fit(iris).training_["rows"] == 300


def test_rows_without_label_are_not_dropped_in_silence_under_em():
    learner = acumen.NaiveBayes(unlabelled="em")
    with pytest.raises(ParameterError, match="partial_fit"):
        learner.partial_fit([[0.0], [1.0], [5.0]], [0, np.nan, 1], classes=[0, 1])
    with pytest.raises(ParameterError, match="fit_stream"):
        learner.fit_stream(acumen.datasets.load("iris"))
    assert learner.partial_fit([[0.0], [5.0]], [0, 1], classes=[0, 1]).training_["rows"] == 2
