"""What sets a group of rows apart in one attribute: how far it is from all other rows, and how likely by chance.

    Trait       one attribute, or one of its levels, in one group and outside it
    traits_of   all of them, for every group and attribute of a table

Effect sizes have one scale, so that numbers and levels compare (Cohen 1988: 0.2 is small, 0.5 middling, 0.8 large):

    numbers   d = (mean in the group - mean outside) / the standard deviation within both
    levels    h = 2 asin sqrt(share in the group) - 2 asin sqrt(share outside)

Chance is reckoned without assuming a distribution: by the rank-sum test for numbers and ordered levels (Wilcoxon 1945;
mid-ranks, corrected for ties), by Fisher's exact test, doubled, for levels. Missing values are left out of both, and
that a value is missing is a trait of its own. Whole weights are repeated rows; others count as the rows that would
tell as much (Kish 1965).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import erfc

from acumen.conditions.rule_statistics import fisher_p_values
from acumen.data.forms import is_moment
from acumen.data.schema import Attribute
from acumen.data.table import Table
from acumen.types import Array, Bools, Codes, Floats

#: Effects beyond this are as large as can be: a group that is constant differs from the rest by any number of
#: deviations.
MOST = 99.0


@dataclass(frozen=True, slots=True)
class Trait:
    """One attribute in one group and outside it."""

    group: int
    attribute: str
    #: The level whose share is told; None for numbers, whose mean is.
    level: str | None
    inside: float
    outside: float
    effect: float
    #: Whether groups were made of this attribute: it then differs in any case, and chance says nothing.
    used: bool
    #: The chance of such a difference were there none, and the same after the control of false discoveries; NaN where
    #: the attribute was used.
    p: float
    q: float
    #: Whether it is told that the value is missing, not what it is.
    gap: bool = False
    #: How the attribute's numbers were written, so that days are told as dates.
    form: str = ""

    @property
    def condition(self) -> str:
        """The trait in a few words."""
        if self.gap:
            return f"{self.attribute} {'missing' if self.effect > 0 else 'known'}"
        if self.level is not None:
            return f"{self.attribute} {'=' if self.effect > 0 else 'not'} {self.level}"
        size = "very " if abs(self.effect) >= 1.5 else ""
        high, low = ("late", "early") if is_moment(self.form) else ("high", "low")
        return f"{self.attribute} {size}{high if self.effect > 0 else low}"


def traits_of(
    table: Table, groups: Codes, n_groups: int, used: frozenset[str], only: frozenset[str] | None = None
) -> list[Trait]:
    """Every trait of every group, of all columns or of `only` some and the target; rows of group -1 are outside."""
    heavy = _counts(table)
    traits: list[Trait] = []
    for attribute, values in _columns(table):
        if only is not None and attribute.name not in only and attribute is not table.schema.target:
            continue
        clustered_by = attribute.name in used
        if attribute.is_numeric:
            known = np.isfinite(values)
            of_attribute = _numbers(attribute.name, values, known, heavy, groups, n_groups, clustered_by)
            form = attribute.form
            traits += [replace(trait, form=form) for trait in of_attribute] if form else of_attribute
        else:
            known = values >= 0
            traits += _levels(attribute, values, known, heavy, groups, n_groups, clustered_by)
        if not known.all() and known.any():
            gaps = _shares(~known, heavy, groups, n_groups, np.ones(len(groups), dtype=np.bool_))
            traits += [
                replace(trait, gap=True) for trait in _traits(attribute.name, "missing", gaps, clustered_by)
            ]
    return traits


def _counts(table: Table) -> Floats:
    """What each row counts: whole weights as they are, others as so many rows as tell as much."""
    weights = table.row_weights
    if (weights == np.rint(weights)).all() or not weights.sum() > 0:
        return weights
    whole: Floats = weights * (weights.sum() / (weights**2).sum())
    return whole


def _columns(table: Table) -> Iterator[tuple[Attribute, Any]]:
    """Numbers and codes of all columns that have them, the target's too."""
    if table.sparse is not None:
        numeric = [a for a in table.schema.attributes if a.is_numeric]
        by_column = table.sparse.tocsc()
        for j, attribute in enumerate(numeric):
            yield attribute, np.asarray(by_column[:, [j]].toarray(), dtype=np.float64).ravel()
    else:
        yield from table.numeric_columns()
    yield from table.nominal_columns()
    target = table.schema.target
    if target is not None and table.labels is not None:
        yield target, table.labels
    elif target is not None and table.response is not None:
        yield target, table.response


# -- numbers --------------------------------------------------------------------------------------


