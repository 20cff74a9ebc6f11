"""The history of benchmark ratios reports what fell, and draws every family."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="a source distribution has no benchmarks")


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(FOLDER)
    import history

    yield history
    for name in ("history", "clock"):
        sys.modules.pop(name, None)


def row(family: str, ratio: float, **changes: str) -> dict[str, str]:
    return {
        "date": "2026-01-02", "commit": "abc", "family": family, "workload": "fit", "acumen_s": "1", "peer": "numpy",
        "peer_version": "2", "peer_s": str(ratio), "ratio": str(ratio), "load": "0.1", "machine": "m",
    } | changes  # fmt: skip


def test_a_ratio_that_fell_by_more_than_15_percent_is_reported(history: Any) -> None:
    before = [row("trees", 9.0), row("trees", 10.0), row("bayes", 4.0), row("svm", 5.0, peer="scipy")]
    now = [row("trees", 8.4), row("bayes", 4.1), row("svm", 1.0)]
    (sentence,) = history.fallen(before, [*now, row("trees", 8.6)])
    assert sentence.startswith("trees: 8.4x, down from 10.0x on 2026-01-02")


def test_rows_are_appended_and_read_back(history: Any, tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    history.append([row("trees", 2.0)], path)
    history.append([row("bayes", 3.0)], path)
    assert history.read_history(path) == [row("trees", 2.0), row("bayes", 3.0)]


def test_every_family_has_a_chart(history: Any) -> None:
    picture = history.draw([row("trees", 2.0), row("trees", 3.0), row("bayes", 0.5)])
    root = ElementTree.fromstring(picture)
    name = "{http://www.w3.org/2000/svg}"
    assert [e.text for e in root.iter(f"{name}text") if e.get("class") == "name"] == ["trees", "bayes"]
    assert len(list(root.iter(f"{name}circle"))) == 3


def test_the_committed_history_names_known_families(history: Any) -> None:
    rows = history.read_history()
    assert rows and {r["family"] for r in rows} <= {case.family for case in history.CASES}
    assert all(tuple(r) == history.COLUMNS and float(r["ratio"]) > 0 for r in rows)


def test_an_unknown_family_is_refused_with_the_known_ones(
    history: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert history.main(["tree"]) == 2
    assert "no family 'tree'" in capsys.readouterr().err
