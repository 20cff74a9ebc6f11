"""From a database to a model and back: rows from a query, predictions into a table, and baskets."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

import acumen
from acumen.cli.main import run

rng = np.random.default_rng(0)
income = rng.gamma(3, 15_000, 400)
rows = [(i, float(v), "own" if v > 50_000 else "rent", "yes" if v + rng.normal(0, 9_000) > 45_000 else "no")
        for i, v in enumerate(income)]  # fmt: skip
with closing(sqlite3.connect("bank.db")) as connection:
    connection.execute("CREATE TABLE loans (id INTEGER, income REAL, home TEXT, paid TEXT)")
    connection.executemany("INSERT INTO loans VALUES (?, ?, ?, ?)", rows)
    connection.commit()

# Rows by a query; its values are bound by the database, never pasted into it.
old = acumen.read(
    "sqlite:///bank.db",
    query="SELECT income, home, paid FROM loans WHERE id < ?",
    params=[300],
    target="paid",
)
print(old.schema)
model = acumen.NaiveBayes().fit(old)
acumen.save(model, "paid.acm")

# The rest is answered into a table of the same database, all or nothing.
run(["predict", "paid.acm", "sqlite:///bank.db", "--query", "SELECT * FROM loans WHERE id >= ?", "--param", "300",
     "--keep-columns", "--probabilities", "--into", "expected"])  # fmt: skip
with closing(sqlite3.connect("bank.db")) as connection:
    right = connection.execute("SELECT avg(prediction = paid) FROM expected").fetchone()[0]
print(f"right about {right:.0%} of {len(rows) - 300} later loans")

# Baskets are a sparse table; the class may be an item's value.
Path("shop.basket").write_text(
    "bread,milk,class=regular\nbeer,crisps,class=once\nbread,milk,beer,class=regular\n"
)
baskets = acumen.read("shop.basket", target="class")
print(baskets.schema.names, baskets.sparse.nnz, "items bought")
