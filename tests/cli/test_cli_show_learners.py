"""`acumen show` says what a file holds; `acumen learners` says what every learner's class says."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import acumen
from acumen.cli.main import run
from acumen.models.kinds import KINDS, learner_class
from acumen.models.parameters import specs_of


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.acm"
    acumen.save(acumen.NaiveBayes(alpha=2.0).fit(acumen.datasets.load("loan")), path)
    return path


def test_show_describes_the_model_and_its_training(model, capsys):
    assert run(["show", str(model)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(acumen.load(model).describe())
    assert "trained on 15 rows; 4 attributes, classes No, Yes" in out


def test_show_json_is_the_manifest_and_the_description(model, capsys):
    assert run(["show", str(model), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "naive-bayes" and facts["parameters"]["alpha"] == 2.0
    assert facts["training"]["rows"] == 15 and facts["classes"] == ["No", "Yes"]
    assert facts["description"] == acumen.load(model).describe(full=True)


def test_show_is_at_most_a_screen_unless_full(tmp_path, capsys):
    path = tmp_path / "m.acm"
    rows = [[float(i + j) for j in range(60)] for i in range(8)]
    acumen.save(acumen.NaiveBayes().fit(rows, [0, 1] * 4), path)
    assert run(["show", str(path)]) == 0
    short = capsys.readouterr().out.splitlines()
    assert run(["show", str(path), "--full"]) == 0
    assert len(short) <= 42 < len(capsys.readouterr().out.splitlines())


def test_names_from_a_file_do_not_act_on_the_terminal(tmp_path, capsys):
    path = tmp_path / "m.acm"
    acumen.save(acumen.NaiveBayes().fit([[1.0], [2.0]], ["a\x1b[31m", "b"]), path)
    assert run(["show", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_learners_lists_every_kind(capsys):
    assert run(["learners"]) == 0
    lines = capsys.readouterr().out.splitlines()
    heads = [at for at, line in enumerate(lines) if not line.startswith(" ")]
    listed = {lines[a]: lines[a + 1 : b] for a, b in pairwise([*heads, len(lines)])}
    assert list(listed)[:2] == ["Classes:", "Numbers:"]
    tasks = {kind.task for kind in KINDS.values()}
    assert set(listed) == {f"{task.noun.capitalize()}:" for task in tasks}
    for task in tasks:
        own = listed[f"{task.noun.capitalize()}:"]
        assert [line.split()[0] for line in own] == sorted(
            k for k, kind in KINDS.items() if kind.task == task
        )
        assert all(len(line.split(maxsplit=1)[1]) > 20 for line in own)
    assert run(["learners", "--json"]) == 0
    assert [each["kind"] for each in json.loads(capsys.readouterr().out)] == sorted(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_learners_page_is_derived_from_its_class(kind, capsys):
    assert run(["learners", kind]) == 0
    out = capsys.readouterr().out
    cls = learner_class(kind)
    assert out.startswith(f"{kind} ({cls.__name__})")
    assert run(["learners", kind, "--json"]) == 0
    told = {each["name"]: each for each in json.loads(capsys.readouterr().out)["parameters"]}
    assert list(told) == [spec.name for spec in specs_of(cls)]
    for spec in specs_of(cls):
        assert f"  {spec.name} = {spec.default!r}\n" in out
        assert told[spec.name]["may_be"] == spec.requirement()
        assert told[spec.name]["meaning"], f"{cls.__name__} does not document {spec.name}"


def test_a_learner_may_be_named_as_in_python(capsys):
    assert run(["learners", "NaiveBayes"]) == 0
    assert capsys.readouterr().out.startswith("naive-bayes (NaiveBayes)")


def test_an_unknown_learner_is_guessed(capsys):
    assert run(["learners", "naive-bays"]) == 2
    assert "Did you mean 'naive-bayes'?" in capsys.readouterr().err
