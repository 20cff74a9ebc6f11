"""What is changed by hand, looked at row by row, or done as a worked example: as the command of it gives it."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli.main import run
from studio_served import Served

IRIS = {"source": {"dataset": "iris"}}
TREE = {"table": IRIS, "learner": "decision-tree"}


def ran(words: list[str], stdin: str = "") -> str:
    """What a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert run(words) == 0
    return out.getvalue()


def each_of(command: str) -> list[list[str]]:
    """The words of commands that stand behind each other."""
    made: list[list[str]] = [[]]
    for word in shlex.split(command):
        if word == "&&":
            made.append([])
        else:
            made[-1].append(word)
    assert all(words[0] in ("acumen", "printf") for words in made)
    return made


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_rules_changed_by_hand_are_what_their_command_makes(studio: Served):
    studio.job("learn", model=TREE)
    assert studio.ask("model", model=TREE)["n_rules"] == 5
    items = [2, [1, "if petal_width <= 1 then Iris-setosa"], "if sepal_length > 7 then Iris-virginica", 5, 4]
    changed = {**TREE, "rules": {"of": 5, "items": items}}
    made = studio.job("edit", model=changed, folds=3)
    learn, edit = each_of(made["command"]["cli"])
    ran(learn[1:])
    assert json.loads(ran([*edit[1:], "--json"])) == made["value"]
    held = made["value"]["held_out"]
    assert list(held["judged"]) == ["retrained", "before", "after"]
    kept = acumen.load("edited.acm")
    assert kept.describe().startswith("5 rules") and "Edited: replaced rule 1" in kept.describe()
    answer = studio.ask("model", model=changed)
    assert answer["description"] == kept.describe()
    assert len(answer["edits"]) == 5
    assert [rule["bare"] for rule in answer["rules"]][1:3] == [
        "if petal_width <= 1 then Iris-setosa", "if sepal_length > 7 then Iris-virginica",
    ]  # fmt: skip
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(answer["command"]["python"], space)
        exec(made["command"]["python"], dict(space))
    iris = acumen.datasets.load("iris")
    assert (space["model"].predict(iris) == kept.predict(iris)).all()
    np.testing.assert_allclose(space["model"].predict_proba(iris), kept.predict_proba(iris))
    # A rule of the changed list selects rows, and a row is told by it.
    rows = studio.ask("rows", table=IRIS, selection={"rule": {"model": changed, "table": IRIS, "rule": 2}})
    assert rows["total"] == 12
    row = studio.ask("row", model=changed, position=120)
    assert row["fired"][0].startswith("rule 4: if petal_width > 1.75")
    assert any("sepal_length > 7: it is 6.9, off by 0.1" in each for each in row["near"])


def test_a_change_to_another_model_and_a_text_that_is_no_rule_are_told(studio: Served):
    studio.job("learn", model=TREE)
    for rules, said in (
        ({"of": 4, "items": [1]}, "the model has 5 rules now, and 4 were changed"),
        ({"of": 5, "items": ["if petal_wid > 1 then Iris-setosa"]}, "Did you mean 'petal_width'"),
        ({"of": 5, "items": [1, 2, 3, 4, 5]}, "nothing was changed"),
        ({"of": 5, "items": [1, 1]}, "only one place"),
    ):
        with pytest.raises(AssertionError, match=said):
            studio.job("learn", model={**TREE, "rules": rules})


def test_shapes_changed_by_hand_are_a_learner_of_its_own(studio: Served):
    text = 'additive(edits={"petal_width":"drop","petal_length":[2,5]})'
    model = {"table": IRIS, "learner": text}
    studio.job("learn", model=model)
    answer = studio.ask("model", model=model)
    assert (answer["base"], answer["changes"]) == (
        "additive",
        {"petal_width": "drop", "petal_length": [2, 5]},
    )
    assert {each["name"]: each["edited"] for each in answer["shapes"]} == {
        "sepal_length": 0, "sepal_width": 0, "petal_length": 1, "petal_width": 2,
    }  # fmt: skip
    (learn,) = each_of(answer["command"]["cli"])
    ran(learn[1:])
    loaded, iris = acumen.load("model.acm"), acumen.datasets.load("iris")
    mine = acumen.Additive().fit(iris).edit("petal_width").edit("petal_length", 2, 5)
    assert loaded.is_edited_ and "EDITED" in answer["description"]
    np.testing.assert_allclose(loaded.predict_proba(iris), mine.predict_proba(iris), atol=1e-12)
    asked = {"table": IRIS, "learners": ["additive", text], "folds": 3, "repeats": 1}
    found = studio.job("compare", run=asked)
    before, after = found["texts"]
    apart = studio.ask("disagree", run=asked, a=before, b=after)
    held = acumen.held_out_effect(acumen.Additive(), mine, iris, folds=3).to_dict()
    assert (apart["only_b"], apart["only_a"]) == (held["fixed"], held["broken"])
    assert found["comparison"]["table"][1]["error"] == held["judged"]["after"]["mean"]


def test_names_with_quotation_marks_and_commas_can_be_shapes(tmp_path):
    from acumen.registry import learner_from_text

    base = learner_from_text('additive(bins=9, edits={"a\\u0022, b": "drop", "c)": [1, 2]})')
    assert base.edits == {'a", b': "drop", "c)": [1, 2]}


