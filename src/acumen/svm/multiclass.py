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

from acumen.types import Codes, Floats

Multiclass = Literal["ovo", "ovr", "single", "ecoc"]
DECODINGS: Final = ("two", "votes", "largest", "losses")

#: Codes of so few classes hold every way of cutting them in two.
_EXHAUSTIVE = 6


def code_matrix(scheme: str, present: Codes, classes: int) -> tuple[npt.NDArray[np.int32], str]:
    """Machines x classes, and how their decisions are decoded; classes not `present` are nowhere."""
    k = len(present)
    if k == 2:
        own, decoding = np.array([[-1, 1]]), "two"
    elif scheme == "ovo":
        pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
        own = np.zeros((len(pairs), k), dtype=np.int32)
        for machine, (i, j) in enumerate(pairs):
            own[machine, i], own[machine, j] = -1, 1
        decoding = "votes"
    elif scheme == "ovr":
        own, decoding = 2 * np.eye(k, dtype=np.int32) - 1, "largest"
    else:
        own, decoding = _correcting_code(k), "losses"
    code = np.zeros((len(own), classes), dtype=np.int32)
    code[:, present] = own
    return code, decoding


def _correcting_code(k: int) -> npt.NDArray[np.int32]:
    """All cuts of few classes in two (Dietterich and Bakiri 1995); of many, the best of some random codes."""
    if k <= _EXHAUSTIVE:
        cuts = np.arange(1, 2 ** (k - 1))
        bits = (cuts[:, None] >> np.arange(k)) & 1
        return np.asarray(1 - 2 * bits, dtype=np.int32)
    rng = np.random.default_rng(k)
    machines = int(np.ceil(10 * np.log2(k)))
    best, widest = None, -1
    for _ in range(50):
        signs = rng.integers(0, 2, (machines, k)) * 2 - 1
        signs[np.abs(signs.sum(axis=1)) == k, 0] *= -1  # every machine needs two sides
        apart = ((machines - signs.T @ signs) // 2 + machines * np.eye(k, dtype=np.int64)).min()
        if apart > widest:
            best, widest = signs, apart
    assert best is not None
    return best.astype(np.int32)


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
        total = np.zeros((rows, classes))
        for machine, signs in enumerate(code):
            total -= np.where(signs == 0, 0.0, np.maximum(1.0 - decision[:, [machine]] * signs, 0.0))
        scores[:, known] = total[:, known]
    else:
        # A line for each class: many machines are many passes, and these are through neighbours in memory.
        votes, sums = np.zeros((classes, rows)), np.zeros((classes, rows))
        ups, downs = code.argmax(axis=1).tolist(), code.argmin(axis=1).tolist()
        for up, down, f in zip(ups, downs, np.ascontiguousarray(decision.T), strict=True):
            won = f > 0
            votes[up] += won
            votes[down] += ~won
            sums[up] += f
            sums[down] -= f
        scores[:, known] = (votes + sums / (3.0 * (np.abs(sums) + 1.0))).T[:, known]
    return scores
