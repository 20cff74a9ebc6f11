"""The format of a source by its address, suffix or first bytes; no reader is imported to find out.

module_for    anything -> the module of this room that reads it, or None: then its text must be looked at more closely
"""

from __future__ import annotations

from typing import Any

from acumen.data.databases.address import is_database
from acumen.data.files import head_of, suffix_of
from acumen.data.formats import BEGINNINGS, SQL, SUFFIXES


def module_for(source: Any) -> str | None:
    """The name of the module that reads this; an SQLite file is one whatever it is called."""
    if isinstance(source, str) and is_database(source):
        return SQL
    head = head_of(source)
    by_start = next((module for start, module in BEGINNINGS.items() if head.startswith(start)), None)
    return by_start or SUFFIXES.get(suffix_of(source))
