"""How strongly each shape is smoothed: chosen on the training rows.

    SmoothedFit        coefficients under strengths, their covariances, the degrees of freedom spent
    fit_with           fit under given strengths
    settle_strengths   strengths and coefficients near their optimum, in alternating steps
    by_aic             strengths with the lowest AIC, one for each shape, drawn slightly towards each other
    by_folds           the same, all times the factor with the lowest loss on held-out folds

AIC is deviance + 2 x degrees of freedom (with Hurvich and Tsai's correction for few rows; of several classes with
Bedrick and Tsai's, by which it is what one line spends that is held against the rows), where a smoothed block
spends tr((D + s S)^-1 D): D its information about itself once all other blocks have been fitted anew (a block of
the inverse, inverted), S its penalty. At an optimum the deviance under another strength of one block follows from D to
second order; so each strength has a one-dimensional problem in closed form, and a few rounds of fitting and choosing
settle them all. Strengths that differ much from each other cost a little (`ALIKE`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.additive.cholesky import Inverse
from acumen.additive.layout import SlotRows
from acumen.additive.losses import Answer, Loss
from acumen.additive.newton import (
    ROUGHLY,
    TOL,
    LineInverses,
    Minimum,
    NewtonPoint,
    gradient_at,
    minimise,
    newton_step,
    shorten_step,
)
from acumen.additive.penalty import Charge, Penalty, Rising
from acumen.additive.row_source import SlottedRows
from acumen.rows.content_folds import Column, deal
from acumen.summaries.algebra import Each
from acumen.types import Codes, Floats

#: Strengths that are looked at.
GRID: Floats = np.geomspace(1e-3, 1e6, 55)
_ROUNDS = 8
#: What a strength ten times that of the others costs, in units of AIC: one shape by itself tells little of its
#: strength, and shapes of one table are mostly alike. On small tables this lowers the loss of rows held out.
ALIKE = 1.0
_FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
#: Rows are never taken to be more certain than this: what is left of a fit that has learned them by heart says little.
LEAST_UNSURE = 0.1
#: Nearer to what AIC takes them to be, it is left as it is.
SURE = 0.9
#: The gradient that is small enough while strengths are still being chosen, and for beginning to fit to its end.
_ROUGH, _NEARLY = 1e-4, 1e-2
#: AICs that differ less than this are equal.
_EQUAL = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class StrengthChoice:
    """What strengths are chosen by."""

    strengths: Floats
    covariances: tuple[Floats, ...]  # of each line by itself: the inverse of its second derivatives
    freedom: Floats  # degrees of freedom of each block
    dispersion: float  # of numbers the variance that is left; else 1
    doubt: float  # what spending a degree of freedom is held to cost, over what AIC says


@dataclass(frozen=True, slots=True, eq=False)
class SmoothedFit(StrengthChoice):
    """A fit under strengths."""

    found: Minimum
    aic: float

    @property
    def total_freedom(self) -> float:
        """Of all blocks and the intercepts."""
        return _total(self.freedom, self.found.place.ground)


def fit_with(
    place: NewtonPoint,
    penalty: Penalty,
    strengths: Floats,
    rising: Rising | None = None,
    tol: float = TOL,
    who: str = "Additive",
    rough: SmoothedFit | None = None,
    doubt: float = 1.0,
) -> SmoothedFit:
    """Coefficients under these strengths, and what they spend; a rough answer that is known shortens the way."""
    charge = penalty.charge(strengths)
    near = () if rough is None or not np.array_equal(rough.strengths, strengths) else rough.found.inverses
    minimum = minimise(place, charge, rising, tol, who, near)
    if rising is None:
        covariances = tuple(inverse.matrix for inverse in minimum.inverses)
    else:
        inner = np.zeros_like(charge.matrix)
        inner[np.ix_(minimum.free, minimum.free)] = minimum.inverses[0].matrix
        covariances = (rising.turn @ inner @ rising.turn.T,)
    freedom = _degrees_of_freedom(minimum.place, penalty, charge, covariances, rising is not None)
    dispersion, aic = _score_fit(place.ground, minimum.loss, _total(freedom, place.ground), doubt)
    return SmoothedFit(strengths, covariances, freedom, dispersion, doubt, minimum, aic)


def _degrees_of_freedom(
    place: NewtonPoint, penalty: Penalty, charge: Charge, covariances: tuple[Floats, ...], bounded: bool
) -> Floats:
    """The degrees of freedom of each block."""
    blocks = penalty.layout.blocks
    freedom = np.zeros(len(blocks))
    for covariance in covariances:
        for at, block in enumerate(blocks):
            if not bounded:
                size = block.stop - block.start
                freedom[at] += size - float(np.sum(covariance[block, block] * charge.matrix[block, block]))
            else:
                freedom[at] += float(np.sum(covariance[block, :].T * place.data[0][:, block]))
    return np.maximum(freedom * _common_share(place.ground), 0.0)


def _common_share(ground: SlottedRows) -> float:
    """The share of several lines that is not the same in all."""
    return (ground.lines - 1) / ground.lines if ground.lines > 1 else 1.0


def _total(freedom: Floats, ground: SlottedRows) -> float:
    """Of all blocks and the intercepts."""
    return float(freedom.sum()) + max(ground.lines - 1.0, 1.0)


def _remaining_rows(ground: SlottedRows, freedom: float) -> float:
    """Rows that are left for judging once so much is spent on all lines together."""
    lines = max(ground.lines - 1.0, 1.0)
    return max(ground.total - freedom / lines - lines, 1.0)


def _score_fit(ground: SlottedRows, lost: float, freedom: float, doubt: float = 1.0) -> tuple[float, float]:
    """The variance that is left, and AIC."""
    total = ground.total
    remaining = _remaining_rows(ground, freedom)
    spent = 2.0 * doubt * freedom * total / remaining
    if ground.squares:
        variance = max(2.0 * lost / total, 1e-20)
        return max(2.0 * lost / remaining, 1e-20), total * float(np.log(variance)) + spent
    return 1.0, 2.0 * lost + spent


def by_aic(
    place: NewtonPoint, penalty: Penalty, strengths: Floats, who: str = "Additive", held: float = 10.0
) -> SmoothedFit:
    """Strengths of least AIC; where rows turn out to be more certain than it takes them to be, once more with that.

    `held` is the factor by which a strength may change at once.
    """
    place, strengths = settle_strengths(place, penalty, strengths, held)
    best = _least(place, penalty, strengths, who, held, 1.0)
    doubt = unsure(best.found.place)
    return best if doubt > SURE else _least(best.found.place, penalty, best.strengths, who, held, doubt)


def _least(
    place: NewtonPoint, penalty: Penalty, strengths: Floats, who: str, held: float, doubt: float
) -> SmoothedFit:
    """Choose and fit by turns, until no choice would gain anything; of all fits the one of least AIC."""
    best = now = fit_with(place, penalty, strengths, tol=_ROUGH, who=who, doubt=doubt)
    shapes = len(penalty.layout.shapes)
    for _ in range(_ROUNDS):
        wanted, gain = _choose_strengths(now.found.place.ground, penalty, now, now.found.coefficients)
        # A step in the logarithm, no longer than the last but one could prove good.
        moved = np.clip(np.log(wanted / now.strengths), -np.log(held), np.log(held))
        if gain < _EQUAL:
            break
        moved_to = now.strengths * np.exp(moved)
        now = fit_with(now.found.place, penalty, moved_to, tol=_ROUGH, who=who, doubt=doubt)
        gained = _charged_aic(best, shapes) - _charged_aic(now, shapes)
        if gained > 0:
            best = now
        if abs(gained) < _EQUAL:
            break
        if gained < 0:
            held = np.sqrt(held)
            now = best
            if held < 1.3:
                break
    return best


def settle_strengths(
    place: NewtonPoint, penalty: Penalty, strengths: Floats, held: float = 10.0
) -> tuple[NewtonPoint, Floats]:
    """A Newton step and a choice of strengths by turns: near the end of both without an end of either between."""
    total, before = place.ground.total, np.inf
    for _ in range(_ROUNDS):
        charge = penalty.charge(strengths)
        gradient = gradient_at(place, charge)
        size = float(np.abs(gradient).max(initial=0.0)) / total
        if place.ground.several:
            lines = LineInverses.at(place, charge)
            inverses, step = lines.inverses, newton_step(place, charge, lines, gradient, ROUGHLY)
        else:
            inverses = (Inverse(place.data[0] + charge.matrix),)
            step = inverses[0](-gradient[:, 0])[:, None]
        covariances = tuple(inverse.matrix for inverse in inverses)
        freedom = _degrees_of_freedom(place, penalty, charge, covariances, False)
        there = shorten_step(place, charge, step, -0.5 * float(np.sum(step * gradient)))
        there = place if there is None else there
        dispersion, _ = _score_fit(place.ground, there.loss, _total(freedom, place.ground))
        now = StrengthChoice(strengths, covariances, freedom, dispersion, 1.0)
        wanted, gain = _choose_strengths(place.ground, penalty, now, place.coefficients + step)
        # Shapes that share what they say overdo it together: then steps become shorter.
        held, before = held if gain < 0.5 * before else np.sqrt(held), gain
        moved = np.clip(np.log(wanted / strengths), -np.log(held), np.log(held))
        place, strengths = there, strengths * np.exp(moved)
        if size <= _NEARLY and gain < 4 * _EQUAL:
            break
    return place, strengths


def _charged_aic(now: SmoothedFit, shapes: int) -> float:
    """AIC, and what strengths of shapes that differ cost."""
    apart = np.log10(now.strengths[:shapes])
    return now.aic + ALIKE * float(((apart - apart.mean()) ** 2).sum()) if len(apart) else now.aic


def _choose_strengths(
    ground: SlottedRows, penalty: Penalty, now: StrengthChoice, coefficients: Floats
) -> tuple[Floats, float]:
    """For each block the strength of least AIC, all others as they are; and by how much AIC should fall by all."""
    held = _common_share(ground)
    dear = now.doubt * ground.total / _remaining_rows(ground, _total(now.freedom, ground))
    strengths = np.empty(len(penalty.forms))
    log_strengths = np.log(now.strengths[: len(penalty.layout.shapes)])
    common = float(np.exp(log_strengths.mean())) if len(log_strengths) else 1.0
    gain = 0.0
    for at, block in enumerate(penalty.layout.blocks):
        tried = np.append(GRID, now.strengths[at])
        score = np.zeros(len(tried))
        form = penalty.forms[at]
        if not len(form):  # a text without a word
            strengths[at] = now.strengths[at]
            continue
        for k, covariance in enumerate(now.covariances):
            whole = _invert(covariance[block, block])
            data = whole - now.strengths[at] * form
            drawn = whole @ coefficients[block, k]
            bent, turn = _simultaneous_basis(data, form)
            pull = (turn.T @ drawn) ** 2
            size = (1.0 - bent) + tried[:, None] * bent
            deviance = (pull * ((1.0 - bent) / size**2 - 2.0 / size)).sum(axis=1) / now.dispersion
            score += deviance + 2.0 * dear * held * ((1.0 - bent) / size).sum(axis=1)
        if at < len(penalty.layout.shapes):  # pairs need not be as smooth as shapes
            score += ALIKE * np.log10(tried / common) ** 2
        # The strongest of those that are as good as equal: shapes that say nothing become flat.
        strengths[at] = tried[:-1][score[:-1] <= score[:-1].min() + 1e-6][-1]
        gain += float(score[-1] - score.min())
    return strengths, gain


def _invert(matrix: Floats) -> Floats:
    return Inverse(matrix).matrix


def _simultaneous_basis(data: Floats, form: Floats) -> tuple[Floats, Floats]:
    """Coordinates in which data is diag(1 - bent) and form diag(bent)."""
    from scipy.linalg.lapack import dsygvd

    # LAPACK itself: what would check its arguments takes longer than a small shape.
    both = data + form
    both[np.diag_indices(len(both))] += 1e-10 * (np.trace(data) + np.trace(form)) / len(form)
    basis: tuple[Floats, Floats, int] = dsygvd(form, both.T, overwrite_b=1)
    bent, turn, problem = basis
    if problem:
        raise np.linalg.LinAlgError(
            "no coordinates in which a shape's penalty and information are both diagonal"
        )
    return np.clip(bent, 0.0, 1.0), turn


def unsure(place: NewtonPoint) -> float:
    """How uncertain rows of several classes are, over how uncertain the model says: spread of slopes over curvature.

    AIC takes both to be equal. Where classes are told apart for certain, rows are less uncertain than a smooth model
    says, and AIC smooths far too much; Takeuchi's criterion has the spread itself. More than equal is no reason to
    smooth more: it is what is wrong with the model. Two classes stay with AIC, which is better for new rows of small
    tables there.
    """
    if not place.ground.several:
        return 1.0
    spread, curvature = place.row_answers.sum(_spread).things
    return float(np.clip(spread / curvature, LEAST_UNSURE, 1.0)) if curvature > 0 else 1.0


def _spread(rows: SlotRows, loss: Loss, answer: Answer) -> Each[Any]:
    _, slope, shares = answer
    weight = np.where(loss.weight > 0, loss.weight, 1.0)[:, None]
    return Each((float(np.sum(slope**2 / weight)), float(np.sum(loss.curvature(shares)))))


def by_folds(
    place: NewtonPoint,
    penalty: Penalty,
    strengths: Floats,
    folds: Codes,
    who: str = "Additive",
    held: float = 10.0,
) -> SmoothedFit:
    """AIC's strengths, all times the factor under which folds are answered best by the others."""
    best = by_aic(place, penalty, strengths, who, held)
    ground = place.ground
    lost = np.zeros(len(_FACTORS))
    for fold in range(int(folds.max()) + 1):
        inside, outside = (
            ground.part(np.flatnonzero(folds != fold), who),
            ground.part(np.flatnonzero(folds == fold), who),
        )
        inner_penalty = Penalty.of(penalty.layout, inside.weight)
        at = NewtonPoint(inside, best.found.coefficients)
        for which, factor in sorted(enumerate(_FACTORS), key=lambda each: -each[1]):
            at = minimise(at, inner_penalty.charge(best.strengths * factor), tol=_ROUGH, who=who).place
            lost[which] += outside.answers_to(at.coefficients).total_loss
    factor = _FACTORS[int(np.flatnonzero(lost <= lost.min() * (1 + 1e-9))[-1])]
    return fit_with(best.found.place, penalty, best.strengths * factor, who=who)


