"""Reduce several classes to two-class problems: code matrices, and how their scores are decoded.

    one_vs_rest, one_vs_one, exhaustive, random_code    classes x problems; +1, -1, or 0 for not in the problem
    decode_scores    scores of the problems -> scores of the classes
    separation   the smallest Hamming distance d between two classes: up to (d - 1) / 2 errors are corrected

The score of a problem is above zero if its learner predicts the side of +1.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final, Literal, TypeAlias, get_args

import numpy as np

from acumen.errors import ParameterError
from acumen.types import Bools, Floats

Decoding: TypeAlias = Literal["vote", "score", "hamming", "loss"]
DECODINGS: Final[tuple[str, ...]] = get_args(Decoding)
#: The most classes for which all 2^(k - 1) - 1 columns are practical.
MOST_EXHAUSTIVE: Final = 8


def one_vs_rest(k: int, *, all_classes: bool = True) -> Floats:
    """Each class against all others; one problem for two classes.

    Without `all_classes` the last class has no problem of its own: it is predicted if no other class claims the row.
    """
    if k < 2:
        return np.zeros((k, 0))
    code = 2 * np.eye(k) - 1
    return code[:, 1:] if k == 2 else code if all_classes else code[:, :-1]


def one_vs_one(k: int) -> Floats:
    """Each pair of classes; the later one is +1."""
    code = np.zeros((k, k * (k - 1) // 2))
    for j, (a, b) in enumerate(combinations(range(k), 2)):
        code[a, j], code[b, j] = -1.0, 1.0
    return code


def exhaustive(k: int) -> Floats:
    """Every way to split the classes in two (Dietterich and Bakiri 1995)."""
    if k > MOST_EXHAUSTIVE:
        raise ParameterError(
            f"exhaustive codes of {k} classes would be {2 ** (k - 1) - 1} problems; there may be at most "
            f"{MOST_EXHAUSTIVE} classes. Use a random code."
        )
    n = max(2 ** (k - 1) - 1, 0) if k > 1 else 0
    code = np.ones((k, n))
    for j in range(n):
        for c in range(1, k):
            code[c, j] = -1.0 if (j >> (k - 1 - c)) & 1 == 0 else 1.0
    return code


def random_code(k: int, length: int, rng: np.random.Generator, tries: int = 100) -> Floats:
    """Of several random sets of splits, the one that separates the classes best; no split twice, none one-sided."""
    if k < 2:
        return np.zeros((k, 0))
    length = min(length, 2 ** (k - 1) - 1) if k < 40 else length
    best, apart = np.zeros((k, 0)), -1
    for _ in range(tries):
        columns: dict[bytes, Floats] = {}
        for _ in range(20 * length):
            column = np.where(rng.random(k) < 0.5, -1.0, 1.0)
            column *= column[0]  # a problem and its opposite are one
            if not np.all(column == 1.0):
                columns.setdefault(column.tobytes(), column)
            if len(columns) == length:
                break
        code = np.array(list(columns.values())).T
        if separation(code) > apart:
            best, apart = code, separation(code)
    return best


def separation(code: Floats) -> int:
    """The smallest number of problems in which two classes are on opposite sides."""
    pairs = combinations(range(len(code)), 2)
    return min((int(np.count_nonzero(code[a] * code[b] < 0)) for a, b in pairs), default=0)


def decode_scores(code: Floats, scores: Floats, how: str) -> Floats:
    """Compute a score for each class, larger is better; `code` is classes x problems, `scores` rows x problems.

    vote      the problems won by the class; ties are broken by the mean score, squeezed to less than half a vote
              (`votes`)
    score     the mean score in favour of the class
    hamming   minus the number of problems that disagree with the class's code; one not in it counts half
    loss      minus the logistic loss of the scores against the class's code (Allwein, Schapire and Singer 2000)
    hinge     minus their hinge loss
    """
    used = np.maximum(np.abs(code).sum(axis=1), 1.0)
    if how == "vote":
        won, sums = votes(code, scores)
        mean = sums / used
        return won + mean / (2.0 * (1.0 + np.abs(mean)))
    if how == "score":
        return np.asarray(scores @ code.T / used)
    if how == "hamming":
        return np.asarray((np.sign(scores) @ code.T - code.shape[1]) / 2)
    class_scores = np.zeros((len(scores), len(code)))
    for c, line in enumerate(code):
        agreed = scores * line
        if how == "loss":
            class_scores[:, c] = -np.logaddexp(0.0, -agreed).sum(axis=1)
        else:
            class_scores[:, c] = -(np.maximum(1.0 - agreed, 0.0) * (line != 0)).sum(axis=1)
    return class_scores


def votes(code: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """The problems that each class wins, and the sum of scores in its favour; zero is a vote for the side of -1."""
    # One line for each class, so that the many passes run over neighbouring memory.
    won_by, sums = np.zeros((len(code), len(scores))), np.zeros((len(code), len(scores)))
    for sides, score in zip(code.T, np.ascontiguousarray(scores.T), strict=True):
        won = score > 0
        for c in np.flatnonzero(sides).tolist():
            won_by[c] += won if sides[c] > 0 else ~won
            sums[c] += score * sides[c]
    return won_by.T, sums.T


def ambiguous(code: Floats, scores: Floats) -> Bools:
    """Rows that the problems alone do not decide.

    With one-vs-rest: no class claims the row, or several do. With one-vs-one: several classes share the most votes.
    """
    sides = np.sign(scores)
    agree = (sides @ code.T + np.abs(code).sum(axis=1)) / 2  # problems of each class that it wins
    if code.shape[1] == len(code) and np.array_equal(code, one_vs_rest(len(code))):
        return np.count_nonzero(sides > 0, axis=1) != 1
    return np.count_nonzero(agree == agree.max(axis=1, keepdims=True), axis=1) > 1
