"""Two attributes combined into one value that a condition can test.

    product  ratio  difference   of two numbers; a ratio is missing where the divisor is zero
    both                         two levels at once; its values are pairs of levels

A pair is missing where either part is missing, and unknown where either level is unknown. Conditions and trees that
construct such columns share the arithmetic here.
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
class CombinedAttributes:
    """The names of two attributes and how to combine them."""

    form: PairForm
    first: str
    second: str

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers rather than pairs of levels."""
        return self.form != "both"

    def to_dict(self) -> dict[str, str]:
        """The pair as JSON-ready values."""
        return {"form": self.form, "first": self.first, "second": self.second}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read a pair written by `to_dict`; ParameterError if it is malformed."""
        form, first, second = (record.get(key) for key in ("form", "first", "second"))
        if (
            not all(isinstance(part, str) for part in (form, first, second))
            or len(record) != 3
            or form not in _SIGNS
        ):
            raise ParameterError(
                f"CombinedAttributes: expected a form ({', '.join(_SIGNS)}) and two names; got {repr(record)[:200]}."
            )
        return cls(form, first, second)  # type: ignore[arg-type]  # the check above leaves text only

    def __str__(self) -> str:
        return f"{self.first} {_SIGNS[self.form]} {self.second}"


def combine_columns(form: str, first: Array, second: Array, width: int) -> Array:
    """Compute the column of a pair; `width` is the number of levels of the second attribute, for pairs of codes."""
    if form == "both":
        codes = first * np.int32(width) + second
        codes[(first == UNKNOWN) | (second == UNKNOWN)] = UNKNOWN
        codes[(first == MISSING) | (second == MISSING)] = MISSING
        return codes.astype(np.int32, copy=False)
    with np.errstate(all="ignore"):
        if form == "product":
            return np.asarray(first * second)
        if form == "difference":
            return np.asarray(first - second)
        quotient = np.asarray(first / second)
        quotient[second == 0.0] = np.nan
        return quotient
