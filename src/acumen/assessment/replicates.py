"""Bootstrap a measure over rows, for measures that are not means over rows.

Rows are drawn, not tests: all that was ever predicted of a row comes along with it. The models stay as they are.
The same seed and the same tested rows draw the same rows, so that differences of two learners are of pairs.

The rows that an assessment tested, each of them once, however often and by however many models.

TestedRows   which rows, which test is of which row, and what the rows weigh
losses       what each test lost, for the measures that are means over rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from acumen.assessment.confusion import Confusion
from acumen.assessment.outcome import Outcome, errors_of
from acumen.assessment.runs import TestRun
from acumen.assessment.scores import Measure
from acumen.types import Array, Bools, Codes, Floats, Indices

if TYPE_CHECKING:
    from acumen.assessment.assessment import Assessment


@dataclass(frozen=True, slots=True, eq=False)
class TestedRows:
    """The distinct rows among all tests of some runs."""

    __test__ = False  # not a test case, whatever pytest makes of the name

    place: Indices  # of each test, run after run: which of the different rows it is of
    first: Indices  # of each run the place of its first test; and the number of all tests
    weights: Floats  # of the different rows

    @classmethod
    def of(cls, runs: Sequence[TestRun]) -> TestedRows:
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
        """The effective number of rows: (sum w)^2 / sum w^2 (Kish)."""
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))


def concatenate_runs(runs: Sequence[TestRun], name: str) -> Array:
    """An entry of all runs, test after test."""
    return np.concatenate([getattr(run, name) for run in runs])


def losses(found: Assessment, measure: Measure) -> Floats:
    """The contribution of each test to the measure, run after run; the squared error for `rmse` and `r2`."""
    runs = found.runs
    truth, predicted = concatenate_runs(runs, "truth"), concatenate_runs(runs, "predicted")
    if measure.name in ("rmse", "r2"):
        return errors_of(measure.name, truth, predicted)
    proba = concatenate_runs(runs, "proba") if measure.needs == "probabilities" else None
    classes: Any = () if found.confusion is None else found.confusion.labels
    return measure.by_row(truth, predicted, proba, costs=found.costs, classes=classes)


#: So many samples of rows are drawn; of many tests fewer, but never fewer than the second number.
MOST_DRAWS, FEWEST_DRAWS = 1000, 100
#: So many drawn tests altogether, and at a time: few enough for a processor's own memory.
_WORK, _AT_ONCE = 3 * 10**7, 1 << 18
#: Draws of at most so many bytes are kept for the next learner.
_KEPT = 1 << 23

#: From the weights of tests in each draw, (tests, draws), to the measure in each draw. Draws lie side by side, so that
#: tests are put in order by moving whole lines.
Rule = Callable[[Floats], Floats]


def replicates(found: Assessment, measure: Measure, seed: int = 0) -> tuple[float, Floats]:
    """The measure on the rows as they are, and on bootstrap samples of n of n rows, draw by draw.

    A measure of labels or numbers is computed over all tests together. The mean over splits differs from that a little,
    or a lot if splits are small (R2). The area under the curve is a mean over splits, because scores of different
    models must not be sorted together.
    """
    tested = TestedRows.of(found.runs)
    rule = rule_of(found, measure, tested)
    whole = rule(tested.weights[tested.place][:, None])
    drawn = [rule(weights[tested.place]) for weights in _draws(tested, seed)]
    return float(whole[0]), np.concatenate(drawn)


def rule_of(found: Assessment, measure: Measure, tested: TestedRows) -> Rule:
    """Return how the measure follows from the weights of tests."""
    if measure.needs == "labels":
        return _pooled_rule(found, measure)
    if measure.needs == "numbers":
        return _of_numbers(measure.name, losses(found, measure), concatenate_runs(found.runs, "truth"))
    return _split_by_split(found, tested)


def _draws(tested: TestedRows, seed: int) -> Iterator[Floats]:
    """The weight of each row in each draw, (rows, draws), some draws at a time."""
    n, tests = len(tested), len(tested.place)
    count = max(FEWEST_DRAWS, min(MOST_DRAWS, _WORK // max(tests, 1)))
    some = min(count, max(1, _AT_ONCE // max(tests, 1)))
    drawn = _cached_draws(n, count, some, seed) if n * count <= _KEPT else draw_counts(n, count, some, seed)
    for times in drawn:
        yield times * tested.weights[:, None]


def draw_counts(n: int, count: int, some: int, seed: int) -> Iterator[npt.NDArray[np.uint8]]:
    """How often each row is drawn, (rows, draws); more than 255 times is practically impossible."""
    rng = np.random.default_rng([seed, n])
    for start in range(0, count, some):
        times = rng.multinomial(n, np.full(n, 1.0 / n), size=min(some, count - start))
        yield np.ascontiguousarray(np.minimum(times, 255).astype(np.uint8).T)


@lru_cache(maxsize=1)
def _cached_draws(n: int, count: int, some: int, seed: int) -> tuple[npt.NDArray[np.uint8], ...]:
    """The draws, cached for all learners of a comparison: drawing takes longer than using them."""
    return tuple(draw_counts(n, count, some, seed))


# -- of labels: from the counts of all tests ------------------------------------------------------


def _pooled_rule(found: Assessment, measure: Measure) -> Rule:
    from scipy.sparse import csr_array

    assert found.confusion is not None
    labels = found.confusion.labels
    k = len(labels)
    truth, predicted = concatenate_runs(found.runs, "truth"), concatenate_runs(found.runs, "predicted")
    cells = predicted.astype(np.intp) * k + truth
    n = len(cells)
    which = csr_array((np.ones(n), (np.arange(n), cells)), shape=(n, k * k))

    def rule(weights: Floats) -> Floats:
        counts = np.asarray(which.T @ weights).T.reshape(-1, k, k)
        values = [measure.value(Outcome(Confusion(labels, c)), positive=found.positive) for c in counts]
        return np.array(values)

    return rule


# -- of scores: split by split --------------------------------------------------------------------


def _split_by_split(found: Assessment, tested: TestedRows) -> Rule:
    """The mean over the splits in which the area is defined."""
    rules: list[Rule] = []
    for run in found.runs:
        assert run.proba is not None
        rules.append(_areas(run.truth, run.proba))

    def rule(weights: Floats) -> Floats:
        total, known = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
        for one, start, end in zip(rules, tested.first[:-1], tested.first[1:], strict=True):
            values = one(weights[start:end])
            defined = ~np.isnan(values)
            total[defined] += values[defined]
            known += defined
        with np.errstate(invalid="ignore"):
            return total / known

    return rule


def _of_numbers(name: str, squares: Floats, truth: Floats) -> Rule:
    centred = truth - truth.mean()

    def rule(weights: Floats) -> Floats:
        total = weights.sum(axis=0)
        lost = squares @ weights
        with np.errstate(divide="ignore", invalid="ignore"):
            if name == "rmse":
                return np.sqrt(lost / total)
            scatter = centred**2 @ weights - (centred @ weights) ** 2 / total
            return np.where(scatter > 1e-12 * np.sum(centred**2), 1.0 - lost / scatter, np.nan)

    return rule


def _areas(truth: Codes, proba: Floats) -> Rule:
    """Hand and Till's M: the mean over pairs of classes, as `multiclass.mean_pair_area` has it."""
    present = np.unique(truth[truth >= 0]).tolist()
    pairs = [(a, b) for i, a in enumerate(present) for b in present[i + 1 :]]
    rules = []
    for a, b in pairs:
        both = np.flatnonzero((truth == a) | (truth == b))
        rules.append(
            (_area(both, proba[both, a], truth[both] == a), _area(both, proba[both, b], truth[both] == b))
        )

    def rule(weights: Floats) -> Floats:
        total, known = np.zeros(weights.shape[1]), np.zeros(weights.shape[1])
        for one, other in rules:
            values = (one(weights) + other(weights)) / 2.0
            defined = ~np.isnan(values)
            total[defined] += values[defined]
            known += defined
        with np.errstate(invalid="ignore"):
            return total / known

    return rule


def _area(rows: Indices, scores: Floats, flags: Bools) -> Rule:
    """The area under the curve of these rows; ties count half."""
    order = np.argsort(scores, kind="stable")
    level = np.cumsum(np.append(False, np.diff(scores[order]) > 0)) if len(order) else order
    flagged = flags[order]
    up, down = rows[order[flagged]], rows[order[~flagged]]
    up_level, down_level = level[flagged], level[~flagged]
    first, last = (np.searchsorted(down_level, up_level, side=side) for side in ("left", "right"))

    def rule(weights: Floats) -> Floats:
        above, below = weights[up], weights[down]
        summed = np.zeros((len(down) + 1, weights.shape[1]))
        np.cumsum(below, axis=0, out=summed[1:])
        wins = summed[last] if np.array_equal(first, last) else (summed[first] + summed[last]) / 2.0
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.einsum("ij,ij->j", above, wins) / (above.sum(axis=0) * summed[-1])

    return rule
