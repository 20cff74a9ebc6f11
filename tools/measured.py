"""Generate the benchmark pages, docs/measured/*.md, from benchmarks/.

python tools/measured.py    every page

Results are written once, in benchmarks/: `RESULTS.md` has one line per family, `results/` has a page per family, and
three more pages compare accuracy. The generated overview repeats `RESULTS.md` and adds every row in which a peer was
faster or a goal was missed, so nothing can be left out.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "benchmarks"
FOLDER = ROOT / "docs" / "measured"
OVERVIEW = "RESULTS.md"
#: The pages of accuracy.
ACCURACY = {
    "accuracy.md": "Error and log loss of forests, boosting and additive models on real files",
    "quinlan.md": "Error of decision trees compared with C4.5",
    "rules.md": "Error and size of rule lists compared with Weka's JRip",
}


def sources() -> dict[str, str]:
    """Each source below benchmarks/ and the name of its page."""
    families = sorted(path.name for path in (SOURCE / "results").glob("*.md"))
    return {**{f"results/{name}": name for name in families}, **{name: name for name in ACCURACY}}


_TIMES = re.compile(r"(?<![\d.])(\d+(?:,\d{3})*(?:\.\d+)?)x")
_SECONDS = re.compile(r"(\d[\d,.]*) (ms|s)\b")
_DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


@dataclass(frozen=True)
class Row:
    """A row of a table of times: its section, its work, how many times faster acumen was, and the goal."""

    section: str
    work: str
    ratios: tuple[float, ...]
    goal: float | None
    said: str

    @property
    def lost(self) -> bool:
        """Whether a peer was faster, by any way of taking the time."""
        return min(self.ratios) < 1

    @property
    def short(self) -> bool:
        """Whether the goal was missed."""
        return self.goal is not None and max(self.ratios) < self.goal


def tables(text: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """The tables of a page: the section each is in, its heads, its rows."""
    section, lines = "", text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("## "):
            section = line[3:].strip()
        if re.fullmatch(r"\|[-:| ]+\|", line) and at:
            rows = []
            for row in lines[at + 1 :]:
                if not row.startswith("|"):
                    break
                rows.append(cells(row))
            yield section, cells(lines[at - 1]), rows


def cells(line: str) -> list[str]:
    """The cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def rows(text: str) -> list[Row]:
    """Every row that says how many times faster acumen was, or what share of another's time it took."""
    made = []
    for section, heads, lines in tables(text):
        for line in lines:
            row = _shares(section, heads, line) or _times(section, heads, line)
            if row is not None:
                made.append(row)
    return made


def _shares(section: str, heads: list[str], line: list[str]) -> Row | None:
    """A row under the head "acumen's wall time / its": beyond 1 the other is faster."""
    first = next((at for at, head in enumerate(heads) if head.startswith("acumen's wall time / ")), None)
    if first is None or not all(line[first:]) or line[0].startswith("acumen"):
        return None
    ratios = tuple(1 / number(cell) for cell in line[first:])
    return Row(section, f"{heads[0]}, compared with {line[0]}", ratios, None, _said(ratios))


def _times(section: str, heads: list[str], line: list[str]) -> Row | None:
    """A row with figures like 3.1x in a column of ratios.

    If they are acumen's time over the other's, as the times in the row show, they are inverted, and so is the goal.
    """
    line = [*line, *[""] * (len(heads) - len(line))]
    named = dict(zip(heads, line, strict=False))
    said = [
        cell for head, cell in named.items() if head in ("ratio", "faster", "times", "wall time", "CPU time")
    ]
    ratios = tuple(number(found) for cell in said for found in _TIMES.findall(cell))
    if not ratios:
        return None
    goal_match = _TIMES.search(named.get("goal", ""))
    goal = number(goal_match[1]) if goal_match else None
    if "acumen" in heads:
        place = heads.index("acumen")
        ours, theirs = seconds(line[place]), seconds(line[place + 1])
        if ours and theirs and abs(ours / theirs - ratios[0]) < abs(theirs / ours - ratios[0]):
            ratios = tuple(1 / ratio for ratio in ratios)
            goal = 1 / goal if goal else None
    return Row(section, line[0], ratios, goal, _said(ratios))


