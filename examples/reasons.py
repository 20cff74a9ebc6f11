"""Explanations of predictions, odds ratios for quoting, and a decision threshold."""

from pathlib import Path

import numpy as np

import acumen

# Customers: some leave, more of those who are old, call often and have the basic plan.
rng = np.random.default_rng(3)
n = 600
age, calls = rng.integers(18, 80, n), rng.poisson(2, n)
since = np.datetime64("2015-01-01") + rng.integers(0, 3000, n)
plan = rng.choice(["basic", "gold", "plus"], n, p=[0.6, 0.1, 0.3])
odds = 0.03 * (age - 45) + 0.6 * (calls - 2) + 0.5 * (plan == "basic") - 1.2
left = np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "yes", "no")
lines = [f"{a},{c},{s},{p},{y}" for a, c, s, p, y in zip(age, calls, since, plan, left, strict=True)]
Path("customers.csv").write_text("age,calls,since,plan,left\n" + "\n".join(lines) + "\n", encoding="utf-8")
customers = acumen.read("customers.csv", target="left")
train, test = customers.split(0.7, random_state=0)

# Reasons for and against; the starting point is apart, and a date is a date.
model = acumen.Logistic(penalty=None).fit(train)
why = model.explain(test.take([0]))
print(why)
print(why.in_words(2))

# A machine with a kernel is no sum over attributes: what would changing each of them do?
machine = acumen.SVM(probability="platt").fit(train)
print(machine.explain(test.take([0])))

# What a person may quote: odds ratios with intervals, against a level of choice, per ten years.
ratios = model.odds_ratios({"plan": "gold"}, units={"age": 10, "since": 365})
print(ratios)
Path("ratios.svg").write_text(ratios.figure()._repr_svg_(), encoding="utf-8")

# And from which probability on rows are called, with a word on whether that will hold.
found = acumen.decide(test.column("left"), model.predict_proba(test)[:, 1], "yes", precision=0.6)
print(found)
print("Whether the wish will hold:", found.wish)
