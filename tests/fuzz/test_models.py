"""The promise: any bytes end in a model that predicts or in ModelFileError. The long run is by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acumen import store
from fuzz.models import mutants, outcome, write_originals


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A sound file of every kind, written once."""
    return write_originals(tmp_path_factory.mktemp("originals"))


@pytest.mark.slow
def test_spoiled_files_are_refused_or_predict(originals: list[Path], tmp_path: Path) -> None:
    files = originals
    path = tmp_path / "mutant.acm"
    tally = {"refused": 0, "predicts": 0}
    for i, (words, data) in enumerate(mutants(files, seed=1, count=1000)):
        path.write_bytes(data)
        try:
            tally[outcome(path, store.open if i % 8 == 7 else store.load)] += 1
        except Exception as error:
            raise AssertionError(f"{words}: {type(error).__name__}: {error}") from error
    assert min(tally.values()) > 50, "both ends of the promise were tried"


@pytest.mark.slow
def test_spoiled_files_are_the_same_for_the_same_seed(originals: list[Path]) -> None:
    files = originals[:2]
    assert list(mutants(files, 7, 60)) == list(mutants(files, 7, 60))


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_at_all_are_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert outcome(path) == "refused"
    path.write_bytes(b"PK\x03\x04" + data)
    assert outcome(path) == "refused"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's account of memory")
@pytest.mark.slow
def test_spoiled_files_stay_within_bounded_memory(originals: list[Path]) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.models", "200", "2", "", str(originals[0].parent)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_every_kind_comes_back_with_its_summary_and_is_written_the_same(
    originals: list[Path], tmp_path: Path
) -> None:
    for path in originals:
        learner = store.load(path)
        again = tmp_path / path.name
        store.save(learner, again, summary=getattr(learner, "summary_", None) is not None)
        assert again.read_bytes() == path.read_bytes(), path.name
        assert outcome(path) == outcome(path, store.open) == "predicts"
