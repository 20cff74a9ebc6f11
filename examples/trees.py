"""Decision trees: trained, read, drawn, and exported as SQL and Python.

Run it with `python examples/trees.py`; it writes tree.svg, way.svg and tree.py into the current folder.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd

import acumen

# -- a table with numbers, levels and gaps ----------------------------------------------------------

rng = np.random.default_rng(0)
n = 600
income = rng.lognormal(3.4, 0.5, n)
debt = income * rng.uniform(0, 1.2, n)
purpose = rng.choice(["car", "house", "holiday"], n)
bad = (debt / income > 0.7) ^ ((purpose == "house") & (income > 40)) ^ (rng.random(n) < 0.05)
loans = pd.DataFrame(
    {
        "income": np.where(rng.random(n) < 0.05, np.nan, income.round(1)),
        "debt": debt.round(1),
        "purpose": np.where(rng.random(n) < 0.05, None, purpose),
        "outcome": np.where(bad, "bad", "good"),
    }
)
table = acumen.read(loans, target="outcome")
train, test = table.split(0.7, random_state=0)

plain = acumen.DecisionTree().fit(train)
pairs = acumen.DecisionTree(construct="pairs").fit(train)
for name, tree in (("as they are", plain), ("with pairs", pairs)):
    print(
        f"attributes {name}: {100 * tree.score(test):.1f} % right, {tree.n_leaves_} leaves, depth {tree.depth_}"
    )

# -- read ------------------------------------------------------------------------------------------

print(f"\n{pairs}\n")
row = {"income": 52.0, "debt": 48.0, "purpose": "house"}
print(pairs.path(row), "\n")
print(pairs.explain({"income": 30.0, "debt": None, "purpose": "car"}), "\n")
for rule in pairs.to_rules()[:3]:
    print(rule)
print("\nas a decision list, shorter and in order:")
print(pairs.to_decision_list(train), "\n")
for attribute, share in zip(pairs.schema_.names, pairs.feature_importances_, strict=True):
    print(f"{attribute:<8} {share:.2f}")

# -- drawn -----------------------------------------------------------------------------------------

pairs.to_svg("tree.svg", data=train)
pairs.to_svg("way.svg", row=row)

# -- elsewhere -------------------------------------------------------------------------------------

Path("tree.py").write_text(pairs.to_python(), encoding="utf-8")
alone: dict[str, object] = {}
exec(Path("tree.py").read_text(encoding="utf-8"), alone)
predict = alone["predict"]
assert callable(predict)

with sqlite3.connect(":memory:") as base:
    loans.to_sql("loans", base, index=False)
    in_sql = [found[-1] for found in base.execute(pairs.to_sql("loans"))]
in_python = [
    predict(dict(zip(loans.columns, values, strict=True))) for values in loans.itertuples(index=False)
]
wanted = pairs.predict(table).tolist()
agree = sum(a == b == c for a, b, c in zip(wanted, in_sql, in_python, strict=True))
print(f"\nacumen, SQLite and plain Python agree on {agree} of {n} rows, gaps included")
