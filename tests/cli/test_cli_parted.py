"""`acumen parts` and `learn --from-summary`: by files alone, the model of all rows to the byte."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.cli.main import run
from part_tables import blocks_of, lines, written

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Three parts and the file of all their rows, in the folder where commands run."""
    head, rows = lines(400, seed=2, columns=("x", "z", "c", "late", "w", "y"))
    head = f"id,constant,{head}"
    rows = [f"{i},same,{row}" for i, row in enumerate(rows)]
    written(tmp_path, head, rows, (33, 250))
    monkeypatch.chdir(tmp_path)
    with blocks_of(64):
        yield tmp_path


def walk(*more, learner="naive-bayes", target="y", parts=3):
    """From parts to a model."""
    names = [f"part{i}.csv" for i in range(parts)]
    told = ["--target", target, "--learner", learner, *more]
    assert run(["parts", "plan", *names, *told, "-o", "plan.json"]) == 0
    for name in reversed(names):
        assert run(["parts", "summarise", name, *told, "--plan", "plan.json", "-o", f"{name}.sum"]) == 0
    sums = [f"{name}.sum" for name in names]
    random.Random(1).shuffle(sums)
    assert run(["parts", "merge", *sums, "-o", "all.sum"]) == 0
    assert run(["learn", "--from-summary", "all.sum", "-o", "m.acm"]) == 0
    assert run(["learn", "all.csv", *told, "-o", "one.acm"]) == 0
    return Path("m.acm").read_bytes(), Path("one.acm").read_bytes()


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["--weight", "w"],
        ["--keep-ids"],
        ["--set", "alpha=0.5", "--ignore", "z", "--missing", "red"],
        ["--merge", "c=red,green", "--kind", "x=numeric"],
    ],
    ids=lambda more: " ".join(more) or "plain",
)
def test_the_model_is_the_one_of_the_whole_file(place, more):
    made, one = walk(*more)
    assert made == one


def test_identifiers_and_constants_are_left_out_of_parts_as_of_the_whole(place, capsys):
    made, one = walk()
    said = capsys.readouterr().err
    assert made == one and said.count("Ignored column 'id'") == 2 == said.count("Ignored column 'constant'")
    assert set(acumen.load("m.acm").schema_.names) == {"x", "z", "c", "late", "w"}


def test_a_walk_over_real_blocks_is_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 150_000
    columns = [
        rng.normal(size=n).round(4).astype(str),
        rng.choice(["u", "v", ""], n),
        rng.choice(["a", "b", ""], n),
    ]
    written(tmp_path, "x,c,y", [",".join(row) for row in zip(*columns, strict=True)], (70_001, 70_002))
    made, one = walk(learner="fisher")
    assert made == one


