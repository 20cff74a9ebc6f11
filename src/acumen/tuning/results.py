"""The result of a search: one line per setting, and the setting that the rule chooses.

Results   settings, values on each split, mean and standard error; `str` is a table
chosen    means, standard errors, rule -> the position of a setting
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from acumen.errors import DataError, ParameterError
from acumen.render.text import Heading, number, table, wrap
from acumen.tuning.grid import setting_text
from acumen.types import Floats

Rule = Literal["best", "one-se"]


@dataclass(frozen=True)
class Results:
    """The settings of a search, simplest first, with their results.

    Attributes
    ----------
    measure : str
    method : str
        How the training rows were split; how the criterion was computed for "aic" and "bic".
    larger_is_better : bool
    rule : str
    settings : tuple of dict
    values : array of (settings, splits)
        The measure on each split; NaN where it is not defined there.
    mean, standard_error : arrays of (settings,)
        Over the splits on which the measure is defined; of a single split there is no standard error (NaN).
    best : int
        The setting of the best mean; the simplest of those as good.
    chosen : int
        The setting taken by the rule.
    notes : tuple of str
        What fits on the splits warned of, each once.
    """

    measure: str
    method: str
    larger_is_better: bool
    rule: Rule
    settings: tuple[Mapping[str, Any], ...]
    values: Floats
    mean: Floats
    standard_error: Floats
    best: int
    chosen: int
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        settings: Sequence[Mapping[str, Any]],
        values: Floats,
        rule: Rule,
        *,
        measure: str,
        method: str,
        larger_is_better: bool,
        who: str,
        notes: Sequence[str] = (),
    ) -> Results:
        """Compute results from the values on every split."""
        mean, error = means_of(values)
        best, taken = choose_setting(mean, error, rule, larger_is_better, f"{who}: {measure}")
        return cls(
            measure, method, larger_is_better, rule, tuple(settings), values, mean, error, best, taken, tuple(notes)
        )  # fmt: skip

    def without(self, setting: int, who: str) -> Results:
        """The same results without a value for this setting."""
        values = self.values.copy()
        values[setting] = np.nan
        return Results.of(
            self.settings,
            values,
            self.rule,
            measure=self.measure,
            method=self.method,
            larger_is_better=self.larger_is_better,
            who=who,
            notes=self.notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, JSON-ready as far as the settings are."""
        lines = [
            {
                "parameters": dict(setting),
                "mean": _plain(self.mean[i]),
                "standard_error": _plain(self.standard_error[i]),
                "values": [_plain(v) for v in self.values[i]],
                "chosen": i == self.chosen,
            }
            for i, setting in enumerate(self.settings)
        ]
        return {
            "measure": self.measure,
            "method": self.method,
            "rule": self.rule,
            "settings": lines,
            "notes": list(self.notes),
        }

    def sentence(self) -> str:
        """Describe what was chosen, out of how many settings, and by which measure."""
        i = self.chosen
        error = self.standard_error[i]
        give_or_take = f" +- {number(float(error))}" if not math.isnan(error) else ""
        return (
            f"{setting_text(dict(self.settings[i]))}: {self.measure} {number(float(self.mean[i]))}{give_or_take} by "
            f"{self.method} (rule {self.rule!r}, {len(self.settings)} settings)"
        )

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 110) -> str:
        """The settings as a table with a limited number of cells per line."""
        names = list(dict.fromkeys(name for setting in self.settings for name in setting))
        headings = [
            Heading(""),
            *(Heading(name, "right", least=max(6, min(len(name), 20))) for name in names),
            Heading(self.measure, "right"),
            Heading("std. error", "right"),
            *([Heading("on each split", spare=1)] if self.values.shape[1] > 1 else []),
        ]
        rows = []
        for i, setting in enumerate(self.settings):
            mark = "->" if i == self.chosen else "* " if i == self.best else ""
            cells = [_cell_text(setting[name]) if name in setting else "" for name in names]
            each = " ".join(number(float(v)) for v in self.values[i][:10])
            more = " ..." if self.values.shape[1] > 10 else ""
            error = number(float(self.standard_error[i]))
            rows.append([mark, *cells, number(float(self.mean[i])), error, each + more][: len(headings)])
        legend = "-> chosen" + (", * of the best mean" if self.best != self.chosen else "")
        return "\n".join(
            [
                f"{self.measure} by {self.method}; {legend}",
                *table(headings, rows, width, indent=0),
                *notes_text(self.notes, width),
            ]
        )


def notes_text(notes: Sequence[str], width: int) -> list[str]:
    """Notes as lines below a table."""
    return [line for note in notes for line in wrap(f"note: {note}", width, then="  ")]


def means_of(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard error over the splits (the last axis) of each line, ignoring NaN.

    Sums are rounded once, so that equal values in another order have equal means.
    """
    mean, error = np.full(values.shape[:-1], np.nan), np.full(values.shape[:-1], np.nan)
    for at in np.ndindex(mean.shape):
        known = values[at][~np.isnan(values[at])]
        n = len(known)
        if np.isinf(known).any():
            mean[at] = known.sum()
        elif n:
            mean[at] = math.fsum(known) / n
            if n > 1:
                error[at] = math.sqrt(math.fsum((known - mean[at]) ** 2) / (n - 1) / n)
    return mean, error


def choose_setting(
    mean: Floats, error: Floats, rule: Rule, larger_is_better: bool, who: str
) -> tuple[int, int]:
    """The position of the best mean, and of the setting that the rule chooses; settings are sorted simplest first."""
    cost = np.where(np.isnan(mean), np.inf, -mean if larger_is_better else mean)
    if np.isnan(mean).all():
        raise DataError(
            f"{who} is undefined for all settings on all splits, so none can be chosen; use another measure."
        )
    # NaN is worse than infinite, which only matters where nothing is finite.
    order = np.lexsort((np.arange(len(cost)), np.isnan(mean), cost))
    best = int(order[0])
    if rule == "best":
        return best, best
    if math.isnan(error[best]):
        raise ParameterError(
            f"{who} has no standard error, which rule='one-se' needs; validate on more than one split, "
            "or use rule='best'."
        )
    near = np.flatnonzero(cost <= cost[best] + error[best])
    return best, int(near[0])


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _cell_text(value: Any) -> str:
    if isinstance(value, float) and not isinstance(value, bool):
        return number(value)
    return str(value)
