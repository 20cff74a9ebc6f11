"""Ordered classes: declared once, used by learners, measures and comparisons.

Run it with `python examples/ordered.py`.
"""

from __future__ import annotations

import numpy as np

import acumen
from acumen import Attribute, Schema, Table


def main() -> None:
    rng = np.random.default_rng(0)
    n = 150
    dose, age = rng.normal(size=n), rng.normal(size=n)
    pain = np.digitize(0.8 * age - 1.2 * dose + rng.logistic(size=n), [-1.5, 0.0, 1.5]).astype(np.int32)
    schema = Schema(
        (Attribute("dose"), Attribute("age")),
        Attribute("pain", "ordinal", ("none", "mild", "moderate", "severe")),
    )
    table = Table(schema, n, numeric=[dose, age], labels=pain)

    print(acumen.OrderedLogistic(penalty=None).fit(table).describe())

    learners = [acumen.OrderedLogistic(), acumen.Logistic(), acumen.Ordinal(acumen.NaiveBayes())]
    print()
    print(acumen.compare(learners, table, acumen.KFold(5, n_repeats=2), random_state=0))


if __name__ == "__main__":
    main()
