"""The worked examples of text 0: each page's own numbers are what they should be."""

from __future__ import annotations

from examples.held import held


def test_W000_01() -> None:
    held("W000-01")


def test_W000_02() -> None:
    held("W000-02")


def test_W000_03() -> None:
    held("W000-03")


def test_W000_04() -> None:
    held("W000-04")


def test_W000_05() -> None:
    held("W000-05")


def test_W000_06() -> None:
    held("W000-06")


def test_W000_07() -> None:
    held("W000-07")


def test_W000_08() -> None:
    held("W000-08")


def test_W000_09() -> None:
    held("W000-09")


def test_W000_10() -> None:
    held("W000-10")


def test_W000_11() -> None:
    held("W000-11")


def test_W000_12() -> None:
    held("W000-12")


def test_W000_13() -> None:
    held("W000-13")


def test_W000_14() -> None:
    held("W000-14")


def test_W000_15() -> None:
    held("W000-15")


def test_W000_16() -> None:
    held("W000-16")


def test_W000_17() -> None:
    held("W000-17")


def test_W000_18() -> None:
    held("W000-18")


def test_W000_19() -> None:
    held("W000-19")


def test_W000_20() -> None:
    held("W000-20")


def test_W000_21() -> None:
    held("W000-21")


def test_W000_22() -> None:
    held("W000-22")


def test_W000_23() -> None:
    held("W000-23")


def test_W000_24() -> None:
    held("W000-24")


def test_W000_25() -> None:
    held("W000-25")


def test_W000_26() -> None:
    held("W000-26")


def test_W000_27() -> None:
    held("W000-27")


def test_W000_28() -> None:
    held("W000-28")


def test_W000_29() -> None:
    held("W000-29")


def test_W000_30() -> None:
    held("W000-30")


def test_W000_31() -> None:
    held("W000-31")


def test_W000_32() -> None:
    held("W000-32")


def test_W000_33() -> None:
    held("W000-33")


def test_W000_34() -> None:
    held("W000-34")


def test_W000_35() -> None:
    held("W000-35")


def test_W000_36() -> None:
    held("W000-36")


def test_W000_37() -> None:
    held("W000-37")


def test_W000_38() -> None:
    held("W000-38")


def test_W000_39() -> None:
    held("W000-39")


def test_W000_40() -> None:
    held("W000-40")


def test_W000_41() -> None:
    held("W000-41")


def test_W000_42() -> None:
    held("W000-42")


def test_W000_43() -> None:
    held("W000-43")


def test_W000_44() -> None:
    held("W000-44")


def test_W000_45() -> None:
    held("W000-45")


def test_W000_46() -> None:
    held("W000-46")


def test_W000_47() -> None:
    held("W000-47")


def test_W000_48() -> None:
    held("W000-48")


def test_W000_49() -> None:
    held("W000-49")


def test_W000_50() -> None:
    held("W000-50")


def test_W000_51() -> None:
    held("W000-51")


def test_W000_52() -> None:
    held("W000-52")
