"""The promise: whatever is in a file, it ends in a table or a sentence. The long run is by hand."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fuzz.formats import SAMPLES, judged, mutants, verdict

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs alarms and limits of processes")


@pytest.fixture(autouse=True)
def found_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of their own look for the same modules."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))


@pytest.mark.parametrize("form", SAMPLES)
def test_the_samples_are_sound(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    path.write_bytes(SAMPLES[form]())
    assert verdict(path, {}) == "table"


def test_spoiled_files_are_tables_or_sentences() -> None:
    """Some of each format, in one process."""
    counts, wrong = judged("", 0, 30 * len(SAMPLES))
    assert not wrong, "\n".join(wrong)
    assert counts["table"] + counts["sentence"] == 30 * len(SAMPLES)


def test_spoiled_files_are_the_same_for_the_same_seed() -> None:
    for form in SAMPLES:
        if (
            form != "db"
        ):  # whose sample holds the version of SQLite that made it, and is the same all the same
            assert list(mutants(form, 7, 20)) == list(mutants(form, 7, 20))
            assert list(mutants(form, 7, 20))[5:] == list(mutants(form, 12, 15))
