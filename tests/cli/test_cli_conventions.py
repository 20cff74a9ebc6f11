"""What every command keeps to: exit codes, streams, sentences, no traceback, little imported."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading

import click
import pytest
from sklearn.exceptions import ConvergenceWarning

import acumen
from acumen.cli import console
from acumen.cli.main import COMMANDS, SECTIONS, cli, run
from acumen.errors import DataError, MissingExtra, ModelFileError, ParameterError, SchemaMismatch

START = [sys.executable, "-c", "from acumen.cli.main import main; main()"]


def start(*args, **more):
    return subprocess.run([*START, *args], capture_output=True, text=True, timeout=500, check=False, **more)


def failing(monkeypatch, error):
    """A command that raises."""

    @click.command()
    def broken():
        raise error

    module = type(sys)("acumen_test_broken")
    module.broken = broken
    monkeypatch.setitem(sys.modules, "acumen_test_broken", module)
    monkeypatch.setitem(COMMANDS, "broken", ("acumen_test_broken:broken", "Breaks."))


def test_the_package_runs_as_the_command():
    args = {"capture_output": True, "text": True, "timeout": 120, "check": False}
    done = subprocess.run([sys.executable, "-m", "acumen", "datasets"], **args)
    assert done.returncode == 0 and done.stdout == start("datasets").stdout
    wrong = subprocess.run([sys.executable, "-m", "acumen", "show", "no-such.acm"], **args)
    assert wrong.returncode == start("show", "no-such.acm").returncode != 0
    assert "Traceback" not in wrong.stderr


def test_help_lists_every_command_and_imports_next_to_nothing():
    code = (
        "import sys\nfrom acumen.cli.main import run\nassert run(['--help']) == 0\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'rich', 'pandas', 'narwhals', 'acumen._native'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=500
    )
    assert done.stderr.strip() == "[]"
    for name, (_, line) in COMMANDS.items():
        assert name in done.stdout and line.split()[0] in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_takes_debug(name, capsys):
    assert run([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Usage: acumen " + name in out and "--debug" in out


def test_help_lists_every_command_in_one_section():
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(COMMANDS)


def test_nothing_said_is_help(capsys):
    assert run([]) == 0
    assert "From a file to a decision:" in capsys.readouterr().out


def test_version(capsys):
    assert run(["--version"]) == 0
    assert acumen.__version__ in capsys.readouterr().out


def test_a_mistyped_command_is_usage_and_guessed(capsys):
    assert run(["inspct", "iris"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "Did you mean 'inspect'?" in err


@pytest.mark.parametrize(
    "args", [["inspect"], ["inspect", "iris", "--jsn"], ["--nonsense"], ["datasets", "surplus"], ["--debug"]]
)
def test_wrong_usage_exits_2_and_points_to_help(args, capsys):
    assert run(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and "--help" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DataError("the data is odd."), 3),
        (SchemaMismatch("the schemas differ."), 3),
        (FileNotFoundError(2, "No such file or directory", "x.csv"), 3),
        (PermissionError(13, "Permission denied", "x.csv"), 3),
        (ModelFileError("the file is damaged."), 4),
        (ParameterError("alpha must be at least 0."), 2),
        (MissingExtra("install acumen[arrow]."), 2),
        (MemoryError(), 3),
        (OSError(12, "Cannot allocate memory"), 3),
        (ImportError("_x.so: failed to map segment from shared object"), 3),
        (MemoryError("Unable to allocate 9.00 GiB for an array"), 3),
        (SystemError("<function _find_and_load> returned NULL without setting an exception"), 3),
        (SystemError("<built-in function f> returned NULL without setting an exception"), 70),
        (ZeroDivisionError("division by zero"), 70),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
    ],
)
def test_each_error_has_its_exit_code_and_one_sentence(monkeypatch, capsys, error, code):
    failing(monkeypatch, error)
    assert run(["broken"]) == code
    out, err = capsys.readouterr()
    assert out == "" and "Traceback" not in err
    assert len(err.strip().split("\n")) == 1 and err.startswith("acumen: ")
    assert ("--debug" in err) is (code == 70)


def test_a_memory_shortage_says_what_to_do(monkeypatch, capsys):
    failing(monkeypatch, MemoryError("Unable to allocate 9.00 GiB for an array"))
    run(["broken"])
    err = capsys.readouterr().err
    assert "9.00 GiB" in err and "--column" in err and "--stream" in err


@pytest.mark.serial
@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory")
@pytest.mark.parametrize(
    "args",
    [
        pytest.param(["inspect"], marks=pytest.mark.slow),
        pytest.param(["learn", "--learner", "NaiveBayes"], marks=pytest.mark.slow),
        ["compare", "--folds", "2"],
    ],
)
def test_a_real_memory_shortage_ends_in_a_sentence(tmp_path, args):
    path = tmp_path / "large.csv"
    path.write_text("a,b,class\n" + "".join(f"{i}.5,w{i},{i % 3}\n" for i in range(400_000)))
    limited = (
        "import resource, sys, numpy, click, acumen.data.read, acumen.profiling, acumen.registry\n"
        "import acumen.cli.main, acumen.cli.learn, acumen.cli.compare, acumen.cli.inspect, acumen.bayes, scipy.stats\n"
        "pages = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (pages + (24 << 20),) * 2)\n"
        "from acumen.cli.main import run\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", limited, args[0], str(path), "--target", "class", *args[1:]]
    # What libraries keep for threads of theirs would be memory to be had, the more the more cores there are.
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **alone})
    assert done.returncode == 3, done.stderr
    assert "not enough memory" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("args", [["--debug", "broken"], ["broken", "--debug"]])
def test_debug_shows_where_it_failed(monkeypatch, args):
    failing(monkeypatch, DataError("the data is odd."))
    with pytest.raises(DataError):
        run(args)


def test_messages_are_escaped(monkeypatch, capsys):
    failing(monkeypatch, DataError("column '\x1b[31mred\u202e' is odd."))
    run(["broken"])
    err = capsys.readouterr().err
    assert "\x1b" not in err and "\u202e" not in err and "\\x1b[31m" in err


def test_a_closed_pipe_is_silent():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as gone:
        done = subprocess.run(
            [*START, "datasets"], stdout=gone, stderr=subprocess.PIPE, text=True, timeout=500, check=False
        )
    assert (done.returncode, done.stderr) == (141, "")


def test_a_stream_that_lacks_characters_gets_others():
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = start("inspect", "iris", env=env)
    assert done.returncode == 0 and done.stdout.isascii() and "#" in done.stdout


class Screen(io.StringIO):
    """A stream that says it is a terminal, and tells when something is written."""

    encoding = "utf-8"

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        self.written.set()
        return super().write(text)


def test_work_is_shown_on_a_terminal_and_only_after_a_while(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with console.busy("reading [bold]x[/bold]", after=60):
        pass
    assert screen.getvalue() == ""
    with console.busy("reading [bold]x[/bold]", after=0):
        assert screen.written.wait(300)
    assert "[bold]x[/bold]" in screen.getvalue()


def test_work_is_not_shown_elsewhere(monkeypatch):
    dull = io.StringIO()
    monkeypatch.setattr(sys, "stderr", dull)
    with console.busy("reading", after=0):
        pass
    assert dull.getvalue() == ""


@pytest.mark.parametrize(
    ("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colour_goes_to_terminals_unless_unwanted(monkeypatch, variables, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (console.painter(Screen())("x", "warning") != "x") is coloured
    assert console.painter(io.StringIO())("x", "warning") == "x"


def test_what_is_not_a_terminal_is_80_wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert console.width(io.StringIO()) == 80
    assert console.width(Screen()) == 200


def test_datasets_are_listed(capsys):
    assert run(["datasets"]) == 0
    drawn = capsys.readouterr().out
    assert "iris" in drawn and all(len(line) <= 80 for line in drawn.split("\n"))
    assert run(["datasets", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert {entry["name"] for entry in made["datasets"]} == set(acumen.datasets.names())


def test_the_group_keeps_to_its_table():
    assert cli.list_commands(click.Context(cli)) == list(COMMANDS)


@pytest.mark.filterwarnings("always")
def test_a_warning_is_a_sentence_without_the_place_in_the_code(capsys):
    asked = ["learn", "iris", "--learner", "svm", "--set", "max_iter=1", "--set", "solver=smo"]
    assert run(asked) == 0
    told = capsys.readouterr().err
    said = [
        line for line in told.splitlines() if line.startswith("acumen: warning: SVM: solver='smo' stopped")
    ]
    assert said and "a gap of" in said[0]
    assert ".py" not in told and "ConvergenceWarning" not in told
    with pytest.warns(ConvergenceWarning, match="stopped"):  # as Python has it
        assert run([*asked, "--debug"]) == 0
