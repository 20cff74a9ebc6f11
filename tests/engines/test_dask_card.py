"""The data card of rows that workers read is the card of the same rows on one machine."""

from __future__ import annotations

import json
import os
import signal
from threading import Timer
from typing import Any

import numpy as np
import pandas as pd
import pytest

import acumen
from acumen.cli.main import run


@pytest.fixture(autouse=True)
def _small_samples_and_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards of few rows take the way of cards of many."""
    monkeypatch.setattr("acumen.profiling.pictures.SAMPLE", 5_000)
    monkeypatch.setattr("acumen.profiling.inspect.HAND", 1 << 20)


def _frame(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "id": np.arange(n) + 7,
            "shuffled": rng.permutation(n),
            "x": rng.normal(size=n) * 1e3 + 1e7,
            "whole": rng.integers(-5, 50, n).astype(float),
            "sparse": np.where(rng.random(n) < 0.6, np.nan, rng.normal(size=n)),
            "odd": np.where(rng.random(n) < 0.001, np.inf, np.round(rng.exponential(size=n), 2)),
            "colour": rng.choice(["red", "green", "blue", None], n),
            "same": 1.5,
            "never": np.nan,
            "y": rng.choice(["no", "yes", "perhaps"], n, p=[0.6, 0.3, 0.1]),
        }
    )
    frame["copy"] = frame["y"].map({"no": "n", "yes": "j", "perhaps": "v"})
    frame["told"] = frame["y"].map({"no": 0.0, "yes": 1.0, "perhaps": 2.0}) + rng.random(n) / 2
    frame["nines"] = np.where(rng.random(n) < 0.01, 999.0, rng.integers(0, 90, n))
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n) % 40_000, unit="D")
    frame["gone"] = np.where(frame["y"] == "perhaps", np.nan, rng.normal(size=n))
    frame.loc[rng.random(n) < 0.01, "y"] = None
    frame.loc[n - 1, "colour"] = "violet"
    return frame


def _repeated(n: int) -> pd.DataFrame:
    """Rows that repeat and contradict one another, in blocks that lie apart."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 400, n) / 8, "b": rng.integers(0, 300, n), "c": rng.choice(list("pqr"), n)}
    )
    frame["y"] = rng.choice(["u", "v"], n, p=[0.9, 0.1])
    frame["hardly"] = np.where((frame["y"] == "v") ^ (np.arange(n) % 1_000 == 0), np.nan, frame["b"])
    frame.loc[:40, "y"] = None
    return frame


def _same(cluster: Any, source: Any, **options: Any) -> dict[str, Any]:
    here = acumen.inspect(source, **options)
    with acumen.engine(cluster):
        there = acumen.inspect(source, **options)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    for one, two in zip(here.pictures.drawn, there.pictures.drawn, strict=True):
        assert np.array_equal(one.counts, two.counts)
    assert np.array_equal(here.pictures.missing.shares, there.pictures.missing.shares)
    return here.to_dict()


def test_the_card_of_many_columns_is_that_of_one_machine(cluster, tmp_path):
    _frame(150_000).to_parquet(tmp_path / "t.parquet", row_group_size=40_000)
    made = _same(cluster, str(tmp_path / "t.parquet"), target="y")
    assert {each["code"] for each in made["findings"]} >= {
        "id-like",
        "leak",
        "constant",
        "all-missing",
        "infinite",
        "placeholder",
    }


@pytest.mark.slow
def test_rows_that_repeat_in_blocks_that_lie_apart_are_found(cluster, tmp_path):
    _repeated(140_000).to_csv(tmp_path / "t.csv", index=False)
    made = _same(cluster, str(tmp_path / "t.csv"), target="y")
    assert made["duplicates"]["rows"] and made["duplicates"]["conflict_groups"]
    assert "near-leak" in {each["code"] for each in made["findings"]}


