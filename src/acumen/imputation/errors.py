"""The error of filled cells, estimated on known cells that were hidden, and the choices based on it.

    HiddenCellError   an attribute's error, compared with that of its mean, median or mode
    HiddenCells       the hidden cells, and what each round of predictors filled in
    RoundChoice       the number of rounds, the attributes that a constant fills better, and unbiased errors

Hidden cells choose two things: after how many rounds to stop, and which attributes nothing predicts better than their
plain answer. A choice flatters the cells it was made by. So errors are those of cells that had no part in it: each
tenth of the cells is filled as the other nine tenths choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from acumen.data.schema import Attribute
from acumen.imputation.chain import plain_answer
from acumen.imputation.rows import ColumnValues
from acumen.types import Array, Bools, Floats

#: A further round is kept where the hidden cells come out better by this fraction of the plain answers' error.
BETTER = 0.002
#: Parts of the hidden cells, each judged by what the others choose.
FOLDS = 10
#: How often nominal cells are cut into halves to judge their mode.
HALVINGS = 20
#: Predictions are taken where they are better than the plain answer by more than so many standard errors. Of columns of
#: noise about one in six is predicted all the same (simulated, 100 rows): cells share training rows.
SURE = 1.64


@dataclass(frozen=True, slots=True)
class HiddenCellError:
    """The error of an attribute's filled values, on known cells that were hidden.

    `measure` is "rmse" of numbers, "error" (the fraction filled wrongly) of levels, "mae_rank" (the mean number of
    levels it is off) of ordered ones; `baseline` is that of always filling in the mean, the mode or the median. NaN
    where no cell could be hidden. `plain` says that the attribute is filled so, since nothing predicts it better.
    """

    attribute: str
    measure: str
    error: float
    baseline: float
    cells: int
    plain: bool = False

    @property
    def better(self) -> float:
        """The fraction by which the error is smaller than that of the baseline."""
        return 1.0 - self.error / self.baseline if self.baseline > 0 else 0.0

    @property
    def plain_name(self) -> str:
        """The name of the baseline."""
        return {"rmse": "mean", "mae_rank": "median"}.get(self.measure, "mode")


@dataclass(frozen=True, slots=True, eq=False)
class HiddenColumn:
    """One attribute's hidden cells."""

    attribute: Attribute
    truth: Array
    plain: float
    mass: Floats
    #: All known values, hidden or not, and what they weigh: the plain answer's error is surest over these.
    is_known: Array
    known_mass: Floats
    #: The plain answer to each hidden cell, where several deals have their own.
    plain_answers: Array | None = None

    @property
    def measure(self) -> str:
        return "rmse" if self.attribute.is_numeric else "mae_rank" if self.attribute.ordered else "error"

    def losses(self, answers: Array) -> Floats:
        """The loss of each cell: squared error, distance in levels, or 1 for another level."""
        return self._losses(self.truth, answers)

    def _losses(self, truth: Array, answers: Array | float) -> Floats:
        if self.measure == "error":
            return np.asarray(truth != answers, dtype=np.float64)
        away: Floats = np.abs(truth.astype(np.float64) - answers)
        return away if self.measure == "mae_rank" else away**2

    def plain_values(self) -> Array:
        """The plain answer to each hidden cell."""
        return (
            np.full(len(self.truth), self.plain) if self.plain_answers is None else self.plain_answers.copy()
        )

    @property
    def plain_losses(self) -> Floats:
        return self._losses(self.truth, self.plain_values())

    def error(self, losses: Floats, part: Bools | None = None) -> float:
        """The measure over some of the cells; NaN without any."""
        mass = self.mass if part is None else np.where(part, self.mass, 0.0)
        return self._measure_losses(losses, mass)

    def plain_error(self) -> float:
        """The measure over all known cells of plain answers computed from the others, so that a mode is not judged
        by the cells that elected it; it does not depend on which were hidden."""
        return self._measure_losses(self._known_losses(), self.known_mass)

    def _known_losses(self) -> Floats:
        """How far each known cell is off the plain answer of the cells outside its fold.

        Which level is the mode of two that are nearly as frequent is luck, and one deal into ten folds often calls the
        mode wrong in most cells or in few: nominal cells are judged by many halves instead.
        """
        n = len(self.is_known)
        if n <= FOLDS:
            return self._losses(self.is_known, self.plain)
        rng = np.random.default_rng(n)
        folds, repeats = (FOLDS, 1) if self.attribute.is_numeric else (2, HALVINGS)
        # Dealt at random from the sorted values: whatever the order of rows, and without balancing the values.
        order = np.lexsort((self.known_mass, self.is_known))
        losses = np.zeros(n)
        fold_of = np.empty(n, dtype=np.intp)
        for _ in range(repeats):
            fold_of[order] = rng.permutation(n) % folds
            for fold in range(folds):
                in_fold = fold_of == fold
                answer, _ = plain_answer(self.attribute, self.is_known[~in_fold], self.known_mass[~in_fold])
                losses[in_fold] += self._losses(self.is_known[in_fold], answer)
        return losses / repeats

    def _measure_losses(self, losses: Floats, mass: Floats) -> float:
        if not mass.sum() > 0:
            return float("nan")
        mean = float(np.average(losses, weights=mass))
        return float(np.sqrt(mean)) if self.measure == "rmse" else mean

    def predictable(self, losses: Floats, part: Bools) -> bool:
        """Whether predictions beat the constant answer by more than chance, over some cells."""
        gain, error = self.gain(losses, part)
        return gain > SURE * error

    def gain(self, losses: Floats, part: Bools) -> tuple[float, float]:
        """How much less predictions lose than the constant answer over some cells, and the standard error of that.

        The plain answer's loss is known of all known cells, so the predictions' loss is corrected for how hard the
        hidden ones are for the plain answer (a control variate).
        """
        mass, own_losses, plain = self.mass[part], losses[part], self.plain_losses[part]
        if np.count_nonzero(mass) < 2:
            return 0.0, 0.0
        everywhere = self._known_losses()
        spread = _variance(plain, mass)
        both = (_variance(plain + own_losses, mass) - _variance(plain - own_losses, mass)) / 4
        slope = float(np.clip(both / spread, 0.0, 1.0)) if spread > 0 else 0.0
        gain = (1.0 - slope) * np.average(everywhere, weights=self.known_mass) - np.average(
            own_losses - slope * plain, weights=mass
        )
        error = np.sqrt(
            (1.0 - slope) ** 2 * _variance(everywhere, self.known_mass)
            + _variance(own_losses - slope * plain, mass)
        )
        return float(gain), float(error)

    def error_after(self, gain: float) -> float:
        """The measure over all known cells of answers that lose this much less than the constant one."""
        plain = float(np.average(self._known_losses(), weights=self.known_mass))
        loss = max(plain - gain, 0.0)
        return float(np.sqrt(loss)) if self.measure == "rmse" else loss


