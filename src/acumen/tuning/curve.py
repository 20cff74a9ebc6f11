"""Training and test measure along sizes or values of a parameter, as plain values.

Curve         the measure on every split; means and standard errors follow
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.text import Heading, number, table
from acumen.tuning.results import means_of, noted
from acumen.types import Array, Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """A measure on training and test rows, at each size or value.

    Attributes
    ----------
    learner, measure, method : str
    what : str
        `training rows`, or the name of the parameter.
    values : tuple
        The sizes, or the values of the parameter.
    training, test : arrays of (values, splits)
        The measure on the rows learned from, and on those left out; NaN where it is not defined.
    larger_is_better : bool
    notes : tuple of str
        What fits on the splits warned of, each once.
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

    @property
    def sizes(self) -> Array:
        """The values as an array: of a learning curve the numbers of training rows."""
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
        """The standard error of the test mean over the splits."""
        return means_of(self.test)[1]

    def figure(self) -> LearningFigure:
        """Training and test lines with a band of one standard error; what is no number stands at 0, 1, 2, ..."""
        numbers = all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in self.values)
        x = np.array(self.values if numbers else range(len(self.values)), dtype=np.float64)
        bands = []
        for name, values in (("training rows", self.training), ("test rows", self.test)):
            mean, error = means_of(values)
            error = np.nan_to_num(error)
            bands.append(Band(name, mean, mean - error, mean + error))
        return LearningFigure(x, bands, self.what, self.measure, title=f"{self.learner} by {self.method}")

    def _repr_html_(self) -> str:
        return f'<div style="max-width:44rem">{self.figure()._repr_svg_()}</div>'

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the lines of the table."""
        lines = zip(
            self.values, self.training_mean, self.training_error, self.test_mean, self.test_error, strict=True
        )
        names = (self.what, "training_mean", "training_error", "test_mean", "test_error")
        return {
            "learner": self.learner,
            "measure": self.measure,
            "method": self.method,
            "notes": list(self.notes),
            "lines": [dict(zip(names, (_plain(v) for v in line), strict=True)) for line in lines],
        }

    def __str__(self) -> str:
        headings = [Heading(self.what, "right", least=8)] + [
            Heading(title, "right") for title in ("training", "std. error", "test", "std. error")
        ]
        figures = (self.training_mean, self.training_error, self.test_mean, self.test_error)
        rows = [
            [
                number(v) if isinstance(v, float) else str(v),
                *(number(float(column[i])) for column in figures),
            ]
            for i, v in enumerate(self.values)
        ]
        title = f"{self.measure} of {self.learner} by {self.method}"
        return "\n".join([title, *table(headings, rows, 100), *noted(self.notes, 100)])


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value
