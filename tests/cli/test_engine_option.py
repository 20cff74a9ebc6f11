"""`--engine` and what belongs to it: what does not go together is said before anything is read."""

from __future__ import annotations

import sys

import pytest

from acumen.cli.main import run

COMMANDS = ("learn", "compare", "tune", "cluster", "mine", "inspect", "predict")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_can_share_its_work_out_says_so(command, capsys):
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    for flag in ("--engine", "--scheduler ADDRESS", "--scheduler-file FILE", "--workers N"):
        assert flag in said


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--workers", "2"], "--workers is for --engine dask"),
        (["--scheduler", "tcp://x:1"], "--scheduler is for --engine dask"),
        (["--engine", "desk"], "must be one of threads, serial, disk, dask"),
        (
            ["--engine", "dask", "--scheduler", "tcp://x:1", "--scheduler-file", "f"],
            "give only one of --scheduler",
        ),
        (
            ["--engine", "dask", "--scheduler", "tcp://x:1", "--workers", "2"],
            "--workers is for a cluster on this machine",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(flags, said, capsys):
    assert run(["learn", "iris", *flags]) == 2
    assert said in capsys.readouterr().err


def test_another_engine_on_this_machine_learns_the_same(tmp_path):
    for name in ("serial", "threads"):
        assert run(["learn", "iris", "--engine", name, "-o", str(tmp_path / f"{name}.acm")]) == 0
    assert (tmp_path / "serial.acm").read_bytes() == (tmp_path / "threads.acm").read_bytes()


def test_files_that_a_shell_made_of_a_pattern_are_told_of(tmp_path, capsys):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,y\n1,p\n2,q\n")
    assert run(["learn", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--target", "y"]) == 2
    assert "quote the pattern" in capsys.readouterr().err
    assert run(["learn", str(tmp_path / "a.csv"), "naive-bayes", "--target", "y"]) == 2
    assert "quotes" not in capsys.readouterr().err


def test_without_the_package_it_is_said_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run(["learn", "iris", "--engine", "dask"]) == 2
    assert "pip install 'acumen-learn[dask]'" in capsys.readouterr().err


def test_a_learner_for_one_machine_is_told_before_the_table_is_read(capsys):
    pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
    assert run(["learn", "there-is-no-such-file.csv", "--learner", "knn", "--engine", "dask"]) == 3
    assert "KNN is for one machine" in capsys.readouterr().err
