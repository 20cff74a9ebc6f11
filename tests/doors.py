"""What every door is held to: the parts of `scan` are the table of `read`, however large they are."""

from __future__ import annotations

from typing import Any

import acumen
from acumen import Table
from acumen.data.concat import concat


def same_in_parts(source: Any, sizes: tuple[int, ...] = (1, 3, 100_000), **options: Any) -> Table:
    """The table, after it was seen that its parts together are the same, with the same report; twice each.

    `source` may be a function that opens it, where it can be read once.
    """
    opened = source if callable(source) else lambda: source
    whole = acumen.read(opened(), **options)
    for size in sizes:
        parts = acumen.scan(opened(), rows=size, **options)
        assert parts.schema == whole.schema
        assert parts.report.notes == whole.report.notes
        for _ in range(2):
            pieces = list(parts)
            assert [len(piece) for piece in pieces[:-1]] == [size] * (len(pieces) - 1)
            assert len(pieces) == len(parts)
            assert concat(pieces).difference(whole) is None
    return whole


def plain(values: Any) -> list[Any]:
    """A column as a list, NaN as None."""
    return [None if value != value else value for value in values.tolist()]
