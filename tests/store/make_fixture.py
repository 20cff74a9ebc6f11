"""Writes one model file of each kind, which every later version must still load: fixtures/format1-KIND.acm.

Next to each file is a .json with rows and the probabilities (or scores, or numbers) that the model gave them when it
was written. A fixture that exists is left alone; a new kind, or a new format, gets its own:

    PYTHONPATH=src:tests python -m store.make_fixture [KIND ...]
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from acumen import store
from acumen.data.schema import Schema
from acumen.data.table import Table, decode
from acumen.errors import DataError
from acumen.models import kinds
from acumen.models.predictor import Predictor
from acumen.store.file import FORMAT
from fuzz.models import forms_of, rows_of, suited
from store.toy_kind import mixed_table

FIXTURES = Path(__file__).parent / "fixtures"


def rows_to_json(rows: Table) -> dict[str, list[Any]]:
    """Columns by name; None where missing, levels the model does not know as None too."""
    columns: dict[str, list[Any]] = {}
    for attribute, values in rows.numeric_columns():
        columns[attribute.name] = [None if np.isnan(value) else value for value in values.tolist()]
    for attribute, codes in rows.nominal_columns():
        columns[attribute.name] = decode(codes, attribute.levels).tolist()
    for attribute, texts in rows.text_columns():
        columns[attribute.name] = list(texts)
    return columns


def rows_from_json(columns: dict[str, list[Any]], schema: Schema) -> Table:
    """Those rows under a model's schema."""
    n = len(next(iter(columns.values())))
    return Table(
        schema.without_target(),
        n,
        numeric=[np.array(columns[a.name], dtype=np.float64) for a in schema.numeric],
        nominal=[
            np.array([-1 if v is None else a.levels.index(v) for v in columns[a.name]], dtype=np.int32)
            for a in schema.nominal
        ],
        text=[np.array(columns[a.name], dtype=object) for a in schema.text],
    )


def fit(learner: Any, table: Table) -> Any:
    """The learner fitted, or None where the table does not suit it."""
    try:
        return learner.fit(table)
    except DataError:
        return None


def answers_of(predictor: Any, rows: Table) -> dict[str, Any]:
    """Probabilities, or where a kind has none, scores; of a regressor the numbers; of others what they predict."""
    if predictor.task == "regression":
        return {"numbers": predictor.predict(rows).tolist()}
    if isinstance(predictor, Predictor) and predictor.model.probabilistic:
        return {"proba": predictor.proba(rows).tolist()}
    if isinstance(predictor, Predictor):
        return {"scores": predictor.scores(rows).tolist()}
    return {"answers": [np.nan if answer is None else answer for answer in predictor.answers(rows)]}


def main() -> None:
    for kind in sys.argv[1:] or sorted(kinds.KINDS):
        try:
            cls = kinds.learner_class(kind)
        except (ImportError, AttributeError):
            print(f"{kind}: not built yet")
            continue
        path = FIXTURES / f"format{FORMAT}-{kind}.acm"
        tables = [mixed_table(text=True), mixed_table(), mixed_table(nominal=False)]
        tables += [mixed_table(numeric=False, nominal=False, text=True)]
        tables += [mixed_table(nominal=False, counts=True)]
        tables = [suited(table, kind) for table in tables]
        pairs = [
            (parameters, table)
            for parameters in forms_of(kind)
            for table in tables
            if cls(**parameters).objection(table.schema) is None
        ]
        if path.exists() or not pairs:
            continue
        fits = ((parameters, fit(cls(**parameters), table)) for parameters, table in pairs)
        parameters, learner = next(each for each in fits if each[1] is not None)
        store.save(learner, path, summary=getattr(learner, "summary_", None) is not None)
        rows = rows_of(learner.predictor_.schema, counts=kind == "text-bayes")
        # As they will be read back: a learner may tell an unknown level from a missing one, and the file does not.
        rows = rows_from_json(rows_to_json(rows), learner.predictor_.schema)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers = answers_of(learner.predictor_, rows)
        content = {"parameters": repr(parameters), "rows": rows_to_json(rows), **answers}
        path.with_suffix(".json").write_text(json.dumps(content, indent=1) + "\n")
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