@dataclass(frozen=True, slots=True)
class RoundChoice:
    """What hidden cells choose, and the errors of the others."""

    rounds: int
    plain: frozenset[str]
    errors: tuple[HiddenCellError, ...]
    residuals: dict[str, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class HiddenCells:
    """The hidden cells of each attribute, and the values that each round filled in."""

    cells: tuple[HiddenColumn, ...]
    answers: tuple[Mapping[str, Array], ...] = field(default=())

    @classmethod
    def of(cls, columns: ColumnValues, deals: Sequence[Mapping[str, Array]]) -> HiddenCells:
        """Start without any round. Deals hide different cells, and their answers come one behind the other."""
        cells = []
        for attribute in columns.attributes:
            name = attribute.name
            if name not in deals[0]:
                continue
            at = np.concatenate([deal[name] for deal in deals])
            plain = [
                plain_answer(attribute, columns.without(name, deal[name]), columns.weights)[0]
                for deal in deals
            ]
            mass = columns.weights[at] if columns.weights.size else np.ones(len(at))
            known = np.flatnonzero(columns.is_known(name))
            known_mass = columns.weights[known] if columns.weights.size else np.ones(len(known))
            values = columns.values[name]
            plain_answers = np.repeat(plain, [len(deal[name]) for deal in deals])
            cells.append(
                HiddenColumn(attribute, values[at], plain[0], mass, values[known], known_mass, plain_answers)
            )
        return cls(tuple(cells))

    def with_round(self, answers: Mapping[str, Array]) -> HiddenCells:
        """The hidden cells after one more round."""
        return replace(self, answers=(*self.answers, answers))

    @property
    def is_settled(self) -> bool:
        """Whether no further round could be chosen, whichever cells choose."""
        return max(self._rounds(fold) for fold in range(-1, FOLDS)) < len(self.answers)

    def choose_rounds(self) -> RoundChoice:
        """The choice by all cells, and the errors of cells when other cells choose."""
        rounds = self._rounds(-1)
        by_fold = [self._rounds(fold) for fold in range(FOLDS)]
        plain: set[str] = set()
        errors: list[HiddenCellError] = []
        residuals: dict[str, Floats] = {}
        for each in self.cells:
            name, n = each.attribute.name, len(each.truth)
            every = np.ones(n, dtype=np.bool_)
            answers = self._cell_values(each, by_fold)
            error = baseline = each.plain_error() if n else float("nan")
            gain = 0.0
            if n and each.predictable(losses := each.losses(self.answers[rounds - 1][name]), every):
                gain = min(
                    gain_unselected(*each.gain(losses, every)), each.gain(each.losses(answers), every)[0]
                )
            if gain > 0:
                error = each.error_after(gain)
            else:
                plain.add(name)
                answers = each.plain_values()
            errors.append(HiddenCellError(name, each.measure, error, baseline, n, name in plain))
            if each.attribute.is_numeric and n:
                residuals[name] = each.truth - answers
        return RoundChoice(rounds, frozenset(plain), tuple(errors), residuals)

    def _cell_values(self, cells: HiddenColumn, rounds: Sequence[int]) -> Array:
        """The values filled into an attribute's cells, each as the cells of the other folds choose."""
        name, n = cells.attribute.name, len(cells.truth)
        values = cells.plain_values()
        for fold, count in enumerate(rounds):
            in_fold = _fold(n, fold)
            answers = self.answers[count - 1][name] if in_fold.any() else values
            if in_fold.any() and cells.predictable(cells.losses(answers), ~in_fold):
                values[in_fold] = answers[in_fold]
        return values

    def _rounds(self, without: int) -> int:
        """The number of rounds that the cells outside a fold choose: until one does not improve them."""
        least = np.inf
        for count, answers in enumerate(self.answers):
            ratio = self._ratio(answers, without)
            if ratio > least - BETTER:
                return count
            least = ratio
        return len(self.answers)

    def _ratio(self, answers: Mapping[str, Array], without: int) -> float:
        """The mean over attributes of the error relative to that of the constant answer."""
        ratios = []
        for each in self.cells:
            part = ~_fold(len(each.truth), without)
            baseline = each.error(each.plain_losses, part)
            if baseline > 0:
                ratios.append(each.error(each.losses(answers[each.attribute.name]), part) / baseline)
        return float(np.mean(ratios)) if ratios else 0.0


def gain_unselected(gain: float, error: float) -> float:
    """Correct a gain that was chosen because it exceeds `SURE` standard errors for that choice.

    The maximum likelihood estimate given that it was taken: with true gain g and standard error s, gains above SURE s
    have the mean g + s r(SURE - g / s), where r is the density of the normal distribution over its upper tail.
    """
    low, high = 0.0, gain
    if not error > 0:
        return gain
    for _ in range(50):
        middle = (low + high) / 2
        at = SURE - middle / error
        mean = middle + error * math.exp(-0.5 * at * at) / math.sqrt(2 * math.pi) / (
            0.5 * math.erfc(at / math.sqrt(2))
        )
        low, high = (middle, high) if mean < gain else (low, middle)
    return low


def _variance(values: Floats, mass: Floats) -> float:
    """The variance of a weighted mean."""
    n = int(np.count_nonzero(mass))
    if n < 2:
        return 0.0
    apart = mass * (values - np.average(values, weights=mass))
    return float(np.sum(apart**2)) / float(mass.sum()) ** 2 * n / (n - 1)


def _fold(n: int, fold: int) -> Bools:
    """Which of n cells a fold has; none of those outside 0 to FOLDS - 1."""
    in_fold: Bools = np.arange(n) % FOLDS == fold
    return in_fold
