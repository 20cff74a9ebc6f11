"""The worked examples of text 1: each page's own numbers are what they should be."""

from __future__ import annotations

from examples.held import held


def test_W001_01() -> None:
    held("W001-01")


def test_W001_02() -> None:
    held("W001-02")


def test_W001_03() -> None:
    held("W001-03")


def test_W001_04() -> None:
    held("W001-04")


def test_W001_05() -> None:
    held("W001-05")


def test_W001_06() -> None:
    held("W001-06")


def test_W001_07() -> None:
    held("W001-07")


def test_W001_08() -> None:
    held("W001-08")


def test_W001_09() -> None:
    held("W001-09")


def test_W001_10() -> None:
    held("W001-10")


def test_W001_11() -> None:
    held("W001-11")


def test_W001_12() -> None:
    held("W001-12")


def test_W001_13() -> None:
    held("W001-13")


def test_W001_14() -> None:
    held("W001-14")


def test_W001_15() -> None:
    held("W001-15")


def test_W001_16() -> None:
    held("W001-16")


def test_W001_17() -> None:
    held("W001-17")


def test_W001_18() -> None:
    held("W001-18")


def test_W001_19() -> None:
    held("W001-19")


def test_W001_20() -> None:
    held("W001-20")


def test_W001_21() -> None:
    held("W001-21")


def test_W001_22() -> None:
    held("W001-22")


def test_W001_23() -> None:
    held("W001-23")


def test_W001_24() -> None:
    held("W001-24")


def test_W001_25() -> None:
    held("W001-25")


def test_W001_26() -> None:
    held("W001-26")


def test_W001_27() -> None:
    held("W001-27")


def test_W001_28() -> None:
    held("W001-28")


def test_W001_29() -> None:
    held("W001-29")


def test_W001_30() -> None:
    held("W001-30")


def test_W001_31() -> None:
    held("W001-31")


def test_W001_32() -> None:
    held("W001-32")


def test_W001_33() -> None:
    held("W001-33")


def test_W001_34() -> None:
    held("W001-34")


def test_W001_35() -> None:
    held("W001-35")


def test_W001_36() -> None:
    held("W001-36")


def test_W001_37() -> None:
    held("W001-37")


def test_W001_38() -> None:
    held("W001-38")


def test_W001_39() -> None:
    held("W001-39")


def test_W001_40() -> None:
    held("W001-40")


def test_W001_41() -> None:
    held("W001-41")