def test_selected_rows_are_counted_at_each_node(studio: Served):
    asked = {"table": IRIS, "learners": ["naive-bayes"], "folds": 5, "repeats": 1}
    studio.job("compare", run=asked)
    studio.job("learn", model=TREE)
    cell = {"run": asked, "learner": "NaiveBayes", "truth": "Iris-versicolor", "predicted": "Iris-virginica"}
    told = studio.ask("nodes", model=TREE, table=IRIS, selection={"cell": cell})
    iris = acumen.datasets.load("iris")
    tree = acumen.DecisionTree(random_state=0).fit(iris)
    rows = studio.ask("rows", table=IRIS, selection={"cell": cell}, count=100)["positions"]
    assert told["total"] == len(rows) > 0
    assert told["counts"] == [
        len(set(tree.rows_at(n, iris).tolist()) & set(rows)) for n in range(len(tree.tree_))
    ]


def test_a_machine_selects_its_support_vectors(studio: Served):
    model = {"table": IRIS, "learner": "svm"}
    studio.job("learn", model=model)
    machines = studio.ask("model", model=model)["machines"]
    fitted = acumen.SVM(random_state=0) if "random_state" in acumen.SVM().get_params() else acumen.SVM()
    fitted.fit(acumen.datasets.load("iris"))
    for at, machine in enumerate(machines):
        page = studio.ask(
            "rows", table=IRIS, selection={"support": {"model": model, "machine": at}}, count=200
        )
        assert page["positions"] == fitted.machines_[at].support.tolist()
        assert machine["support"] == page["total"] and sum(machine["types"].values()) == machine["rows"]


def explained_by(command: str) -> dict[str, Any]:
    """What the command that explains a row says, its table from a file in place of a pipe."""
    head, _, rest = command.rpartition(" && printf %s ")
    for words in each_of(head):
        ran(words[1:])
    text, _, predict = shlex.split(rest)[0], *rest.rpartition(" | ")[1:]
    Path("row.csv").write_text(text)
    words = shlex.split(predict)
    return json.loads(
        ran([*("row.csv" if word == "-" else word for word in words[1:]), "--json"]).splitlines()[0]
    )


def test_a_row_is_explained_as_its_command_explains_it(studio: Served):
    for learner in ("decision-tree", "knn", "ripper"):
        model = {"table": IRIS, "learner": learner}
        studio.job("learn", model=model)
        answer = studio.ask("row", model=model, position=100, changed={"petal_width": 1.6})
        told = explained_by(answer["command"]["cli"])
        assert told["because"] == answer["explanation"], learner
        if learner == "knn":
            first = answer["neighbours"][0]
            iris = acumen.datasets.load("iris")
            assert first["answer"] == iris.label_values()[first["position"]]


def test_w000_05_done_in_the_studio(studio: Served, folder: Path):
    """A student's own flower, by a table of two columns: the printed prediction, and the exact probability."""
    iris = acumen.datasets.load("iris")
    lines = ["sepal_length,sepal_width,class"]
    lines += [
        f"{a!r},{b!r},{'c1' if label == 'Iris-setosa' else 'c2'}"
        for (a, b), label in zip(iris.numeric[:, :2].tolist(), iris.label_values(), strict=True)
    ]
    (folder / "flowers.csv").write_text("\n".join(lines) + "\n")
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "flowers.csv")
    model = {"table": {"source": {"file": number}, "target": "class"}, "learner": "full-bayes"}
    studio.job("learn", model=model)
    answer = studio.ask("row", model=model, position=0, changed={"sepal_length": 6.75, "sepal_width": 4.25})
    assert answer["explanation"]["label"] == "c2"
    assert dict(answer["explanation"]["probabilities"])["c2"] == pytest.approx(0.9905988728, abs=1e-9)
    Path("flowers.csv").write_text((folder / "flowers.csv").read_text())
    assert explained_by(answer["command"]["cli"])["because"] == answer["explanation"]


def test_a_pruned_tree_is_the_one_its_command_learns(studio: Served):
    studio.job("learn", model=TREE)
    cut = studio.ask("pruned", model=TREE, place=2)
    (learn,) = each_of(cut["command"]["cli"])
    ran([*learn[1:], "-o", "model.acm"])
    assert acumen.load("model.acm").n_leaves_ == cut["n_leaves"]


def test_a_leak_is_found_left_out_and_compared_again(studio: Served, folder: Path):
    rng = np.random.default_rng(1)
    lines = ["x,y,paid_back,class"]
    for _ in range(120):
        leak = rng.random() < 0.5
        lines.append(f"{rng.normal() + leak:.3f},{rng.normal():.3f},{int(leak)},{'bad' if leak else 'good'}")
    (folder / "loans.csv").write_text("\n".join(lines) + "\n")
    Path("loans.csv").write_text("\n".join(lines) + "\n")
    listing = json.loads(studio.request("GET", "/api/start")[2])["tables"]
    number = next(each["number"] for each in listing if each["name"] == "loans.csv")
    table = {"source": {"file": number}, "target": "class"}
    card = studio.ask("card", table=table)
    assert any("paid_back" in json.dumps(each) for each in card["card"]["findings"])
    errors = []
    for ignore in ([], ["paid_back"]):
        asked = {
            "table": {**table, "ignore": ignore},
            "learners": ["decision-tree"],
            "folds": 3,
            "repeats": 1,
        }
        found = studio.job("compare", run=asked)
        (words,) = each_of(found["command"]["cli"])
        told = json.loads(ran([*words[1:], "--json"]))
        assert [row["error"] for row in told["table"]] == [
            row["error"] for row in found["comparison"]["table"]
        ]
        errors.append(found["comparison"]["table"][0]["error"])
    assert errors[0] == 0 and errors[1] > 0.1
