"""Writing: the old file or the new one, whenever the writer dies."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from acumen.data.out.atomic import replacing
from acumen.errors import ModelFileError
from acumen.store.file import read_members, write_members

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and kill -9")

# The writer kills itself at the n-th call into C, so that every moment between two steps is tried.
KILLED_AT_EACH_STEP = """
import os, signal, sys, warnings
import numpy as np
from acumen.store.file import read_members, write_members

path = sys.argv[1]
old, new = {"format": 1, "kind": "old"}, {"format": 1, "kind": "new"}
arrays = {"model/x": np.arange(50_000.0), "model/y": np.arange(3.0)}
write_members(path, old, arrays)
steps, done, seen = 0, False, {"old": 0, "new": 0}
while not done:
    child = os.fork()
    if not child:
        count = 0
        def step(frame, event, what):
            global count
            count += event in ("c_call", "c_return")
            if count > steps:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(step)
        write_members(path, new, arrays)
        sys.setprofile(None)
        os._exit(0)
    done = os.waitpid(child, 0)[1] == 0
    found, back = read_members(path)
    assert len(back["model/x"]) == 50_000
    seen[found["kind"]] += 1
    if found["kind"] == "new":
        write_members(path, old, arrays)
    steps += 1 + steps // 40
parts = [name for name in os.listdir(os.path.dirname(path)) if name.endswith(".part")]
assert not parts, parts
print(seen["old"], seen["new"])
"""

KILLED_AT_ANY_MOMENT = """
import os, random, signal, sys, time
import numpy as np
from acumen.store.file import read_members, write_members

path, rng = sys.argv[1], random.Random(1)
arrays = {"model/x": np.arange(200_000.0)}
write_members(path, {"format": 1, "kind": "0"}, arrays)
left = turn = 0
while turn < 60 or not left:  # until some writer has died with a temporary file open, however few come to work
    turn += 1
    begun, tell = os.pipe()
    child = os.fork()
    if not child:
        os.write(tell, b"1")
        while True:
            write_members(path, {"format": 1, "kind": "new"}, arrays)
    os.read(begun, 1)
    os.close(begun), os.close(tell)
    time.sleep(rng.uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    manifest, back = read_members(path)
    assert back["model/x"][-1] == 199_999
    left += any(name.endswith(".part") for name in os.listdir(os.path.dirname(path)))
write_members(path, {"format": 1, "kind": "last"}, arrays)
assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
print(left)
"""


def run(script: str, path: Path) -> list[int]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script, path], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


def test_killed_at_each_step_leaves_the_old_file_or_the_new(path: Path) -> None:
    old, new = run(KILLED_AT_EACH_STEP, path)
    assert old > 20, "many moments were tried before the rename"
    assert new >= 1


def test_killed_at_any_moment_leaves_a_whole_file_and_leftovers_are_cleared(path: Path) -> None:
    (left,) = run(KILLED_AT_ANY_MOMENT, path)
    assert left > 0


def test_a_live_writers_temporary_is_left_alone(path: Path) -> None:
    with replacing(str(path.with_name("other.acm"))) as file:
        file.write(b"other")
        write_members(path, {"format": 1}, {})
    assert path.with_name("other.acm").read_bytes() == b"other"


def test_a_dead_writers_temporary_is_cleared_and_nothing_else(path: Path) -> None:
    dead = path.with_name(".acumen-0123456789abcdef.part")
    others = [path.with_name(name) for name in (".acumen-1.part", "acumen-0123456789abcdef.part", "a.part")]
    for file in (dead, *others):
        file.write_bytes(b"x")
    link = path.with_name(".acumen-fedcba9876543210.part")
    link.symlink_to(others[0])
    write_members(path, {"format": 1}, {})
    assert not dead.exists()
    assert link.is_symlink()
    assert all(file.exists() for file in others)


def test_a_failure_leaves_the_old_file_and_no_temporary(path: Path) -> None:
    write_members(path, {"format": 1}, {})
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), replacing(str(path)) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_follow_the_umask(path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_members(path, {"format": 1}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_is_followed(path: Path) -> None:
    real = path.with_name("real.acm")
    path.symlink_to(real)
    write_members(path, {"format": 1}, {"model/x": np.zeros(1)})
    assert path.is_symlink()
    assert read_members(real)[0] == {"format": 1}


def test_a_device_is_written_to_and_a_folder_refused(path: Path) -> None:
    write_members(Path(os.devnull), {"format": 1}, {})
    assert not Path(os.devnull).is_file()
    with pytest.raises(ModelFileError, match="not a plain file"):
        write_members(path.parent, {"format": 1}, {})


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755, 0o400])
def test_a_replaced_file_keeps_its_permissions(path: Path, mode: int) -> None:
    path.write_bytes(b"old")
    path.chmod(mode)
    with replacing(str(path)) as file:
        file.write(b"new")
        (temporary,) = path.parent.glob(".acumen-*.part")
        assert stat.S_IMODE(temporary.stat().st_mode) == mode, (
            "what is private is private while it is written"
        )
    assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_bytes() == b"new"


def test_temporaries_have_names_that_nobody_can_guess_or_take(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []
    real = os.open

    def watched(name: str, flags: int, *mode: int) -> int:
        opened.append((str(name), flags))
        return real(name, flags, *mode)

    monkeypatch.setattr(os, "open", watched)
    for _ in range(3):
        write_members(path, {"format": 1}, {})
    made = [(name, flags) for name, flags in opened if name.endswith(".part")]
    assert len({name for name, _ in made}) == 3
    assert all(flags & os.O_EXCL and flags & os.O_NOFOLLOW and flags & os.O_CREAT for _, flags in made)


def test_a_pipe_gets_every_byte(path: Path) -> None:
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()
    with replacing(str(path)) as file:
        file.write(b"bytes")
    reader.join(300)
    assert got == [b"bytes"] and stat.S_ISFIFO(path.stat().st_mode)


def test_a_missing_folder_is_a_sentence(path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"save: .*nowhere/m.acm cannot be written \(No such file"):
        write_members(path.parent / "nowhere" / "m.acm", {"format": 1}, {})