def folds_of(ground: SlottedRows, who: str, n_folds: int = 5) -> Codes:
    """Folds without chance: by the slots of rows and their class, of numbers in the order of the target.

    Rows in the same slots come into one fold, as if there were one of them that weighs more, unless there are fewer
    different ones than folds.
    """
    target = ground.target.block_values(ground.rows.require_local(who))
    slots = np.concatenate([rows.slots for rows, _ in ground.blocks], axis=1)
    columns = []
    for shape, shape_slots in zip(ground.layout.shapes, slots, strict=False):
        codes = np.where(
            shape_slots < shape.n_values,
            shape_slots.astype(np.int64),
            shape.n_values - 1 - shape_slots.astype(np.int64),
        )
        columns.append(Column("rank" if shape.numeric or shape.ordered else "level", codes))
    if ground.squares:
        folds = deal(
            [*columns, Column("number", target)], np.zeros(len(target), dtype=np.int32), n_folds, target
        )
    else:
        folds = deal(columns, target.astype(np.int32), n_folds)
    return (
        folds if folds.max(initial=0) + 1 == n_folds else (np.arange(len(folds)) % n_folds).astype(np.int32)
    )


def start_of(ground: SlottedRows) -> Floats:
    """No shape, and the constant that is best alone."""
    start = np.zeros((ground.width, ground.lines))
    # Where nothing is said, slopes are what is said less what is true, of all rows together.
    pull = ground.answers_to(start).pull[0] / ground.total
    if ground.several:
        logs = np.log(1.0 / ground.lines - pull)
        start[0] = logs - logs.mean()
    elif ground.squares:
        start[0] = -pull
    else:
        share = 0.5 - pull
        start[0] = np.log(share / (1.0 - share))
    return start
