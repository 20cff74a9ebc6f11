"""A model file that is opened: rules and shapes are changed as their commands change them; models in a plane."""

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
from acumen.errors import ParameterError
from acumen.studio.model_edits import ShapeEdits
from acumen.studio.spec import AGAIN, EDITED, ModelSpec
from studio_served import Served

IRIS = {"source": {"dataset": "iris"}}


def ran(words: list[str]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert run(words) == 0
    return out.getvalue()


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def opened(studio: Served, learner: Any, name: str) -> dict[str, Any]:
    """A model, kept in the studio's folder and here; as the page asks for it."""
    acumen.save(learner, studio.folder / name)
    acumen.save(learner, name)
    listing = json.loads(studio.request("GET", "/api/start")[2])["models"]
    number = next(each["number"] for each in listing if each["name"] == name)
    return {"source": {"file": number}, "model_file": True}


def told_by(made: dict[str, Any]) -> Any:
    """The JSON of the command that a job shows, which stands alone: the file is there."""
    words = shlex.split(made["command"]["cli"])
    return json.loads(ran([*words[1:], "--json"]))


def test_shapes_of_a_file_are_changed_and_judged_as_their_command_does_it(studio: Served):
    iris = acumen.datasets.load("iris")
    model = opened(studio, acumen.Additive().fit(iris), "shapes.acm")
    changed = {**model, "shapes": {"petal_length": [[2, 3], [4, 5]], "petal_width": "drop"}}
    made = studio.job("edit", model=changed, folds=3, on=IRIS)
    words = (
        "--flatten petal_length=2,3 --flatten petal_length=4,5 --remove petal_width --effect iris --folds 3"
    )
    assert made["command"]["cli"] == f"acumen shapes edit shapes.acm {words} -o edited.acm"
    assert told_by(made) == made["value"]
    assert made["value"]["held_out"]["judged"].keys() == {"before", "after"}
    kept = acumen.load("edited.acm")
    answer = studio.ask("model", model=changed)
    assert answer["description"] == kept.describe() and "EDITED" in answer["description"]
    assert {each["name"]: each["edited"] for each in answer["shapes"]}["petal_width"] == 2
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(made["command"]["python"], space)
    assert "rows change their prediction" in said.getvalue() and "On 3 folds" in said.getvalue()
    np.testing.assert_array_equal(space["edited"].predict_proba(iris), kept.predict_proba(iris))


def test_rules_of_a_file_are_judged_on_rows_that_are_given(studio: Served):
    iris = acumen.datasets.load("iris")
    model = opened(studio, acumen.Ripper(random_state=0).fit(iris), "rules.acm")
    changed = {**model, "rules": {"of": 2, "items": [1]}}
    alone = studio.job("edit", model=changed)
    assert alone["value"]["effect"] is None and "--effect" not in alone["command"]["cli"]
    made = studio.job("edit", model=changed, folds=3, on=IRIS)
    assert told_by(made) == made["value"]
    assert list(made["value"]["held_out"]["judged"]) == ["retrained", "before", "after"]
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(made["command"]["python"], {})
    assert "On 3 folds" in said.getvalue()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(studio.ask("model", model=changed)["command"]["python"], {})
    assert "if" in said.getvalue()


def test_a_file_that_was_changed_before_is_changed_again(studio: Served):
    iris = acumen.datasets.load("iris")
    model = opened(studio, acumen.Additive().fit(iris).edit("petal_width"), EDITED)
    made = studio.job("edit", model={**model, "shapes": {"petal_length": "drop"}})
    assert made["command"]["cli"] == f"acumen shapes edit {EDITED} --remove petal_length -o {AGAIN}"
    assert told_by(made)["edits"] == {"petal_width": "drop", "petal_length": "drop"}


def test_changes_of_shapes_that_are_none_are_refused():
    for given in (
        [],
        {},
        "drop",
        {"a": "x"},
        {"a": []},
        {"a": [1]},
        {"a": [[1, 2], 3]},
        {"a": [[1, 2, 3]]},
        {"a": None},
    ):
        with pytest.raises(ParameterError, match="studio: "):
            ShapeEdits.parse(given)
    with pytest.raises(ParameterError, match="not both"):
        ModelSpec.of({"file": "m.acm", "shapes": {"a": "drop"}, "rules": {"of": 1, "items": []}})
    made = ShapeEdits.parse({"a=b": ["x,y", "z"], "n": [1, 2.5]})
    assert made.words() == ["--flatten", 'a=b="x,y",z', "--flatten", "n=1,2.5"]


def test_every_classifier_is_drawn_over_two_columns_and_machines_with_their_vectors(studio: Served):
    for learner, machines in (("full-bayes", 0), ("svm", 3), ("extra-trees(n_estimators=5)", 0)):
        model = {"table": IRIS, "learner": learner}
        studio.job("learn", model=model)
        assert studio.ask("model", model=model)["plane"][:2] == ["sepal_length", "sepal_width"]
        made = studio.job("plane", model=model, x="petal_width", y="sepal_width", machine=0)
        assert made["svg"][0] == "svg" and made["machines"] == machines
        with contextlib.redirect_stdout(io.StringIO()):
            exec(made["command"]["python"], {})
        assert Path("plane.svg").read_text().startswith("<svg")
    with pytest.raises(AssertionError, match="two columns"):
        studio.job("plane", model=model, x="petal_width", y="petal_width")
    with pytest.raises(AssertionError, match="not an input"):
        studio.job("plane", model={"table": IRIS, "learner": "svm"}, x="petal_width", y="class")


def test_groups_are_drawn_in_a_plane_whatever_found_them(studio: Served):
    for learner in ("k-means", "k-medoids", "birch"):
        model = {"table": IRIS, "learner": learner}
        studio.job("learn", model=model)
        answer = studio.ask("model", model=model)
        assert len(answer["drawings"]) == 2 and answer["plane"] == []
