"""A table in three separate files: plan, summarise each part, merge, train.

The model is, to the byte of its file, the one of a single file of all rows. `parts.mk` does the same by make, and
`parts.sbatch` by Slurm.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import acumen
from acumen.parts import read_plan, read_sum, write_plan, write_sum

rng = np.random.default_rng(0)
rows = []
for i in range(5000):
    churned = rng.choice(["no", "yes"], p=[0.6, 0.4])
    plan_of = rng.choice(["basic", "plus"] if i < 4900 else ["basic", "plus", "pro"])  # one is new at the end
    rows.append(f"{rng.normal(40 + 9 * (churned == 'yes'), 12):.2f},{plan_of},{churned}")
head = "minutes,plan,churned"
files = [Path(f"part{i}.csv") for i in range(3)]
for file, some in zip(files, (rows[:1700], rows[1700:3000], rows[3000:]), strict=True):
    file.write_text("\n".join([head, *some]) + "\n")

# What all parts have in common: levels, classes, which rows count.
write_plan(acumen.parts.plan(files, acumen.NaiveBayes(), target="churned"), "plan.json")


def summarise(file: Path) -> Path:
    """What runs where the part is."""
    made = file.with_suffix(".sum")
    write_sum(acumen.parts.summarise(file, read_plan("plan.json")), made)
    return made


with ThreadPoolExecutor(2) as pool:
    sums = list(pool.map(summarise, files))
total = acumen.parts.merge([read_sum(file) for file in reversed(sums)])
print(f"{len(total.parts)} parts of {total.plan.n_counted:,} rows that count")
acumen.save(total.fit(), "by_parts.acm")

Path("all.csv").write_text("\n".join([head, *rows]) + "\n")
acumen.save(acumen.NaiveBayes().fit(acumen.read("all.csv", target="churned")), "at_once.acm")
same = Path("by_parts.acm").read_bytes() == Path("at_once.acm").read_bytes()
print("the model of the parts is the model of all rows, to the byte" if same else "the models differ")
print(acumen.load("by_parts.acm").describe().splitlines()[0])
