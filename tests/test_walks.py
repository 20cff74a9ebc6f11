"""The three walks (an analyst, a student, an engineer) print what their pages show."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "examples" / "walks").glob("*.md"))


def _tool() -> ModuleType:
    described = importlib.util.spec_from_file_location("walks_tool", ROOT / "tools" / "walks.py")
    assert described is not None and described.loader is not None
    made = importlib.util.module_from_spec(described)
    described.loader.exec_module(made)
    return made


WALKS = _tool()


def test_there_is_a_walk_for_each_of_the_three() -> None:
    assert [page.stem for page in PAGES] == ["analyst", "engineer", "student"]
    for page in PAGES:
        assert len(WALKS.steps(page.read_text(encoding="utf-8"))) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_walk_prints_what_its_page_shows(page: Path, tmp_path: Path) -> None:
    for step, found in WALKS.walked(page, tmp_path):
        assert step.shown.strip(), step.code
        different = WALKS.differs(step.shown, found)
        assert not different, f"{step.code}\nshows {different!r}, but prints\n{found}"


def test_a_page_that_says_what_is_not_so_is_seen() -> None:
    differs = WALKS.differs
    printed = "one\ntwo, three and four\nin 5.3 ms\nfive\n"
    assert differs(printed, printed) == "" and differs("one\n...\nfive\n", printed) == ""
    assert (
        differs("one\ntwo, ... four\n...\n", printed) == "" and differs("...\nin 9 s\n...\n", printed) == ""
    )
    assert differs("one\ntwo\n...\n", printed) == "two" and differs("one\n", printed).startswith("(more)")
    assert differs("...\nsix\n", printed) == "six" and differs("one\nfive\n", printed) == "five"
    assert differs("one\ntwo, ... six\n...\n", printed) == "two, ... six"
