"""The examples of docs/exports.md do what the page says they do, and its table names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import acumen

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exports.md"


def test_the_table_names_learners_that_there_are() -> None:
    lines = [
        line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")
    ]
    for _, models, in_sql, *_ in lines[1:]:
        for name in re.findall(r"`([A-Z]\w+)`", models):
            assert hasattr(acumen, name)
            # a learner with kernels, or of members, has the method and may refuse
            if in_sql.strip().startswith("yes"):
                assert hasattr(getattr(acumen, name)(), "to_sql"), name
