"""Bayesian networks: trained, queried, moralised; and a classifier for rows with missing values."""

from __future__ import annotations

import numpy as np

import acumen

# Smoking, bronchitis and shortness of breath, as a network that is written down.
TEXT = """network lungs { }
variable smokes { type discrete [ 2 ] { yes, no }; }
variable bronchitis { type discrete [ 2 ] { yes, no }; }
variable cancer { type discrete [ 2 ] { yes, no }; }
variable breathless { type discrete [ 2 ] { yes, no }; }
probability ( smokes ) { table 0.5, 0.5; }
probability ( bronchitis | smokes ) { (yes) 0.6, 0.4; (no) 0.3, 0.7; }
probability ( cancer | smokes ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( breathless | bronchitis, cancer ) {
  (yes, yes) 0.9, 0.1; (yes, no) 0.8, 0.2; (no, yes) 0.7, 0.3; (no, no) 0.1, 0.9; }
"""
true = acumen.BayesNetwork.from_bif(TEXT)
print(true.query("cancer", given={"breathless": "yes"}))
print(true.independent("bronchitis", "cancer", given=["smokes"]))
print(true.independent("bronchitis", "cancer", given=["smokes", "breathless"]))

rows = true.sample(5000, random_state=0)
found = acumen.BayesNetwork(structure="hill-climbing").fit(rows)
print(found.structure_, round(found.score_, 2))
print(found.posterior("bronchitis"))

moral = acumen.MarkovNetwork.from_bayes(true)
print("\n".join(moral.steps_))

iris = acumen.datasets.load("iris")
model = acumen.BayesNetwork().fit(iris)
print(model.explain({"petal_length": 4.8, "petal_width": 1.7}))  # two of four values
assert np.isclose(moral.query("cancer")["yes"], true.query("cancer")["yes"])
