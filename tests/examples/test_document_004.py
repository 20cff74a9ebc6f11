"""The worked examples of text 4: each page's own numbers are what they should be."""

from __future__ import annotations

from examples.held import held


def test_W004_01() -> None:
    held("W004-01")


def test_W004_02() -> None:
    held("W004-02")


def test_W004_03() -> None:
    held("W004-03")


def test_W004_04() -> None:
    held("W004-04")


def test_W004_05() -> None:
    held("W004-05")


def test_W004_06() -> None:
    held("W004-06")


def test_W004_07() -> None:
    held("W004-07")


def test_W004_08() -> None:
    held("W004-08")


def test_W004_09() -> None:
    held("W004-09")


def test_W004_10() -> None:
    held("W004-10")


def test_W004_11() -> None:
    held("W004-11")


def test_W004_12() -> None:
    held("W004-12")
