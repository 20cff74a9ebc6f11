"""The list of learners with their parameters, derived from the classes themselves, and what suits a table."""

from __future__ import annotations

from acumen.registry.entries import Entry, entries, entry, parse_learner, split_list
from acumen.registry.suitable_learners import (
    SUITES,
    SuitableLearners,
    others,
    suitable_learners,
    usual,
    yardstick,
)
from acumen.registry.written_learners import costs_cover, learner_from_text, read_costs

__all__ = [
    "SUITES",
    "Entry",
    "SuitableLearners",
    "costs_cover",
    "entries",
    "entry",
    "learner_from_text",
    "others",
    "parse_learner",
    "read_costs",
    "split_list",
    "suitable_learners",
    "usual",
    "yardstick",
]  # fmt: skip
