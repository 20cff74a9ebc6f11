"""docs/documents.md and the public names hold together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.base.learner import Learner
from acumen.registry import entries

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "documents.md").read_text(encoding="utf-8")
CODES = sorted(set(re.findall(r"`([^`]+)`", PAGE)))
LINES = [line for line in PAGE.splitlines() if re.match(r"\| [^|]+ \| [\d, ]+ \|", line)]


def found(path: str) -> Any:
    """What a dotted public name stands for."""
    at: Any = acumen
    for name in path.split("."):
        if at is acumen:
            assert name in acumen.__all__, f"{name} is no public name"
        at = getattr(at, name)
    return at


@pytest.mark.parametrize("code", CODES)
def test_what_stands_in_code_exists_with_its_parameters(code: str) -> None:
    if code.startswith("acumen "):
        from acumen.cli.main import COMMANDS

        assert code.removeprefix("acumen ") in COMMANDS
        return
    name, _, rest = code.partition("(")
    thing = found(name)
    if rest:
        # The page's own code: a learner with its parameters, which are checked as `fit` checks them.
        made = eval(f"thing({rest}", {"thing": thing, "float": float})
        if isinstance(made, Learner):
            made.check_parameters()


def test_pages_that_are_linked_exist_and_are_in_the_contents() -> None:
    contents = (DOCS.parent / "zensical.toml").read_text(encoding="utf-8")
    for page in {*re.findall(r"\]\(([\w-]+\.md)\)", PAGE), "documents.md"}:
        assert (DOCS / page).exists() and page in contents, page


def test_every_technique_has_a_text_and_something_that_has_it() -> None:
    assert len(LINES) > 100
    for line in LINES:
        _, texts, here = (cell.strip() for cell in line.strip("|").split("|", 2))
        assert set(texts.split(", ")) <= set("01234"), line
        assert "`" in here or ".md)" in here, line


def test_every_learner_stands_on_the_page() -> None:
    named = {code.partition("(")[0] for code in CODES}
    missing = sorted({entry.name for entry in entries()} - named)
    assert not missing, f"say on docs/documents.md which technique these are: {missing}"
