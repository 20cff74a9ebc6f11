"""The answer of a comparison: who is best, simplest, fastest, worse; and the model that is kept of it."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.assessment.comparison_text import answer_lines, comparison_text
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.resampling import KFold
from acumen.store.compared import check_comparison, told_comparison
from judged_tables import mixed
from tables import table_of

IRIS = acumen.datasets.load("iris")
METHOD = KFold(5, n_repeats=2)


@pytest.fixture(scope="module")
def found():
    learners = [acumen.NaiveBayes(), acumen.FullBayes(), acumen.OneR(), acumen.SVM()]
    return acumen.compare(learners, IRIS, METHOD, random_state=0)


def test_the_answer_is_made_of_the_headline(found):
    told, head = found.answer, found.headline
    assert told.recommended == found.recommended_learner == head.leader == told.best[0]
    assert set(told.best) == set(head.group) and told.worse == head.worse == ("Majority",)
    sizes = {name: found.assessments[name].mean_of("size") for name in told.best if name != "SVM"}
    assert told.simplest == min(sizes, key=lambda name: sizes[name]) == "OneR"
    times = {n: sum(found.assessments[n].mean_of(m) for m in ("fit_time", "predict_time")) for n in told.best}
    assert told.fastest == min(times, key=lambda name: times[name]) and told.optimistic
    assert found.to_dict()["answer"] == told.to_dict()


def test_what_nobody_can_read_is_not_the_simplest_however_small_it_is():
    learners = {"few bumps": acumen.SVM(), "tree": acumen.DecisionTree()}
    told = acumen.compare(learners, IRIS, METHOD, random_state=0).answer
    assert set(told.best) == {"few bumps", "tree"} and told.simplest == "tree"
    assert (
        acumen.SVM(kernel="linear").interpretable
        and not acumen.SVM().interpretable
        and not acumen.Parzen().interpretable
    )


def test_the_block_says_who_is_best_and_who_is_worse(found):
    text = comparison_text(found, 80)
    for line in answer_lines(found):
        assert line in text.replace("\n  ", " ")
    assert "Best (statistically tied): " in text and "Worse: Majority." in text
    one = acumen.compare([acumen.FullBayes()], IRIS, METHOD, random_state=0)
    assert answer_lines(one)[:2] == ["Best: FullBayes.", "Worse: Majority."] and not one.answer.optimistic


def test_a_baseline_is_spoken_of_and_the_answer_is_still_about_all(found):
    against = acumen.compare(
        [acumen.NaiveBayes(), acumen.FullBayes(), acumen.OneR()],
        IRIS,
        METHOD,
        random_state=0,
        baseline="OneR",
    )
    assert answer_lines(against)[0].startswith("Compared with OneR: ") and "Majority" in against.answer.worse
    assert against.answer.recommended == "FullBayes"


# -- the model kept -------------------------------------------------------------------------------


def test_the_recommended_learner_is_fitted_on_all_rows_and_its_file_keeps_the_comparison(found, tmp_path):
    model = found.fit()
    assert type(model).__name__ == found.recommended_learner and model.training_["rows"] == 150
    assert model.comparison_ == found.record()
    acumen.save(model, tmp_path / "best.acm")
    back = acumen.load(tmp_path / "best.acm")
    assert back.comparison_ == found.record() == check_comparison(found.record())
    assert (back.predict(IRIS) == model.predict(IRIS)).all()
    told = told_comparison(back.comparison_)
    assert (
        told[0].startswith("Chosen among 5 learners by error")
        and "Corrected for the choice, expect " in told[0]
    )
    other = found.fit("OneR")
    assert type(other).__name__ == "OneR" and other.comparison_["recommended"] == "OneR"
    assert (
        "Corrected" not in told_comparison(other.comparison_)[0]
    )  # the estimate is of the best, not of this one
    with pytest.raises(ParameterError, match="Did you mean 'OneR'"):
        found.fit("OneS")


def test_a_file_says_on_how_many_rows_its_comparison_judged(found):
    record = found.record()
    assert record["rows"] == record["of_rows"] == 150 and " rows" not in told_comparison(record)[0]
    some = check_comparison({**record, "rows": 90})
    assert "stratified on 90 of 150 rows, seed 0" in told_comparison(some)[0]
    without = {name: value for name, value in record.items() if name != "of_rows"}
    with pytest.raises(acumen.ModelFileError, match="must have the fields"):
        check_comparison(without)


def test_a_model_that_nobody_chose_keeps_no_comparison(tmp_path):
    acumen.save(acumen.OneR().fit(IRIS), tmp_path / "plain.acm")
    assert not hasattr(acumen.load(tmp_path / "plain.acm"), "comparison_")


@pytest.mark.parametrize(
    "change",
    [
        {"measure": 3}, {"best": "OneR"}, {"best": ["x" * 9999]}, {"table": []}, {"table": [{}]}, {"seed": -1},
        {"time": "soon"}, {"unjudged": ["a"]}, {"unjudged": {"a": 1}}, {"more": 1}, {"optimistic": 1},
        {"estimate": "0"}, {"interval": [0, 1]}, {"interval": {"low": 0, "high": "1"}},
        {"rows": 0}, {"rows": "150"}, {"rows": 151}, {"of_rows": True},
        {"table": [{"learner": "a", "value": "0", "low": None, "high": None, "verdict": ""}]},
    ],
)  # fmt: skip
def test_a_forged_comparison_is_refused(found, change):
    with pytest.raises(ModelFileError):
        check_comparison({**found.record(), **change})
    with pytest.raises(ModelFileError):
        check_comparison([found.record()])


# -- any measure ----------------------------------------------------------------------------------


def test_learners_without_probabilities_are_left_out_of_a_ranking_by_them_or_calibrated():
    learners = [acumen.NearestMean(), acumen.SVM(), acumen.NaiveBayes()]
    found = acumen.compare(learners, IRIS, KFold(3), measure="log_loss", random_state=0)
    assert set(found.names) == {"NaiveBayes", "Majority"} and set(found.unjudged) == {"NearestMean", "SVM"}
    assert "gives no probabilities, which log_loss is made of" in found.unjudged["SVM"]
    both = acumen.compare(learners, IRIS, KFold(3), measure="log_loss", random_state=0, calibrate=True)
    assert set(both.names) == {"NaiveBayes", "Majority", "NearestMean", "SVM"} and not both.unjudged
    own = acumen.assess(acumen.Calibrated(acumen.NearestMean()), IRIS, KFold(3), "log_loss", random_state=0)
    assert both.assessments["NearestMean"].mean == own.mean
    with pytest.raises(DataError, match="no probabilities"):
        acumen.compare([acumen.SVM()], IRIS, KFold(3), measure="auc", random_state=0)


def test_calibration_has_not_seen_the_rows_it_is_tested_on():
    # Labels are tossed: whoever looked at test rows would do better than the classes' shares.
    rng = np.random.default_rng(3)
    table = table_of(
        {name: rng.normal(size=300).tolist() for name in "xyz"},
        ["a" if v else "b" for v in rng.random(300) < 0.5],
    )
    found = acumen.compare(
        [acumen.NearestMean(), acumen.Perceptron(max_iter=5)], table, KFold(10), measure="log_loss", random_state=0,
        calibrate=True,
    )  # fmt: skip
    least = found.assessments["Majority"].mean
    assert all(found.assessments[name].mean > least - 0.005 for name in found.names)


# -- estimators of scikit-learn -------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_estimators_and_pipelines_of_scikit_learn_take_part():
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table = mixed(4, 120, missing=0.05)
    coded = make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")),
            ["u", "v"],
        ),
        (SimpleImputer(), ["x", "y"]),
    )
    found = acumen.compare(
        [RandomForestClassifier(20, random_state=0), make_pipeline(coded, LogisticRegression()), acumen.NaiveBayes()],
        table, KFold(3), random_state=0, time_limit="60s",
    )  # fmt: skip
    assert {"RandomForestClassifier", "ColumnTransformer + LogisticRegression", "NaiveBayes"} < set(
        found.names
    )
    assert not found.unjudged and found.answer.simplest in ("NaiveBayes", "Majority")
