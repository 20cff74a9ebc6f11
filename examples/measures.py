"""Measures: how good predictions are, as counts, as a ranking, and as probabilities.

Run it with `python examples/measures.py`.
"""

from __future__ import annotations

import numpy as np

import acumen
from acumen.assessment.outcome import Outcome
from acumen.assessment.scores import measure

# Two thousand customers; the score is the probability a model gave to "buys".
rng = np.random.default_rng(7)
taste = rng.normal(size=2000)
chance = 1 / (1 + np.exp(3 - 1.5 * taste))
y = np.where(rng.random(2000) < chance, "buys", "not")
rough = 1 / (1 + np.exp(3 - 1.5 * (taste + rng.normal(size=2000))))

counts = acumen.confusion(y, np.where(chance >= 0.5, "buys", "not"))
print(counts)
rates = counts.rates("buys")
print(f"of the buyers {rates.sensitivity:.1%} were found; a call is right in {rates.precision:.1%}\n")

curve = acumen.roc(y, chance, "buys")
print(curve)
print("against a rougher score:", curve.compare(acumen.roc(y, rough, "buys")))
print(acumen.precision_recall(y, chance, "buys"), end="\n\n")

bins = acumen.lift(y, chance, "buys")
print(bins)
print(bins.profit(cost_per_contact=0.5, gain_per_hit=5), end="\n\n")

print(acumen.calibration(y, chance, "buys", bins=5), end="\n\n")

print("Folds add up:")
truth, proba = (y == "not").astype(np.int32), np.column_stack([chance, 1 - chance])
total = None
for split in acumen.KFold(5).splits(len(y), y, random_state=0):
    part = proba[split.test]
    outcome = Outcome.of(truth[split.test], part.argmax(axis=1), ("buys", "not"), part, keep_scores=True)
    total = outcome if total is None else total + outcome
for name in ("error", "kappa", "log_loss", "brier", "auc"):
    print(f"  {name:10s} {measure(name).value(total):.4f}")
