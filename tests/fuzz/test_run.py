"""Fuzzers by the clock: whole rounds, whose tries follow one another, and a failure that is not lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz import models, run
from store.toy_kind import TOY, mixed_table

ROOT = Path(__file__).resolve().parents[2]


def test_rounds_follow_one_another_and_failures_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(100))
    rounds: list[tuple[int, int]] = []

    def toy(first: int, count: int) -> run.Round:
        rounds.append((first, count))
        return {"refused": count}, ["7: it broke"] if first else []

    monkeypatch.setattr(run, "FUZZERS", {"toy": (toy, 5)})
    monkeypatch.setattr(run.time, "monotonic", lambda: next(clock))
    assert run.main(["toy", "6", "0"]) == 1
    assert rounds[0] == (0, 5) and rounds[1] == (5, 5)
    lines = capsys.readouterr().out.splitlines()
    assert "FAILED at 5 of rounds of 5: 7: it broke" in lines
    assert json.loads(lines[-1])["tries"] == 5 * len(rounds)


def test_every_kind_of_model_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    known = sorted(models.kinds.KINDS)
    chosen: list[str] = []
    monkeypatch.setattr(models, "run_worker", lambda module, words, *_: chosen.append(words[0]))
    for seed in range(len(known)):
        models.tried(seed, 10)
    assert sorted(chosen) == known


def test_the_tests_own_kind_is_suited_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run over all kinds has it, and it is no whole learner."""
    monkeypatch.setattr(models.kinds, "KINDS", {**models.kinds.KINDS, **TOY})
    table = mixed_table()
    assert models.suited(table, "toy") is table


def test_ci_runs_every_fuzzer() -> None:
    step = (ROOT / ".ci" / "run").read_text().partition("step_fuzz()")[2].partition("\n}")[0]
    assert set(run.FUZZERS) <= set(step.split())


def test_the_tool_says_how_it_is_used() -> None:
    told = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "fuzz"), "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert "--minutes" in told and "--all-kernels" in told
