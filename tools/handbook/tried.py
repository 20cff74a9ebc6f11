"""What a learner can do, found by having it do so: nothing here is taken from what a learner says of itself.

    tried(entry)    ability -> Found: whether it came off, on small tables of each kind of column; what was said if not

Whatever a learner refuses must be refused in a sentence (an AcumenError); any other error is a fault and is raised.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from acumen.checks import data
from acumen.checks.subject import Subject
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import AcumenError
from acumen.models.task import CLASSES, JOINT, NUMBERS
from acumen.registry import Entry, split_list

#: What is tried, in the order of the table's columns, and what a mark there says.
ABILITIES = {
    "numbers": "trains on numeric attributes alone",
    "levels": "trains on nominal attributes alone",
    "text": "trains on text attributes alone",
    "weights": "row weights change the model",
    "missing": "trains on rows with missing values, and predicts them",
    "probabilities": "predicts a probability per class (or cluster)",
    "explain": "explains the prediction of a row",
    "as rules": "returns its rules",
    "as SQL": "can be exported as a SELECT statement",
    "as ONNX": "can be exported as an ONNX graph",
    "as PMML": "can be exported as a PMML document",
    "as a figure": "has a drawing",
    "in parts": "`fit_stream` trains on parts and holds only a few at a time",
    "parts add": "summaries of parts add up, so cross-validation takes one pass",
    "Dask": "trains on parts that the workers of a cluster read",
}
_INPUTS = {"numbers": ("size", "age"), "levels": ("colour", "grade"), "text": ("note",)}
#: Rows of the tables; small enough for what compares all pairs, large enough for what draws folds.
_ROWS = 60
#: Smaller than by default, where the default is a recipe for thousands of rows.
_SMALLER: dict[str, dict[str, Any]] = {
    "NeuralNetwork": {"hidden_layer_sizes": (8,), "max_iter": 4},
    "NeuralNetworkRegressor": {"hidden_layer_sizes": (8,), "max_iter": 4},
    "RandomForest": {"n_estimators": 5},
    "RandomForestRegressor": {"n_estimators": 5},
    "ExtraTrees": {"n_estimators": 5},
    "ExtraTreesRegressor": {"n_estimators": 5},
    "Boosting": {"n_estimators": 5},
    "BoostingRegressor": {"n_estimators": 5},
    "AdaBoost": {"n_estimators": 5},
    "KMeans": {"n_clusters": 3, "n_init": 1},
    "KMedoids": {"n_clusters": 3},
    "Clara": {"n_clusters": 3},
    "Clarans": {"n_clusters": 3},
    "KModes": {"n_clusters": 3, "n_init": 1},
    "KPrototypes": {"n_clusters": 3, "n_init": 1},
    "Chameleon": {"n_clusters": 3},
    "GaussianMixture": {"n_init": 1},
    "PolynomialRegression": {"max_degree": 2, "folds": 2},
    "Stacking": {"folds": 2},
    "Perceptron": {"max_iter": 20},
    "CBA": {"max_conditions": 2},
    "StrongestRules": {"max_conditions": 2},
    "RuleFeatures": {"max_conditions": 2},
}


@dataclass(frozen=True)
class Found:
    """What came of one trial: whether it came off, under which settings if not the usual ones, what was said if not."""

    done: bool
    by: str = ""
    said: str = ""

    @property
    def mark(self) -> str:
        return "" if not self.done else "○" if self.by else "✓"


@cache
def tried(entry: Entry, variants: tuple[str, ...] = ()) -> dict[str, Found]:
    """What a learner did when it was asked to; what it did not, it is asked again under each of the variants."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is said of such small tables
        made = {}
        for name in ABILITIES:
            made[name] = found = _does(_subject(entry, ""), name)
            for settings in () if found.done else variants:
                if _does(_subject(entry, settings), name).done:
                    made[name] = Found(True, settings, found.said)
                    break
    return made


@cache
def _subject(entry: Entry, settings: str) -> Subject:
    return Subject(entry.make(split_list(settings), **_SMALLER.get(entry.name, {})))


def _does(subject: Subject, name: str) -> Found:
    try:
        return Found(_TRIALS[name](subject, name))
    except AcumenError as error:
        said = str(error).strip()
        if not said.endswith((".", "?")):
            raise AssertionError(f"{subject.name} refuses {name!r}, but not in a sentence: {said}") from error
        return Found(False, said=said)


def _fit(subject: Subject, rows: Table) -> Any:
    if subject.learner.task is JOINT and rows.schema.target is not None:
        rows = Table(Schema(rows.schema.attributes), len(rows), numeric=rows.numeric, nominal=rows.nominal,
                     text=rows.text, weights=rows.weights)  # fmt: skip
    return subject.new().fit(rows)


def _table(subject: Subject, names: tuple[str, ...], missing: bool = False) -> Table:
    made = subject._as_asked(data.table(names, _ROWS, 0, missing, subject.numbers))
    return data.positive(made) if subject.positive else made


def _learns_from(subject: Subject, name: str) -> bool:
    rows = _table(subject, _INPUTS[name])
    subject.learner.object_to(rows.schema)
    _fit(subject, rows)
    return True