def test_a_single_part_needs_no_plan_and_stdin_will_do(place, monkeypatch):
    assert run(["parts", "summarise", "all.csv", "--target", "y", "-o", "all.sum"]) == 0
    assert run(["learn", "--from-summary", "all.sum", "-o", "m.acm"]) == 0
    assert run(["learn", "all.csv", "--target", "y", "-o", "one.acm"]) == 0
    assert Path("m.acm").read_bytes() == Path("one.acm").read_bytes()
    with open("all.csv", "rb") as given:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "acumen", "parts", "summarise", "-", "--target", "y", "-o", "stdin.sum"],
            stdin=given, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_plans_of_single_parts_join_to_the_plan_of_all(place, capsys):
    told = ["--target", "y", "--keep-ids"]
    for i in range(3):
        assert run(["parts", "plan", f"part{i}.csv", *told, "-o", f"{i}.json"]) == 0
    assert run(["parts", "plan", "0.json", "1.json", "2.json", "-o", "joined.json"]) == 0
    assert run(["parts", "plan", *(f"part{i}.csv" for i in range(3)), *told, "-o", "plan.json"]) == 0
    assert Path("joined.json").read_bytes() == Path("plan.json").read_bytes()
    capsys.readouterr()
    assert run(["parts", "plan", "0.json", "1.json", "1.json", "-o", "x.json"]) == 2
    assert "part1.csv is in two of the plans" in capsys.readouterr().err
    assert run(["parts", "plan", "0.json", "part1.csv", "-o", "x.json"]) == 2
    assert "give only plans or only parts" in capsys.readouterr().err
    assert run(["parts", "plan", "0.json", "1.json", "--target", "y", "-o", "x.json"]) == 2
    assert "--target: plans already contain this" in capsys.readouterr().err
    assert run(["parts", "plan", "part1.csv", "--target", "y", "-o", "other.json"]) == 0
    assert run(["parts", "plan", "0.json", "other.json", "-o", "x.json"]) == 2
    assert "is left out of a part" in capsys.readouterr().err
    histogram = ["--set", "numeric=histogram"]
    for i in range(2):
        assert run(["parts", "plan", f"part{i}.csv", *told, *histogram, "-o", f"h{i}.json"]) == 0
    assert run(["parts", "plan", "h0.json", "h1.json", "-o", "x.json"]) == 2
    assert "must know all rows beforehand" in capsys.readouterr().err
    assert run(["parts", "plan", "0.json", "h1.json", "-o", "x.json"]) == 3
    assert "numeric is 'gaussian' for one and 'histogram' for the other" in capsys.readouterr().err
    Path("odd.csv").write_text(Path("part0.csv").read_text().replace("\n1,same,", "\n1,same,word"))
    assert run(["parts", "plan", "odd.csv", *told, "-o", "odd.json"]) == 0
    assert run(["parts", "plan", "0.json", "odd.json", "-o", "x.json"]) == 3
    assert "plan every part with --kind x=nominal" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["parts", "merge", "part0.csv.sum", "part0.csv.sum"], 3,
         "part0.csv is given twice; its rows would count twice"),
        (["parts", "merge", "some.sum", "part1.csv.sum"], 3, "part1.csv is in some.sum and in part1.csv.sum"),
        (["parts", "merge", "part0.csv.sum", "other.sum"], 3, "do not add: one is of NaiveBayes, the other of Fisher"),
        (["parts", "merge", "m.acm"], 4, "m.acm: this is not what acumen parts summarise writes; it is a model file"),
        (["parts", "merge", "cut.sum"], 4, "cut.sum: the summary is damaged or forged"),
        (["learn", "--from-summary", "some.sum"], 3, "some.sum has 2 of 3 parts; part2.csv is missing"),
        (["learn", "--from-summary", "plan.json"], 4,
         "plan.json: this is no summary; acumen parts summarise -o FILE writes one"),
        (["learn", "--from-summary", "all.sum", "--learner", "fisher"], 2, "contains summaries for naive-bayes"),
        (["learn", "--from-summary", "all.sum", "--set", "numeric=kernel"], 2, "summarised with numeric='gaussian'"),
        (["learn", "--from-summary", "all.sum", "--set", "speed=1"], 2, "NaiveBayes has no parameter 'speed'"),
        (["learn", "--from-summary", "all.sum", "--target", "y"], 2, "--target: these options say how to read DATA"),
        (["learn", "all.csv", "--from-summary", "all.sum"], 2, "--from-summary replaces DATA"),
        (["learn", "--from-summary", "all.sum", "--engine", "serial"], 2, "--engine has no effect with"),
        (["learn"], 2, "give DATA to train on, or --from-summary FILE"),
        (["predict", "all.sum", "all.csv"], 4, "no model yet; learn from it with acumen learn --from-summary FILE"),
        (["parts", "summarise", "part0.csv", "--plan", "m.acm"], 4, "this is no plan but a model or a summary"),
        (["parts", "summarise", "part0.csv", "--plan", "none.json"], 4, "none.json: there is no such file"),
        (["parts", "summarise", "all.csv", "--plan", "plan.json"], 2, "all.csv is no part of the plan"),
        (["parts", "summarise", "part0.csv", "--plan", "plan.json", "--part", "part1.csv"], 3,
         "is not the file that was"),
        (["parts", "summarise", "part0.csv", "--part", "part1.csv", "--target", "y"], 2,
         "--part names a part of a plan"),
        (["parts", "summarise", "part0.csv", "--plan", "plan.json", "--learner", "one-r"], 2,
         "the plan is for naive-bayes"),
        (["parts", "summarise", "part0.csv", "--plan", "plan.json", "--set", "alpha=9"], 2, "the plan has alpha=1.0"),
        (["parts", "summarise", "part0.csv", "--plan", "plan.json", "--target", "c"], 2,
         "the plan is for the target 'y'"),
        (["parts", "summarise", "part0.csv", "--plan", "plan.json", "--ignore", "c"], 2,
         "--ignore: the plan has a different value"),
        (["parts", "summarise", "part0.csv", "--plan", "plan.json", "--keep-ids"], 2, "ignores 'id'"),
        (["parts", "summarise", "part0.csv", "--target", "y", "--learner", "knn"], 2,
         "KNN: its model is not made of sums"),
        (["parts", "plan", "part0.csv", "--target", "y", "--set", "unlabelled=em", "--learner", "naive-bayes"], 2,
         "--set unlabelled=ignore"),
        (["parts", "plan", "part0.csv", "part0.csv", "--target", "y"], 2, "part0.csv is given twice"),
        (["parts", "plan", "part0.csv", "--target", "nobody"], 3, "there is no column 'nobody'"),
        (["parts", "plan", "part0.csv"], 3, "name the column to predict with --target"),
    ],
)  # fmt: skip
def test_what_does_not_go_is_a_sentence(walked, monkeypatch, words, code, said, capsys):
    monkeypatch.chdir(walked)
    with blocks_of(64):
        assert run([*words, *([] if words[0] in ("learn", "predict") else ["-o", "x"])]) == code
    found = capsys.readouterr().err
    assert said in found and "Traceback" not in found and not Path("x").exists()


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """A folder with everything a walk leaves behind, and some of it broken."""
    folder = tmp_path_factory.mktemp("walked")
    head, rows = lines(100, seed=2, columns=("x", "c", "y"))
    written(folder, f"id,{head}", [f"{i},{row}" for i, row in enumerate(rows)], (33, 66))
    before = Path.cwd()
    os.chdir(folder)
    try:
        with blocks_of(64):
            walk()
            assert run(["parts", "merge", "part0.csv.sum", "part1.csv.sum", "-o", "some.sum"]) == 0
            names = [f"part{i}.csv" for i in range(3)]
            assert (
                run(["parts", "plan", *names, "--target", "y", "--learner", "fisher", "-o", "fisher.json"])
                == 0
            )
            assert run(["parts", "summarise", "part1.csv", "--plan", "fisher.json", "-o", "other.sum"]) == 0
        Path("cut.sum").write_bytes(Path("part1.csv.sum").read_bytes()[:500])
    finally:
        os.chdir(before)
    return folder


