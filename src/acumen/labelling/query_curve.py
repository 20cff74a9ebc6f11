"""What active learning gains over random labelling, as plain values.

AskedCurve    a measure after each batch of questions, line by line and seed by seed; areas and their differences
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.assessment.statistics.intervals import Interval, interval
from acumen.errors import ParameterError, did_you_mean
from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.text import Heading, number, table
from acumen.types import Array, Floats

#: Lines of the printed table.
_SHOWN = 12


@dataclass(frozen=True, eq=False)
class AskedCurve:
    """The measure on held-out rows by the number of questions, compared with rows drawn at random.

    Attributes
    ----------
    learner, measure : str
    larger_is_better : bool
    questions : array of int
        How many questions had been asked.
    lines : mapping of name to array of (questions, seeds)
        The measure of each line: the way of asking, "random", and both "with feedback" where there was any. NaN where
        too little was known to learn from.
    asked, random : str
        The names of the line that asks and of the one that draws at random.
    """

    learner: str
    measure: str
    larger_is_better: bool
    questions: Array
    lines: Mapping[str, Floats]
    asked: str
    random: str

    @property
    def seeds(self) -> int:
        """The number of splits."""
        return int(next(iter(self.lines.values())).shape[1])

    def areas(self, line: str | None = None) -> Floats:
        """For each seed, the area under the curve divided by its width: the mean of the measure over the questions.

        It begins where every line had enough to learn from.
        """
        begun = self._first_complete
        values = self._line(line)[begun:]
        if len(values) < 2:
            return values.mean(axis=0) if len(values) else np.full(self.seeds, np.nan)
        wide = np.diff(self.questions[begun:])[:, None]
        return (wide * (values[1:] + values[:-1]) / 2).sum(axis=0) / wide.sum()

    def lead(self, line: str | None = None, over: str | None = None, level: float = 0.95) -> Interval:
        """How much better one line's area is than another's, paired by seed, with its t interval.

        Above 0 the line is better, for any measure. [default: `line` is the query strategy and `over` random asking]
        The interval is about further seeds on the same table, not about other tables.
        """
        other = self.random if over is None else over
        apart = self.areas(line) - self.areas(other)
        return interval(apart if self.larger_is_better else -apart, level)

    @property
    def _first_complete(self) -> int:
        """The first position from which no line has missing values."""
        gaps = np.array([np.isnan(values).any(axis=1) for values in self.lines.values()]).any(axis=0)
        return int(np.flatnonzero(gaps)[-1]) + 1 if gaps.any() else 0

    @property
    def _lines_ahead(self) -> list[str]:
        """The lines whose lead over random asking can be estimated."""
        comparable = self.seeds > 1 and self._first_complete < len(self.questions)
        return [name for name in self.lines if name != self.random] if comparable else []

    def _line(self, line: str | None) -> Floats:
        name = self.asked if line is None else line
        if name not in self.lines:
            known = ", ".join(map(repr, self.lines))
            raise ParameterError(
                f"AskedCurve: there is no line {name!r}; there are {known}.{did_you_mean(name, self.lines)}"
            )
        return self.lines[name]

    def figure(self) -> LearningFigure:
        """Every line's mean over the seeds in its 95 % t interval."""
        bands = []
        for name, values in self.lines.items():
            intervals = [_interval(line) for line in values]
            mean, low, high = (np.array(part) for part in zip(*intervals, strict=True))
            bands.append(Band(name, mean, low, high))
        return LearningFigure(
            self.questions.astype(np.float64), bands, "questions", self.measure,
            title=f"active learning with {self.learner}, {self.seeds} seeds",
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return f'<div style="max-width:44rem">{self.figure()._repr_svg_()}</div>'

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: means, areas, and the lead over random asking."""
        return {
            "learner": self.learner,
            "measure": self.measure,
            "seeds": self.seeds,
            "questions": self.questions.tolist(),
            "lines": {
                name: {
                    "mean": [_plain(v) for v in _means(values)],
                    "area": _plain(float(np.mean(self.areas(name)))),
                }
                for name, values in self.lines.items()
            },
            "leads": {name: _lead(self.lead(name)) for name in self._lines_ahead},
        }

    def __str__(self) -> str:
        headings = [Heading("questions", "right")] + [Heading(name, "right") for name in self.lines]
        every = np.arange(len(self.questions))
        shown = np.unique(np.linspace(0, len(every) - 1, min(_SHOWN, len(every))).round().astype(int))
        means = [_means(values) for values in self.lines.values()]
        rows = [[str(int(self.questions[i])), *(number(float(mean[i])) for mean in means)] for i in shown]
        rows.append(["area", *(number(float(np.mean(self.areas(name)))) for name in self.lines)])
        lines = []
        for name in self._lines_ahead:
            lead = self.lead(name)
            lines.append(
                f"{name} is better than {self.random} by {number(lead.estimate)} on average "
                f"(95 % interval {number(lead.low)} to {number(lead.high)})"
            )
        title = f"{self.measure} of {self.learner} by questions asked, means over {self.seeds} seeds"
        return "\n".join([title, *table(headings, rows, 100), *lines])


def _means(values: Floats) -> Floats:
    return np.array([_interval(line)[0] for line in values])


def _interval(values: Floats) -> tuple[float, float, float]:
    """The mean with its interval; with fewer than two numbers only the mean."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.nan, np.nan, np.nan
    if len(known) < 2:
        return float(known[0]), float(known[0]), float(known[0])
    bounds = interval(known)
    return bounds.estimate, bounds.low, bounds.high


def _lead(found: Interval) -> dict[str, Any]:
    return {"mean": _plain(found.estimate), "low": _plain(found.low), "high": _plain(found.high)}


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
