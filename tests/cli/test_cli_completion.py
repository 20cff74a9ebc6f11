"""Completion in shells: what may come next, and bash, zsh and fish themselves where they are installed."""

from __future__ import annotations

import gzip
import importlib.util
import os
import pty
import select
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.cli.completing import FILES, candidates
from acumen.cli.completion import answers, taken_apart
from acumen.cli.headings import headings
from acumen.cli.main import COMMANDS, cli, run

ROOT = Path(__file__).resolve().parents[2]
BREAKS = " \t\n\"'><=;|&(:"


def words(line: str) -> list[str]:
    """The candidates for the last word of a line."""
    *before, incomplete = line.split(" ")
    return [each.word for each in candidates(before, incomplete)]


# -- what may come next ---------------------------------------------------------------------------


def test_commands_come_first() -> None:
    assert words("") == list(COMMANDS)
    assert words("le") == ["learn", "learners"]
    assert words("--debug insp") == ["inspect"]
    assert "--version" in words("--") and "--debug" in words("--")
    assert words("rules ") == ["edit", "report"]
    assert words("no-such-command ") == []


def test_options_are_those_of_the_command_and_not_those_given_already() -> None:
    assert words("learn iris --lea") == ["--learner"]
    assert words("learn iris --learner svm --lea") == []
    assert words("learn iris --set C=1 --se") == ["--set"]  # may be repeated
    assert "--whole" in words("learn iris --") and "--stream" in words("learn iris --")
    assert words("rules edit m.acm --sim") == ["--simplify"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_every_command_is_completed(name: str) -> None:
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    every = {opt for p in command.params for opt in (*p.opts, *p.secondary_opts) if opt.startswith("--")}
    assert every | {"--help"} == set(words(f"{name} --"))


def test_values_are_learners_parameters_and_choices() -> None:
    assert words("learn iris --learner dec") == ["decision-tree"]
    assert words("learn iris --learner=dec") == ["--learner=decision-tree"]
    assert words("learn iris --learner b")[0] == "best"
    assert words("cluster iris --learner k-m") == ["k-means", "k-medoids", "k-modes"]
    assert words("learn iris --learner decision-tree --set mea") == ["measure="]
    assert words("learn iris --learner decision-tree --set measure=gin") == ["measure=gini"]
    assert words("learn iris --set smooth_only_zeros=") == [
        "smooth_only_zeros=true",
        "smooth_only_zeros=false",
    ]
    assert words("tune iris --learner svm --grid kernel=linear,r") == ["kernel=linear,rbf"]
    assert words("compare iris --learners svm,decision-t") == ["svm,decision-tree"]
    assert "svm,svm" not in words("compare iris --learners svm,svm")
    assert words("compare iris --measure auc")[0].startswith("auc")
    assert words("compare iris --suite q") == ["quick"]
    assert words("learn iris --date-order d") == ["dmy"]
    assert words("curve ro") == ["roc"]
    assert words("learners one-r") == ["one-r"]
    assert words("completion f") == ["fish"]


def test_data_is_a_built_in_table_or_a_file() -> None:
    assert words("learn loan") == ["loan", "loan-b", ""] and candidates(["learn"], "loan")[-1] == FILES
    assert candidates(["predict"], "") == [FILES]
    assert words("predict m.acm wea")[:2] == ["weather", "weather-nominal"]
    assert candidates(["learn", "iris", "-o"], "") == [FILES]
    assert words("learn iris --no-h") == ["--no-header"] and words("learn iris -- ") == []


def test_columns_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("age;Own house;churned\n1;2;3\n", encoding="utf-8")
    line = ["inspect", str(path)]
    assert [each.word for each in candidates([*line, "--target"], "")] == ["age", "Own house", "churned"]
    assert [each.word for each in candidates([*line, "--ignore", "age", "--weight"], "O")] == ["Own house"]
    assert [each.word for each in candidates([*line, "--kind"], "a")] == ["age="]
    assert [each.word for each in candidates([*line, "--kind"], "age=n")] == ["age=numeric", "age=nominal"]
    assert words("inspect iris --target petal") == ["petal_length", "petal_width"]
    assert words("inspect no-such.csv --target ") == []


# -- headings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.csv", "a,b c,d\n1,2,3\n", ["a", "b c", "d"]),
        ("a.csv", '\ufeff"a,b",c\n1,2\n', ["a,b", "c"]),
        ("a.tsv", "a\tb\n1\t2\n", ["a", "b"]),
        ("a.txt", "a b\n1 2\n", ["a", "b"]),
        ("a.csv", "# a note\n\nx|y\n1|2\n", ["x", "y"]),
        ("a.csv", "1,2\n3,4\n", []),
        ("a.csv", "", []),
        ("a.arff", "@relation r\n@ATTRIBUTE 'my own' numeric\n@attribute k {a,b}\n@data\n", ["my own", "k"]),
        ("a.jsonl", '{"a": 1, "b": 2}\n', ["a", "b"]),
        ("a.json", '\n[\n {"a": 1,\n  "b": 2}]\n', ["a", "b"]),
        ("a.json", "[]\n", []),
        ("a.jsonl", "no json\n", []),
        ("a.parquet", "PAR1", []),
    ],
)
def test_headings_of_text(tmp_path: Path, name: str, text: str, names: list[str]) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert headings(str(path)) == names
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert headings(str(packed)) == names


