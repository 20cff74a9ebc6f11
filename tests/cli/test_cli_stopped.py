"""Ctrl-C: every command ends with 130 and a note, and leaves every file as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from acumen.assessment.trial import LearnerTrial
from acumen.cli import console, main
from acumen.cli.main import run
from ctrl_c_pressed import hears_ctrl_c, stopped

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

# Says when the solver has begun a fit that never ends, so that Ctrl-C comes while it is at work and not before.
TELLING = """
import dataclasses, sys
from acumen.svm import classify
left, real = int(sys.argv.pop(1)), classify.fit
def telling(wishes, table, *rest):
    global left
    left -= 1
    if not left:
        never = dict(kernel="linear", C=1e6, tol=1e-13, max_iter=10**9, solver="smo")
        wishes = dataclasses.replace(wishes, **never)
        print("begun", file=sys.stderr, flush=True)
    return real(wishes, table, *rest)
classify.fit = telling
from acumen.svm import learners
if hasattr(learners, "fit"):
    learners.fit = telling
from acumen.cli.main import main
main()
"""

# Ctrl-C at the moment when a module is to be imported.
IMPORTING = """
import os, signal, sys
wanted = sys.argv.pop(1)
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
from acumen.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    """A table on which the solver, asked for more than there is, never comes to an end."""
    folder = tmp_path_factory.mktemp("hard")
    rng = np.random.default_rng(0)
    rows, sides = rng.normal(size=(1200, 20)), rng.integers(0, 2, 1200)
    lines = [",".join([*(f"x{j}" for j in range(20)), "y"])]
    lines += [
        ",".join([*(f"{v:.6f}" for v in row), "ab"[side]]) for row, side in zip(rows, sides, strict=True)
    ]
    (folder / "hard.csv").write_text("\n".join(lines) + "\n")
    return folder


def interrupted(args, endless=1):
    """Ctrl-C while a solver is at a fit that never ends: the first, or a later one."""
    child = subprocess.Popen(
        [sys.executable, "-c", TELLING, str(endless), *map(str, args)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, preexec_fn=hears_ctrl_c, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        line = child.stderr.readline()
        while line and line != "begun\n":
            line = child.stderr.readline()
        assert line == "begun\n"
        time.sleep(
            0.4
        )  # so that it is rather in the kernel; where it is not, Ctrl-C is answered just the same
        out, err = stopped(child)
    finally:
        child.kill()
        child.wait()
    return child.returncode, out, err


@pytest.mark.parametrize("command", ["learn", pytest.param("tune", marks=pytest.mark.slow)])
def test_ctrl_c_in_a_solver_leaves_the_good_model(command, hard, tmp_path):
    model = tmp_path / "good.acm"
    assert run(["learn", "iris", "-o", str(model)]) == 0
    before = model.read_bytes()
    more = ["--grid", "scale=false,true", "--folds", "2", "--threads", "1"] if command == "tune" else []
    asked = [command, hard / "hard.csv", "--target", "y", "--learner", "svm"]
    code, out, err = interrupted([*asked, *more, "-o", model])
    assert code == 130 and out == ""
    assert "acumen: stopped." in err and "Traceback" not in err
    assert model.read_bytes() == before and list(tmp_path.iterdir()) == [model]


@pytest.mark.parametrize(("form", "most"), [([], 2), (["--json"], 2), ([], 1), ([], 0)])
def test_compare_shows_what_is_finished_and_ends_with_130(form, most, tmp_path, monkeypatch, capsys):
    """Ctrl-C when so many learners have been at work and another one is to try its first split."""
    real, at_work = LearnerTrial.step, []

    def stopping(self):
        if self not in at_work:
            at_work.append(self)
        if len(at_work) > most:
            raise KeyboardInterrupt
        return real(self)

    monkeypatch.setattr(LearnerTrial, "step", stopping)
    page = tmp_path / "page.html"
    page.write_text("old")
    asked = [
        "compare",
        "iris",
        "--learners",
        "one-r,naive-bayes",
        "--folds",
        "2",
        "--repeats",
        "1",
        "--report",
        page,
    ]
    assert run([*map(str, asked), *form]) == 130
    out, err = capsys.readouterr()
    if most == 0:  # nobody has finished
        assert out == "" and err.endswith("acumen: stopped.\n")
    else:
        assert "Majority" in out and "stopped before all was finished" in out
        assert "acumen: stopped; showing the finished part. No report was written." in err
    assert page.read_text() == "old"


@pytest.mark.slow
def test_ctrl_c_in_a_solver_ends_compare_and_its_learner_does_not_count(hard):
    slow = [
        "compare",
        hard / "hard.csv",
        "--target",
        "y",
        "--learners",
        "svm",
        "--folds",
        "5",
        "--repeats",
        "20",
    ]
    code, out, err = interrupted([*slow, "--json"], endless=3)
    assert code == 130 and "Traceback" not in err
    assert '"Majority"' in out and "stopped before all was finished" in out
    assert '"learner": "SVM' in out and "2 of 5 splits" in out


@pytest.mark.parametrize(
    "module", ["acumen.cli.main", "click", "acumen.cli.console", "acumen.cli.learn", "numpy", "sklearn.base"]
)
def test_ctrl_c_at_start_up_is_a_note(module, tmp_path):
    asked = [module, "learn", "iris", "-o", str(tmp_path / "model.acm")]
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, *asked],
        capture_output=True, text=True, check=False, preexec_fn=hears_ctrl_c,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "") and "Traceback" not in done.stderr
    *said, last = done.stderr.splitlines()
    assert last == "acumen: stopped."
    # Of the table, where it has been read already.
    assert all(line.startswith("acumen: warning: ") for line in said)
    assert not list(tmp_path.iterdir())


