#!/usr/bin/env python3
"""Gather the fragments of changes/ into CHANGELOG.md, under the version of pyproject.toml.

    python tools/changelog.py            write the section of this version, or replace it
    python tools/changelog.py --release  the same, and remove the fragments

A fragment is listed under the room of the first public name it mentions, or under the command line if it mentions a
command first; the others come last.
"""

from __future__ import annotations

import re
import sys
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAD = "# Release notes of acumen\n"

#: Room -> heading, in the order in which they are told.
ROOMS = {
    "data": "Reading tables",
    "profiling": "Inspecting tables",
    "datasets": "Reading tables",
    "bayes": "Bayes",
    "trees": "Trees",
    "rules": "Rules",
    "associations": "Associations",
    "discriminant": "Linear models and support vector machines",
    "linear": "Linear models and support vector machines",
    "svm": "Linear models and support vector machines",
    "additive": "Additive models",
    "neighbours": "Neighbours",
    "networks": "Networks",
    "ensembles": "Ensembles",
    "clusters": "Clusters",
    "tuning": "Tuning and selection",
    "imputation": "Missing values",
    "labelling": "Active learning",
    "assessment": "Evaluation",
    "resampling": "Evaluation",
    "store": "Model files",
    "render": "Figures",
    "cli": "The command line",
    "": "Everything else",
}


def homes(source: str) -> dict[str, str]:
    """Public name -> its room, from the table in acumen/__init__.py, which is read and not run."""
    return dict(re.findall(r'"(\w+)": "acumen\.(\w+)', source))


def room_of(text: str, known: dict[str, str]) -> str:
    """Where a fragment stands."""
    for word in re.findall(r"`([^`]+)`", text):
        if word.startswith(("acumen ", "--")):
            return "cli"
        for part in re.findall(r"\w+", word):
            if part in known and known[part] in ROOMS:
                return known[part]
    return ""


def section(version: str, day: str, fragments: dict[str, str], known: dict[str, str]) -> str:
    """The notes of one version."""
    told: dict[str, list[str]] = {heading: [] for heading in ROOMS.values()}
    for _, text in sorted(fragments.items()):
        told[ROOMS[room_of(text, known)]].append(f"* {' '.join(text.split())}")
    parts = [f"## {version} ({day})"]
    parts += [f"### {heading}\n\n" + "\n".join(lines) for heading, lines in told.items() if lines]
    return "\n\n".join(parts) + "\n"


def written(before: str, version: str, made: str) -> str:
    """The page with this section in the place of the one of the same version, or first."""
    sections = re.split(r"(?m)^(?=## )", before)[1:] if before else []
    others = [each for each in sections if not each.startswith(f"## {version} ")]
    return "\n".join([HEAD, *(each.rstrip("\n") + "\n" for each in [made, *others])])


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--release"]):
        print(__doc__, file=sys.stderr)
        return 2
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    paths = [path for path in (ROOT / "changes").glob("*.md") if path.name != "README.md"]
    known = homes((ROOT / "src" / "acumen" / "__init__.py").read_text(encoding="utf-8"))
    fragments = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    page = ROOT / "CHANGELOG.md"
    before = page.read_text(encoding="utf-8") if page.is_file() else ""
    if not fragments:
        print("changes/ holds no fragment: there is nothing to tell.", file=sys.stderr)
        return 1
    made = section(version, date.today().isoformat(), fragments, known)
    page.write_text(written(before, version, made), encoding="utf-8")
    if arguments == ["--release"]:
        for path in paths:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