@pytest.mark.slow
def test_texts_and_a_numeric_target(cluster, tmp_path):
    rng = np.random.default_rng(2)
    n = 70_000
    words = np.array(["", "one", "two words", "äöü", "a b c d"], dtype=object)
    frame = pd.DataFrame(
        {"t": words[rng.integers(0, 5, n)], "x": rng.normal(size=n), "y": rng.normal(size=n) ** 3}
    )
    frame["t"] = frame["t"] + [str(i) for i in rng.integers(0, 60_000, n)]
    frame.loc[rng.random(n) < 0.1, "t"] = None
    frame.loc[5, "y"] = np.nan
    frame.to_parquet(tmp_path / "t.parquet")
    made = _same(cluster, str(tmp_path / "t.parquet"), target="y", kinds={"t": "text"})
    assert made["attributes"][0]["text"] is not None


@pytest.mark.parametrize("whole", [pytest.param(True, marks=pytest.mark.slow), False])
def test_weights_count_alike(cluster, tmp_path, whole):
    frame = _frame(70_000, 3)[["x", "whole", "sparse", "colour", "y"]]
    rng = np.random.default_rng(4)
    frame["w"] = rng.integers(0, 4, len(frame)) if whole else rng.random(len(frame))
    frame.to_parquet(tmp_path / "t.parquet")
    source = str(tmp_path / "t.parquet")
    if whole:
        _same(cluster, source, target="y", weight="w")
        return
    here = acumen.inspect(source, target="y", weight="w").to_dict()
    with acumen.engine(cluster):
        there = acumen.inspect(source, target="y", weight="w").to_dict()
    for one, two in zip(here["attributes"], there["attributes"], strict=True):
        if one["numeric"]:
            for name in ("min", "q1", "median", "q3", "max", "mean", "sd"):
                assert two["numeric"][name] == pytest.approx(one["numeric"][name], rel=1e-12)


def test_a_table_without_a_target_and_one_of_few_rows(cluster, tmp_path):
    _frame(66_000)[["x", "colour", "whole"]].to_parquet(tmp_path / "t.parquet")
    _same(cluster, str(tmp_path / "t.parquet"))
    _frame(66_000)[["x", "colour", "whole"]].iloc[:90].to_parquet(tmp_path / "few.parquet")
    _same(cluster, str(tmp_path / "few.parquet"))


def test_rows_that_are_here_are_looked_over_here(cluster):
    with acumen.engine(cluster):
        card = acumen.inspect(acumen.datasets.load("iris"))
    assert card.to_dict() == acumen.inspect(acumen.datasets.load("iris")).to_dict()


def test_the_command_prints_the_same(cluster, tmp_path, capsys):
    _frame(80_000).to_csv(tmp_path / "t.csv", index=False)
    flags = ["inspect", str(tmp_path / "t.csv"), "--target", "y", "--json"]
    assert run(flags) == 0
    here = capsys.readouterr().out
    address = cluster.client.scheduler_info()["address"]
    assert run([*flags, "--engine", "dask", "--scheduler", address]) == 0
    assert capsys.readouterr().out == here


@pytest.mark.slow
def test_workers_that_are_killed_change_nothing(tmp_path):
    pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
    _frame(300_000).to_parquet(tmp_path / "t.parquet", row_group_size=40_000)
    here = acumen.inspect(str(tmp_path / "t.parquet"), target="y")
    with acumen.engines.Dask(workers=2, timeout=500) as engine, acumen.engine(engine):
        pids = [info["pid"] for info in engine.client.run(lambda: {"pid": os.getpid()}).values()]
        killing = [Timer(1.0 + i, os.kill, (pid, signal.SIGKILL)) for i, pid in enumerate(pids)]
        for each in killing:
            each.start()
        there = acumen.inspect(str(tmp_path / "t.parquet"), target="y")
        for each in killing:
            each.cancel()
            each.join()
    assert there.to_dict() == here.to_dict()
