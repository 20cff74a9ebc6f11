"""A page's code run as its reader would run it, and its function called with what the code made."""

from __future__ import annotations

import ast
import contextlib
import csv
import importlib
import io
import os
import pkgutil
import re
import string
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from acumen.errors import TableWarning
from chapter.data import FOLDER, Page
from chapter.judging import Judged, judge

Numbers = dict[str, Any]

#: What the code of every page begins with, where it needs it.
_HEADS = {"acumen.": "import acumen", "np.": "import numpy as np"}
#: A blank to be filled: [[...]].
BLANK = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


@dataclass(frozen=True)
class Run:
    """What came of a page: its code and output as shown, the numbers, the picture, the judged lines."""

    page: Page
    code: str
    output: str
    numbers: Numbers
    changed: Numbers
    picture: str
    judged: list[Judged]

    def fill(self, said: str, numbers: Numbers | None = None) -> str:
        """A sentence with the numbers put in; every figure that acumen computes comes from there."""
        try:
            filled = said.format_map(self.numbers if numbers is None else numbers)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise ValueError(f"{self.page.id}: {error!r} in: {said}") from error
        return re.sub(r"(\d)%", r"\1 %", re.sub(r"(?<![\w.\[-])-(?=\d)", "−", filled))  # as people write them


@cache
def functions() -> dict[str, Callable[[Any], Numbers]]:
    """Every function of docs/examples/worked, by the name of its id."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    found: dict[str, Callable[[Any], Numbers]] = {}
    for module in pkgutil.iter_modules([str(FOLDER / "worked")]):
        for name, thing in vars(importlib.import_module(f"worked.{module.name}")).items():
            if re.fullmatch(r"W\d{3}_\d\d", name):
                assert name not in found, f"{name} is there twice"
                found[name] = thing
    return found


def run(page: Page) -> Run:
    """Run the page's code in a folder that holds its table, and judge what its function finds."""
    code = "\n".join([*(head for sign, head in _HEADS.items() if sign in page.code), page.code.strip()])
    with _folder_of(page), warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # what a card would say of such small tables
        output, seen = _executed(code)
        numbers = functions()[page.function](SimpleNamespace(**seen))
        changed = change_of(page, seen)
    picture = numbers.pop("picture", None)
    judged = [judge(value, numbers, page.tolerance) for value in page.values]
    drawn = picture._repr_svg_() if picture is not None else bars(page, judged)
    return Run(page, code, output, numbers, changed, drawn, judged)


def change_of(page: Page, seen: dict[str, Any]) -> Numbers:
    """The numbers of "Change one thing": its code, run after the page's own; nothing else may be in the sentence."""
    numpy_and_acumen = {"np": np, "acumen": importlib.import_module("acumen")}
    made = {**numpy_and_acumen, **seen}
    exec(compile(page.changed, f"<change of {page.id}>", "exec"), made)
    assigned = {name.id for name in ast.walk(ast.parse(page.changed)) if _is_assigned(name)}
    return {name: made[name] for name in assigned if name in made}


def _is_assigned(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def asked_in(sentence: str) -> set[str]:
    """The names of the numbers that a sentence shows."""
    fields = [field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None]
    return {re.split(r"[.\[]", field)[0] for field in fields}


def difference(page: Page, run: Run) -> list[str]:
    """Numbers that the page's function has by another road, and that are not those of the changed code."""
    return [
        name
        for name in asked_in(page.change) & set(run.numbers)
        if not _same(run.numbers[name], run.changed[name])
    ]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return str(one) == str(other)
    mine, theirs = (np.ravel(np.asarray(each, dtype=float)) for each in (one, other))
    shown = min(len(mine), len(theirs))  # a list may go on beyond what the sentence shows
    return bool(np.allclose(mine[:shown], theirs[:shown], rtol=1e-6, atol=1e-9))


def _executed(code: str) -> tuple[str, dict[str, Any]]:
    """What the code shows, statement by statement as a notebook would, and the names it made."""
    seen: dict[str, Any] = {}
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), np.printoptions(precision=8, suppress=False):
        for node in ast.parse(code).body:
            if isinstance(node, ast.Expr):
                made = eval(
                    compile(ast.Expression(node.value), "<page>", "eval"), seen
                )  # the page's own code
                if made is not None:
                    print(str(made) if isinstance(made, (np.ndarray, np.generic, str)) else repr(made))
            else:
                exec(compile(ast.Module([node], []), "<page>", "exec"), seen)
    said = re.sub(
        r"np\.\w+\(((?:[^()]|\([^()]*\))*)\)", r"\1", shown.getvalue()
    )  # numbers as people write them
    return "\n".join(line.rstrip() for line in said.rstrip().splitlines()), seen


@contextlib.contextmanager
def _folder_of(page: Page) -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        if page.table:
            (Path(folder) / f"{page.id}.csv").write_text(as_csv(page.table), encoding="utf-8")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def as_csv(table: dict[str, Any]) -> str:
    """A page's own table as delimited text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table["columns"])
    writer.writerows(table["rows"])
    return text.getvalue()


def bars(page: Page, judged: list[Judged]) -> str:
    """The picture of a page that draws none of its own: ours as bars, the printed figures as strokes."""
    from acumen.render.bars_plot import Bar, BarsFigure

    drawn = [Bar(each.value.label, each.ours, True, each.printed) for each in judged]
    printed = any(np.isfinite(each.printed) for each in judged)
    return BarsFigure(drawn, "value", page.title, mark="as printed" if printed else "")._repr_svg_()
