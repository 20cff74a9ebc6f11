"""Logistic regression and maximum entropy: coefficients with tests, your own features, and solvers."""

from pathlib import Path

import numpy as np

import acumen

iris = acumen.datasets.load("iris")
two = acumen.read((np.asarray(iris.numeric)[50:, 2:], iris.label_values()[50:].astype(str)))

# Without penalty the standard errors, Wald's tests and AIC are those of any textbook.
model = acumen.Logistic(penalty=None).fit(two)
print(model.describe())
print(model.explain([4.8, 1.7]))

# The same loss, brought down in four ways; each leaves a trace of the loss at every step.
traces = [
    acumen.Logistic(solver=solver, random_state=0, tol=1e-3 if solver == "sgd" else 1e-8).fit(two).trace_
    for solver in ("newton", "lbfgs", "gradient", "sgd")
]
for trace in traces:
    print(trace)
Path("descents.svg").write_text(traces[0].draw(*traces[1:], excess=True), encoding="utf-8")


# Features of one's own: templates, and a function of row and class.
def young_without_house(row, label):
    """A condition on two attributes and the class."""
    return float(row["Age"] == "young" and row["Own_house"] == "false" and label == "No")


loan = acumen.datasets.load("loan")
entropy = acumen.MaxEnt(["class", "Credit_Rating", "Has_Job=true -> Yes", young_without_house], C=10.0).fit(
    loan
)
print(entropy.describe())
