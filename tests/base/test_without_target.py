"""Learners without a target go through every room: fit, files, catalogue, checks and the command line."""

from __future__ import annotations

import csv
import io
import json
import pickle

import numpy as np
import pytest

import acumen
from acumen import store
from acumen.checks import check_learner
from acumen.cli.main import run
from acumen.errors import ParameterError
from acumen.models import kinds
from acumen.models.task import CLASSES, GROUPS, ITEMSETS, NUMBERS, TASKS, task_of
from acumen.registry import entries, entry, suitable_learners, usual, yardstick
from acumen.resampling import KFold
from base.toy_groups import TOYS, Common, Gaps, Halves

IRIS = acumen.datasets.load("iris")
LOAN = acumen.datasets.load("loan")


@pytest.fixture(autouse=True)
def toys_are_known(monkeypatch):
    monkeypatch.setattr(kinds, "KINDS", {**kinds.KINDS, **TOYS})


def test_a_clusterer_learns_without_a_target_and_a_table_may_carry_one():
    with_target = Halves().fit(IRIS)
    without = Halves().fit(np.column_stack([column for _, column in IRIS.numeric_columns()]))
    assert with_target.schema_.target is None and with_target.task is GROUPS
    matrix = np.column_stack([column for _, column in IRIS.numeric_columns()])
    assert with_target.predict(IRIS).tolist() == without.predict(matrix).tolist()
    assert set(with_target.fit_predict(IRIS).tolist()) == {0, 1} and with_target.n_clusters_ == 2
    assert with_target.training_ == {"rows": 150, "weight": 150.0}
    assert with_target.explain(IRIS.take([0])).note == "It is nearest to cluster 0."


def test_its_summaries_add_and_its_stream_is_its_fit():
    parts = [IRIS.take(slice(0, 60)), IRIS.take(slice(60, 150))]
    whole = Halves().fit(IRIS)
    assert whole.adds and whole.streams
    assert Halves().fit_stream(parts).model_.cut.tobytes() == whole.model_.cut.tobytes()
    further = Halves().partial_fit(parts[0]).partial_fit(parts[1])
    assert further.model_.cut.tobytes() == whole.model_.cut.tobytes()
    assert not Common().adds and not hasattr(Common(), "partial_fit") and not hasattr(Common(), "fit_stream")


@pytest.mark.parametrize("learner", [Halves(shift=0.5), Common(min_support=0.3)], ids=repr)
def test_a_model_without_target_is_saved_and_loaded(learner, tmp_path):
    path = tmp_path / "m.acm"
    learner.fit(LOAN if isinstance(learner, Common) else IRIS)
    acumen.save(learner, path)
    again = acumen.load(path)
    assert type(again) is type(learner) and again.describe() == learner.describe()
    assert again.get_params() == learner.get_params()
    assert store.manifest(path)["schema"]["target"] is None and store.manifest(path)["classes"] == []
    assert store.open(path).task is learner.task


def test_a_summary_is_kept_and_gone_on_from(tmp_path):
    path = tmp_path / "m.acm"
    acumen.save(Halves().fit(IRIS.take(slice(0, 60))), path, summary=True)
    further = acumen.load(path).partial_fit(IRIS.take(slice(60, 150)))
    assert further.model_.cut.tobytes() == Halves().fit(IRIS).model_.cut.tobytes()


def test_a_clusterer_keeps_the_contract():
    found = check_learner(Halves())
    assert "saved_learners_predict_the_same" in found.passed and "streams_equal_one_fit" in found.passed
    assert "classes_are_sorted_for_arrays_and_declared_for_tables" in found.not_applicable
    assert len(found.passed) >= 30
    assert (
        found.not_applicable["clusters_are_numbered_by_their_first_row"] == "its summaries know no first row"
    )
    found = check_learner(Gaps(3))
    assert {"saved_clusters_are_the_same", "the_order_of_rows_only_renames_clusters"} <= set(found.passed)
    assert "clusters_are_numbered_by_their_first_row" in found.passed


