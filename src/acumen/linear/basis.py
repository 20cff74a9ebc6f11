"""Numbers seen through basis functions: powers and products, Gaussian bumps, splines.

    Basis.over     ranges -> the functions, placed by the range of each column
    names, values  what they are called, and what they come to
    n_functions    how many there would be
    usual_degree   the default of each kind

A linear model on these is a curve in the columns themselves. A missing value stays missing in all functions of its
column; beyond the range splines go on as they end, and a power too large for a number is the largest there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Literal

import numpy as np

from acumen.types import Floats

Kind = Literal["polynomial", "gaussian", "spline"]
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Functions of columns of numbers.

    Attributes
    ----------
    kind : {"polynomial", "gaussian", "spline"}
    degree : int
        Of polynomials and of the pieces of splines.
    centres : array of (functions,)
        Where between 0 and 1, the ends of a column's range, bumps or knots stand.
    width : float
        Of bumps, as a share of the range.
    low, span : arrays of (columns,)
        Where each column's range begins, and how long it is (1 where it does not vary).
    products : bool
        Whether polynomials have products of different columns.
    """

    kind: Kind
    degree: int
    centres: Floats
    width: float
    low: Floats
    span: Floats
    products: bool

    @classmethod
    def over(
        cls,
        low: Floats,
        high: Floats,
        kind: Kind,
        *,
        degree: int,
        functions: int,
        width: float,
        products: bool,
    ) -> Basis:
        """Functions placed evenly over the range of each column."""
        with np.errstate(over="ignore"):
            span = np.where(high > low, np.minimum(high - low, _LARGEST), 1.0)
        functions = 2 if kind == "polynomial" else functions  # of which there are none
        step = 1.0 / max(functions - 1, 1)
        return cls(kind, degree, np.linspace(0.0, 1.0, functions), width * step, low, span, products)

    def exponents(self) -> list[tuple[int, ...]]:
        """Of polynomials: for each function the columns that are multiplied, by rising degree."""
        d = len(self.low)
        made: list[tuple[int, ...]] = []
        for degree in range(1, self.degree + 1):
            every = combinations_with_replacement(range(d), degree)
            made += [each for each in every if self.products or len(set(each)) == 1]
        return made

    def names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """What the functions are called, given the names of the columns."""
        if self.kind == "polynomial":
            return tuple(_product(each, columns) for each in self.exponents())
        word = "bump" if self.kind == "gaussian" else "spline"
        return tuple(f"{word} {i + 1} of {name}" for name in columns for i in range(self.functions))

    @property
    def functions(self) -> int:
        """How many functions each column has, products apart."""
        return n_functions(1, self.kind, self.degree, len(self.centres), self.products)

    def values(self, rows: Floats) -> Floats:
        """What the functions come to, one line per row."""
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.where(np.isfinite(rows), (rows - self.low) / self.span, np.nan)
            if self.kind == "polynomial":
                # About the middle of the range, in halves of it, so that powers stay near 1 and keep their digits.
                about = np.clip(2.0 * place - 1.0, -_LARGEST, _LARGEST)
                made = [np.prod(about[:, list(each)], axis=1) for each in self.exponents()]
                return (
                    np.clip(np.column_stack(made), -_LARGEST, _LARGEST) if made else np.empty((len(rows), 0))
                )
            if self.kind == "gaussian":
                away = (place[:, :, None] - self.centres) / self.width
                bumps = np.exp(-0.5 * away**2)
            else:
                # All of them sum to 1, as an intercept does; the first follows from the others.
                bumps = _splines(np.clip(place, 0.0, 1.0), self.centres, self.degree)[:, :, 1:]
        flat: Floats = bumps.reshape(len(rows), -1)
        return flat


def usual_degree(kind: Kind) -> int:
    """Cubic pieces are smooth to the eye; of powers the cubic ones are many, one for every three columns."""
    return 3 if kind == "spline" else 2


def n_functions(columns: int, kind: Kind, degree: int, functions: int, products: bool) -> int:
    """How many functions so many columns have in all."""
    if kind == "polynomial":
        return comb(columns + degree, degree) - 1 if products else columns * degree
    return columns * (functions if kind == "gaussian" else functions + degree - 2)


def _product(columns: tuple[int, ...], names: Sequence[str]) -> str:
    parts = []
    for j in dict.fromkeys(columns):
        power = columns.count(j)
        parts.append(names[j] if power == 1 else f"{names[j]}^{power}")
    return " * ".join(parts)


def _splines(place: Floats, knots: Floats, degree: int) -> Floats:
    """B-splines by the recursion of Cox and de Boor, (rows, columns, knots + degree - 1); NaN stays NaN."""
    step = knots[1] - knots[0] if len(knots) > 1 else 1.0
    before = knots[0] - step * np.arange(degree, 0, -1)
    after = knots[-1] + step * np.arange(1, degree + 1)
    every = np.concatenate([before, knots, after])
    x = np.minimum(place, np.nextafter(knots[-1], -np.inf))[
        :, :, None
    ]  # the right end belongs to the last piece
    made = ((x >= every[:-1]) & (x < every[1:])).astype(np.float64)
    for k in range(1, degree + 1):
        left = (x - every[: -k - 1]) / (every[k:-1] - every[: -k - 1])
        right = (every[k + 1 :] - x) / (every[k + 1 :] - every[1:-k])
        made = left * made[:, :, :-1] + right * made[:, :, 1:]
    made[np.isnan(place)] = np.nan
    return made
