"""The worked examples of text 3: each page's own numbers are what they should be."""

from __future__ import annotations

from examples.held import held


def test_W003_01() -> None:
    held("W003-01")


def test_W003_02() -> None:
    held("W003-02")


def test_W003_03() -> None:
    held("W003-03")


def test_W003_04() -> None:
    held("W003-04")


def test_W003_05() -> None:
    held("W003-05")


def test_W003_06() -> None:
    held("W003-06")


def test_W003_07() -> None:
    held("W003-07")
