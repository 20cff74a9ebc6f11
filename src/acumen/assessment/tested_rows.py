"""The rows that an assessment tested, each of them once, however often and by however many models.

TestedRows   which rows, which test is of which row, and what the rows weigh
losses       what each test lost, for the measures that are means over rows
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.assessment.numeric_outcome import errors_of
from acumen.assessment.runs import Run
from acumen.assessment.scores import Measure
from acumen.types import Array, Floats, Indices

if TYPE_CHECKING:
    from acumen.assessment.assessment import Assessment


@dataclass(frozen=True, slots=True, eq=False)
class TestedRows:
    """The different rows among all tests of some runs."""

    __test__ = False  # not a test case, whatever pytest makes of the name

    place: Indices  # of each test, run after run: which of the different rows it is of
    first: Indices  # of each run the place of its first test; and the number of all tests
    weights: Floats  # of the different rows

    @classmethod
    def of(cls, runs: Sequence[Run]) -> TestedRows:
        tests = np.concatenate([run.test for run in runs])
        rows, place = np.unique(tests, return_inverse=True)
        weights = np.ones(len(rows))
        if any(run.weights.size for run in runs):
            weights[place] = np.concatenate([run.weights for run in runs])
        return cls(place.reshape(-1), np.cumsum([0, *(len(run.test) for run in runs)]), weights)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def effective(self) -> float:
        """As many rows of equal weight would say as much: (sum w)^2 / sum w^2 (Kish)."""
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))


def gathered(runs: Sequence[Run], name: str) -> Array:
    """An entry of all runs, test after test."""
    return np.concatenate([getattr(run, name) for run in runs])


def losses(found: Assessment, measure: Measure) -> Floats:
    """What each test adds to the measure, run after run; of `rmse` and `r2` the squared error."""
    runs = found.runs
    truth, predicted = gathered(runs, "truth"), gathered(runs, "predicted")
    if measure.name in ("rmse", "r2"):
        return errors_of(measure.name, truth, predicted)
    proba = gathered(runs, "proba") if measure.needs == "probabilities" else None
    classes: Any = () if found.confusion is None else found.confusion.labels
    return measure.by_row(truth, predicted, proba, costs=found.costs, classes=classes)
