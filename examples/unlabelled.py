"""Few labels and many rows: what unlabelled rows change, for better or worse.

Run it with `python examples/unlabelled.py`.
"""

from __future__ import annotations

import numpy as np

import acumen


def main() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(300) % 2
    angle = rng.random(300) * np.pi
    x = np.where(truth, 1 - np.cos(angle), np.cos(angle))
    y = np.where(truth, 0.5 - np.sin(angle), np.sin(angle))
    rows = np.column_stack([x, y]) + rng.normal(0, 0.08, (300, 2))
    labels = truth.astype(object)
    labels[20:] = None

    for learner in (acumen.LabelSpreading(), acumen.SelfTraining(acumen.NaiveBayes())):
        fitted = learner.fit(rows, labels)
        print(f"{type(learner).__name__}: right on {fitted.score(rows, truth):.1%} of all rows")
        print(fitted.report_)
        print()


if __name__ == "__main__":
    main()
