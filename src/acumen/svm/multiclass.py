"""Several classes out of machines of two sides.

code_matrix   "ovo", "ovr", "ecoc" -> which side each class is on in each machine: +1, -1, or 0 for neither
decode        the machines' decisions -> a score for each class, the larger the better

two        one machine: half its decision for the second class, minus half for the first
votes      each pair's winner gets a vote; equal votes are told apart by the sums of decisions, squeezed to
           less than half a vote
largest    a machine for each class: its decision is the score
losses     error-correcting codes: minus the hinge losses the decisions would have for a class's code
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from acumen.models.class_codes import decoded, exhaustive, one_vs_one, one_vs_rest, random_code, votes
from acumen.types import Codes, Floats

Multiclass = Literal["ovo", "ovr", "single", "ecoc"]
DECODINGS: Final = ("two", "votes", "largest", "losses")

#: Codes of so few classes hold every way of cutting them in two.
_EXHAUSTIVE = 6


def code_matrix(scheme: str, present: Codes, classes: int) -> tuple[npt.NDArray[np.int32], str]:
    """Machines x classes, and how their decisions are decoded; classes not `present` are nowhere."""
    k = len(present)
    if k == 2:
        own, decoding = one_vs_one(2), "two"
    elif scheme == "ovo":
        own, decoding = one_vs_one(k), "votes"
    elif scheme == "ovr":
        own, decoding = one_vs_rest(k), "largest"
    elif k <= _EXHAUSTIVE:
        own, decoding = exhaustive(k), "losses"
    else:
        length = int(np.ceil(10 * np.log2(k)))
        own, decoding = random_code(k, length, np.random.default_rng(k)), "losses"
    code = np.zeros((own.shape[1], classes), dtype=np.int32)
    code[:, present] = own.T
    return code, decoding


def decode(decoding: str, code: npt.NDArray[np.int32], decision: Floats) -> Floats:
    """A score for each row and class; minus infinity for classes no machine knows."""
    rows, classes = len(decision), code.shape[1]
    known = (code != 0).any(axis=0)
    scores = np.full((rows, classes), -np.inf)
    if decoding == "largest":
        scores[:, known] = decision
    elif decoding == "two":
        scores[:, code[0] > 0] = 0.5 * decision
        scores[:, code[0] < 0] = -0.5 * decision
    elif decoding == "losses":
        scores[:, known] = decoded(code.T[known].astype(np.float64), decision, "hinge")
    else:
        won, sums = votes(code.T[known].astype(np.float64), decision)
        # What calibration curves in model files were fitted to.
        scores[:, known] = won + sums / (3.0 * (np.abs(sums) + 1.0))
    return scores
