"""What is written by hand about each worked example: docs/examples/W000-05.toml and its like."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "examples"

#: The marks, in the words of a page; the first four come of printed numbers, the next two of formulas alone.
STATUSES = {
    "confirmed": "the printed numbers are correct",
    "rounding chain": "the printed numbers follow only if intermediate results are rounded",
    "wrong": "the text is wrong",
    "formula wrong": "the formula is wrong as printed",
    "formula holds": "the formula is correct",
    "underdetermined": "the text does not say enough to compute it",
}
DOCUMENTS = {
    "000": "Data mining and machine learning (slides)",
    "001": "Foundations of machine learning (lecture notes)",
    "002": "Supervised learning (slides)",
    "003": "Classification (handout)",
    "004": "Linear classification (slides)",
}
LEVELS = {1: "easy", 2: "medium", 3: "hard"}


@dataclass(frozen=True)
class Value:
    """A line of the table of three: its name among the numbers, what it is, as printed, exactly, and how it is judged.

    `printed` is text of the document, "" where it has none, or "=name" where the printed formula is computed.
    `exact` is an expression (1/62, sqrt(0.965)), digits found independently, or a range (0.18..0.29). `how` is the
    name of the number that rounded intermediates give, or a tolerance (±0.0015) for figures of a stopped solver.
    """

    name: str
    label: str
    printed: str = ""
    exact: str = ""
    how: str = ""


@dataclass(frozen=True)
class Page:
    """One worked example; see docs/examples/W000-05.toml for each field in use.

    `changed` is code that goes on from `code`: it computes through acumen every number that the sentence `change`
    shows, and asserts what the sentence says in words.
    """

    id: str
    title: str
    lines: str
    method: str
    level: int
    status: str
    story: str
    question: str
    steps: list[tuple[str, str]]
    code: str
    values: list[Value]
    change: str
    changed: str
    data: str = ""
    table: dict[str, Any] = field(default_factory=dict)
    caption: str = ""
    mistake: tuple[str, str] = ("", "")
    missing: str = ""
    tolerance: float = 1e-9

    @property
    def document(self) -> str:
        """The document's number, as in the id."""
        return self.id[1:4]

    @property
    def function(self) -> str:
        """The name of the page's function, and of its test behind `test_`."""
        return self.id.replace("-", "_")


@dataclass(frozen=True)
class Method:
    """A way of classifying, its learner and its page in the guide."""

    key: str
    title: str
    names: tuple[str, ...]
    guide: str


def read(path: Path) -> Page:
    """A page from its file."""
    made = tomllib.loads(path.read_text(encoding="utf-8"))
    made["steps"] = [(step[0], step[1]) for step in made["steps"]]
    made["values"] = [Value(*value) for value in made["values"]]
    made["mistake"] = tuple(made.get("mistake", ("", "")))
    return Page(id=path.stem, **made)


@cache
def pages() -> dict[str, Page]:
    """Every page, by its id and in the order of ids."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("W*.toml"))}


@cache
def methods() -> dict[str, Method]:
    """The methods, in the order of docs/examples/methods.toml."""
    made = tomllib.loads((FOLDER / "methods.toml").read_text(encoding="utf-8"))
    return {
        key: Method(key, said["title"], tuple(said["names"]), said["guide"]) for key, said in made.items()
    }


@cache
def path_of_twelve() -> list[tuple[str, str]]:
    """The ids of an afternoon, each with why it comes next."""
    made = tomllib.loads((FOLDER / "afternoon.toml").read_text(encoding="utf-8"))
    return [(step[0], step[1]) for step in made["path"]]
