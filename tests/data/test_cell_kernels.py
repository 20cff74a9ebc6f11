"""Python's values as arrays, against the same reading value by value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acumen import _native

WHOLE, REAL, TEXT, BYTES = _native.CELL_WHOLE, _native.CELL_REAL, _native.CELL_TEXT, _native.CELL_BYTES
TRUTH, BIG, OTHER, NESTED = (
    _native.CELL_TRUTH, _native.CELL_BIG, _native.CELL_OTHER, _native.CELL_NESTED
)  # fmt: skip


def is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def family(cell: Any) -> int:
    """What kind of value a cell holds."""
    if isinstance(cell, bool):
        return TRUTH
    if isinstance(cell, int):
        return WHOLE | (BIG if abs(cell) > 2**53 else 0)
    kinds = {float: REAL, str: TEXT, bytes: BYTES, list: NESTED, dict: NESTED, tuple: NESTED, set: NESTED}
    return kinds.get(type(cell), OTHER)


def spelled(cell: Any) -> str:
    text = cell.decode("utf-8", "backslashreplace") if isinstance(cell, bytes) else str(cell)
    return text.encode("utf-8", "backslashreplace").decode()


def number(cell: Any) -> float:
    try:
        return math.nan if cell is None else float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def check(cells: list[Any], form: tuple[Any, ...]) -> None:
    """One column as the kernel reads it: families, first nested row, numbers, whole ones, codes and texts."""
    families, nested, values, whole, codes, texts = form
    known = [cell for cell in cells if not is_missing(cell)]
    kinds = 0
    for cell in known:
        kinds |= family(cell)
    strings = bool(kinds & (TEXT | BYTES | OTHER | NESTED | BIG)) or (
        bool(kinds & TRUTH) and bool(kinds & (WHOLE | REAL))
    )
    # Whether an integer is large is of no interest in a column of strings: it may be noticed or not.
    is_text = bool(kinds & (TEXT | BYTES | OTHER | NESTED)) or (strings and bool(kinds & TRUTH))
    assert families & ~(BIG if is_text else 0) == kinds & ~(BIG if is_text else 0)
    rows = [i for i, cell in enumerate(cells) if not is_missing(cell) and family(cell) & NESTED]
    assert nested == (rows[0] if rows else -1)
    if not is_text:
        assert np.array_equal(values, [number(cell) for cell in cells], equal_nan=True)
        if kinds & WHOLE and kinds & REAL:
            assert whole.tolist() == [isinstance(cell, int) for cell in cells]
        else:
            assert whole is None
    else:
        assert values is None
    if strings:
        back = [None if code < 0 else texts[code] for code in codes.tolist()]
        assert back == [None if is_missing(cell) else spelled(cell) for cell in cells]
        assert texts == list(dict.fromkeys(text for text in back if text is not None))
    else:
        assert codes is None and texts == []


NUMBERS = st.one_of(st.none(), st.integers(-(10**20), 10**20), st.floats())
ANY = st.one_of(
    NUMBERS, st.booleans(), st.sampled_from(["", "a", "b", "é"]), st.sampled_from([b"a", b"\xff"]),
    st.just([1]), st.just({"a": 2}), st.just(1j), st.just((1, 2)),
)  # fmt: skip
COLUMNS = st.one_of(*(st.lists(one, max_size=8) for one in (NUMBERS, st.none() | st.booleans(), ANY)))


@settings(max_examples=50, deadline=None)
@given(COLUMNS)
def test_read_cells_reads_a_column_as_its_values_allow(cells: list[Any]) -> None:
    check(cells, _native.read_cells(cells))


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [None, math.nan],
        [1, 2.5, None],
        [2**53, -(2**53)],
        [2**53 + 1, 1],
        [10**400, -(10**400), 1.5],
        [True, None, False],
        [True, 1],
        ["a", "b", "a", None, "\ud800"],
        [b"\xff", "x", 1, math.nan],
        [1, [2], {3}],
    ],
)
def test_read_cells_at_the_edges(cells: list[Any]) -> None:
    check(cells, _native.read_cells(cells))


def test_read_rows_reads_every_column_as_read_cells_does() -> None:
    columns: list[list[Any]] = [[1, 2.5, None], ["a", 1, "a"], [True, None, False], [None, None, None]]
    forms = _native.read_rows(list(zip(*columns, strict=True)), 4)
    assert len(forms) == 4
    for cells, form in zip(columns, forms, strict=True):
        check(cells, form)
    assert _native.read_rows([], 2)[1][:2] == (0, -1)


@pytest.mark.parametrize("rows", [[(1, 2), (3,)], [(1, 2), [3, 4]]])
def test_read_rows_refuses_rows_of_another_width(rows: list[Any]) -> None:
    with pytest.raises(ValueError, match="read_rows: every row must be a tuple"):
        _native.read_rows(rows, 2)
