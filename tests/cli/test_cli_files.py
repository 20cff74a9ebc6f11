"""What commands write: whole or not at all, never over what they read, to devices and pipes as they are."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest

import acumen
from acumen.cli.files import FileIn, FileOut, FilesOut, Guarded
from acumen.cli.main import COMMANDS, cli, run

START = [sys.executable, "-m", "acumen"]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes, links and permissions")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A tree, a table it can be asked of, and costs."""
    folder = tmp_path_factory.mktemp("made")
    acumen.datasets.load("iris").write(folder / "iris.csv")
    assert run(["learn", str(folder / "iris.csv"), "--target", "class", "--learner", "decision-tree",
                "-o", str(folder / "tree.acm")]) == 0  # fmt: skip
    assert run(["learn", str(folder / "iris.csv"), "--target", "class", "--learner", "ripper",
                "-o", str(folder / "rules.acm")]) == 0  # fmt: skip
    assert run(["learn", str(folder / "iris.csv"), "--target", "class", "--learner", "additive",
                "-o", str(folder / "shapes.acm")]) == 0  # fmt: skip
    plan = ["parts", "plan", str(folder / "iris.csv"), "--target", "class", "-o", str(folder / "iris.json")]
    assert run(plan) == 0
    assert run(["parts", "summarise", str(folder / "iris.csv"), "--plan", str(folder / "iris.json"),
                "-o", str(folder / "iris.sum")]) == 0  # fmt: skip
    names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    lines = [",".join(["", *names]), *(",".join([a, *(str(int(a != b)) for b in names)]) for a in names)]
    (folder / "costs.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def place(made, tmp_path):
    for file in made.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path


#: Every command that writes: its words, the option that says where, and the inputs it must not overwrite.
WRITERS = {
    "learn": (["learn", "DATA", "--target", "class", "--costs", "COSTS"], "-o", ["DATA", "COSTS"]),
    "predict": (["predict", "MODEL", "DATA"], "-o", ["DATA", "MODEL"]),
    "tune": (["tune", "DATA", "--target", "class", "--grid", "alpha=1,2", "--folds", "2", "--costs", "COSTS"],
             "-o", ["DATA", "COSTS"]),
    "curve": (["curve", "roc", "MODEL", "DATA"], "-o", ["DATA", "MODEL"]),
    "compare": (["compare", "DATA", "--target", "class", "--learners", "one-r", "--folds", "2", "--repeats", "1",
                 "--costs", "COSTS"], "--report", ["DATA", "COSTS"]),
    "inspect": (["inspect", "DATA"], "--html", ["DATA"]),
    "mine": (["mine", "DATA", "--discretise", "equal-width"], "-o", ["DATA"]),
    "rules edit": (["rules", "edit", "RULES", "--remove", "2"], "-o", ["RULES"]),
    "shapes edit": (["shapes", "edit", "SHAPES", "--remove", "petal_width"], "-o", ["SHAPES"]),
    "show": (["show", "MODEL"], "--svg", ["MODEL"]),
    "cluster": (["cluster", "DATA", "--n-clusters", "2"], "--labels", ["DATA"]),
    "complete": (["complete", "DATA", "--learner", "baseline", "--max-iter", "1"], "--report", ["DATA"]),
    "parts plan": (["parts", "plan", "DATA", "--target", "class"], "-o", ["DATA"]),
    "parts summarise": (["parts", "summarise", "DATA", "--plan", "PLAN"], "-o", ["DATA", "PLAN"]),
    "parts merge": (["parts", "merge", "SUMMARY"], "-o", ["SUMMARY"]),
    "decide": (["decide", "MODEL", "DATA", "--capacity", "5", "--positive-class", "Iris-setosa"], "--svg",
               ["DATA", "MODEL"]),
}  # fmt: skip
FILES = {
    "DATA": "iris.csv", "MODEL": "tree.acm", "RULES": "rules.acm", "SHAPES": "shapes.acm", "COSTS": "costs.csv",
    "PLAN": "iris.json", "SUMMARY": "iris.sum",
}  # fmt: skip


def words(name, place):
    return [str(place / FILES[word]) if word in FILES else word for word in WRITERS[name][0]]


def test_every_command_that_writes_is_among_those_tried():
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in COMMANDS}
    for group in [name for name, command in commands.items() if isinstance(command, click.Group)]:
        under = commands.pop(group).commands
        commands.update((f"{group} {name}", command) for name, command in under.items())
    for name, command in commands.items():
        assert isinstance(command, Guarded), name
        for param in command.params:
            if param.metavar in ("FILE", "MODEL", "DATA"):
                assert isinstance(param.type, FileIn), (name, param.name)
        # Several files at once are told about in the command's own tests.
        kinds = [param.type for param in command.params if not isinstance(param.type, FilesOut)]
        writes = any(isinstance(kind, FileOut) for kind in kinds)
        assert writes == (name in WRITERS or name == "label")  # which goes on with the file it wrote before


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("spelled", ["same", "symlink", "hard link", "other path"])
def test_no_output_takes_the_place_of_an_input(name, spelled, place, capsys):
    for what in WRITERS[name][2]:
        file = place / FILES[what]
        before = file.read_bytes()
        output = {"same": file, "other path": place / "." / ".." / place.name / file.name}.get(spelled)
        if output is None:
            output = place / f"{what}.link"
            (output.symlink_to if spelled == "symlink" else output.hardlink_to)(file)
        assert run([*words(name, place), WRITERS[name][1], str(output)]) == 2
        said = capsys.readouterr().err
        called = "MODEL" if what in ("RULES", "SHAPES") else what
        assert f"is also {called}" in said or f"is also --{called.lower()}" in said
        assert file.read_bytes() == before
    assert not list(place.glob(".acumen-*"))


