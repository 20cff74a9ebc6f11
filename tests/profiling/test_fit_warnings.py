"""What `fit` says of a table: each thing once, cheaply, and never of a fold."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import acumen
from acumen.errors import TableWarning
from acumen.profiling import fit_warnings
from churn import write_churn


@pytest.fixture(autouse=True)
def forgotten() -> None:
    """Nothing has been said yet."""
    fit_warnings._reported.clear()


def said(work: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [str(each.message) for each in caught if issubclass(each.category, TableWarning)]


def frame(rows: int = 60, **columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame({"a": rng.normal(size=rows), "b": rng.choice(list("uvw"), rows)} | columns)


Y = np.random.default_rng(1).choice(["no", "yes"], 60)


def test_a_sound_table_is_not_spoken_of() -> None:
    assert said(lambda: acumen.NaiveBayes().fit(frame(), Y)) == []
    assert said(lambda: acumen.LinearRegression().fit(frame(), np.arange(60.0) ** 1.5)) == []


def test_what_inspect_would_warn_of_is_said_in_one_line() -> None:
    X = frame(id=np.arange(60), country="DE", copy=np.where(Y == "yes", "left", "stays"))
    (line,) = said(lambda: acumen.NaiveBayes().fit(X, Y))
    assert line == (
        "NaiveBayes: 3 warnings: determines the class on its own: copy; like an identifier: id; constant: "
        "country; see acumen.inspect(table)."
    )


def test_rows_without_a_label_are_counted() -> None:
    (line,) = said(lambda: acumen.NaiveBayes().fit(frame(), [None, *Y[1:]]))
    assert line == "NaiveBayes: 1 row has no 'target' and was left out."
    gone = np.where(np.arange(60) < 3, np.nan, np.linspace(0, 9, 60) ** 2)
    (line,) = said(lambda: acumen.LinearRegression().fit(frame(), gone))
    assert line == "LinearRegression: 3 rows have no 'target' and were left out."


def test_one_class_infinities_and_digits_are_each_said() -> None:
    digits = [str(i % 7) for i in range(60)]
    X = frame(c=np.r_[np.inf, np.random.default_rng(5).normal(size=59)], d=digits)
    lines = said(lambda: acumen.NaiveBayes().fit(X, ["only"] * 60))
    assert [line.removeprefix("NaiveBayes: ") for line in lines] == [
        "all rows are of the class 'only', so there is nothing to predict.",
        "infinite values in c.",
        "numbers written as text in d are used as categories, not as numbers.",
    ]
    assert said(lambda: acumen.NaiveBayes().fit(frame(d=[f"{i % 7:02}" for i in range(60)]), Y)) == []


def test_each_is_said_once_for_a_table() -> None:
    X = frame(country="DE")
    table = acumen.read((X, Y))
    assert len(said(lambda: acumen.NaiveBayes().fit(table))) == 1
    assert said(lambda: acumen.OneR().fit(table)) == []
    assert said(lambda: acumen.OneR().fit(table.take(slice(0, 50)))) == []
    assert said(lambda: acumen.OneR().fit(X, Y)) == [], "the same columns, come another way"


def test_folds_are_not_spoken_of() -> None:
    table = acumen.read((frame(country="DE"), Y))
    learners = [acumen.DecisionTree(), acumen.NaiveBayes()]
    assert said(lambda: acumen.compare(learners, table, acumen.KFold(2))) == []
    assert said(lambda: acumen.assess(acumen.DecisionTree(), table, acumen.KFold(2))) == []
    # Folds of others are tables to us: the first speaks for all.
    assert len(said(lambda: cross_val_score(acumen.NaiveBayes(), frame(country="DE"), Y))) == 1


def test_members_of_an_ensemble_are_not_spoken_of() -> None:
    y = np.random.default_rng(2).choice(list("abc"), 60)
    lines = said(lambda: acumen.OneVsRest(acumen.DecisionTree()).fit(frame(country="DE"), y))
    assert len(lines) == 1 and lines[0].startswith("OneVsRest: ")


def test_tuning_speaks_once_and_its_choice_remembers(tmp_path) -> None:
    table = acumen.read((frame(country="DE"), Y))
    tuned = acumen.Tuned(acumen.NaiveBayes(), {"alpha": [1.0, 2.0]}, acumen.KFold(3))
    assert len(said(lambda: tuned.fit(table))) == 1
    acumen.save(tuned, tmp_path / "t.acm")
    assert acumen.load(tmp_path / "t.acm").predictor_.seen.count_known(table)[1] == 60


def test_what_a_model_never_saw_is_said_once_and_counted() -> None:
    model = acumen.NaiveBayes().fit(frame(), Y)
    new = pd.DataFrame({"a": [0.0, *[99.0] * 4, 98.0], "b": ["u", "x", "x", "y", "u", "v"]})
    assert said(lambda: model.predict(new)) == [
        "NaiveBayes: there are unseen categories of b and values of a outside the training range; "
        "unfamiliar(X) counts them."
    ]
    assert said(lambda: model.predict(new)) == []
    found = model.unfamiliar(new)
    assert found and found.unknown == {"b": 3} and found.outside == {"a": 5}
    assert "'x', 'y'" in str(found) and "the furthest is 99" in str(found)
    assert not model.unfamiliar(frame())
    assert said(lambda: model.predict(pd.DataFrame({"a": [99.0], "b": ["u"]}))) == [], (
        "the odd value is no news"
    )


def test_the_messy_table_is_spoken_of_in_two_lines(tmp_path) -> None:
    table = acumen.read(write_churn(tmp_path / "churn.csv", 2_000), target="churn")
    lines = said(lambda: acumen.NaiveBayes().fit(table))
    assert lines[0] == "NaiveBayes: 3 rows have no 'churn' and were left out."
    assert len(lines) == 2
    for phrase in (
        "determines the class on its own: cancel_reason",
        "like an identifier: customer_id",
        "constant: country",
    ):
        assert phrase in lines[1]


# -- rows that come in parts ---------------------------------------------------------------------------


def parts_of(frame: pd.DataFrame, y: object, rows: int = 25) -> list[acumen.Table]:
    table = acumen.read((frame, y))
    return [table.take(slice(at, at + rows)) for at in range(0, len(table), rows)]


@pytest.mark.parametrize(
    "learner", [acumen.NaiveBayes(), acumen.DecisionTree(method="histogram")], ids=lambda each: each.kind
)
def test_a_stream_is_spoken_of_once_it_has_passed(learner) -> None:
    X = frame(id=np.arange(60), down=-2.0 * np.arange(60), country="DE", same=3.0, none=np.full(60, np.nan))
    X["name"] = [f"n{i}" for i in range(60)]
    X["late"] = ["u"] * 59 + ["v"]
    X["wild"] = np.where(np.arange(60) == 40, np.inf, X["a"])
    y = [None, *Y[1:]]
    lines = said(lambda: learner.fit_stream(parts_of(X, y)))
    who = type(learner).__name__
    assert lines == [
        f"{who}: 1 row has no 'target' and was left out.",
        f"{who}: infinite values in wild.",
        f"{who}: 6 warnings: like an identifier: id, down, name; constant: same, country; empty: none; "
        "acumen.scan(..., ignore=...) ignores columns.",
    ]
    assert said(lambda: learner.fit_stream(parts_of(X, y))) == []


def test_a_stream_of_one_class_is_told_and_a_sound_one_is_not() -> None:
    assert said(lambda: acumen.NaiveBayes().fit_stream(parts_of(frame(), Y))) == []
    (line,) = said(lambda: acumen.OneR().fit_stream(parts_of(frame(), ["only"] * 60)))
    assert line == "OneR: all rows are of the class 'only', so there is nothing to predict."


def test_what_is_said_of_a_stream_does_not_depend_on_its_cut() -> None:
    X = frame(id=np.arange(60), country="DE", up=np.r_[0:30, 29:59])
    lines = []
    for rows in (1, 7, 60):
        fit_warnings._reported.clear()
        lines.append(said(lambda rows=rows: acumen.NaiveBayes().fit_stream(parts_of(X, Y, rows))))
    assert lines[0] == lines[1] == lines[2] and "identifier: id;" in lines[0][0]


def test_a_table_that_was_spoken_of_is_not_spoken_of_as_a_stream() -> None:
    table = acumen.read((frame(country="DE"), Y))
    assert len(said(lambda: acumen.NaiveBayes().fit(table))) == 1
    assert said(lambda: acumen.NaiveBayes().fit_stream([table])) == []
