"""Step by step: the gain of every attribute, a tree, naive Bayes by hand, a perceptron row by row.

Run it with `python examples/steps.py`; docs/steps.md does the same at the command line.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path

import acumen
from acumen.errors import TableWarning

warnings.simplefilter("ignore", TableWarning)

# -- what does each attribute tell? -------------------------------------------------------------------

loan = acumen.datasets.load("loan")
card = acumen.inspect(loan)
for column in card.to_dict()["attributes"]:
    print(f"gain({column['name']}) = {column['association']['gain_bits']:.3f} bits")

# -- so which one is asked first, and what then? ------------------------------------------------------

tree = acumen.DecisionTree(measure="gain", prune="none").fit(loan)
print(f"\n{tree.describe(steps=True)}\n")
root = tree.steps().nodes[0]
assert root.candidates[0].attribute == "Own_house"
assert round(root.candidates[0].gain, 3) == 0.420

# -- naive Bayes with pencil and paper ------------------------------------------------------------------

abc = acumen.datasets.load("bayes-abc")
bayes = acumen.NaiveBayes(estimator="mle").fit(abc)
why = bayes.explain({"A": "m", "B": "q"}, steps=True)
print(f"{why}\n")
true, false = why.working.products
assert (true.exact, false.exact) == (Fraction(2, 25), Fraction(1, 25))

smoothed = acumen.NaiveBayes().fit(acumen.datasets.load("weather"))
print(
    smoothed.explain(
        {"outlook": "overcast", "temperature": 70, "humidity": None, "windy": "TRUE"}, steps=True
    )
)

# -- a perceptron learns AND ----------------------------------------------------------------------------

gate = [[0, 0], [0, 1], [1, 0], [1, 1]]
perceptron = acumen.Perceptron(order="given", extra=-1, scale=False).fit(gate, [0, 0, 0, 1])
print(f"\n{perceptron.trace_}\n")
assert len(perceptron.trace_.mistakes) == perceptron.n_updates_ == 18

# -- pictures with their numbers ------------------------------------------------------------------------

points = acumen.datasets.load("svm-soft")
machine = acumen.SVM(kernel="linear", C=1.0, scale=False).fit(points)
Path("margin.svg").write_text(machine.figure(points)._repr_svg_(), encoding="utf-8")
iris = acumen.datasets.load("iris")
shares = acumen.NaiveBayes().fit(iris).predict_proba(iris)[:, 2]
Path("roc.svg").write_text(
    acumen.roc(iris["class"], shares, "Iris-virginica").figure()._repr_svg_(), encoding="utf-8"
)

# -- what a notebook would show of all this -----------------------------------------------------------------

shown = [card, tree, bayes, why, perceptron, perceptron.trace_, machine]
shown.append(acumen.assess(acumen.NaiveBayes(), iris, acumen.KFold(5), random_state=0))
shown.append(acumen.bias_variance(acumen.DecisionTree(), iris, n_repeats=10, random_state=0))
page = "<meta charset=utf-8>" + "<hr>".join(each._repr_html_() for each in shown)
Path("notebook.html").write_text(page, encoding="utf-8")
print("margin.svg, roc.svg and notebook.html are written.")