def _numbers(
    name: str, values: Floats, known: Bools, heavy: Floats, groups: Codes, n_groups: int, used: bool
) -> Iterator[Trait]:
    there = known & (heavy > 0)
    x, w, labels = values[there], heavy[there], groups[there]
    if not len(x):
        return
    # In units of a power of two near the largest number no square overflows, and nothing is rounded.
    unit = 2.0 ** np.floor(np.log2(max(float(np.abs(x).max()), 1e-300)))
    x = x / unit
    centre = float((w * x).sum() / w.sum())
    x = x - centre
    inside = labels >= 0
    total, at = w.sum(), labels[inside]
    n = np.bincount(at, w[inside], n_groups)
    sums, squares = (np.bincount(at, w[inside] * x[inside] ** r, n_groups) for r in (1, 2))
    rest, all_sum, all_square = total - n, float((w * x).sum()), float((w * x**2).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, outside = sums / n, (all_sum - sums) / rest
        within = squares - n * mean**2 + (all_square - squares) - rest * outside**2
        spread = np.sqrt(np.maximum(within, 0.0) / np.maximum(total - 2, 1.0))
        effect = (mean - outside) / spread
    # A spread that is all rounding is none.
    flat = spread <= 1e-12 * max(float(np.abs(x).max()), 1e-300)
    effect = np.where(
        flat, np.sign(np.where(np.abs(mean - outside) > 1e-12, mean - outside, 0.0)) * MOST, effect
    )
    chance = np.full(n_groups, np.nan) if used else rank_chances(x, w, labels, n_groups)
    for g in range(n_groups):
        if n[g] > 0 and rest[g] > 0:
            size = float(np.clip(effect[g], -MOST, MOST))
            yield Trait(
                g, name, None, float((mean[g] + centre) * unit), float((outside[g] + centre) * unit), size, used,
                float(chance[g]), float("nan"),
            )  # fmt: skip


def rank_chances(x: Floats, w: Floats, groups: Codes, n_groups: int) -> Floats:
    """Of each group, the two-sided chance of its sum of ranks among all rows; by the normal approximation."""
    _, place = np.unique(x, return_inverse=True)
    tied = np.bincount(place, w)
    rank = np.cumsum(tied) - tied + (tied + 1) / 2
    inside = groups >= 0
    n = np.bincount(groups[inside], w[inside], n_groups)
    ranks = np.bincount(groups[inside], w[inside] * rank[place[inside]], n_groups)
    total = float(w.sum())
    rest = total - n
    ties = float((tied**3 - tied).sum()) / max(total * (total - 1), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(ranks - n * (n + 1) / 2 - n * rest / 2)
        spread = np.sqrt(n * rest / 12 * ((total + 1) - ties))
        z = np.maximum(away - 0.5, 0.0) / spread
    chances: Floats = np.where(spread > 0, erfc(z / np.sqrt(2)), 1.0)
    return np.clip(chances, 0.0, 1.0)


# -- levels ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """How many rows of each group, and of all others, have something, and how many there are."""

    have: Array
    n: Array
    have_rest: Array
    n_rest: Array


def _shares(has: Bools, heavy: Floats, groups: Codes, n_groups: int, known: Bools) -> _Counted:
    inside = (groups >= 0) & known
    n = np.bincount(groups[inside], heavy[inside], n_groups)
    have = np.bincount(groups[inside & has], heavy[inside & has], n_groups)
    total, total_have = float(heavy[known].sum()), float(heavy[known & has].sum())
    return _Counted(have, n, total_have - have, total - n)


def _traits(name: str, level: str, counted: _Counted, used: bool) -> Iterator[Trait]:
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.clip(counted.have / counted.n, 0.0, 1.0)
        outside = np.clip(counted.have_rest / counted.n_rest, 0.0, 1.0)
    chance = np.full(len(counted.n), np.nan) if used else _chances(counted)
    for g in np.flatnonzero((counted.n > 0) & (counted.n_rest > 0)).tolist():
        effect = 2 * np.arcsin(np.sqrt(inside[g])) - 2 * np.arcsin(np.sqrt(outside[g]))
        yield Trait(
            g, name, level, float(inside[g]), float(outside[g]), float(effect), used, float(chance[g]), float("nan")
        )  # fmt: skip


def _chances(counted: _Counted) -> Floats:
    """Fisher's exact test on both sides, doubled; fractional counts are rounded."""
    cells = (counted.have, counted.n - counted.have, counted.have_rest, counted.n_rest - counted.have_rest)
    a, b, c, d = (np.rint(np.maximum(cell, 0.0)).astype(np.int64) for cell in cells)
    more = fisher_p_values(a, a + b, a + c, a + b + c + d)
    less = fisher_p_values(b, a + b, b + d, a + b + c + d)
    return np.minimum(1.0, 2 * np.minimum(more, less))


def _levels(
    attribute: Attribute, codes: Codes, known: Bools, heavy: Floats, groups: Codes, n_groups: int, used: bool
) -> Iterator[Trait]:
    seen = np.unique(codes[known & (heavy > 0)]).tolist()
    if len(seen) < 2:
        return  # all alike: nothing is typical of any group
    for code in seen:
        counted = _shares(codes == code, heavy, groups, n_groups, known)
        yield from _traits(attribute.name, str(attribute.levels[code]), counted, used)
