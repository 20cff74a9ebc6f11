"""Which class each leaf stands for under the costs and priors of a predictor, and how leaves vote together.

Whatever the costs and priors, the class of a row is the one of the largest vote, where votes are linear in the class
probabilities: those times what priors make of them, or the expected cost of each answer with its sign turned. So a row
that was shared out over several leaves is decided by the sum of their votes by its shares in them.
"""

from __future__ import annotations

import numpy as np

from acumen.models.predictor import Predictor
from acumen.types import Codes, Floats


def decisions(predictor: Predictor, shares: Floats) -> Codes:
    """The class code of each node, were it a leaf; exactly as `predict` decides."""
    with np.errstate(divide="ignore"):
        scores = np.log(shares)
    if predictor.shift is not None:
        scores = scores + predictor.shift
    return predictor.choose(scores)


def factors(predictor: Predictor) -> Floats | None:
    """What new priors multiply class probabilities with, up to a constant; None: nothing."""
    if predictor.shift is None:
        return None
    top = float(np.max(predictor.shift[np.isfinite(predictor.shift)], initial=0.0))
    return np.exp(predictor.shift - top)


def votes(predictor: Predictor, shares: Floats) -> Floats:
    """What each node, were it a leaf, gives to each class; the largest sum wins, of equals the first class."""
    factor = factors(predictor)
    weighted = shares if factor is None else shares * factor
    return weighted if predictor.costs is None else -(weighted @ predictor.costs.T)
