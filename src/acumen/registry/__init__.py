"""The list of learners with their parameters, derived from the classes themselves, and what suits a table."""

from __future__ import annotations

from acumen.registry.entries import Entry, entries, entry, listed, parsed
from acumen.registry.suitable_learners import SuitableLearners, suitable_learners, usual, yardstick
from acumen.registry.suites import SUITES, others
from acumen.registry.written_learners import costs_cover, named, read_costs

__all__ = [
    "SUITES", "Entry", "SuitableLearners", "costs_cover", "entries", "entry", "listed", "named", "others", "parsed",
    "read_costs", "suitable_learners", "usual", "yardstick",
]  # fmt: skip
