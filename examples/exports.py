"""Export a model: SQL, a plain Python module, PMML, and ONNX if its package is installed."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path

import acumen

loan = acumen.datasets.load("loan")
model = acumen.NaiveBayes().fit(loan)

# -- SQL, with probabilities ----------------------------------------------------------------------

statement = model.to_sql("loans", probabilities=True)
print(statement)
with sqlite3.connect(":memory:") as base:
    loan.to_pandas().astype(str).to_sql("loans", base, index=False)
    in_sql = base.execute(statement).fetchall()
print("first applicant, in the database:", in_sql[0][-3:])
print("first applicant, in acumen:      ", model.predict_proba(loan)[0].round(6))

# -- Python that needs nothing ----------------------------------------------------------------------

Path("loan_model.py").write_text(model.to_python(), encoding="utf-8")
alone: dict = {}
exec(Path("loan_model.py").read_text(encoding="utf-8"), alone)
print("in bare Python:", alone["predict"]({"Own_house": "true", "Has_Job": None}))

# -- PMML and ONNX ----------------------------------------------------------------------------------

document = acumen.to_pmml(model, "loan.pmml")
print(document.splitlines()[0], "... of", len(document.splitlines()), "lines")
if find_spec("onnx") is None:
    print("pip install 'acumen-learn[onnx]' to write ONNX")
else:
    made = acumen.to_onnx(model, "loan.onnx")
    print(f"loan.onnx has {len(made)} bytes, one input for each of", ", ".join(loan.schema.names))

# -- what a form cannot say ---------------------------------------------------------------------------

try:
    acumen.to_pmml(acumen.KNN().fit(loan))
except acumen.errors.DataError as error:
    print(error)
