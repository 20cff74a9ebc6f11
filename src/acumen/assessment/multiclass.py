"""Areas under ROC curves where there are more than two classes.

one_vs_rest   each class's probability against all other classes
hand_till     the mean over pairs of classes (Hand and Till 2001)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen import _native
from acumen.assessment.inputs import given_labels, probability_rows, row_weights
from acumen.engines.cores import cores
from acumen.rows.labels import encode_labels, label_vector
from acumen.types import Bools, Codes, Floats, Label


def one_vs_rest(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> dict[Label, float]:
    """The area of each class's probability for telling it from all others.

    Parameters
    ----------
    y : array of labels
        Rows without a label are left out.
    proba : array of (rows, classes)
    classes : sequence of labels
        In the order of the columns.
    weights : array, optional

    Returns
    -------
    dict of label to float
        NaN for a class that no row, or every row, is of.
    """
    codes, table, weight = _checked(y, proba, classes, weights, "one_vs_rest")
    labelled = codes >= 0
    return {
        label: _area(table[:, c], codes == c, weight, labelled)
        for c, label in enumerate(np.asarray(classes, dtype=object).tolist())
    }


def hand_till(y: Any, proba: Any, classes: Sequence[Label], weights: Any = None) -> float:
    """Hand and Till's M: the area under the curve for more than two classes.

    For each pair of classes, over the rows of these two, the mean of the areas of the one's probability
    and of the other's; M is the mean over the pairs. Pairs of which a class does not occur are left out;
    NaN if no pair is left. With two classes whose probabilities sum to 1 it is the ordinary area.
    Parameters are those of `one_vs_rest`.
    """
    codes, table, weight = _checked(y, proba, classes, weights, "hand_till")
    return mean_pair_area(codes, table, weight)


def mean_pair_area(codes: Codes, proba: Floats, weights: Floats) -> float:
    """Hand and Till's M from codes; those below 0 are in no pair."""
    areas = []
    rows_of = [codes == c for c in range(proba.shape[1])]
    for a in range(len(rows_of)):
        for b in range(a + 1, len(rows_of)):
            both = rows_of[a] | rows_of[b]
            one = _area(proba[:, a], rows_of[a], weights, both)
            areas.append((one + _area(proba[:, b], rows_of[b], weights, both)) / 2)
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def _area(scores: Floats, flags: Bools, weights: Floats, rows: Bools) -> float:
    """The area over some of the rows; NaN if they are all of one kind."""
    weight = weights[rows] if weights.size else weights
    up, down, pairs = _native.pair_sums(np.ascontiguousarray(scores[rows]), flags[rows], weight, cores())
    return pairs / (up * down) if up and down else float("nan")


def _checked(
    y: Any, proba: Any, classes: Sequence[Label], weights: Any, who: str
) -> tuple[Codes, Floats, Floats]:
    labels = label_vector(y, who)
    codes, _ = encode_labels(labels, who, given_labels(classes, [], who))
    table = probability_rows(proba, len(codes), len(classes), who)
    return codes, table, row_weights(weights, len(codes), who)
