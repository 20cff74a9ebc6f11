"""Active learning: which rows to label, whether it pays off, and feedback on attributes.

Run it with `python examples/asking.py`.
"""

from __future__ import annotations

import acumen


def main() -> None:
    iris = acumen.datasets.load("iris")
    truth = iris.label_values()
    by_values = {
        tuple(iris.column(name)[i] for name in iris.schema.names): truth[i] for i in range(len(iris))
    }

    active = acumen.ActiveLearner(
        acumen.NaiveBayes(),
        strategy="margin",
        budget=20,
        oracle=lambda row: by_values[tuple(row.values())],
        random_state=0,
    )
    active.fit(iris.select(iris.schema.names), [None] * len(iris))
    print(f"asked about {len(active.asked_)} rows of {len(iris)}; right on {active.score(iris):.1%} of all")

    print("\nwhat asking gains over labelling rows at random, and what a word about an attribute adds:")
    rehearsed = acumen.ActiveLearner(
        acumen.NaiveBayes(), strategy="margin", batch_size=4, budget=24, random_state=0
    )
    rehearsed.feedback("petal_width", "use").feedback("sepal_width", "ignore")
    print(rehearsed.simulate(iris, seeds=8))


if __name__ == "__main__":
    main()
