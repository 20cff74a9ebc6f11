"""The worked examples of text 2: each page's own numbers are what they should be."""

from __future__ import annotations

from examples.held import held


def test_W002_01() -> None:
    held("W002-01")


def test_W002_02() -> None:
    held("W002-02")


def test_W002_03() -> None:
    held("W002-03")


def test_W002_04() -> None:
    held("W002-04")


def test_W002_05() -> None:
    held("W002-05")


def test_W002_06() -> None:
    held("W002-06")


def test_W002_07() -> None:
    held("W002-07")


def test_W002_08() -> None:
    held("W002-08")


def test_W002_09() -> None:
    held("W002-09")


def test_W002_10() -> None:
    held("W002-10")


def test_W002_11() -> None:
    held("W002-11")


def test_W002_12() -> None:
    held("W002-12")


def test_W002_13() -> None:
    held("W002-13")


def test_W002_14() -> None:
    held("W002-14")


def test_W002_15() -> None:
    held("W002-15")


def test_W002_16() -> None:
    held("W002-16")


def test_W002_17() -> None:
    held("W002-17")


def test_W002_18() -> None:
    held("W002-18")


def test_W002_20() -> None:
    held("W002-20")


def test_W002_21() -> None:
    held("W002-21")


def test_W002_22() -> None:
    held("W002-22")


def test_W002_23() -> None:
    held("W002-23")


def test_W002_24() -> None:
    held("W002-24")


def test_W002_25() -> None:
    held("W002-25")


def test_W002_26() -> None:
    held("W002-26")


def test_W002_27() -> None:
    held("W002-27")