def test_stdin_and_stdout_are_looked_at_too(place):
    data, model = place / "iris.csv", place / "tree.acm"
    before = data.read_bytes()
    with data.open("rb") as given:
        done = subprocess.run(
            [*START, "predict", model, "-", "-o", data],
            stdin=given,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2 and "is also DATA (stdin)" in done.stderr and data.read_bytes() == before
    with data.open("ab") as out:
        done = subprocess.run(
            [*START, "predict", model, data], stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2 and "stdout is also DATA" in done.stderr and data.read_bytes() == before


def test_a_database_is_not_overwritten_by_a_file(place, capsys):
    import sqlite3

    data = place / "t.db"
    with sqlite3.connect(data) as connection:
        connection.execute("CREATE TABLE t (a REAL, b TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "x"), (2, "y")])
    connection.close()
    for spelled in (f"sqlite:///{data}", str(data)):
        assert run(["learn", spelled, "--target", "b", "-o", str(data)]) == 2
        assert "is also DATA" in capsys.readouterr().err
    assert data.read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("name", WRITERS)
def test_a_dash_is_stdout_and_makes_no_file(name, place, monkeypatch, capsysbinary):
    monkeypatch.chdir(place)
    capsysbinary.readouterr()
    assert run([*words(name, place), WRITERS[name][1], "-"]) == 0
    out = capsysbinary.readouterr().out
    begins = {
        "learn": b"PK",
        "tune": b"PK",
        "predict": b"row,prediction\n",
        "curve": b"<svg",
        "mine": b"items,count,support\n",
        "rules edit": b"PK",
        "shapes edit": b"PK",
        "show": b"<svg",
        "decide": b"<svg",
        "cluster": b"row,group\n",
        "parts plan": b"{",
        "parts summarise": b"PK",
        "parts merge": b"PK",
    }
    assert out.startswith(begins.get(name, b"<!"))
    assert not (place / "-").exists()
    assert run([*words(name, place), WRITERS[name][1], "out"]) == 0
    if name not in ("compare", "inspect"):  # pages hold times, and the name they were written under
        assert (place / "out").read_bytes() == out


def test_two_results_do_not_share_stdout(place, capsys):
    assert run(["learn", str(place / "iris.csv"), "--target", "class", "-o", "-", "--json"]) == 2
    assert "-o and --json both write to stdout" in capsys.readouterr().err.replace("--output", "-o")


@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_gets_the_bytes_and_stays_a_pipe(name, place):
    pipe = place / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run([*words(name, place), WRITERS[name][1], str(pipe)]) == 0
    reader.join(300)
    assert got and len(got[0]) > 100
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", WRITERS)
def test_a_device_stays_a_device(name, place):
    assert run([*words(name, place), WRITERS[name][1], os.devnull]) == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)  # noqa: PTH116


def test_stdout_by_its_path_is_written_to_not_replaced(place):
    out = place / "all.txt"
    out.write_text("before\n")
    with out.open("ab") as file:
        done = subprocess.run(
            [*START, "predict", place / "tree.acm", place / "iris.csv", "-o", "/dev/stdout"],
            stdout=file,
            check=False,
        )
    assert done.returncode == 0
    assert out.read_text().startswith("before\nrow,prediction\n")


@pytest.mark.parametrize("name", WRITERS)
def test_a_replaced_file_keeps_its_mode_and_a_folder_is_refused(name, place, capsys):
    old = place / "old"
    old.write_bytes(b"old")
    old.chmod(0o640)
    assert run([*words(name, place), WRITERS[name][1], str(old)]) == 0
    assert stat.S_IMODE(old.stat().st_mode) == 0o640 and old.read_bytes() != b"old"
    assert run([*words(name, place), WRITERS[name][1], str(place)]) in (2, 3, 4)
    assert "is not a plain file" in capsys.readouterr().err
    assert run([*words(name, place), WRITERS[name][1], str(place / "no" / "x")]) in (3, 4)
    said = capsys.readouterr().err
    assert ".part" not in said and "x" in said


def test_predict_leaves_files_beside_its_output_alone(place):
    victim, part = place / "victim", place / "out.csv.part"
    victim.write_text("precious")
    part.symlink_to(victim)
    assert (
        run(["predict", str(place / "tree.acm"), str(place / "iris.csv"), "-o", str(place / "out.csv")]) == 0
    )
    assert part.is_symlink() and victim.read_text() == "precious"
    assert (place / "out.csv").read_text().count("\n") == 151


def test_two_writers_leave_one_whole_file(place):
    out = place / "out.csv"
    starts = [
        subprocess.Popen([*START, "predict", place / "tree.acm", place / "iris.csv", "-o", out, *more])
        for more in ([], ["--probabilities"])
    ]
    assert [each.wait() for each in starts] == [0] * 2
    lines = out.read_text().splitlines()
    assert len(lines) == 151 and len({line.count(",") for line in lines}) == 1
    assert not [file for file in Path(place).iterdir() if "part" in file.name]


def test_a_failure_half_way_leaves_the_old_output(place, capsys):
    out = place / "out.csv"
    out.write_text("old")
    before = sorted(file.name for file in place.iterdir())
    assert run(["predict", str(place / "tree.acm"), str(place / "costs.csv"), "-o", str(out)]) == 3
    assert out.read_text() == "old" and sorted(file.name for file in place.iterdir()) == before


# -- streams that are closed --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["datasets", ">&-"], 3, "standard output is closed"),
        (["inspect", "-", "<&-"], 3, "standard input is closed"),
        (["datasets", "<&-"], 0, ""),
        (["datasets", "2>&-"], 0, ""),
        (["nonsense", "2>&-"], 2, ""),
        (["datasets", ">/dev/full"], 3, "there is no disk space left"),
    ],
)
def test_a_closed_or_full_stream_is_a_sentence(words, code, said):
    line = f'"{sys.executable}" -m acumen ' + " ".join(words)
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == code and "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert said in done.stderr and len(done.stderr.splitlines()) == bool(said)


def test_a_file_written_while_stdout_is_closed_holds_nothing_else(place):
    out = place / "out.csv"
    line = f'"{sys.executable}" -m acumen predict {place}/tree.acm {place}/iris.csv -o {out} >&- 2>&- <&-'
    assert subprocess.run(line, shell=True, check=False).returncode == 0
    assert out.read_text().count("\n") == 151
