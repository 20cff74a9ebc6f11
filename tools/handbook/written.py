"""What is written by hand about each learner: docs/guide/naive-bayes.toml and its like.

written()     every learner's, by its word            families()    the families, in the guide's order
Written       cost, use, mathematics, example, picture
run           the example tried: what it printed is what it says; and the picture, drawn
"""

from __future__ import annotations

import ast
import doctest
import os
import tempfile
import tomllib
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from acumen.errors import TableWarning
from acumen.registry import Entry, entry

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "guide"
FLAGS = doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Written:
    """One learner; see docs/guide/naive-bayes.toml for the fields in use.

    `cost` and `answer` are what learning and answering one row take, in the letters of `LETTERS`. `variants` are
    settings under which it can do what it cannot with its usual parameters. `picture` is code whose last line is a
    figure, run behind the example; without it, what is usual for its task is drawn.
    """

    kind: str
    family: str
    cost: str
    answer: str
    use: str
    mathematics: str
    sources: tuple[str, ...]
    example: str
    picture: str = ""
    caption: str = ""
    variants: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The example with all that it needs, as doctest reads it."""
        return f">>> import acumen\n{self.example.strip()}"


@dataclass(frozen=True)
class Family:
    """Learners that are told of together."""

    key: str
    title: str
    page: str
    said: str


#: What the letters in costs stand for.
LETTERS = {
    "n": "rows",
    "d": "attributes",
    "K": "classes",
    "k": "clusters, or neighbours",
    "i": "passes",
    "T": "trees, rounds or copies",
    "s": "support vectors, a sample's rows, or subclusters",
    "b": "bins",
    "h": "hidden units of a layer",
    "w": "words of a text",
    "f": "folds, or features",
    "g": "degree",
    "r": "rounds",
    "L": "length of the code",
}


@cache
def written() -> dict[str, Written]:
    """What is written of every learner, by its word."""
    made = {}
    for path in sorted(FOLDER.glob("*.toml")):
        if path.stem == "families":
            continue
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        for name in ("sources", "variants"):
            said[name] = tuple(said.get(name, ()))
        made[path.stem] = Written(kind=path.stem, **said)
    return made


@cache
def families() -> dict[str, Family]:
    made = tomllib.loads((FOLDER / "families.toml").read_text(encoding="utf-8"))
    return {key: Family(key, **said) for key, said in made.items()}


def entry_of(kind: str) -> Entry:
    return entry(kind)


class Untrue(AssertionError):  # noqa: N818 - it says what it is
    """An example printed something else than it says."""


def run(page: Written) -> dict[str, Any]:
    """Try the example, in a folder of its own; the names that it made."""
    test = doctest.DocTestParser().get_doctest(
        page.code + "\n", {}, page.kind, str(FOLDER / f"{page.kind}.toml"), 0
    )
    said: list[str] = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        os.chdir(folder)
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", TableWarning)  # what a card would say of such small tables
        try:
            result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
        finally:
            os.chdir(before)
    if result.failed:
        raise Untrue("".join(said))
    if not any(example.want for example in test.examples):
        raise Untrue(f"{page.kind}: the example prints nothing, so nothing of it is checked.")
    return test.globs


def evaluated(code: str, names: dict[str, Any]) -> Any:
    """What the last line of some code gives."""
    *first, last = ast.parse(code.strip()).body
    assert isinstance(last, ast.Expr), "the last line of a picture's code is a figure"
    exec(compile(ast.Module(first, []), "<picture>", "exec"), names)  # the page's own code
    return eval(compile(ast.Expression(last.value), "<picture>", "eval"), names)
