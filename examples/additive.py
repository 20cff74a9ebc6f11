"""Additive models: curves to read, an interaction, a monotone curve, and a curve edited by hand.

Run it with `python examples/additive.py`; it writes shapes.svg and age.svg into the current folder.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import acumen

# -- a table with numbers, levels and gaps ----------------------------------------------------------

rng = np.random.default_rng(0)
n = 1500
age = rng.integers(18, 80, n).astype(float)
income = rng.lognormal(3.3, 0.5, n).round(1)
job = rng.choice(["none", "part", "full"], n, p=[0.2, 0.3, 0.5])
home = rng.choice(["rents", "owns"], n)
odds = 0.2 - 0.04 * np.abs(age - 45) - 0.02 * income + 0.8 * (job == "none")
odds += 1.5 * ((home == "owns") == (job == "none"))
loans = pd.DataFrame(
    {
        "age": np.where(rng.random(n) < 0.05, np.nan, age),
        "income": income,
        "job": job,
        "home": home,
        "outcome": np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "late", "paid"),
    }
)
X, y = loans.drop(columns="outcome"), loans["outcome"]

# -- reading it -------------------------------------------------------------------------------------

model = acumen.Additive().fit(X, y)
print(model)
print("proved by:", {name: f"{value:.1g}" for name, value in model.certificate_.items()})
print(model.explain(X.iloc[0]))
model.to_svg("shapes.svg")
model.to_svg("age.svg", attribute="age")

# -- what no two shapes add up to -------------------------------------------------------------------

paired = acumen.Additive(pairs="auto").fit(X, y)
print("pairs found:", [name for name in paired.spread_ if " x " in name])

# -- what a person knows, or does not believe -------------------------------------------------------

rising = acumen.Additive(monotone={"income": 1}).fit(X, y)
print("income may only speak for paying:", round(rising.spread_["income"], 3))
edited = model.edit("age", 18, 30)
print(edited.describe().splitlines()[2])
print("one CASE a shape:", model.to_sql("loans").count("CASE") - 1)

# -- what the edit costs, and whether boosting would do better ---------------------------------------

loans.to_csv("loans.csv", index=False)
table = acumen.read("loans.csv", target="outcome")
edited = acumen.Additive(edits={"age": (18, 30)})
for learner in (
    acumen.Majority(),
    acumen.Additive(),
    edited,
    acumen.Additive(pairs="auto"),
    acumen.Boosting(n_estimators=30),
):
    lost = acumen.assess(learner, table, acumen.KFold(3), measures="log_loss", random_state=0).mean
    print(f"{learner!s:<40} log loss {lost:.3f}")
