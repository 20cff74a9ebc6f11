"""Commands killed, or stopped by Ctrl-C, at random moments: files are as they were, or whole and new.

    COMMANDS   what is run on a small table, and where it writes
    outcome    one command, one signal, one moment: "done", "stopped", "killed" or "lost" (by Python itself); anything
               else is raised as Broken

Laws: Ctrl-C ends in 130 and a note without a traceback, or came too late to matter; after a kill the output is the
old file or a whole new one; no temporary is left behind by Ctrl-C, and those of a kill are gone after the next run.

By hand:  PYTHONPATH=src:tests python -m fuzz.kills COUNT [SEED]
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import acumen
from acumen import store
from acumen.errors import AcumenError
from ctrl_c_pressed import hears_ctrl_c

#: Says when Python itself is up, so that a signal meets acumen and not the interpreter's own start. What is raised in
#: these lines themselves, or where `main` is entered, came before the command began; whatever else comes out of `main`
#: is the command's own.
READY = """
import os, sys
from acumen.__main__ import main
try:
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    main()
except KeyboardInterrupt as stop:
    inner = stop.__traceback__.tb_next
    if inner is not None and (inner.tb_next is not None or inner.tb_lineno != main.__code__.co_firstlineno):
        raise
    os.write(2, b"acumen: stopped before it began\\n")
    os._exit(130)
"""
COMMANDS: dict[str, list[str]] = {
    "learn": ["learn", "DATA", "--target", "class", "-o", "OUT"],
    "learn svm": ["learn", "DATA", "--target", "class", "--learner", "svm", "-o", "OUT"],
    "predict": ["predict", "MODEL", "DATA", "--probabilities", "--explain", "-o", "OUT"],
    "compare": ["compare", "DATA", "--target", "class", "--learners", "svm,decision-tree", "--folds", "3",
                "--repeats", "2", "--report", "OUT"],
    "tune": ["tune", "DATA", "--target", "class", "--learner", "svm", "--grid", "C=0.1,1,10", "--folds", "3",
             "-o", "OUT"],
    "inspect": ["inspect", "DATA", "--html", "OUT"],
}  # fmt: skip
OLD = b"the old file"
LIMIT = 300
#: Python's own: a callback of its import system, which has Ctrl-C vanish with a note that nobody can prevent.
LOST = "Exception ignored in: <function _get_module_lock"


class Broken(AssertionError):  # noqa: N818
    """A file was harmed, or a command did not end as it says it does."""


def prepare(folder: Path) -> None:
    """The table and the model that the commands are about."""
    table = acumen.datasets.load("iris")
    table.write(folder / "data.csv")
    acumen.save(acumen.NaiveBayes().fit(table), folder / "model.acm")


def outcome(folder: Path, name: str, sign: signal.Signals, after: float) -> str:
    """Run a command and send it a signal after so many seconds."""
    out = folder / "out"
    out.write_bytes(OLD)
    kept = {file: file.read_bytes() for file in (folder / "data.csv", folder / "model.acm")}
    places = {"DATA": folder / "data.csv", "MODEL": folder / "model.acm", "OUT": out}
    words = [str(places.get(word, word)) for word in COMMANDS[name]]
    code, said = _stopped(words, sign, after)
    for file, before in kept.items():
        if file.read_bytes() != before:
            raise Broken(f"{name}: {file.name} was changed")
    left = [file.name for file in folder.iterdir() if file.name.startswith(".acumen-")]
    if sign == signal.SIGKILL:
        _require_whole(name, out)
        if left and not _clears(folder):
            raise Broken(f"{name}: {left} is still there after the next run")
        return "done" if code == 0 else "killed"
    if LOST in said:
        return "lost"
    if "Traceback (most recent call last)" in said or "Exception ignored" in said:
        raise Broken(f"{name}: Ctrl-C shows a traceback: {said[-400:]}")
    if left:
        raise Broken(f"{name}: Ctrl-C leaves {left}")
    if code == 130:
        if "acumen: stopped" not in said:
            raise Broken(f"{name}: no note: {said[-200:]}")
        if "No report is written" in said and out.read_bytes() != OLD:
            raise Broken("compare: it says that no report is written, and there is one")
        _require_whole(name, out)
        return "stopped"
    if code != 0:
        raise Broken(f"{name}: exit {code}: {said[-400:]}")
    if out.read_bytes() == OLD:
        raise Broken(f"{name}: exit 0, and nothing is written")
    _require_whole(name, out)
    return "done"


def _stopped(words: list[str], sign: signal.Signals, after: float) -> tuple[int, str]:
    child = subprocess.Popen(
        [sys.executable, "-c", READY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=hears_ctrl_c,
    )  # fmt: skip
    try:
        assert child.stderr is not None
        child.stderr.readline()
        time.sleep(after)
        child.send_signal(sign)
        _, said = child.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Broken(f"{words[0]}: still at work {LIMIT} seconds after {sign.name}") from None
    finally:
        child.kill()
        child.wait()
    return child.returncode, said


def _require_whole(name: str, out: Path) -> None:
    """The old file, or a whole new one."""
    made = out.read_bytes()
    if made == OLD:
        return
    if name.startswith(("learn", "tune")):
        try:
            store.open(out)
        except AcumenError as error:
            raise Broken(f"{name}: half a model: {error}") from None
    elif (name == "predict" and made.count(b"\n") != 151) or (
        name in ("compare", "inspect") and not made.rstrip().endswith(b"</html>")
    ):
        raise Broken(f"{name}: half a file of {len(made)} bytes")


def _clears(folder: Path) -> bool:
    acumen.datasets.load("iris").write(folder / "other.csv")
    (folder / "other.csv").unlink()
    return not any(file.name.startswith(".acumen-") for file in folder.iterdir())


def tried(seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Counts of outcomes, and what was broken."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder)
        lasts = {name: _lasts(folder, name) for name in COMMANDS}
        for number in range(seed, seed + count):
            rng = random.Random(number)
            name = list(COMMANDS)[number % len(COMMANDS)]
            sign = rng.choice((signal.SIGINT, signal.SIGKILL))
            after = rng.uniform(0, 1.1 * lasts[name])
            try:
                counts[outcome(folder, name, sign, after)] += 1
            except Broken as error:
                counts["broken"] += 1
                wrong.append(f"{number} ({sign.name} after {after:.3f} s): {error}")
    return counts, wrong


def _lasts(folder: Path, name: str) -> float:
    """Seconds that a command takes if it is left alone."""
    places = {"DATA": folder / "data.csv", "MODEL": folder / "model.acm", "OUT": folder / "out"}
    words = [str(places.get(word, word)) for word in COMMANDS[name]]
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", READY, *words], capture_output=True, check=False)
    if done.returncode:
        raise Broken(f"{name}: exit {done.returncode} when left alone: {os.fsdecode(done.stderr)[-300:]}")
    return time.monotonic() - began


def main(words: list[str]) -> int:
    """Try COUNT moments, and tell the counts."""
    counts, wrong = tried(int(words[1]) if len(words) > 1 else 0, int(words[0]))
    print("  ".join(f"{name} {n:,}" for name, n in sorted(counts.items())))
    for line in wrong:
        print("   ", line)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