def test_nothing_is_imported_before_ctrl_c_has_its_answer():
    loads = (
        "import sys; old = set(sys.modules); import acumen.__main__; print(*sorted(set(sys.modules) - old))"
    )
    done = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["acumen", "acumen.__main__"]


def test_ctrl_c_that_is_ignored_stays_ignored(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING, "click", "datasets"], capture_output=True, text=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "") and "iris" in done.stdout


# Ctrl-C at the n-th line of what runs before and behind the command itself; how many there are, where it never comes.
AT_A_LINE = """
import os, signal, sys
left, lines = int(sys.argv.pop(1)), -1  # the first line is a bare `try:`, at which Python never looks for signals
from acumen.__main__ import main
def line(frame, event, what):
    global lines
    if event == "line":
        lines += 1
        if lines == left + 1:
            os.kill(os.getpid(), signal.SIGINT)
    return line
def call(frame, event, what):
    ours = frame.f_globals["__name__"] in ("acumen.__main__", "acumen.cli.main")
    return line if ours and frame.f_code.co_name == "main" else None
sys.settrace(call)
try:
    main()
finally:
    sys.settrace(None)
    if lines <= left:
        print(lines, file=sys.stderr)
"""


def test_ctrl_c_at_every_line_around_a_command_is_a_note_or_comes_too_late():
    def at(line):
        done = subprocess.run(
            [sys.executable, "-c", AT_A_LINE, str(line), "datasets"],
            capture_output=True, text=True, check=False, preexec_fn=hears_ctrl_c,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    code, whole, lines = at(10_000)
    assert code == 0 and "iris" in whole and int(lines) > 10
    ends = [at(line) for line in range(int(lines))]
    early = ends.index((0, whole, ""))  # the command is done by then
    assert ends == [(130, "", "acumen: stopped.\n")] * early + [(0, whole, "")] * (len(ends) - early)
    assert early > 5


def test_an_error_that_a_library_makes_of_ctrl_c_is_a_stop(monkeypatch, capsys):
    def loading(argv):
        try:
            console.on_interrupt(signal.SIGINT, None)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None

    monkeypatch.setattr(console, "_PRESSED", [])
    monkeypatch.setattr(
        main, "_call", lambda argv: (_ for _ in ()).throw(ImportError("initialization failed"))
    )
    assert main.run(["datasets"]) == console.FAULT
    monkeypatch.setattr(main, "_call", loading)
    assert main.run(["datasets"]) == console.STOPPED
    assert capsys.readouterr().err.splitlines()[-1] == "acumen: stopped."
