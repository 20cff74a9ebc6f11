"""One page in Markdown: every worked example is told in the same order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from chapter import data
from chapter.data import DOCUMENTS, LEVELS, STATUSES, Page
from chapter.judging import Judged, calculated
from chapter.running import BLANK, Run
from handbook import reference

#: A table of more rows than this is shown by its first few; the file beside the page has them all.
MOST_ROWS, FEW_ROWS = 20, 6

MARKS = {
    "confirmed": "✓ confirmed",
    "rounding chain": "≈ matches only with intermediate rounding",
    "wrong": "✗ wrong",
    "formula wrong": "✗ wrong as printed",
    "formula holds": "✓ correct formula",
    "inside": "◦ within the range",
    "": "",
}


def page_of(run: Run) -> str:
    """The page of a run."""
    page = run.page
    parts = [
        f"# {page.id}: {page.title}",
        f"*Text {int(page.document)}, {DOCUMENTS[page.document]}, {lines_of(page)} · "
        f"{data.methods()[page.method].title} · {LEVELS[page.level]} · **{page.status}***",
        "## The story",
        run.fill(page.story),
        *_table(page),
        *_studio(page),
        "## The question",
        run.fill(page.question),
        *_mistake(run),
        "## By hand",
        *_steps(run),
        "## In acumen",
        f"```python\n{run.code}\n```",
        f"```text\n{run.output}\n```",
        "## The picture",
        f"![{page.title}](img/{page.id}.svg)",
        *([run.fill(page.caption)] if page.caption else []),
        "## Printed, computed, exact",
        *_three(run),
        "## What if?",
        run.fill(page.change, run.changed),
        folded("The code", f"```python\n{page.changed.strip()}\n```"),
        "## See also",
        *_links(page),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def folded(summary: str, *inside: str) -> str:
    """A part that opens when it is asked for."""
    start = f'<details markdown="1"><summary>{summary}</summary>'
    return "\n\n".join([start, *inside, "</details>"])


def _steps(run: Run) -> list[str]:
    made = []
    for place, (said, why) in enumerate(run.page.steps, start=1):
        blank = BLANK.search(said)
        inside = [run.fill(BLANK.sub(r"**[ \\_\\_\\_\\_ ]**", said))]
        if blank:
            inside.append(folded("Fill in the blank, then look", f"**{run.fill(blank[1])}**"))
        inside.append(folded("Why?", run.fill(why)))
        first = f"Step {place}" + (": your turn" if blank else "")
        made.append(folded(first, *inside))
    return made


def _mistake(run: Run) -> list[str]:
    claim, answer = run.page.mistake
    if not claim:
        return []
    return [
        "## Find the mistake",
        run.fill(claim),
        folded("What is wrong here?", run.fill(answer)),
    ]


def _three(run: Run) -> list[str]:
    page = run.page
    lines = ["| | printed | computed | exact | verdict |", "|---|---|---|---|---|"]
    for each in run.judged:
        cells = (each.value.label, _printed(each), _digits(each.ours), _exact(each), MARKS[each.mark])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    said = f"**{page.status.capitalize()}**: {STATUSES[page.status]}."
    if page.missing:
        said += " " + run.fill(page.missing)
    return ["\n".join(lines), said]


def _printed(each: Judged) -> str:
    if not each.value.printed:
        return "–"
    return f"gives {_digits(each.printed)}" if each.value.printed.startswith("=") else each.value.printed


def _exact(each: Judged) -> str:
    if not each.value.exact:
        return "–"
    if ".." in each.value.exact:
        return "between " + " and ".join(f"{calculated(end):.6g}" for end in each.value.exact.split(".."))
    digits = _digits(each.exact)
    plain = all(sign not in each.value.exact for sign in "/*(")
    return digits if plain else f"{each.value.exact} = {digits}"


def _digits(value: float) -> str:
    if math.isnan(value):
        return "undefined"
    return f"{value:.10g}"


def _table(page: Page) -> list[str]:
    if page.table:
        columns, rows = page.table["columns"], page.table["rows"]
        name = f"[{page.id}.csv](csv/{page.id}.csv)"
    elif page.data:
        columns, rows = built_in(page.data)
        name = f'[{page.data}.csv](csv/{page.data}.csv), or `acumen.datasets.load("{page.data}")`'
    else:
        return []
    most = len(rows) if len(rows) <= MOST_ROWS else FEW_ROWS
    shown = [["", *columns], *([str(i), *map(_cell, row)] for i, row in enumerate(rows[:most], start=1))]
    lines = ["| " + " | ".join(line) + " |" for line in shown]
    lines.insert(1, "|---" * (len(columns) + 1) + "|")
    left = f"the first {most} of {len(rows)} rows" if len(rows) > most else f"{len(rows)} rows"
    return ["\n".join(lines), f"*As CSV: {name} ({left}).*"]


def built_in(name: str) -> tuple[Sequence[str], list[list[Any]]]:
    """The columns and rows of a built-in table, its target last."""
    import acumen

    table = acumen.datasets.load(name)
    target = table.schema.target
    assert target is not None
    columns = [table.column(attribute.name).tolist() for attribute in table.schema.attributes]
    columns.append(table.label_values().tolist())
    names = [*(attribute.name for attribute in table.schema.attributes), target.name]
    return names, [list(row) for row in zip(*columns, strict=True)]


def _cell(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _studio(page: Page) -> list[str]:
    """The command that opens the table in the studio, where this acumen has one."""
    from acumen.cli.main import COMMANDS

    if "studio" not in COMMANDS or not (page.data or page.table):
        return []
    return [f"Open it in the studio:\n\n```sh\nacumen studio {page.data or page.id + '.csv'}\n```"]


def _links(page: Page) -> list[str]:
    every = list(data.pages())
    place = every.index(page.id)
    method = data.methods()[page.method]
    same = [each.id for each in data.pages().values() if each.method == page.method]
    after = same[(same.index(page.id) + 1) % len(same)]
    lines = []
    if place:
        lines.append(f"* previous: {link(every[place - 1])}")
    if place + 1 < len(every):
        lines.append(f"* next: {link(every[place + 1])}")
    if after != page.id:
        lines.append(f"* the same method: {link(after)}")
    stands = reference.places()
    names = ", ".join(
        f"[`acumen.{name}`](../api/{stands[name]})" if name in stands else f"`acumen.{name}`"
        for name in method.names
    )
    told = [f"[{method.title}](../{method.guide})"]
    told += [f"[{name}](../guide/{kinds()[name]}.md)" for name in method.names if name in kinds()]
    lines.append(f"* in the guide: {', '.join(told)}; in Python: {names}")
    lines.append(f"* all examples: [by method](by-method.md#{method.key}), [by document](by-document.md), ")
    lines[-1] += "[by difficulty](by-difficulty.md), [errata](errata.md)"
    lines.append(f"* checked by: `tests/examples/test_document_{page.document}.py`, `test_{page.function}`")
    return ["\n".join(lines)]


@cache
def kinds() -> dict[str, str]:
    """The word of each learner, which its page in the guide is called by."""
    from acumen.registry import entries

    return {entry.name: entry.kind for entry in entries()}


def lines_of(page: Page) -> str:
    """Where in its text an example stands."""
    return f"{'line' if page.lines.isdigit() else 'lines'} {page.lines}"


def link(id: str) -> str:
    """A page's id and title, linked."""
    return f"[{id}: {data.pages()[id].title}]({id}.md)"
