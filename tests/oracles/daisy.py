"""Gower's dissimilarities of mixed tables, by `cluster::daisy` of R.

Source: R version 4.2.2 Patched (2022-11-10 r83330), cluster 2.1.4, `daisy(table, metric = "gower")`, printed to 17
digits: the lower triangle, column by column. NaN: NA, two rows with nothing to compare.

    d <- data.frame(num1, num2, col = factor(), sym = factor(), asym = c(0, 1, ...), size = ordered())
    MIXED        daisy(d, metric = "gower", type = list(asymm = "asym"))
    SYMMETRIC    daisy(d, metric = "gower", type = list(symm = "asym"))
    NUMBERS      daisy(d[, 1:2], metric = "gower")
    ORDINAL      daisy(d[, "size", drop = FALSE], metric = "gower")
    WEIGHTED     daisy(d, metric = "gower", type = list(asymm = "asym"), weights = c(1, 2, 3, 1, 0.5, 2))
    GAP          daisy(data.frame(o = ordered(c("a", "c", "d", "c"), levels = c("a", "b", "c", "d")),
                                  k = 5, x = c(1, 2, 4, 8)), metric = "gower")
"""

from __future__ import annotations

import numpy as np

from acumen import Attribute, Schema, Table

NAN = float("nan")


def mixed_table() -> Table:
    """Seven rows of every kind of attribute with missing values; the last knows one attribute only."""
    numbers = [[1.5, NAN, 3.0, 7.25, 2.0, 2.0, NAN], [10, 20, 10, NAN, 50, 30, NAN]]
    codes = [
        [2, 1, 0, 2, -1, 1, -1],
        [0, 1, 1, 0, 1, -1, -1],
        [0, 1, 1, 0, -1, 0, 1],
        [0, 1, 3, 2, -1, 1, -1],
    ]
    schema = Schema(
        (
            Attribute("num1"),
            Attribute("num2"),
            Attribute("col", "nominal", ("b", "g", "r")),
            Attribute("sym", "nominal", ("n", "y")),
            Attribute("asym", "nominal", ("0", "1")),
            Attribute("size", "ordinal", ("S", "M", "L", "XL"), True),
        )
    )
    return Table(
        schema,
        7,
        numeric=[np.array(column, dtype=float) for column in numbers],
        nominal=[np.array(column, dtype=np.int32) for column in codes],
    )


def gap_table() -> Table:
    """Four rows: an ordinal attribute with an unused level, a constant number, a number."""
    schema = Schema((Attribute("o", "ordinal", ("a", "b", "c", "d"), True), Attribute("k"), Attribute("x")))
    numbers = [np.full(4, 5.0), np.array([1.0, 2.0, 4.0, 8.0])]
    return Table(schema, 4, numeric=numbers, nominal=[np.array([0, 2, 3, 2], dtype=np.int32)])


# fmt: off
MIXED = [
    0.71666666666666667, 0.71014492753623193, 0.41666666666666663, 0.69565217391304346, 0.48007246376811591, 1,
    0.38333333333333336, 0.83333333333333337, 0.375, 0.3125, 0,
    0.81449275362318829, 0.39130434782608692, 0.66811594202898550, 0,
    0.95652173913043481, 0.74879227053140107, 1, 0.25, NAN, 1,
]
SYMMETRIC = [
    0.71666666666666667, 0.71014492753623193, 0.33333333333333331, 0.69565217391304346, 0.38405797101449274, 1,
    0.38333333333333336, 0.83333333333333337, 0.375, 0.3125, 0,
    0.81449275362318829, 0.39130434782608692, 0.66811594202898550, 0,
    0.95652173913043481, 0.56159420289855078, 1, 0.25, NAN, 1,
]
NUMBERS = [
    0.25, 0.13043478260869565, 1, 0.54347826086956519, 0.29347826086956519, NAN,
    0.25, NAN, 0.75, 0.25, NAN,
    0.73913043478260865, 0.58695652173913038, 0.33695652173913043, NAN,
    0.91304347826086962, 0.91304347826086962, NAN, 0.25, NAN, NAN,
]
ORDINAL = [
    0.33333333333333331, 1, 0.66666666666666663, NAN, 0.33333333333333331, NAN,
    0.66666666666666674, 0.33333333333333331, NAN, 0, NAN,
    0.33333333333333337, NAN, 0.66666666666666674, NAN,
    NAN, 0.33333333333333331, NAN, NAN, NAN, NAN,
]
#: Without the last row: daisy 2.1.4 drops weights below 1 where nothing else is known.
WEIGHTED = [
    0.66666666666666674, 0.71167048054919901, 0.33333333333333331, 0.77173913043478259, 0.59420289855072472,
    0.56862745098039225, 0.79487179487179493, 0.5, 0.13333333333333333,
    0.78743961352657010, 0.54347826086956519, 0.70673486786018747,
    0.95652173913043481, 0.76328502415458932, 0.33333333333333331,
]
GAP = [
    0.26984126984126983, 0.47619047619047622, 0.55555555555555547,
    0.20634920634920637, 0.28571428571428575, 0.30158730158730157,
]
# fmt: on
