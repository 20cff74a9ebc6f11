"""Tables and models for exports: awkward names and levels, gaps, levels nobody knows, numbers at every cut."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.predictor import AnyPredictor

SCHEMA = Schema(
    (
        Attribute("x"),
        Attribute('y "y"\'s'),
        Attribute("colour", "nominal", ("red", "it's", 'so "called"', "grün")),
        Attribute("grade", "ordinal", ("low", "middle", "high")),
        Attribute("flag", "nominal", (True, False)),
        Attribute("rooms", "nominal", (1, 2, 5)),
    ),
    Attribute("label", "nominal", ("a", "b's", 'c "c"')),
)
NUMBERS = Schema(SCHEMA.attributes[:2], SCHEMA.target)


def inputs(schema: Schema, n: int, seed: int, *, gaps: float = 0.1, cuts: Any = None) -> Table:
    """Rows with gaps and unknown levels; `cuts` are numbers by attribute, which rows then lie at, or a hair beside."""
    rng = np.random.default_rng(seed)
    numeric = []
    for a in schema.numeric:
        values = rng.normal(size=n).round(2)
        at = np.asarray((cuts or {}).get(a.name, ()), dtype=np.float64)
        if len(at):
            grid = np.concatenate([at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)])
            values = np.where(rng.random(n) < 0.7, rng.choice(grid, n), values)
        values[rng.random(n) < gaps] = np.nan
        numeric.append(values)
    nominal = [
        np.where(rng.random(n) < gaps, rng.integers(-2, 0, n), rng.integers(0, len(a.levels), n)).astype(
            np.int32
        )
        for a in schema.nominal
    ]
    return Table(schema.without_target(), n, numeric=numeric, nominal=nominal)


def training(schema: Schema = SCHEMA, n: int = 240, seed: int = 0, *, classes: int = 3) -> Table:
    """Labelled rows in which every attribute says something."""
    rows = inputs(schema, n, seed, gaps=0.05)
    rng = np.random.default_rng(seed + 1)
    height = sum(np.nan_to_num(values) for _, values in rows.numeric_columns()) + rng.normal(0, 0.5, n)
    for at, (_, codes) in enumerate(rows.nominal_columns()):
        height = height + 0.6 * ((codes + at) % 2)
    nominal = [np.maximum(codes, -1).astype(np.int32) for _, codes in rows.nominal_columns()]
    labels = np.digitize(height, np.quantile(height, [0.4, 0.75][: classes - 1])).astype(np.int32)
    target = Attribute("label", "nominal", SCHEMA.classes[:classes])
    made = Schema(schema.attributes, target)
    return Table(made, n, numeric=[v for _, v in rows.numeric_columns()], nominal=nominal, labels=labels)


def dicts_of(rows: Table, unknown: Any = "?") -> list[dict[str, Any]]:
    """Rows as mappings, None for missing."""
    made: dict[str, list[Any]] = {}
    for a, values in rows.numeric_columns():
        made[a.name] = [None if v != v else v for v in values.tolist()]
    for a, codes in rows.nominal_columns():
        strange = unknown if isinstance(a.levels[0], str) else None if isinstance(a.levels[0], bool) else 77
        made[a.name] = [None if c == -1 else strange if c < 0 else a.levels[c] for c in codes.tolist()]
    return [dict(zip(made, values, strict=True)) for values in zip(*made.values(), strict=True)]


def known_flags(rows: Table) -> Table:
    """The same rows with no unknown truth value, which no column of truth values can hold."""
    nominal = [
        np.where((codes == -2) & isinstance(a.levels[0], bool), -1, codes).astype(np.int32)
        for a, codes in rows.nominal_columns()
    ]
    return Table(rows.schema, len(rows), numeric=[v for _, v in rows.numeric_columns()], nominal=nominal)


def cuts_of(predictor: AnyPredictor) -> dict[str, Any]:
    """The numbers at which a model's answers may change, by attribute."""
    model: Any = predictor.model
    schema = predictor.schema
    made: dict[str, list[float]] = {}
    members = list(getattr(model, "members", ()))
    for one in [model, *members]:
        if (tree := getattr(one, "tree", None)) is not None:
            for node in np.flatnonzero(~tree.leaves).tolist():
                column = tree.inputs[int(tree.tests.input[node])]
                if column.is_numeric(schema) and column.form == "itself":
                    made.setdefault(column.name(schema), []).extend(tree.tests.cuts_of(node).tolist())
        coding = getattr(one, "coding", None)
        if hasattr(coding, "cuts"):
            for column, own in zip(coding.inputs.columns, coding.cuts, strict=True):
                if len(own):
                    made.setdefault(column.name(schema), []).extend(own.tolist())
    parts = getattr(model, "parts", None)
    if parts is not None:
        for shape in parts.layout.shapes:
            if shape.numeric:
                made.setdefault(schema.attributes[shape.attribute].name, []).extend(shape.cuts.tolist())
    return made


TREE = {"missing": "majority", "prune": "none", "max_depth": 5}

#: Learners whose models every export is tried on, where it knows them.
LEARNERS: dict[str, Any] = {
    "majority": acumen.Majority(),
    "one-r": acumen.OneR(),
    "tree": acumen.DecisionTree(**TREE),
    "tree, binary": acumen.DecisionTree(**TREE, split="binary"),
    "tree, surrogates": acumen.DecisionTree(missing="surrogate", prune="none", max_depth=4),
    "tree, missing branch": acumen.DecisionTree(missing="branch", prune="none", max_depth=4),
    "tree, pairs": acumen.DecisionTree(**TREE, construct="pairs"),
    "tree, priors and costs": acumen.DecisionTree(**TREE, priors="uniform", costs={("a", "b's"): 4.0}),
    "tree, shares": acumen.DecisionTree(missing="fractional", prune="none", max_depth=4),
    "ripper": acumen.Ripper(random_state=0),
    "cn2, voting": acumen.CN2(ordered=False),
    "logistic": acumen.Logistic(),
    "logistic, priors": acumen.Logistic(priors="uniform"),
    "fisher": acumen.Fisher(),
    "naive bayes": acumen.NaiveBayes(),
    "naive bayes, histogram": acumen.NaiveBayes(numeric="histogram", bins=4),
    "naive bayes, intervals": acumen.NaiveBayes(numeric="discretise"),
    "naive bayes, weighed": acumen.NaiveBayes(attribute_weights={"x": 0.5, "colour": 2.0}),
    "additive": acumen.Additive(),
    "stumps": acumen.AdaBoost(n_estimators=8),
    "stumps, priors": acumen.AdaBoost(n_estimators=8, priors="uniform"),
}