def _plain(subject: Subject) -> Table:
    """A table of the richest mixture it takes, without gaps."""
    return _table(subject, subject.names())


def _fitted(subject: Subject, names: tuple[str, ...]) -> Any:
    """A model of these attributes, fitted once for all that is asked of it."""
    kept = subject.__dict__.setdefault("_fitted", {})
    if names not in kept:
        kept[names] = _fit(subject, _table(subject, names))
    return kept[names]


def _any_model(subject: Subject, asked: Callable[[Any], Any]) -> bool:
    """Whether a model of some mixture of attributes answers: what is to be had of numbers may not be of texts."""
    refused: AcumenError | None = None
    for names in data.MIXTURES:
        if subject.learner.objection(_table(subject, names).schema) is not None:
            continue
        try:
            return bool(asked(_fitted(subject, names)))
        except AcumenError as error:
            refused = error
    if refused is not None:
        raise refused
    return False


def _weighs(subject: Subject, _: str) -> bool:
    rows = _plain(subject)
    weights = np.where(np.arange(len(rows)) < len(rows) // 3, 0.0, 1.0 + np.arange(len(rows)) % 4)
    one, other = _fit(subject, rows), _fit(subject, data.with_weights(rows, weights))
    mine, theirs = one.predictor_.model.to_arrays(), other.predictor_.model.to_arrays()
    return set(mine) != set(theirs) or any(
        not np.array_equal(mine[k], theirs[k], equal_nan=_real(mine[k])) for k in mine
    )


def _real(array: Any) -> bool:
    return np.asarray(array).dtype.kind in "fc"


def _bears_gaps(subject: Subject, _: str) -> bool:
    rows = _table(subject, subject.names(), missing=True)
    assert (
        any(np.isnan(column).any() for column in rows.numeric.columns)
        or rows.schema.text
        or rows.schema.nominal
    )
    learner = _fit(subject, rows)
    said = (
        learner.score_samples(rows) if subject.learner.task is JOINT else subject.predictions(learner, rows)
    )
    return len(said) == len(rows)


def _shares(subject: Subject, _: str) -> bool:
    def asked(learner: Any) -> bool:
        if not hasattr(learner, "predict_proba"):
            return False
        found = learner.predict_proba(_plain(subject))
        return bool(np.allclose(found.sum(axis=1), 1.0))

    return _any_model(subject, asked)


def _explains(subject: Subject, _: str) -> bool:
    if subject.columns or subject.learner.task is JOINT:
        return False

    def asked(learner: Any) -> bool:
        rows = _table(subject, tuple(a.name for a in learner.schema_.attributes))
        return len(str(learner.explain(rows.take([1]))).splitlines()) > 1  # more than the answer

    return _any_model(subject, asked)


def _turns_into(method: str) -> Callable[[Subject, str], bool]:
    def trial(subject: Subject, _: str) -> bool:
        def asked(learner: Any) -> bool:
            if not hasattr(learner, method):
                return False
            given = (
                ["rows"]
                if method == "to_sql"
                else [_plain(subject)]
                if subject.groups and method == "to_rules"
                else []
            )
            return bool(getattr(learner, method)(*given))

        return _any_model(subject, asked)

    return trial


def _exports_as(form: str) -> Callable[[Subject, str], bool]:
    def trial(subject: Subject, _: str) -> bool:
        import acumen

        if subject.learner.task not in (CLASSES, NUMBERS):
            return False
        return _any_model(subject, lambda learner: getattr(acumen, form)(learner) is not None)

    return trial


def _streams(subject: Subject, _: str) -> bool:
    rows = _plain(subject)
    if subject.learner.task is JOINT:
        rows = Table(Schema(rows.schema.attributes), len(rows), numeric=rows.numeric, nominal=rows.nominal)
    parts = [rows.take(slice(start, start + 20)) for start in range(0, len(rows), 20)]
    if not hasattr(subject.learner, "fit_stream"):
        return False
    subject.new().fit_stream(parts)
    return True


def _adds(subject: Subject, _: str) -> bool:
    """Whether two summaries are added to the summary of all rows, and solved."""
    from acumen.base.training import Training

    if not subject.learner.adds:
        return False
    rows = _plain(subject)
    learner = subject.new()
    parts = (np.arange(len(rows)) % 2).astype(np.int32)
    one, other = Training.of(learner, rows).parts(parts, 2)
    return one + other is not None


def _spreads(subject: Subject, _: str) -> bool:
    """What a cluster asks first; tests/engines has each of these learn on one."""
    from acumen.base.availability import require_parts

    require_parts(subject.learner)
    return True


_TRIALS: dict[str, Callable[[Subject, str], bool]] = {
    "numbers": _learns_from,
    "levels": _learns_from,
    "text": _learns_from,
    "weights": _weighs,
    "missing": _bears_gaps,
    "probabilities": _shares,
    "explain": _explains,
    "as rules": _turns_into("to_rules"),
    "as SQL": _turns_into("to_sql"),
    "as ONNX": _exports_as("to_onnx"),
    "as PMML": _exports_as("to_pmml"),
    "as a figure": _turns_into("to_figure"),
    "in parts": _streams,
    "parts add": _adds,
    "Dask": _spreads,
}