def test_headings_of_a_database_a_folder_and_of_a_delimiter_that_is_said(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "shop.db")
    base.execute('CREATE TABLE "my sales" (id, "unit price")')
    base.commit()
    base.close()
    assert headings(str(tmp_path / "shop.db")) == ["id", "unit price"]
    assert headings(f"sqlite:///{tmp_path}/shop.db") == ["id", "unit price"]
    assert headings(str(tmp_path)) == [] and headings("-") == []
    (tmp_path / "x.csv").write_text("a,b!c\n", encoding="utf-8")
    assert headings(str(tmp_path / "x.csv"), "!") == ["a,b", "c"]
    (tmp_path / "u.csv").write_bytes("ä,b\n".encode("utf-16"))
    assert headings(str(tmp_path / "u.csv")) == ["ä", "b"]


@given(st.binary(max_size=200))
def test_no_file_stops_the_tab_key(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "tab"
    folder.mkdir(exist_ok=True)
    for name in ("x.csv", "x.arff", "x.jsonl", "x.db"):
        (folder / name).write_bytes(data)
        assert isinstance(headings(str(folder / name)), list)


# -- as shells ask --------------------------------------------------------------------------------


def test_a_line_is_taken_apart_as_bash_would() -> None:
    assert taken_apart("acumen learn 'a b' c\\ d \"e")[:3] == (["acumen", "learn", "a b", "c d"], "e", '"')
    assert taken_apart("acumen  learn ")[:2] == (["acumen", "learn"], "")
    assert taken_apart("acumen --set a='b")[1:] == ("a=b", "'", 2)
    assert taken_apart('a "b\\"c\\d" ').words == ["a", 'b"c\\d']


@given(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8), max_size=4))
def test_quoted_words_come_back(given_words: list[str]) -> None:
    import shlex

    line = " ".join(map(shlex.quote, given_words))
    assert taken_apart(line + " ").words == given_words


def test_bash_is_answered_what_it_can_put_there(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("age,Own house,\x1b[31mred\n1,2,3\n", encoding="utf-8")
    begun = f"acumen inspect {path} --target"
    assert list(answers("bash", [f"{begun} ", BREAKS])) == [
        "word\tage\t",
        "word\tOwn\\ house\t",
    ]  # nothing that acts
    assert list(answers("bash", [f'{begun} "O', BREAKS])) == ["word\tOwn house\t"]
    assert list(answers("bash", [f"acumen inspect {path} --kind age=or", BREAKS])) == ["word\tordinal\t"]
    assert list(answers("bash", [f"acumen inspect {path} --kind age=or", ""])) == ["word\tage=ordinal\t"]
    assert list(answers("bash", [f"acumen inspect {path} --kind 'age=or", BREAKS])) == ["word\tage=ordinal\t"]
    assert list(answers("bash", [f"acumen inspect {path} --kind age='or", BREAKS])) == ["open\tordinal\t"]
    assert list(answers("zsh", ["inspect", str(path), "--target", "O"])) == ["word\tOwn house\t"]


def test_completion_imports_next_to_nothing() -> None:
    code = (
        "import sys\nfrom acumen.cli.main import run\n"
        "assert run(['completion', 'bash', '--', 'acumen learn iris --learner svm --set kernel=r', ':=']) == 0\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'rich', 'pandas', 'narwhals', 'acumen._native', 'sqlite3'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=500
    )
    assert done.stderr.strip() == "[]" and done.stdout == "word\trbf\t\n"


def _tool() -> ModuleType:
    described = importlib.util.spec_from_file_location("words_tool", ROOT / "tools" / "words.py")
    assert described is not None and described.loader is not None
    made = importlib.util.module_from_spec(described)
    described.loader.exec_module(made)
    return made


def test_the_table_of_words_is_current() -> None:
    kept = Path(sys.modules["acumen.cli.completing"].__file__ or "").with_name("words.json")
    assert kept.read_text(encoding="utf-8") == _tool().words(), "run PYTHONPATH=src python tools/words.py"


def test_an_unknown_shell_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "fsh"]) == 2
    assert "Did you mean 'fish'?" in capsys.readouterr().err