def test_the_command_line_learns_shows_and_predicts_groups(tmp_path, capsys):
    path = str(tmp_path / "m.acm")
    assert run(["learn", "iris", "--learner", "toy-halves", "--set", "shift=0.25", "-o", path]) == 0
    assert capsys.readouterr().out.startswith("Two groups, cut at ")
    assert run(["show", path]) == 0
    assert "toy-halves, trained on 150 rows; 4 attributes, 2 clusters" in capsys.readouterr().out
    assert run(["predict", path, "iris", "--explain"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    said = Halves(shift=0.25).fit(IRIS).predict(IRIS).tolist()
    assert [int(row["prediction"]) for row in rows] == said and rows[0][
        "because"
    ] == "It is nearest to cluster 0."
    assert run(["learn", "iris", "--learner", "toy-halves", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["task"] == "clustering" and facts["target"] is None and facts["classes"] == []


def test_the_command_line_learns_and_shows_itemsets_and_says_that_rows_have_no_answer(tmp_path, capsys):
    path = str(tmp_path / "m.acm")
    assert run(["learn", "loan", "--learner", "toy-common", "--set", "min-support=0.6", "-o", path]) == 0
    assert capsys.readouterr().out.startswith("Items:\n")
    assert run(["show", path]) == 0
    assert "4 attributes, holds itemsets" in capsys.readouterr().out
    assert run(["predict", path, "loan"]) == 3
    assert "says nothing of a single row" in capsys.readouterr().err


@pytest.mark.parametrize(
    "asked",
    [["principal-components", "--set", "n_components=2"], ["basis-expansion", "--set", "kind=spline"]],
    ids=str,
)
def test_the_command_line_learns_transformers_and_writes_their_columns(asked, tmp_path, capsys):
    path, out = str(tmp_path / "m.acm"), tmp_path / "out.csv"
    assert run(["learn", "iris", "--learner", *asked, "-o", path]) == 0
    assert run(["predict", path, "iris", "-o", str(out)]) == 0
    learner = acumen.load(path)
    assert type(learner).kind == asked[0] == store.manifest(path)["kind"]
    made = learner.transform(IRIS)
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert list(rows[0]) == ["row", *learner.get_feature_names_out()] and len(rows) == 150
    for name in learner.get_feature_names_out():
        assert [float(row[name]) for row in rows] == made.column(name).tolist()
    assert run(["predict", path, "iris", "--explain"]) == 3
    assert "columns of rows, which have no reasons" in capsys.readouterr().err
    assert run(["learn", "iris", "--learner", *asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["learner"] == asked[0]


def test_a_basis_is_kept_with_its_own_parameter_of_the_name_kind(tmp_path):
    bumps = acumen.BasisExpansion("gaussian", functions=4, width=0.5).fit(IRIS)
    assert (
        bumps.kind == "gaussian" and acumen.BasisExpansion.kind == kinds.kind_of(bumps) == "basis-expansion"
    )
    acumen.save(bumps, tmp_path / "m.acm", summary=True)
    again = acumen.load(tmp_path / "m.acm")
    assert again.get_params() == bumps.get_params() and again.kind == "gaussian"
    parts = acumen.BasisExpansion("gaussian", functions=4, width=0.5).fit(IRIS.take(slice(0, 75)))
    parts.partial_fit(IRIS.take(slice(75, 150)))
    assert parts.basis_.low.tolist() == again.basis_.low.tolist()
    assert parts.basis_.span.tolist() == again.basis_.span.tolist()


def test_what_needs_a_truth_is_refused_in_a_sentence(tmp_path, capsys):
    path = str(tmp_path / "m.acm")
    assert run(["learn", "iris", "--learner", "toy-halves", "-o", path]) == 0
    for command in (["test", path, "iris"], ["curve", "roc", path, "iris", "--json"]):
        assert run(command) == 2
        assert "produces clusters, which have no true values to compare with" in capsys.readouterr().err
    assert run(["tune", "iris", "--learner", "toy-halves", "--grid", "shift=0,1"]) == 2
    with pytest.raises(ParameterError, match="no measure of clusters"):
        acumen.assess(Halves(), IRIS, KFold(3))


def test_learners_are_listed_by_task(capsys):
    assert run(["learners"]) == 0
    lines = capsys.readouterr().out.splitlines()
    heads = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert heads == [
        "Classes:",
        "Numbers:",
        "Clusters:",
        "Itemsets:",
        "Columns:",
        "Columns learned from classes:",
        "Joint probabilities:",
    ]
    assert entry("toy-halves").to_dict()["task"] == "clustering"


def test_the_catalogue_answers_by_task():
    assert usual(CLASSES).kind == "naive-bayes" and yardstick(CLASSES).name == "Majority"
    assert usual(NUMBERS).kind == "linear-regression" and yardstick(NUMBERS).name == "Mean"
    assert usual(GROUPS).kind == "k-means"
    with pytest.raises(ParameterError, match="no usual learner of itemsets"):
        usual(ITEMSETS)
    assert {"toy-gaps", "toy-halves"} <= {each.kind for each in suitable_learners(IRIS, GROUPS)}
    assert suitable_learners(LOAN, GROUPS).left_out["toy-halves"] == "there is no numeric attribute to cut."
    assert all(each.task is CLASSES for each in suitable_learners(IRIS))
    assert [each.kind for each in entries() if each.task is ITEMSETS] == ["toy-common"]


def test_a_task_is_a_value_that_knows_what_it_needs():
    assert task_of(IRIS.schema) is CLASSES and str(CLASSES) == "classification" == CLASSES != NUMBERS
    assert pickle.loads(pickle.dumps(GROUPS)) is GROUPS
    assert task_of(IRIS.schema.without_target()) is None
    assert all(task.suits(IRIS.schema) for task in TASKS if task is not NUMBERS)
    assert "a regressor needs numbers" in (NUMBERS.needs(IRIS.schema) or "")
    assert "no nominal target" in (CLASSES.needs(IRIS.schema.without_target()) or "")
    assert GROUPS.needs(IRIS.schema.without_target()) is None
    assert NUMBERS.splitting(KFold(3), "x") == KFold(3, stratified=False)
