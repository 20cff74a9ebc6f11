"""Rows flagged one score after the other, from the highest: what is found at each step, and in bootstrap samples.

ThresholdSteps   weight found and weight of false alarms after each distinct score
coarse_places    enough steps to choose among
redraw_steps     the steps of bootstrap samples of the rows
split_steps      the steps of two random parts of the rows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.assessment.roc import RankedScores
from acumen.resampling.plan import streams
from acumen.types import Floats, Indices

#: Thresholds among which a draw chooses; of more different scores, some evenly among the rows.
MOST_STEPS = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdSteps:
    """What is flagged as the threshold falls: weight found and weight of false alarms, from no row to all."""

    scores: Floats  # the different scores, highest first
    found: Floats  # one longer: before the first score nobody is called
    alarms: Floats

    @classmethod
    def of(cls, scores: Floats, up: Floats, down: Floats) -> ThresholdSteps:
        """From the weight of positive and negative rows at each of the different scores, highest first."""
        return cls(scores, np.append(0.0, np.cumsum(up)), np.append(0.0, np.cumsum(down)))

    @property
    def selected_weight(self) -> Floats:
        return self.found + self.alarms

    @property
    def rows(self) -> float:
        return float(self.found[-1] + self.alarms[-1])

    @property
    def positives(self) -> float:
        return float(self.found[-1])

    def threshold(self, step: int) -> float:
        """The threshold that separates the scores flagged after a number of steps from the others."""
        if step == 0:
            return float("inf")
        if step == len(self.scores):
            return float(min(0.0, self.scores[-1]))
        return float(0.5 * (self.scores[step - 1] + self.scores[step]))


def coarse_places(steps: ThresholdSteps) -> Indices:
    """Steps among which bootstrap draws choose, including no row and all rows."""
    n = len(steps.scores)
    if n <= MOST_STEPS:
        return np.arange(n + 1)
    wanted = np.linspace(0, steps.rows, MOST_STEPS)
    return np.unique(np.append(0, np.minimum(np.searchsorted(steps.selected_weight, wanted), n)))


def redraw_steps(
    ranked: RankedScores, coarse: ThresholdSteps, draws: int, random_state: Any
) -> Iterator[ThresholdSteps]:
    """The steps of bootstrap samples: each row drawn as often as chance has it, Poisson for non-integer weights."""
    rng = next(streams(random_state, "decide"))
    up, down = np.diff(coarse.found), np.diff(coarse.alarms)
    cells = np.concatenate([up, down])
    whole = not ranked.weights.size or not np.any(ranked.weights % 1)
    if whole:
        total = round(cells.sum())
        for counts in (rng.multinomial(total, cells / cells.sum()).astype(np.float64) for _ in range(draws)):
            yield ThresholdSteps.of(coarse.scores, *np.split(counts, 2))
        return
    place = _places(ranked, coarse)
    for _ in range(draws):
        yield _weighted_steps(coarse, place, rng.poisson(1.0, len(place)) * ranked.weights)


def split_steps(
    ranked: RankedScores, coarse: ThresholdSteps, draws: int, random_state: Any
) -> Iterator[tuple[ThresholdSteps, ThresholdSteps]]:
    """The steps of two random parts of the rows: those in a bootstrap sample, and those it leaves out."""
    rng = next(streams(random_state, "decide parts"))
    share = 1.0 - np.exp(-1.0)
    if not ranked.weights.size or not np.any(ranked.weights % 1):
        cells = np.concatenate([np.diff(coarse.found), np.diff(coarse.alarms)]).round().astype(np.int64)
        for _ in range(draws):
            first = rng.binomial(cells, share)
            yield (
                ThresholdSteps.of(coarse.scores, *np.split(first.astype(np.float64), 2)),
                ThresholdSteps.of(coarse.scores, *np.split((cells - first).astype(np.float64), 2)),
            )
        return
    place = _places(ranked, coarse)
    for _ in range(draws):
        first = rng.random(len(place)) < share
        yield (
            _weighted_steps(coarse, place, ranked.weights * first),
            _weighted_steps(coarse, place, ranked.weights * ~first),
        )


def _places(ranked: RankedScores, coarse: ThresholdSteps) -> Indices:
    """The cell of each row: its score, and after all scores of positive rows those of the negative ones."""
    n = len(coarse.scores)
    place = np.searchsorted(-coarse.scores, -ranked.scores, side="left").clip(0, n - 1)
    return np.where(ranked.flags, place, place + n)


def _weighted_steps(coarse: ThresholdSteps, place: Indices, weights: Floats) -> ThresholdSteps:
    cells = np.asarray(np.bincount(place, weights, minlength=2 * len(coarse.scores)), dtype=np.float64)
    return ThresholdSteps.of(coarse.scores, *np.split(cells, 2))
