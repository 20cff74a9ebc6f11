"""A first lesson: from a messy table to a model that you can trust, with acumen's warnings on the way.

Run it with `python examples/lesson.py`.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import acumen
from acumen.errors import TableWarning

# -- somebody's spreadsheet ---------------------------------------------------------------------------

rng = np.random.default_rng(0)
lines = ["student;hours;fee;enrolled;course;grade;passed"]
for number in range(240):
    hours = rng.gamma(3.0, 3.0)
    passed = rng.random() < 1 / (1 + np.exp(4.0 - 0.5 * hours))
    day = np.datetime64("2023-10-31") - int(rng.integers(0, 400))
    day = f"{day}"[8:] + "." + f"{day}"[5:7] + "." + f"{day}"[:4]
    course = rng.choice(["Statistics", "statistics", "Logic", "n/a"], p=[0.5, 0.1, 0.35, 0.05])
    fee = f"{rng.uniform(80, 1_400):,.2f} €"
    lines.append(
        f"S{number:03};{hours:.1f};{fee};{day};{course};{'A' if passed else 'F'};{'yes' if passed else 'no'}"
    )
Path("course.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

# -- what is it? --------------------------------------------------------------------------------------

table = acumen.read("course.csv", target="passed")
print(table.schema)  # fees are numbers, dates are dates
for note in table.report.warnings:
    print("warning:", note.text)

# -- learning says what is wrong with it, once ----------------------------------------------------------

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    tree = acumen.DecisionTree().fit(table)
    acumen.NaiveBayes().fit(table)  # the same table: nothing is said again
(warning,) = said
assert issubclass(warning.category, TableWarning)
print(f"\n{warning.message}\n")
print(tree)  # of course: the grade is the answer

# -- so the answer's copy and the names go, and two spellings become one ----------------------------------

table = acumen.read(
    "course.csv",
    target="passed",
    ignore=["student", "grade"],
    merge={"course": {"statistics": "Statistics"}},
    date_parts="enrolled",
)
train, test = table.split(0.7, random_state=0)
warnings.simplefilter("ignore", TableWarning)
found = acumen.compare([acumen.NaiveBayes(), acumen.Logistic(), acumen.DecisionTree()], train, random_state=0)
print(f"\n{found}\n")
model = acumen.Logistic().fit(train)
print(f"on rows it has not seen: {100 * model.score(test):.0f} % right")

# -- new students: read as the others were, and what is new about them is counted -------------------------

Path("new.csv").write_text(
    "hours;fee;enrolled;course\n9.5;900.00 €;01.02.2024;statistics\n60;1,200.00 €;02.02.2024;Poetry\n",
    "utf-8",
)
new = acumen.read("new.csv", like=model.schema_)
print(model.predict(new))
print(model.unfamiliar(new))
