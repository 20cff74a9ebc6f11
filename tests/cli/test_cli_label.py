"""`acumen label`: what is said at the terminal is kept at once, can be taken back, and is gone on with."""

from __future__ import annotations

import csv
import io
import os
import re
import select
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.cli.main import run

START = [sys.executable, "-c", "from acumen.cli.main import main; main()"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Forty rows in two heaps; `kind` is known of four of them."""
    rng = np.random.default_rng(0)
    lines = ["x,y,colour,kind"]
    for i in range(40):
        at = 10.0 * (i % 2)
        known = ("cold", "hot")[i % 2] if i < 4 else ""
        lines.append(f"{at + rng.normal():.3f},{rng.normal():.3f},{('red', 'blue')[i % 3 == 0]},{known}")
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rows.csv"


class Typed(io.StringIO):
    """Answers at a terminal; `end` is raised where they end."""

    def __init__(self, lines, end=None):
        super().__init__("".join(f"{line}\n" for line in lines))
        self.end = end

    def isatty(self):
        return True

    def readline(self, size=-1):
        line = super().readline(size)
        if not line and self.end is not None:
            raise self.end
        return line


@pytest.fixture
def label(table, monkeypatch, capsys):
    def say(*lines, args=(), end=None, piped=False, target=("--target", "kind")):
        stream = Typed(lines, end)
        if piped:
            stream.isatty = lambda: False
        monkeypatch.setattr(sys, "stdin", stream)
        code = run(["label", "rows.csv", *target, "-o", "labels.csv", *args])
        got = capsys.readouterr()
        return code, got.err

    return say


def kept():
    with Path("labels.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def answers():
    return [(int(line["row"]), line["kind"]) for line in kept() if line["row"]]


def asked(text):
    """The rows that were shown, in their order."""
    return [int(row) for row in re.findall(r"^row (\d+) \(", text, re.MULTILINE)]


# -- what is said ---------------------------------------------------------------------------------


def test_classes_are_chosen_by_number_by_name_and_whatever_their_case(label):
    code, said = label("1", "hot", "COLD", "q")
    assert code == 0 and "3 labels: saved to labels.csv" in said
    assert answers() == list(zip(asked(said), ["cold", "hot", "cold"], strict=False))
    assert not set(asked(said)) & {1, 2, 3, 4}  # their kind is known
    assert "kind: 1 cold  2 hot ?" in said


def test_a_row_passed_over_is_not_asked_about_again(label):
    _, said = label("s", "skip", "1", "quit")
    assert answers() == list(zip(asked(said), ["", "", "cold"], strict=False))
    _, more = label("q")
    assert not set(asked(more)) & {row for row, _ in answers()}
    assert "Continuing from 1 label." in more


def test_what_is_taken_back_is_asked_again(label):
    _, said = label("1", "2", "u", "u", "u", "q")
    rows = asked(said)
    assert rows[0] == rows[4] and rows[1] == rows[3] and answers() == []
    assert f"Undone: row {rows[1]}." in said and "There is nothing to undo." in said


def test_a_new_class_among_declared_ones_is_said_twice(label):
    _, said = label("midle", "1", "middle", "middle", "=other", "q")
    assert "There is no class 'midle' yet." in said
    assert [label for _, label in answers()] == ["cold", "middle", "other"]
    _, more = label("4", "q")  # the new classes are known from the file
    assert "3 middle" in more and answers()[-1][1] == "other"


def test_classes_that_are_numbers_go_by_their_names(label):
    _, said = label("3", "3", "1", "q", args=["--classes", "1,2"], target=("--target", "grade"))
    assert "grade: 1  2 ?" in said and "no column 'grade', so acumen creates it" in said
    with Path("labels.csv").open(newline="") as file:
        assert [line["grade"] for line in csv.DictReader(file)] == ["3", "1"]


def test_a_class_called_like_a_command_is_the_class_and_the_word_is_written_out(label):
    _, said = label("q", "S", "skip", "a", "undo", "A", "quit", args=["--classes", "q,s,A"])
    assert [label for _, label in answers()] == ["q", "s", "", "A"]
    assert "Here a, q, s is a class; write skip, undo, quit" in said


# -- feedback -------------------------------------------------------------------------------------


def test_what_attributes_are_worth_is_kept_with_the_labels_and_honoured(label):
    code, said = label(
        "f y ignore", "f colour 0.5", "f nowhere use", "f x much", "f", "1", "q", args=["--model", "m.acm"]
    )
    assert code == 0 and "1 label, 2 attributes weighted" in said
    assert [(line["attribute"], line["weight"]) for line in kept()[:2]] == [
        ("y", "ignore"),
        ("colour", "0.5"),
    ]
    assert "there is no attribute 'nowhere'" in said and "must be 'use', 'ignore'" in said
    assert "Use the form f ATTRIBUTE use" in said
    assert acumen.load("m.acm").attribute_weights == {"y": "ignore", "colour": 0.5}
    _, more = label("u", "u", "u", "q", args=["--model", "m.acm"])
    assert "the weight of colour" in more and kept() == []
    assert not acumen.load("m.acm").attribute_weights


def test_an_attribute_is_asked_about_and_answered_without_its_name(label):
    _, said = label("1", "2", "f use", "q", args=["--ask-attribute-every", "2"])
    (name,) = re.findall(r"(\w+) has the largest influence here", said)[:1]
    assert (kept()[2]["attribute"], kept()[2]["weight"]) == (name, "use")
    Path("labels.csv").unlink()
    assert "largest influence" not in label("1", "2", "1", "q", args=["--ask-attribute-every", "0"])[1]


def test_feedback_that_cannot_be_heard_is_refused_and_not_kept(label):
    _, said = label("f y use", "1", "q", args=["--learner", "logistic"])
    assert "Logistic does not accept feedback on attributes" in said
    assert len(kept()) == 1
    _, said = label("f x ignore", "f y ignore", "f colour ignore", "q")
    assert "ignores every attribute" in said and len(kept()) == 3


# -- what is kept ---------------------------------------------------------------------------------


def test_every_answer_is_in_the_file_before_the_next_question(label, monkeypatch):
    seen = []
    real = Typed.readline

    def look(self, size=-1):
        seen.append(len(kept()) if Path("labels.csv").exists() else 0)
        return real(self, size)

    monkeypatch.setattr(Typed, "readline", look)
    label("1", "s", "f y use", "u", "2", "q")
    assert seen == [0, 1, 2, 3, 2, 3]


def test_ctrl_c_keeps_everything_and_says_so(label):
    code, said = label("1", "2", end=KeyboardInterrupt())
    assert code == 130 and "2 labels: saved to labels.csv" in said and "stopped" in said
    assert len(answers()) == 2


def test_ctrl_c_while_an_answer_is_written_waits_until_it_is(label, monkeypatch):
    from acumen.data.out import atomic

    real = atomic.replace_text

    def pressed(*given):
        os.kill(os.getpid(), signal.SIGINT)
        real(*given)

    monkeypatch.setattr(atomic, "replace_text", pressed)
    code, _ = label("1", "2", "1")
    assert code == 130 and len(answers()) == 1


def test_the_model_and_the_labelled_rows_can_be_had(label):
    label("1", "2", "q", args=["--model", "m.acm", "--labelled-rows", "done.csv"])
    rows = acumen.read("done.csv", target="kind")
    assert len(rows) == 6 and acumen.load("m.acm").training_["rows"] == 6
    assert run(["learn", "done.csv", "--target", "kind"]) == 0


def test_labels_never_go_to_rows_they_were_not_given_to(label, table):
    label("1", "2", "q")
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    code, said = label("1")
    assert code == 3 and "is another one by now" in said and len(answers()) == 2


def test_a_file_written_by_somebody_else_meanwhile_is_left_alone(label, monkeypatch):
    real = Typed.readline

    def meddle(self, size=-1):
        line = real(self, size)
        if line == "2\n":
            with Path("labels.csv").open("a") as file:
                file.write("40,cold,,,\n")
        return line

    monkeypatch.setattr(Typed, "readline", meddle)
    code, said = label("1", "2", "1")
    assert code == 3 and "another program changed" in said
    assert Path("labels.csv").read_text().endswith("40,cold,,,\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n1,2\n", "its columns are a, b instead of row, kind"),
        ("row,kind,attribute,weight,check\n99,cold,,,x\n", "about row '99' of 40 rows"),
        ("row,kind,attribute,weight,check\n5,cold\n", "line 2 has 2 cells"),
        ("row,kind,attribute,weight,check\n,,z,use,\n", "names the attribute 'z'"),
        ("row,kind,attribute,weight,check\n,,x,lots,\n", "must be 'use', 'ignore'"),
        ("row,kind,attribute,weight,check\n5,cold,,,nothing\n", "is another one by now"),
        ('row,kind,attribute,weight,check\n5,"cold,,,\n', "cannot be read as CSV"),
    ],
)
def test_a_file_that_holds_something_else_is_refused_and_stays(label, text, why):
    with Path("labels.csv").open("w") as file:
        file.write(text)
    code, said = label("1")
    assert code == 3 and why in said and Path("labels.csv").read_text() == text


# -- where it cannot be used ----------------------------------------------------------------------


def test_answers_may_be_piped_but_silence_is_nobody(label):
    code, _ = label("1", "2", piped=True)
    assert code == 0 and len(answers()) == 2
    code, said = label(piped=True)
    assert code == 2 and "no answers: stdin" in said
    assert label(piped=True, args=["--model", "m.acm"])[0] == 0


def test_what_cannot_be_done_is_said(label, tmp_path, capsys):
    assert run(["label", "-", "-o", "labels.csv"]) == 2
    assert run(["label", "rows.csv", "-o", "-"]) == 2
    assert run(["label", "rows.csv", "-o", "rows.csv"]) == 2
    assert run(["label", "rows.csv", "--learner", "ridge", "-o", "labels.csv"]) == 2
    assert run(["label", "iris", "-o", "labels.csv"]) == 3
    assert run(["label", "rows.csv", "--classes", "a,,b", "-o", "labels.csv"]) == 2
    assert "every row has a label already" in capsys.readouterr().err
    code, said = label("1", args=["--learner", "perceptron", "--strategy", "entropy"])
    assert code == 2 and "needs probabilities" in said
    assert not Path("labels.csv").exists()


def test_a_budget_ends_it_and_so_does_the_last_row(label):
    _, said = label(*["1"] * 50, args=["--budget", "3"])
    assert len(answers()) == 3 and len(asked(said)) == 3
    _, said = label(*["2"] * 50)
    assert len(answers()) == 36 and "There are no more rows to label." in said
    assert label(piped=True)[0] == 0  # nothing was asked, so nobody was missed


def test_what_a_row_holds_cannot_act_on_the_terminal(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text('a,b\n"\x1b[2Jx",1\n"\u202ey",2\nz,3\n', encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", Typed(["=\x1b]0;t\x07", "a", "1", "q"]))
    assert run(["label", "rows.csv", "-o", "labels.csv", "--keep-ids"]) == 0
    said = capsys.readouterr().err
    assert "\x1b[2J" not in said and "\u202e" not in said and "\x1b]" not in said and "\\x1b[2Jx" in said


# -- a terminal -----------------------------------------------------------------------------------


class Terminal:
    """`acumen label` in a terminal of its own."""

    def __init__(self, *args):
        import pty

        self.pid, self.fd = pty.fork()
        if self.pid == 0:  # pragma: no cover - another process
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            home = str(Path(acumen.__file__).resolve().parents[1])  # whatever folder this one is in
            os.execve(sys.executable, [*START, "label", *args], {**os.environ, "PYTHONPATH": home})
        self.seen = ""

    def until(self, pattern, seconds=400):
        """What is shown until the pattern is; what was waited for before is not looked at again."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self.fd], [], [], max(end - time.monotonic(), 0))
            assert ready, f"no {pattern!r} in {self.seen!r}"
            try:
                got = os.read(self.fd, 65536)
            except OSError:  # closed on the other side
                got = b""
            assert got, f"ended before {pattern!r}: {self.seen!r}"
            self.seen += got.decode(errors="replace")
        before, self.seen = self.seen[: found.end()], self.seen[found.end() :]
        return before

    def row(self):
        """The row that is asked about."""
        said = self.until(r"kind: .*\? ")
        return int(re.findall(r"row (\d+) \(", said)[-1])

    def type(self, text):
        os.write(self.fd, text.encode())

    def ended(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return status


@pytest.mark.skipif(sys.platform == "win32", reason="needs terminals")
@pytest.mark.slow
def test_driven_by_a_terminal_stopped_killed_and_gone_on_with(table):
    args = ("rows.csv", "--target", "kind", "--learner", "naive-bayes", "-o", "labels.csv")
    first = Terminal(*args)
    rows = [first.row()]
    for answer in ("1", "hot", "s"):
        first.type(f"{answer}\n")
        rows.append(first.row())
    first.type("u\n")
    assert first.row() == rows[2]
    first.type("f y ignore\n")
    at = first.row()
    first.type("\x03")  # Ctrl-C, as the terminal sends it
    first.until("2 labels, 1 attribute weighted: saved to labels.csv")
    assert os.waitstatus_to_exitcode(first.ended()) == 130
    assert answers() == [(rows[0], "cold"), (rows[1], "hot")]

    second = Terminal(*args)
    second.until("Continuing from 2 labels")
    assert second.row() == at  # the same question again
    second.type("2\n")
    then = second.row()
    os.kill(second.pid, signal.SIGKILL)
    assert os.WTERMSIG(second.ended()) == signal.SIGKILL
    assert answers() == [(rows[0], "cold"), (rows[1], "hot"), (at, "hot")]

    third = Terminal(*args)
    third.until("Continuing from 3 labels")
    assert third.row() == then
    third.type("\x04")  # Ctrl-D ends it like q
    third.until("3 labels, 1 attribute weighted")
    assert os.waitstatus_to_exitcode(third.ended()) == 0
    assert [line["attribute"] for line in kept() if line["attribute"]] == ["y"]
