"""What every page of "Learn by example" must keep, checked with the function that the page itself is made by."""

from __future__ import annotations

import ast
import re
from xml.etree import ElementTree

from chapter import data, running, template

#: What the marks of the lines may be, by the mark of the page; and which of them there must be.
ALLOWED: dict[str, tuple[set[str], set[str]]] = {
    "confirmed": ({"confirmed", ""}, {"confirmed"}),
    "rounding chain": ({"confirmed", "rounding chain", ""}, {"rounding chain"}),
    "wrong": ({"confirmed", "rounding chain", "wrong", ""}, {"wrong"}),
    "formula wrong": ({"formula wrong", "formula holds", "confirmed", ""}, {"formula wrong"}),
    "formula holds": ({"formula holds", ""}, set()),
    "underdetermined": ({"confirmed", "inside", ""}, set()),
}


def held(id: str) -> None:
    """Run a page: its numbers are exact, its mark follows from them, and nothing of the template is missing."""
    page = data.pages()[id]
    run = running.run(page)
    assert run.judged, "a page shows at least one number"
    for line in run.judged:
        assert line.holds, f"{line.value.name}: {line.ours} is not {line.value.exact}"
        assert line.value.exact, f"{line.value.name} has nothing to be held against"
    marks = {line.mark for line in run.judged}
    allowed, needed = ALLOWED[page.status]
    assert marks <= allowed and needed <= marks, [(line.value.name, line.mark) for line in run.judged]
    assert bool(page.missing) == (page.status == "underdetermined"), (
        "what is missing is said, where something is"
    )
    assert bool(page.mistake[0]) == (page.status in ("wrong", "formula wrong")), "mistakes are to be found"
    assert sum(len(running.BLANK.findall(said)) for said, _ in page.steps) == 1, "one blank to fill"
    assert all(why for _, why in page.steps) and page.change
    lines = [line for line in page.code.strip().splitlines() if not line.startswith(("from ", "import "))]
    assert len(lines) <= 6 and "acumen" in run.code and run.output, "a few lines of acumen, and what they say"
    assert ElementTree.fromstring(run.picture).tag.endswith("svg")
    changes_hold(page, run)
    made = template.page_of(run)
    for part in (run.code, run.output, page.changed.strip()):
        made = made.replace(part, "")
    assert made.startswith(f"# {id}: ") and "{" not in made


def changes_hold(page: data.Page, run: running.Run) -> None:
    """ "Change one thing" is computed: through acumen, every number of it, and as the page's function has it."""
    shown = running.asked_in(page.change)
    assert shown <= set(run.changed), f"not computed: {shown - set(run.changed)}"
    assert shown or "assert " in page.changed, "a change is computed or asserted"
    assert acumen_used(page, run), "the change is computed through acumen"
    assert not running.difference(page, run), [
        (name, run.numbers[name], run.changed[name]) for name in running.difference(page, run)
    ]


def acumen_used(page: data.Page, run: running.Run) -> bool:
    """Whether the code of a change calls acumen, or what the page's own code has of it."""
    imported = re.findall(r"from acumen[\w.]* import ([\w, ]+)", page.code + "\n" + page.changed)
    names = {"acumen", *(name.strip() for each in imported for name in each.split(","))}
    for node in ast.parse(run.code).body:  # what comes of acumen is acumen's too
        used = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        if names & {each.id for each in used}:
            names |= {each.id for each in used if isinstance(each.ctx, ast.Store)}
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(ast.parse(page.changed)))
