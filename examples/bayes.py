"""Bayes classifiers: mixed tables, costs, unlabelled rows, parts, and a model file.

Run it with `python examples/bayes.py`.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

import acumen
import acumen.errors

# -- a table as it is: numbers, words, levels and gaps ----------------------------------------------

rng = np.random.default_rng(0)
n = 400
churned = rng.choice(["stays", "leaves"], n, p=[0.7, 0.3])
gone = churned == "leaves"
customers = pd.DataFrame(
    {
        "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(45 - 8 * gone, 10)),
        "contract": np.where(rng.random(n) < 0.7, np.where(gone, "monthly", "yearly"), "none"),
        "complaint": np.where(gone, "slow line again", np.where(rng.random(n) < 0.5, "all fine", None)),
        "churned": churned,
    }
)
table = acumen.read(customers, target="churned", kinds={"complaint": "text"})
train, test = table.split(0.7, random_state=0)

model = acumen.NaiveBayes().fit(train)
print(
    f"{100 * model.score(test):.1f} % right, the majority {100 * acumen.Majority().fit(train).score(test):.1f} %\n"
)
print(model.explain({"age": 31, "contract": "monthly", "complaint": "slow line"}))

# -- what a wrong answer costs ----------------------------------------------------------------------

careful = acumen.NaiveBayes(costs={("stays", "leaves"): 10}).fit(train)
counts = {name: int((learner.predict(test) == "leaves").sum()) for name, learner in
          (("plain", model), ("careful", careful))}  # fmt: skip
print(f"\npredicted to leave: {counts}")

# -- few labels, many rows --------------------------------------------------------------------------

iris = acumen.datasets.load("iris").to_pandas()
iris.loc[iris.groupby("class").cumcount() >= 5, "class"] = None  # five labels a class are left
few = acumen.read(iris, target="class")
truth = acumen.datasets.load("iris")
warnings.simplefilter("ignore", acumen.errors.TableWarning)  # `fit` says what it leaves out; here it is meant
for unlabelled in ("ignore", "em"):
    learner = acumen.FullBayes(covariance="shared", unlabelled=unlabelled).fit(few)
    print(f"shared covariance, unlabelled={unlabelled!r}: {100 * learner.score(truth):.1f} % right")

# -- in parts, kept, opened, and gone on with -------------------------------------------------------

truth.write("iris.csv")
streamed = acumen.NaiveBayes().fit_stream(acumen.scan("iris.csv", target="class", rows=40))
acumen.save(streamed, "iris.acm", summary=True)
again = acumen.load("iris.acm").partial_fit(truth)
print(f"\nlearned from {streamed.training_['rows']} rows, then from {again.training_['rows']}")
print("the bare model predicts", acumen.store.open("iris.acm").predict(truth)[:3].tolist())
