"""The promise: whatever stops a command, files are as they were or whole and new. The long run is by hand."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from fuzz.kills import COMMANDS, outcome, prepare

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_a_command_that_is_stopped_harms_no_file(
    name: str, sign: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    prepare(tmp_path)
    for after in (0.0, 0.7):
        assert outcome(tmp_path, name, sign, after) in ("done", "stopped", "killed", "lost")
