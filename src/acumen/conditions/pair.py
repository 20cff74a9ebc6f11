"""Two attributes taken together: what a condition may test besides a single one.

    product  ratio  difference   of two numbers; a ratio is missing where the divisor is zero
    both                         two levels at once; its values are pairs of levels

A pair is missing where either part is, and unknown where either level is. The arithmetic is here once, for
conditions and for trees that construct such columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np

from acumen.errors import ParameterError
from acumen.types import MISSING, UNKNOWN, Array

PairForm = Literal["product", "ratio", "difference", "both"]
_SIGNS: Final = {"product": "*", "ratio": "/", "difference": "-", "both": "and"}


@dataclass(frozen=True, slots=True)
class Pair:
    """The names of two attributes and what is made of them."""

    form: PairForm
    first: str
    second: str

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers; else they are pairs of levels."""
        return self.form != "both"

    def to_dict(self) -> dict[str, str]:
        """A JSON-ready form."""
        return {"form": self.form, "first": self.first, "second": self.second}

    @classmethod
    def from_dict(cls, made: Mapping[str, Any]) -> Self:
        """The pair that `to_dict` gave this form; ParameterError where it is none."""
        form, first, second = (made.get(key) for key in ("form", "first", "second"))
        if (
            not all(isinstance(part, str) for part in (form, first, second))
            or len(made) != 3
            or form not in _SIGNS
        ):
            raise ParameterError(
                f"Pair: its form is one of {', '.join(_SIGNS)} and two names; got {repr(made)[:200]}."
            )
        return cls(form, first, second)  # type: ignore[arg-type]  # all of them are text

    def __str__(self) -> str:
        return f"{self.first} {_SIGNS[self.form]} {self.second}"


def combined(form: str, first: Array, second: Array, width: int) -> Array:
    """The column of a pair; `width` is the number of levels of the second, for pairs of codes."""
    if form == "both":
        made = first * np.int32(width) + second
        made[(first == UNKNOWN) | (second == UNKNOWN)] = UNKNOWN
        made[(first == MISSING) | (second == MISSING)] = MISSING
        return made.astype(np.int32, copy=False)
    with np.errstate(all="ignore"):
        if form == "product":
            return np.asarray(first * second)
        if form == "difference":
            return np.asarray(first - second)
        quotient = np.asarray(first / second)
        quotient[second == 0.0] = np.nan
        return quotient