def test_json_says_what_was_done(walked, monkeypatch, capsys):
    monkeypatch.chdir(walked)
    with blocks_of(64):
        capsys.readouterr()
        assert run(["parts", "merge", "part2.csv.sum", "part0.csv.sum", "-o", "two.sum", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
    assert [part["name"] for part in facts["parts"]] == ["part0.csv", "part2.csv"]
    assert (
        facts["missing"] == ["part1.csv"] and facts["learner"] == "naive-bayes" and facts["file"] == "two.sum"
    )
    assert 0 < facts["held_rows"] < sum(part["counted"] for part in facts["parts"]) < facts["counted"]
    Path("two.sum").unlink()


def test_what_is_solved_for_may_be_set_when_learning_from_a_sum(walked, monkeypatch):
    monkeypatch.chdir(walked)
    with blocks_of(64):
        assert run(["learn", "--from-summary", "all.sum", "--set", "alpha=3", "-o", "three.acm"]) == 0
        told = ["--target", "y", "--learner", "naive-bayes"]
        assert run(["learn", "all.csv", *told, "--set", "alpha=3", "-o", "one3.acm"]) == 0
    assert Path("three.acm").read_bytes() == Path("one3.acm").read_bytes()


# -- schedulers -------------------------------------------------------------------------------------------------------


@pytest.fixture
def farm(tmp_path):
    """A folder as the examples expect it: parts in `parts/`, and a command called acumen."""
    head, rows = lines(120, seed=9, columns=("x", "c", "y"))
    (tmp_path / "parts").mkdir()
    written(tmp_path / "parts", head, rows, (41,))
    (tmp_path / "parts" / "all.csv").rename(tmp_path / "all.csv")
    command = tmp_path / "acumen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m acumen "$@"\n')
    command.chmod(0o755)
    told = ["--target", "y", "--learner", "naive-bayes", "-o", str(tmp_path / "one.acm")]
    assert run(["learn", str(tmp_path / "all.csv"), *told]) == 0
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_makefile_of_the_examples_makes_the_model(farm):
    words = ["make", "-s", "-j2", "-f", str(EXAMPLES / "parts.mk"), f"ACUMEN={farm / 'acumen'}", "TARGET=y"]
    done = subprocess.run(words, cwd=farm, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    assert (farm / "model.acm").read_bytes() == (farm / "one.acm").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_job_array_of_the_examples_makes_the_model(farm):
    script = str(EXAMPLES / "parts.sbatch")
    environment = {**os.environ, "PATH": f"{farm}:{os.environ['PATH']}", "TARGET": "y"}

    def step(*words, **more):
        done = subprocess.run(
            ["bash", script, *words], cwd=farm, env={**environment, **more},
            capture_output=True, text=True, check=False, timeout=500,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    step("plan")
    for task in (1, 0):
        step("part", SLURM_ARRAY_TASK_ID=str(task))
    step("model")
    assert (farm / "model.acm").read_bytes() == (farm / "one.acm").read_bytes()
