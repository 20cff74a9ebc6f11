"""Rules of CN2 by Orange 3.40.0, on tables of nominal attributes.

`CN2Learner(restrict_equality=True)` and `CN2UnorderedLearner(restrict_equality=True)` with a beam of 60, rules that
cover one row at least and no test of significance. Lists have rules of up to four conditions, rules for each class up
to three. Orange takes Laplace's estimate with two classes for every target class; here it is taken with all classes,
as Clark and Boswell (1991) define it, by an evaluator that returns (class count + 1) / (covered + number of classes).
Among equally good rules Orange takes the first it meets, acumen the one that covers more rows, so rules after the
first need not be the same. Orange never takes the first refinement of a rule as the best one (`new_rules[1:]` in
`RuleHunter`), so a first rule of acumen may be better: on seed 5 it is, for class 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import Attribute, Schema, Table

SIZES = (3, 2, 4, 3)


@dataclass(frozen=True)
class Cn2:
    """What Orange found on the table of a seed."""

    seed: int
    right: int  # training rows that the ordered list classifies correctly
    entropy: float  # of the classes that its first rule covers
    laplace: tuple[float, ...]  # of the first rule for each class


FOUND = (
    Cn2(0, 55, 0.0, (0.9, 0.875)),
    Cn2(1, 56, 0.0, (0.7142857142857143, 0.75, 0.8666666666666667)),
    Cn2(2, 58, 0.0, (0.9090909090909091, 0.9090909090909091)),
    Cn2(3, 58, 0.0, (0.8333333333333334, 0.7142857142857143, 0.7142857142857143)),
    Cn2(4, 57, 0.0, (0.9230769230769231, 0.8333333333333334)),
    Cn2(5, 57, 0.0, (0.8, 0.75, 0.75)),
)


def rows_of(seed: int) -> tuple[Table, np.ndarray, np.ndarray]:
    """60 rows of four attributes and two or three classes, and their codes and class codes."""
    rng = np.random.default_rng(seed)
    n, k = 60, 2 + seed % 2
    codes = np.array([rng.integers(0, size, n) for size in SIZES]).T
    rule = (codes[:, 0] + (codes[:, 1] == 1) * (codes[:, 2] > 1)) % k
    labels = np.where(rng.random(n) < 0.85, rule, rng.integers(0, k, n))
    inputs = (
        Attribute(f"a{j}", "nominal", tuple(f"v{i}" for i in range(size))) for j, size in enumerate(SIZES)
    )
    schema = Schema(tuple(inputs), Attribute("y", "nominal", tuple(f"c{c}" for c in range(k))))
    columns = [np.ascontiguousarray(column, dtype=np.int32) for column in codes.T]
    return Table(schema, n, nominal=columns, labels=labels.astype(np.int32)), codes, labels
