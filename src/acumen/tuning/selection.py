"""The result of a wrapper: the best subset of each size, the one chosen, and how often folds choose each attribute.

Selection         of one set of rows: the score while choosing
SelectionReport   that score beside the honest one, of rows that had no part in the choice
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.data.escape import printable
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.text import Heading, many, number, percent, table
from acumen.tuning.results import choose_setting
from acumen.tuning.subsets import SubsetCosts
from acumen.types import Floats


@dataclass(frozen=True, eq=False)
class Selection:
    """The subsets that a search tried.

    Attributes
    ----------
    attributes : tuple of str
        Those taken, in the table's order.
    score, standard_error : float
        The measure of these over the splits within the rows, by which they were chosen; optimistic, since the best of
        many is taken.
    steps : tuple of (attributes, mean, standard error)
        The best subset of each size.
    tried : int
        How many subsets were tried.
    values : array of (splits,)
        The measure of the subset taken on each split.
    """

    attributes: tuple[str, ...]
    score: float
    standard_error: float
    steps: tuple[tuple[tuple[str, ...], float, float], ...]
    tried: int
    values: Floats
    measure: str
    larger_is_better: bool
    method: str
    rule: str

    @classmethod
    def of(
        cls,
        book: SubsetCosts,
        names: tuple[str, ...],
        rule: Any,
        most: int,
        measure: str,
        larger: bool,
        method: str,
    ) -> Selection:
        """Apply a rule to all subsets tried, the smallest first."""
        sign = -1.0 if larger else 1.0
        order = sorted(
            (s for s in book.values if len(s) <= most),
            key=lambda s: (len(s), _worst(sign * book.means[s][0])),
        )
        mean = np.array([book.means[s][0] for s in order])
        error = np.array([book.means[s][1] for s in order])
        taken = choose_setting(mean, error, rule, larger, f"Wrapper: {measure}")[1]
        firsts: dict[int, int] = {}
        for at, subset in enumerate(order):
            firsts.setdefault(len(subset), at)
        steps = tuple(
            (tuple(names[i] for i in order[at]), float(mean[at]), float(error[at])) for at in firsts.values()
        )
        attributes = tuple(names[i] for i in order[taken])
        values = book.values[order[taken]]
        return cls(
            attributes, float(mean[taken]), float(error[taken]), steps, len(book.values), values, measure, larger,
            method, rule,
        )  # fmt: skip

    def __str__(self) -> str:
        headings = [
            Heading("size", "right"),
            Heading(self.measure, "right"),
            Heading("+-", "right"),
            Heading(""),
            Heading("best attributes of this size", least=20),
        ]
        rows = [
            (
                str(len(names)),
                number(mean),
                number(error),
                "taken" if names == self.attributes else "",
                ", ".join(map(printable, names)),
            )
            for names, mean, error in self.steps
        ]
        head = (
            f"{many(len(self.attributes), 'attribute')} of {many(self.tried, 'subset')} tried, by {self.measure} over "
            f"{self.method}, rule {self.rule}: {', '.join(map(printable, self.attributes))}"
        )
        foot = (
            f"{self.measure} while choosing {number(self.score)}, which is optimistic; report() is unbiased."
        )
        return "\n".join([head, *table(headings, rows, 110), foot])

    def to_dict(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        return {
            "attributes": list(self.attributes),
            "measure": self.measure,
            "score_while_choosing": _plain(self.score),
            "standard_error": _plain(self.standard_error),
            "tried": self.tried,
            "method": self.method,
            "rule": self.rule,
            "steps": [
                {"attributes": list(names), "mean": _plain(mean), "standard_error": _plain(error)}
                for names, mean, error in self.steps
            ],
        }


@dataclass(frozen=True, eq=False)
class SelectionReport:
    """The selection repeated on each training set, and judged on held-out rows.

    Attributes
    ----------
    while_choosing : float
        The mean of the scores by which the subsets were chosen.
    honest : float
        The mean of the measure on the held-out rows; `values` has it for each split.
    frequency : dict of str to float
        The fraction of the training sets in which each attribute was chosen.
    chosen : tuple of tuples of str
        The attributes chosen in each.
    """

    measure: str
    method: str
    while_choosing: float
    honest: float
    standard_error: float
    values: Floats
    frequency: dict[str, float]
    chosen: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        order = sorted(self.frequency, key=lambda name: -self.frequency[name])
        rows = [
            (printable(name), percent(self.frequency[name])) for name in order if self.frequency[name] > 0
        ]
        never = len(order) - len(rows)
        lines = [
            f"{self.measure} while choosing  {number(self.while_choosing)}",
            f"{self.measure} on held-out rows  {number(self.honest)} +- {number(self.standard_error)} ({self.method})",
            *table([Heading("attribute", least=12), Heading("chosen in", "right")], rows, 100),
        ]
        return "\n".join(lines + ([f"  {many(never, 'attribute')} never chosen"] if never else []))

    def figure(self) -> BarsFigure:
        """How often each attribute was chosen, as a figure."""
        order = sorted(self.frequency, key=lambda name: -self.frequency[name])
        bars = [Bar(name, self.frequency[name]) for name in order if self.frequency[name] > 0]
        return BarsFigure(bars, "fraction of the training sets", "Attributes chosen")

    def _repr_svg_(self) -> str:
        return self.figure()._repr_svg_()

    def to_dict(self) -> dict[str, Any]:
        """Everything, JSON-ready."""
        return {
            "measure": self.measure,
            "method": self.method,
            "while_choosing": _plain(self.while_choosing),
            "honest": _plain(self.honest),
            "standard_error": _plain(self.standard_error),
            "values": [_plain(v) for v in self.values.tolist()],
            "frequency": dict(self.frequency),
            "chosen": [list(names) for names in self.chosen],
        }


def _worst(cost: float) -> float:
    return math.inf if math.isnan(cost) else cost


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
