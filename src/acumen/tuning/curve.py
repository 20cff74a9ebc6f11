"""Training and test measures for several sizes or values of a parameter, as plain values.

LearningCurve   the measure on every split; means, standard errors and intervals follow
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.assessment.assessment import Assessment
from acumen.assessment.certainty import interval_over_models
from acumen.assessment.statistics.intervals import Interval
from acumen.caching import cached_property
from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.text import Heading, number, table
from acumen.tuning.results import means_of, notes_text
from acumen.types import Array, Floats


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """A measure on training and test rows at each size or parameter value.

    Attributes
    ----------
    learner, measure, method : str
    what : str
        `training rows`, or the name of the parameter.
    values : tuple
        The sizes, or the values of the parameter.
    training, test : arrays of (values, splits)
        The measure on the training rows, and on the held-out rows; NaN if undefined.
    larger_is_better : bool
    notes : tuple of str
        The warnings of the fits, each once.
    assessments : tuple of Assessment
        The predictions for the test rows, at each size or value.
    """

    learner: str
    measure: str
    method: str
    what: str
    values: tuple[Any, ...]
    training: Floats
    test: Floats
    larger_is_better: bool
    notes: tuple[str, ...] = ()
    assessments: tuple[Assessment, ...] = field(default=(), repr=False)

    @property
    def sizes(self) -> Array:
        """The values as an array: for a learning curve, the numbers of training rows."""
        return np.array(self.values)

    @property
    def training_mean(self) -> Floats:
        return means_of(self.training)[0]

    @property
    def training_error(self) -> Floats:
        """The standard error of the training mean over the splits."""
        return means_of(self.training)[1]

    @property
    def test_mean(self) -> Floats:
        return means_of(self.test)[0]

    @property
    def test_error(self) -> Floats:
        """The standard error of the test mean over the splits: too small if several repeats test the same rows."""
        return means_of(self.test)[1]

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """A 95 % interval of the test measure at each size or value, each on its own; NaN if there is none.

        It covers the mean over models of other training sets of the same size. As in `assess`, a row that several
        repeats test is one row.
        """
        return tuple(interval_over_models(each, self.measure) for each in self.assessments)

    @property
    def test_low(self) -> Floats:
        """The lower ends of the intervals."""
        return np.array([each.low for each in self.intervals])

    @property
    def test_high(self) -> Floats:
        """The upper ends of the intervals."""
        return np.array([each.high for each in self.intervals])

    def figure(self) -> LearningFigure:
        """Training and test lines, test with 95 % intervals; values that are not numbers are drawn at 0, 1, 2, ..."""
        numbers = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in self.values)
        x = np.array(self.values if numbers else range(len(self.values)), dtype=np.float64)
        mean, low, high = self.test_mean, self.test_low, self.test_high
        known = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(known, low, mean), np.where(known, high, mean)
        bands = [Band("training rows", self.training_mean), Band("test rows", mean, low, high)]
        return LearningFigure(x, bands, self.what, self.measure, title=f"{self.learner} by {self.method}")

    def _repr_html_(self) -> str:
        return f'<div style="max-width:44rem">{self.figure()._repr_svg_()}</div>'

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the lines of the table."""
        names = ("training_mean", "training_error", "test_mean", "test_error", "test_low", "test_high")
        columns = [self.values, *(getattr(self, name) for name in names)]
        return {
            "learner": self.learner,
            "measure": self.measure,
            "method": self.method,
            "notes": list(self.notes),
            "lines": [
                dict(zip((self.what, *names), map(_plain, line), strict=True))
                for line in zip(*columns, strict=True)
            ],
        }

    def __str__(self) -> str:
        headings = [Heading(self.what, "right", least=8)] + [
            Heading(title, "right") for title in ("training", "test", "95 % from", "to")
        ]
        figures = (self.training_mean, self.test_mean, self.test_low, self.test_high)
        rows = [
            [
                number(v) if isinstance(v, float) else str(v),
                *(number(float(column[i])) for column in figures),
            ]
            for i, v in enumerate(self.values)
        ]
        title = f"{self.measure} of {self.learner} by {self.method}"
        return "\n".join([title, *table(headings, rows, 100), *notes_text(self.notes, 100)])


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
