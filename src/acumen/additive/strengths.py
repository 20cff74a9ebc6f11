"""How strongly each shape is smoothed: chosen on the training rows.

    Fitted      coefficients under strengths, their covariances, the degrees of freedom spent
    fitted      a fit under given strengths
    by_aic      strengths of least AIC, one for each shape, held a little to each other
    by_folds    the same, all times the factor of least loss on held-out folds

AIC is deviance + 2 x degrees of freedom (with Hurvich and Tsai's correction for few rows), where a smoothed block
spends tr((D + s S)^-1 D): D its information about itself once all other blocks have been fitted anew (a block of
the inverse, inverted), S its penalty. At an optimum the deviance under another strength of one block follows from D to
second order; so each strength has a one-dimensional problem in closed form, and a few rounds of fitting and choosing
settle them all. Strengths that differ much from each other cost a little (`ALIKE`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from acumen.additive.descent import Found, Inverse, minimise
from acumen.additive.losses import Loss, Softmax, Squares
from acumen.additive.penalty import Penalty, Rising
from acumen.additive.rows import SlotRows
from acumen.types import Codes, Floats

#: Strengths that are looked at.
GRID: Floats = np.geomspace(1e-3, 1e6, 55)
_ROUNDS = 8
#: What a strength ten times that of the others costs, in units of AIC: one shape by itself tells little of its
#: strength, and shapes of one table are mostly alike. On small tables this lowers the loss of rows held out.
ALIKE = 1.0
_FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
#: The gradient that is small enough while strengths are still being chosen.
_ROUGH = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A fit under strengths."""

    found: Found
    strengths: Floats
    covariances: tuple[Floats, ...]  # of each line by itself: the inverse of its second derivatives
    freedom: Floats  # degrees of freedom of each block
    dispersion: float  # of numbers the variance that is left; else 1
    aic: float

    @property
    def total_freedom(self) -> float:
        """Of all blocks and the intercepts."""
        lines = len(self.covariances)
        return float(self.freedom.sum()) + (1.0 if lines == 1 else lines - 1.0)


def fitted(
    rows: SlotRows,
    loss: Loss,
    penalty: Penalty,
    strengths: Floats,
    start: Floats,
    rising: Rising | None = None,
    tol: float | None = None,
    who: str = "Additive",
) -> Fitted:
    """Coefficients under these strengths, and what they spend."""
    whole = penalty.matrix(strengths)
    given = {} if tol is None else {"tol": tol}
    found = minimise(rows, loss, whole, start, rising, who=who, **given)
    if rising is None:
        covariances = tuple(inverse.written() for inverse in found.inverses)
    else:
        inner = np.zeros_like(whole)
        inner[np.ix_(found.free, found.free)] = found.inverses[0].written()
        covariances = (rising.turn @ inner @ rising.turn.T,)
    held = (loss.lines - 1) / loss.lines if loss.lines > 1 else 1.0
    blocks = penalty.layout.blocks
    freedom = np.zeros(len(blocks))
    for covariance in covariances:
        for at, block in enumerate(blocks):
            if rising is None:
                size = block.stop - block.start
                freedom[at] += size - float(np.sum(covariance[block, block] * whole[block, block]))
            else:
                data = found.curved[0][:, block] - whole[:, block]
                freedom[at] += float(np.sum(covariance[block, :].T * data))
    freedom = np.maximum(freedom * held, 0.0)
    made = Fitted(found, strengths, covariances, freedom, 1.0, 0.0)
    dispersion, aic = _judged(loss, found.loss, made.total_freedom)
    return Fitted(found, strengths, covariances, freedom, dispersion, aic)


def _judged(loss: Loss, lost: float, freedom: float) -> tuple[float, float]:
    """The variance that is left, and AIC."""
    total = float(loss.weight.sum())
    left = max(total - freedom - 1.0, 1.0)
    spent = 2.0 * freedom * total / left
    if isinstance(loss, Squares):
        variance = max(2.0 * lost / total, 1e-20)
        return max(2.0 * lost / left, 1e-20), total * float(np.log(variance)) + spent
    return 1.0, 2.0 * lost + spent


def by_aic(
    rows: SlotRows, loss: Loss, penalty: Penalty, start: Floats, strengths: Floats, who: str = "Additive"
) -> Fitted:
    """Choose and fit by turns, until no strength moves; of all fits the one of least AIC."""
    best = now = fitted(rows, loss, penalty, strengths, start, tol=_ROUGH, who=who)
    held = 10.0
    shapes = len(penalty.layout.shapes)
    for _ in range(_ROUNDS):
        wanted = _chosen(now, penalty, loss)
        # A step in the logarithm, no longer than the last but one could prove good.
        moved = np.clip(np.log(wanted / now.strengths), -np.log(held), np.log(held))
        if np.abs(moved).max(initial=0.0) < 0.2:
            break
        now = fitted(
            rows, loss, penalty, now.strengths * np.exp(moved), now.found.coefficients, tol=_ROUGH, who=who
        )
        if _charged(now, shapes) < _charged(best, shapes) - 1e-3:
            best = now
        else:
            held = np.sqrt(held)
            now = best
            if held < 1.3:
                break
    return best


