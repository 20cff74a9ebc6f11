"""The list of learners with their parameters, derived from the classes themselves, and what suits a table."""

from __future__ import annotations

from acumen.catalogue.entries import Entry, entries, entry, parsed
from acumen.catalogue.lists import listed
from acumen.catalogue.suited import Suited, suited, usual, yardstick
from acumen.catalogue.suites import SUITES, others
from acumen.catalogue.texts import costs_cover, named, read_costs

__all__ = [
    "SUITES", "Entry", "Suited", "costs_cover", "entries", "entry", "listed", "named", "others", "parsed", "read_costs",
    "suited", "usual", "yardstick",
]  # fmt: skip
