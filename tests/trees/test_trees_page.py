"""The examples of docs/trees.md do what the page says they do, and its pictures are those of this version."""

from __future__ import annotations

from pathlib import Path

import acumen
from figure_cases import parsed

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_pictures_of_the_page_are_what_it_draws():
    iris, loan = acumen.datasets.load("iris"), acumen.datasets.load("loan")
    by_gain = acumen.DecisionTree(measure="gain", prune="none").fit(loan)
    drawn = {
        "tree-iris": acumen.DecisionTree().fit(iris).to_svg(data=iris),
        "tree-loan": by_gain.to_svg(row={"Own_house": "false", "Has_Job": "true"}),
    }
    for name, svg in drawn.items():
        parsed(svg)
        assert (DOCS / "img" / f"{name}.svg").read_text(encoding="utf-8") == svg, name