def _charged(now: Fitted, shapes: int) -> float:
    """AIC, and what strengths of shapes that differ cost."""
    apart = np.log10(now.strengths[:shapes])
    return now.aic + ALIKE * float(((apart - apart.mean()) ** 2).sum()) if len(apart) else now.aic


def _chosen(now: Fitted, penalty: Penalty, loss: Loss) -> Floats:
    """For each block the strength of least AIC, all others as they are."""
    held = (loss.lines - 1) / loss.lines if loss.lines > 1 else 1.0
    total = float(loss.weight.sum())
    dear = total / max(total - now.total_freedom - 1.0, 1.0)
    made = np.empty(len(penalty.forms))
    own = np.log(now.strengths[: len(penalty.layout.shapes)])
    common = float(np.exp(own.mean())) if len(own) else 1.0
    for at, block in enumerate(penalty.layout.blocks):
        score = np.zeros(len(GRID))
        form = penalty.forms[at]
        if not len(form):  # a text without a word
            made[at] = now.strengths[at]
            continue
        for k, covariance in enumerate(now.covariances):
            own = covariance[block, block]
            whole = _inverted(own)
            data = whole - now.strengths[at] * form
            drawn = whole @ now.found.coefficients[block, k]
            bent, turn = _together(data, form)
            pull = (turn.T @ drawn) ** 2
            size = (1.0 - bent) + GRID[:, None] * bent
            deviance = (pull * ((1.0 - bent) / size**2 - 2.0 / size)).sum(axis=1) / now.dispersion
            score += deviance + 2.0 * dear * held * ((1.0 - bent) / size).sum(axis=1)
        if at < len(penalty.layout.shapes):  # pairs need not be as smooth as shapes
            score += ALIKE * np.log10(GRID / common) ** 2
        # The strongest of those that are as good as equal: shapes that say nothing become flat.
        made[at] = GRID[np.flatnonzero(score <= score.min() + 1e-6)[-1]]
    return made


def _inverted(matrix: Floats) -> Floats:
    return Inverse(matrix).written()


def _together(data: Floats, form: Floats) -> tuple[Floats, Floats]:
    """Coordinates in which data is diag(1 - bent) and form diag(bent)."""
    from scipy.linalg import cholesky, eigh, solve_triangular

    both = data + form + 1e-10 * (np.trace(data) + np.trace(form)) / len(form) * np.eye(len(form))
    root = cholesky(both, lower=True, check_finite=False)
    half = solve_triangular(root, form, lower=True, check_finite=False)
    inner = solve_triangular(root, half.T, lower=True, check_finite=False)
    bent, vectors = eigh((inner + inner.T) / 2, check_finite=False)
    turn = solve_triangular(root, vectors, lower=True, trans="T", check_finite=False)
    return np.clip(bent, 0.0, 1.0), turn


def by_folds(
    rows: SlotRows,
    loss: Loss,
    penalty: Penalty,
    start: Floats,
    strengths: Floats,
    folds: Codes,
    who: str = "Additive",
) -> Fitted:
    """AIC's strengths, all times the factor under which folds are answered best by the others."""
    best = by_aic(rows, loss, penalty, start, strengths, who)
    lost = np.zeros(len(_FACTORS))
    for fold in range(int(folds.max()) + 1):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        inside, outside = rows.take(train), rows.take(test)
        own = Penalty.of(penalty.layout, inside.sums(loss.weight[train][:, None])[:, 0])
        at = best.found.coefficients
        for place, factor in sorted(enumerate(_FACTORS), key=lambda each: -each[1]):
            matrix = own.matrix(best.strengths * factor)
            at = minimise(inside, loss.take(train), matrix, at, tol=_ROUGH, who=who).coefficients
            lost[place] += loss.take(test).value(outside.scores(at))
    factor = _FACTORS[int(np.flatnonzero(lost <= lost.min() * (1 + 1e-9))[-1])]
    return fitted(rows, loss, penalty, best.strengths * factor, best.found.coefficients, who=who)


def dealt(rows: SlotRows, loss: Loss, n_folds: int = 5) -> Codes:
    """Folds without chance: rows in the order of their class (or number) and slots are dealt out in turn.

    Rows that are alike come into one fold, as if there were one of them that weighs more.
    """
    key = loss.labels if isinstance(loss, Softmax) else loss.truth
    order = np.lexsort((*rows.slots, key))
    other = np.zeros(len(order), dtype=np.bool_)
    other[1:] = key[order[1:]] != key[order[:-1]]
    for column in rows.slots:
        other[1:] |= column[order[1:]] != column[order[:-1]]
    made = np.empty(len(order), dtype=np.int32)
    places: npt.NDArray[np.int64] = np.cumsum(other, dtype=np.int64)
    if not len(places) or places[-1] + 1 < n_folds:
        places = np.arange(len(order))
    made[order] = places % n_folds
    return made


def start_of(width: int, loss: Loss) -> Floats:
    """No shape, and the constant that is best alone."""
    made = np.zeros((width, loss.lines))
    weight = loss.weight / loss.weight.sum()
    if isinstance(loss, Softmax):
        shares = np.bincount(loss.labels, weight, loss.lines)
        logs = np.log(shares)
        made[0] = logs - logs.mean()
    elif isinstance(loss, Squares):
        made[0] = float(weight @ loss.truth)
    else:
        share = float(weight @ loss.truth)
        made[0] = np.log(share / (1.0 - share))
    return made
