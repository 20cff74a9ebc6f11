"""Messages speak of flags at the command line and of parameters in Python, whichever message it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import acumen
from acumen import messages
from acumen.cli.main import run
from acumen.data.request import ReadOptions

SOURCE = Path(acumen.__file__).parent
OPTIONS = (*ReadOptions.__annotations__, "encoding", "delimiter")
#: Where no message for users is made, or only one of the two voices is ever heard.
ONE_VOICE = ("cli", "studio", "voice.py", "checks")
_PARAMETER = re.compile(rf"(?<![\w.(])(?:{'|'.join(OPTIONS)})=(?![=\w]*\()")
_DIALECT = re.compile(r"Dialect\(\w+=")
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def _messages() -> Iterator[tuple[str, int, str]]:
    """Every text in the package that is no documentation: constants, and the constant parts of f-strings."""
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE)
        if place.parts[0] in ONE_VOICE:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documentation = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in documentation
            ):
                yield str(place), node.lineno, node.value


@pytest.mark.slow
def test_no_message_below_the_command_line_writes_an_option_by_hand() -> None:
    by_hand = [
        f"{place}:{line}: {text}"
        for place, line, text in _messages()
        if " " in text.strip() and (_PARAMETER.search(text) or _DIALECT.search(text) or _FLAG.search(text))
        if not re.search(
            r"acumen\.(read|scan)\([^)]*=|<|var\(|:root", text
        )  # Python told as Python; style sheets
        if "--rename" not in text and "--output" not in text  # said by `at_the_command_line` alone
        if "--missing-columns" not in text
        if place not in ("assessment/reproduce.py", "messages.py")  # write Python and flags
    ]
    assert not by_hand, "\n".join(by_hand)


def test_an_option_is_a_parameter_or_a_flag() -> None:
    said = {
        "date_order='dmy'": (messages.option, ("date_order", "dmy"), "--date-order dmy"),
        "missing=": (messages.option, ("missing",), "--missing"),
        "kinds={'a b': 'numeric'}": (messages.option, ("kinds", {"a b": "numeric"}), "--kind 'a b=numeric'"),
        "merge={'net': {'x': 'X', 'y, z': 'X'}}": (
            messages.option, ("merge", {"net": {"x": "X", "y, z": "X"}}), "--merge 'net=X,x,\"y, z\"'",
        ),
        "Dialect(decimal=',')": (messages.dialect, ("decimal", ","), "--decimal ,"),
        "Dialect(header=True)": (messages.dialect, ("header", True), "--header"),
        "Dialect(quote='')": (messages.dialect, ("quote", ""), "--quote ''"),
        "probability=True": (messages.setting, ("probability", True), "--set probability=true"),
    }  # fmt: skip
    for parameter, (say, given, flag) in said.items():
        assert say(*given) == parameter
        with messages.speak_of_flags():
            assert say(*given) == flag
        assert say(*given) == parameter


FILES = {
    "alike": ("net,y\nFibre optic,a\nfiber optic,b\n" + "DSL,a\nDSL,b\n" * 9, "merge"),
    "order": ("d,y\n01/02/2023,a\n03/04/2023,b\n05/06/2023,a\n", "date_order"),
    "decimal": ("p;y\n1.234 €;a\n2.345 €;b\n3.456 €;a\n", "decimal"),
    "tokens": ("p,y\ncar,a\nNone,b\nbus,a\n", "not_missing"),
    "mixed": ("p,y\n1,a\n2,b\n3,a\nfew,b\n4,a\n", "missing"),
    "units": ("p,y\n5 kg,a\n6 lb,b\n7 kg,a\n", "kind"),
    "latin": ("p,y\nGr\xfc\xdfe,a\nb,b\n", "encoding"),
    "lists": ("a,b,c\nb\na,c\na,b,c,d\nb,c\n" * 5, "format"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_a_reader_says_can_be_said_where_it_is_read(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, about = FILES[name]
    path = tmp_path / f"{name}.csv"
    path.write_text(text, encoding="latin-1" if name == "latin" else "utf-8")
    in_python = "\n".join(note.text for note in acumen.read(path).report.warnings)
    run(["inspect", str(path)])
    shown = " ".join(capsys.readouterr().out.split())
    assert re.search(rf"\b{about}s?=", in_python) and "--" not in in_python
    assert f"--{about.replace('_', '-')}" in shown
    assert not _DIALECT.search(shown) and not re.search(rf"\b{about}s?=[^ ]*[{{'.]", shown)


def test_errors_speak_of_flags_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n1,2,u\n3,v\n", encoding="utf-8")
    assert run(["inspect", str(path)]) == 3
    assert "--ragged fill" in capsys.readouterr().err
    with pytest.raises(acumen.errors.DataError, match="ragged='fill'"):
        acumen.read(path)


def test_an_option_that_is_a_switch_is_named_alone_at_the_command_line() -> None:
    assert messages.option("calibrate", True) == "calibrate=True"
    with messages.speak_of_flags():
        assert messages.option("calibrate", True) == "--calibrate"


def test_among_learners_that_are_compared_a_setting_stands_behind_a_name() -> None:
    with messages.speak_of_flags(), messages.settings_behind_names():
        assert messages.setting("shrinkage", 0.1) == "--learners 'LEARNER(shrinkage=0.1)'"
        assert messages.fill_template("say {loss=hinge}") == "say --learners 'LEARNER(loss=hinge)'"
    with messages.settings_behind_names():
        assert messages.setting("shrinkage", 0.1) == "shrinkage=0.1"


def test_what_learners_say_can_be_said_where_they_learn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A flag that the command has: of `learn` a setting, of `compare` one behind the learner's name."""
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c,y\n" + "".join(f"{i % 9},{2 * (i % 9)},{i * i % 7},{'uv'[i % 3 > 0]}\n" for i in range(30))
    )
    run(
        [
            "learn",
            str(path),
            "--target",
            "y",
            "--learner",
            "logistic",
            "--set",
            "penalty=none",
            "-o",
            f"{path}.acm",
        ]
    )
    assert "or use --set penalty=l2." in capsys.readouterr().err
    with pytest.warns(acumen.errors.AcumenWarning, match="or use penalty='l2'"):
        acumen.Logistic(penalty=None).fit(acumen.read(path, target="y"))
    path.write_text("a,b,y\n" + "".join(f"{i % 2},{i % 3},{'uv'[i % 2]}\n" for i in range(40)))
    run(["compare", str(path), "--target", "y", "--learners", "fisher", "--repeats", "1", "--folds", "2"])
    said = " ".join(capsys.readouterr().out.split())
    assert "--learners 'LEARNER(shrinkage=0.1)'" in said and "--set" not in said
