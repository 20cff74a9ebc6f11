"""Which learner is really better? A comparison on the same splits, with verdicts and a report.

Run it with `python examples/compare.py`.
"""

from __future__ import annotations

import acumen

iris = acumen.datasets.load("iris")

print("One learner, each row tested by a model of all the others:")
print(acumen.assess(acumen.NaiveBayes(), iris, acumen.LeaveOneOut(), ("error", "log_loss", "kappa")))

print("\nSeveral on the same hundred splits:")
learners = [
    acumen.NaiveBayes(),
    acumen.FullBayes(),
    acumen.FullBayes(covariance="shared"),
    acumen.OneR(),
]
found = acumen.compare(learners, iris, random_state=0)
print(found)

best, second = found.names[:2]
print(f"\nIs {best} better than {second}, or does it not matter?")
print(found.bayesian(best, second, rope=0.01))

print("\nOver several tables:")
tables = {name: acumen.datasets.load(name) for name in ("iris", "loan", "weather", "lens")}
print(acumen.compare([acumen.NaiveBayes(), acumen.OneR()], tables, acumen.KFold(5), random_state=0))

found.report("report.html")
print("\nAll of it to be mailed: report.html")
