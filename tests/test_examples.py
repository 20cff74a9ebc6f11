"""Every example runs, from an empty folder, and says something."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example, tmp_path, warm):
    folder = tmp_path / "empty"
    folder.mkdir()
    done = warm.run(example, folder)
    assert done.code == 0, done.err
    assert done.out.strip()
