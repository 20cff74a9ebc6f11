"""Points with three digits behind them: decimals, unless the whole column says otherwise; never silently."""

from __future__ import annotations

import io
from typing import Any

import pytest

from acumen import Table
from doors import same_in_parts


def read(text: str, **options: Any) -> Table:
    return same_in_parts(lambda: io.BytesIO(text.encode()), **options)


def doubted(text: str, **options: Any) -> list[str | None]:
    return [note.column for note in read(text, **options).report.about("decimal-points")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_points_beside_short_whole_numbers_are_warned_of(delimiter: str) -> None:
    text = "n,c\n950,a\n1.234,b\n12.500,c\n870,d\n".replace(",", delimiter)
    assert doubted(text) == ["n"]
    assert doubted("n\n950\n1.234\n12.500\n870\n") == ["n"]


def test_a_target_is_warned_of_too() -> None:
    assert doubted("n;c\n950;1\n1.234;2\n12.500;1\n870;2\n", target="n") == ["n"]


def test_points_that_can_only_be_decimals_are_not() -> None:
    for other in ("0.125", "1.5", "1234.567", "1.234e5", "1500", "0.000"):
        assert doubted(f"n;c\n950;a\n1.234;b\n{other};c\n") == [], other


def test_another_column_settles_what_points_are() -> None:
    assert doubted("n;p\n950;1.5\n1.234;2.25\n") == []


def test_a_column_of_three_decimals_throughout_is_doubted_between_semicolons_alone() -> None:
    assert doubted("n;c\n1.234;a\n2.500;b\n") == ["n"]
    assert doubted("n,c\n1.234,a\n2.500,b\n") == []


def test_whole_columns_are_not_doubted() -> None:
    assert doubted("n;c\n1;a\n950;b\n") == []