def _said(ratios: tuple[float, ...]) -> str:
    return ", ".join(f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.0f}x" for ratio in ratios)


def seconds(said: str) -> float | None:
    """The first time that a cell names."""
    found = _SECONDS.findall(said.split("(")[0])
    return number(found[0][0]) * {"ms": 1e-3, "s": 1.0}[found[0][1]] if found else None


def number(said: str) -> float:
    return float(said.replace(",", ""))


def slug(section: str) -> str:
    """What a heading is called in an address."""
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", section.lower())).strip("-")


def page(source: str) -> str:
    """A source as a page: word for word, with where it is kept and when it was measured."""
    text = (SOURCE / source).read_text(encoding="utf-8").replace("](../", "](")
    head, _, rest = text.partition("\n")
    dates = sorted(set(_DATE.findall(text)))
    between = f", {dates[0]} to {dates[-1]}" if len(dates) > 1 else f", {dates[0]}" if dates else ""
    note = f"*Source: `benchmarks/{source}`{between}. [All benchmarks](index.md).*"
    return f"{head}\n\n{note}\n{rest}"


def index() -> str:
    """The overview: one line per family, then every row that a peer won or that missed its goal."""
    overview = (SOURCE / OVERVIEW).read_text(encoding="utf-8").replace("](results/", "](").rstrip()
    found = [
        (name, row)
        for source, name in sources().items()
        if source.startswith("results/")
        for row in rows((SOURCE / source).read_text(encoding="utf-8"))
    ]
    lost = [(name, row) for name, row in found if row.lost]
    short = [(name, row) for name, row in found if row.short and not row.lost]
    parts = [
        overview,
        f"## Where a peer is faster: {len(lost)} of {len(found)} rows",
        "This list is generated from all family pages. Several ratios in one row are wall time and CPU time.",
        _listed(lost),
        f"## Faster, but below the goal: {len(short)} rows",
        _listed(short),
        "## Errors",
        _errors(),
    ]
    return "\n\n".join(parts) + "\n"


def _errors() -> str:
    """On how many files the error is lower here, the same, or higher, of the tables that have two columns of errors."""
    lines = ["| acumen | compared with | files | lower | equal | higher |", "|---|---|---:|---:|---:|---:|"]
    for source, ours, theirs in (
        ("quinlan.md", "DecisionTree", "C4.5"),
        ("rules.md", "error, Ripper", "error, JRip"),
    ):
        text = (SOURCE / source).read_text(encoding="utf-8")
        heads, made = next((heads, made) for _, heads, made in tables(text) if ours in heads)
        pairs = [
            (number(row[heads.index(ours)].rstrip(" %")), number(row[heads.index(theirs)].rstrip(" %")))
            for row in made
            if not row[-1].startswith("other data")
        ]
        lower, higher = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
        name = source
        cells = (
            f"[{ours.removeprefix('error, ')}]({name})",
            theirs.removeprefix("error, "),
            len(pairs),
            lower,
        )
        lines.append("| " + " | ".join(map(str, (*cells, len(pairs) - lower - higher, higher))) + " |")
    return "\n".join(lines) + "\n\nForests, boosting and additive models: [every file's line](accuracy.md)."


def _listed(found: list[tuple[str, Row]]) -> str:
    lines = ["| section | work | times as fast | goal |", "|---|---|---:|---:|"]
    for name, row in found:
        goal = f"{row.goal:.3g}x" if row.goal is not None else ""
        lines.append(f"| [{row.section}]({name}#{slug(row.section)}) | {row.work} | {row.said} | {goal} |")
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """Every page by its name."""
    return {"index.md": index(), **{name: page(source) for source, name in sources().items()}}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    shutil.copy(SOURCE / "history.svg", FOLDER / "history.svg")
    print(f"{len(pages())} files written to {FOLDER}")