# -- the shells themselves ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table, the scripts, and an `acumen` that prints the words it is run with."""
    folder = tmp_path_factory.mktemp("shells")
    (folder / "customers.csv").write_text("age,Own house,churned\n1,2,3\n", encoding="utf-8")
    program = folder / "bin" / "acumen"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = completion ]; then exec "{sys.executable}" -m acumen "$@"; fi\n'
        "printf 'GOT'; printf '<%s>' \"$@\"; echo\n"
    )
    program.chmod(0o755)
    for shell in ("bash", "zsh", "fish"):
        made = subprocess.run(
            [sys.executable, "-m", "acumen", "completion", shell], capture_output=True, text=True, check=True
        )
        (folder / f"acumen.{shell}").write_text(made.stdout, encoding="utf-8")
    return folder


def _environment(place: Path) -> dict[str, str]:
    path = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(place), "ZDOTDIR": str(place), "XDG_CONFIG_HOME": str(place), "TERM": "dumb"}
    return {**os.environ, **home, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), "PS1": "> "}


def _typed(place: Path, shell: list[str], setup: list[str], lines: list[str]) -> Iterator[str]:
    """Lines typed at a terminal, \\t for the Tab key; of each what `acumen` was run with."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(place)
        os.execvpe(shell[0], shell, _environment(place))
    try:
        seen = ""

        def until(mark: str) -> str:
            nonlocal seen
            end = time.monotonic() + 400
            while mark not in seen:
                assert time.monotonic() < end and select.select([terminal], [], [], 400)[0], seen
                seen += os.read(terminal, 4096).decode(errors="replace")
            before, _, seen = seen.partition(mark)
            return before

        for command in setup:
            os.write(terminal, f"{command}\n".encode())
        os.write(terminal, b"echo re''ady-now\n")
        until("ready-now")
        for line in lines:
            os.write(terminal, f"{line}\n".encode())
            until("GOT")
            yield until("\r")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


LINES = {
    "acumen insp\t": "<inspect>",
    "acumen inspect cust\t--targ\tOwn\t": "<inspect><customers.csv><--target><Own house>",
    "acumen learn iris --learner decision-t\t--set meas\tgin\t": (
        "<learn><iris><--learner><decision-tree><--set><measure=gini>"
    ),
    "acumen inspect customers.csv --kind chur\tordi\t": "<inspect><customers.csv><--kind><churned=ordinal>",
}


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_completes_what_is_typed(place: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    start = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
    setup = {
        "bash": ["bind 'set bell-style none'", "source ./acumen.bash"],
        "zsh": ["PS1='> '", "autoload -U compinit; compinit -u -D", "source ./acumen.zsh"],
    }[shell]
    assert list(_typed(place, start, setup, list(LINES))) == list(LINES.values())


def test_fish_completes_what_is_typed(place: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("there is no fish here")

    def asked(line: str) -> list[str]:
        script = f"source acumen.fish; complete -C {line!r}"
        ran = subprocess.run(
            ["fish", "--no-config", "-c", script],
            cwd=place, env=_environment(place), capture_output=True, text=True, check=True, timeout=500,
        )  # fmt: skip
        return [each.partition("\t")[0] for each in ran.stdout.splitlines()]

    assert asked("acumen insp") == ["inspect"]
    assert "customers.csv" in asked("acumen inspect cust")
    assert asked("acumen inspect customers.csv --target ") == ["age", "churned", "Own house"]
    assert asked("acumen learn iris --learner decision-tree --set measure=gin") == ["measure=gini"]
    assert asked("acumen learn iris --learner decision-tree --set mea") == ["measure="]
