"""The columns of a NumericMatrix as terms: what linear models over such a matrix are written as elsewhere.

view_sum   weights of a view's columns -> Sum
"""

from __future__ import annotations

import numpy as np

from acumen.codegen.terms import TermSum, attribute_sum, merge_sums
from acumen.errors import DataError
from acumen.preprocessing.matrix import NumericMatrix
from acumen.types import Floats


def view_sum(view: NumericMatrix, weights: Floats, constant: float) -> TermSum:
    """The product of a row's columns with `weights`, and a constant.

    A number adds its weight times (x - centre) / spread, and where it is missing what its fill adds; a missing or
    unknown level adds nothing. DataError for words, and for columns that say what is missing.
    """
    if view.indicated.any():
        raise DataError("the columns that say what is missing are no terms of a sum.")
    starts, parts = view.starts.tolist(), []
    for i, a in enumerate(view.schema):
        mine = weights[starts[i] : starts[i + 1]]
        if a.kind == "text" or view.is_one_hot(a):
            parts.append(attribute_sum(a, mine, np.zeros(len(mine)), None))
            continue
        centre, spread = float(view.centre[i]), float(view.spread[i])
        slope = mine / spread if spread != 0 else np.zeros(1)
        absent = float((view.fill[i] - centre) * slope[0])
        parts.append(attribute_sum(a, slope, np.array([centre]), absent))
    return merge_sums(constant, parts)
