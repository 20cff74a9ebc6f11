"""Parameters younger than a model file mean what was done before there was a choice."""

from __future__ import annotations

from pathlib import Path

import pytest

import acumen

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("kind", ["kernel-fisher", "nearest-mean", "perceptron", "parzen"])
def test_models_of_before_do_not_scale(kind: str) -> None:
    for path in sorted(FIXTURES.glob(f"format1-{kind}-*.acm")):
        assert acumen.load(path).scale is False


def test_floors_of_before_stay_a_share_of_the_variance() -> None:
    for path in sorted(FIXTURES.glob("format1-naive-bayes-*.acm")):
        assert not isinstance(acumen.load(path).var_floor, str)
