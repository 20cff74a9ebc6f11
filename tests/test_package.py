"""The package as it is shipped."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import acumen

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def test_the_version_is_the_same_in_both_places() -> None:
    assert tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"] == acumen.__version__


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(acumen.__file__).parent / "py.typed").is_file()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("LogisticRegression", "Logistic"),
        ("J48", "DecisionTree"),
        ("XGBClassifier", "Boosting"),
        ("tree", "DecisionTree"),
    ],
)
def test_a_name_of_another_program_is_answered_by_ours(theirs: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=f"It is called '{ours}' here"):
        getattr(acumen, theirs)


def test_every_name_of_another_program_leads_to_a_public_name() -> None:
    from acumen.errors import _ELSEWHERE

    assert set(_ELSEWHERE.values()) <= set(dir(acumen)) and not set(_ELSEWHERE) & set(dir(acumen))
