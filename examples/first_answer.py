"""A first answer on a table: a suite within a time limit, its recommendation, and scikit-learn estimators too.

Run it with `python examples/first_answer.py`.
"""

from __future__ import annotations

from pathlib import Path

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import acumen

iris = acumen.datasets.load("iris")

# The learners that suit the table, and why others of the suite do not.
suite = acumen.suitable_learners(iris, suite="quick")
print(suite)

# At most twenty seconds: learners take turns, and only whole repeats count.
found = acumen.compare(suite.learners(seed=0), iris, random_state=0, time_limit="20s")
print(found)
print("recommended:", found.recommended_learner, "- of the best the simplest:", found.answer.simplest)

# The recommended one learned from all rows; its file keeps what the comparison said.
acumen.save(found.fit(), "best.acm")
print(acumen.load("best.acm").comparison_["best"])
Path("best.acm").unlink()

# Estimators and pipelines of scikit-learn take part; by log loss only those with probabilities can.
others = [make_pipeline(StandardScaler(), SVC()), acumen.NearestMean(), acumen.NaiveBayes()]
print(acumen.compare(others, iris, acumen.KFold(5), measure="log_loss", random_state=0).unjudged)
print(acumen.compare(others, iris, acumen.KFold(5), measure="log_loss", random_state=0, calibrate=True).names)
