"""Guess which column you probably want to predict, and why: a suggestion if no target was given."""

from __future__ import annotations

import re
from typing import NamedTuple

from acumen.data.table import Table
from acumen.profiling.uninformative import uninformative_columns

#: Names that columns to be predicted have.
_NAMED = re.compile(
    r"(^|[\W_])(class|target|label|outcome|response|churn(ed)?|diagnosis|species|default(ed)?|survived|approved|y)$",
    re.IGNORECASE,
)
#: A column of more levels than these is hardly a class.
MOST_LEVELS = 20


class Guess(NamedTuple):
    """A suggested target and the reason."""

    name: str
    why: str


def likely_target(table: Table) -> Guess | None:
    """The column that is probably the target, even if one is set already; None if none is suitable."""
    schema = table.schema
    idle = uninformative_columns(table)
    every = {a.name: a for a in (*schema.attributes, *([schema.target] if schema.target is not None else []))}
    columns = [every[name] for name in schema.columns if name in every]
    able = [a for a in columns if a.name not in idle and (a.is_nominal or a.is_numeric)]
    # One level tells nothing apart, also where every other column is idle and none is therefore called so.
    named = [a for a in able if _NAMED.search(a.name) and not (a.is_nominal and len(a.levels) == 1)]
    if named:
        return Guess(named[-1].name, "its name says that it is the target")
    classes = [a for a in able if a.is_nominal and 2 <= len(a.levels) <= MOST_LEVELS]
    if classes:
        last = classes[-1]
        if last is columns[-1]:
            return Guess(last.name, f"it is the last column and has {len(last.levels)} categories")
        return Guess(last.name, f"it is the last column with few categories ({len(last.levels)})")
    return Guess(able[-1].name, "it is the last column that could be predicted") if able else None
