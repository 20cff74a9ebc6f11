"""The list of learners with their parameters, derived from the classes themselves."""

from __future__ import annotations

from acumen.catalogue.entries import Entry, entries, entry

__all__ = ["Entry", "entries", "entry"]
