"""The package as it is shipped."""

from __future__ import annotations

import tomllib
from pathlib import Path

import acumen

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def test_the_version_is_the_same_in_both_places() -> None:
    assert tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"] == acumen.__version__


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(acumen.__file__).parent / "py.typed").is_file()
