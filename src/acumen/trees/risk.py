"""What a wrong answer costs inside a tree.

    regret    costs as pruning sees them: what a prediction costs more than the best one for that class
    risks     the weight, or cost, of the rows a node gets wrong when it is a leaf
    factors   costs as measures of class mixtures see them: one factor a class

Where no costs are given a regret is 1 for every wrong answer, and a risk is the weight of the wrong rows.
"""

from __future__ import annotations

import numpy as np

from acumen.types import Codes, Floats


def regret(costs: Floats | None) -> Floats | None:
    """Costs less the least for each true class, so that the best answer costs nothing; the largest is 1.

    Decisions do not change by it, and the estimated errors of pruning need a scale of their own.
    """
    if costs is None:
        return None
    over = np.asarray(costs - costs.min(axis=0, keepdims=True), dtype=np.float64)
    most = float(over.max(initial=0.0))
    return over / most if most > 0 else over


def decide(counts: Floats, costs: Floats | None) -> Codes:
    """The class that each node predicts: the heaviest, or of least cost; ties go to the class that comes first."""
    if costs is None:
        return np.asarray(counts.argmax(axis=-1), dtype=np.int32)
    return np.asarray(np.argmin(counts @ costs.T, axis=-1), dtype=np.int32)


def risks(counts: Floats, costs: Floats | None) -> Floats:
    """What each node gets wrong of its own rows as a leaf."""
    if costs is None:
        return np.asarray(counts.sum(axis=-1) - counts.max(axis=-1))
    over = regret(costs)
    assert over is not None
    return np.asarray((counts @ over.T).min(axis=-1))


def risks_on(held: Floats, predicted: Codes, costs: Floats | None) -> Floats:
    """What each node gets wrong of other rows, if it says `said`."""
    over = regret(costs)
    if over is None:
        return np.asarray(
            held.sum(axis=-1) - np.take_along_axis(held, predicted[:, None].astype(np.intp), axis=1)[:, 0]
        )
    return np.asarray((held * over[predicted]).sum(axis=-1))


def class_cost_factors(costs: Floats | None, totals: Floats) -> Floats | None:
    """How much more each class counts: what its rows cost where they are taken for any other class.

    Breiman et al. (1984), 4.4: altered priors. Scaled so that the rows weigh together what they weighed.
    """
    if costs is None:
        return None
    over = regret(costs)
    assert over is not None
    summed_costs = over.sum(axis=0)
    weight = float(totals @ summed_costs)
    return np.asarray(summed_costs * (totals.sum() / weight)) if weight > 0 else None
