"""The names of questions and jobs, which the server knows without importing what answers them."""

from __future__ import annotations

from typing import Final

QUESTIONS: Final = frozenset(
    {"card", "rows", "csv", "profile", "suited", "learner", "errors", "disagree", "model", "row", "pruned", "columns",
     "groupers", "nodes"}
)  # fmt: skip
#: Questions whose answers look at every value of a table.
LONG: Final = frozenset({"card", "profile", "csv"})
JOBS: Final = frozenset({"compare", "learn", "tune", "cluster", "mine", "edit", "keep", "plane"})
