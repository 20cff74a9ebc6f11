"""Learners kept in files, and taken out again without trust.

save       fitted learner -> m.acm
load       m.acm -> fitted learner (imports scikit-learn)
open       m.acm -> Predictor, the bare model, which needs no scikit-learn
manifest   m.acm -> what the file says of itself

`docs/model-file.md` describes the format for readers in other languages. Checksums say that a file is
what was written, not that it was written by acumen; so every value is checked as if they were absent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import __version__, messages
from acumen.data.schema import Schema
from acumen.errors import ModelFileError, ParameterError
from acumen.models.decision import resolve_class_weight, resolve_costs, resolve_priors
from acumen.models.kinds import kind_of, learner_class, model_class
from acumen.models.parameters import check_parameters, specs_of
from acumen.models.predictor import AnyPredictor
from acumen.models.summary_arrays import summary_arrays
from acumen.preprocessing.stored_arrays import require
from acumen.profiling.training_profile import TrainingProfile
from acumen.rows.weights import READINGS
from acumen.store.compared import check_comparison
from acumen.store.file import (
    FORMAT,
    MAX_BYTES,
    Path,
    digest,
    model_file_errors,
    pieces_of,
    read_manifest,
    read_members,
    sha256_of,
    write_members,
)
from acumen.store.parameters import decode, encode
from acumen.types import Array

if TYPE_CHECKING:
    from acumen.base.learner import Learner

_FIELDS = ("acumen", "classes", "format", "kind", "parameters", "schema", "training")
#: How many cores learned a model does not show in it.
_OF_THE_MACHINE = ("n_jobs",)
_GROUPS = ("decision", "model", "plan", "seen", "summary")


def save(learner: Learner, path: Path, summary: bool = False) -> None:
    """Write a fitted learner to a model file.

    The file is replaced as a whole: a reader, or a crash, meets the old file or the new one. The same
    model gives the same bytes; the file holds no time, no path and no row of the training data, but of numeric
    attributes the least and the largest value, and shortened hashes of at most 1,024 rows (docs/model-file.md).

    Parameters
    ----------
    learner : a fitted acumen learner
        Of a `Tuned` one the learner it chose is kept. One that a comparison recommended (`Comparison.fit`) keeps
        what the comparison said.
    path : str or path
        Usually `something.acm`.
    summary : bool
        Keep the training summary too, so that `partial_fit` can go on after loading.
    """
    # A learner that chose among others (Tuned) is kept as the one it chose.
    if hasattr(type(learner), "learner_to_save"):
        if not hasattr(learner, "learner_to_save"):
            raise ParameterError(f"save: this {type(learner).__name__} is not fitted; call fit first.")
        learner = learner.learner_to_save
    name = getattr(learner, "display_name", type(learner).__name__)
    kind = kind_of(learner)
    if kind is None:
        raise ParameterError(f"save: a model file holds acumen's own learners; got {name}.")
    predictor: AnyPredictor | None = getattr(learner, "predictor_", None)
    if predictor is None:
        raise ParameterError(f"save: this {name} is not fitted; call fit first.")
    arrays = _group_arrays("model", predictor.model.to_arrays())
    arrays |= _group_arrays("decision", predictor.to_arrays())
    if predictor.seen is not None:
        arrays |= _group_arrays("seen", predictor.seen.to_arrays())
    if (plan := getattr(learner, "plan_", None)) is not None:
        arrays |= _group_arrays("plan", plan.to_arrays()) if summary else {}
    kept = getattr(learner, "summary_", None)
    parts = None if kept is None else summary_arrays(kept)
    if summary:
        if parts is None:
            raise ParameterError(
                f"save: this {name} has no training summary to keep (it learns without one, or was loaded"
                " from a file without); leave summary=False."
            )
        arrays |= _group_arrays("summary", parts)
    schema = schema_to_json(predictor.schema)
    parameters, training = learner.get_params(deep=False), learner.training_
    # What was set after fitting has not been looked at yet, and a file is not to be refused when it is loaded.
    _check_parameters(type(learner), parameters, predictor.schema)
    manifest = {
        "acumen": __version__,
        "classes": (schema["target"] or {}).get("levels", []),
        "format": FORMAT,
        "kind": kind,
        "parameters": {
            key: encode(value, key) for key, value in parameters.items() if key not in _OF_THE_MACHINE
        },
        "schema": schema,
        "training": {
            "rows": int(training["rows"]),
            "weight": float(training["weight"]),
            "schema_sha256": digest(schema),
            # A learner loaded without its summary still knows what its summary's digest was.
            "summary_sha256": training.get("summary_sha256") if parts is None else summary_digest(parts),
        },
    }
    if "weights" in training:
        manifest["training"]["weights"] = training["weights"]
    if (compared := getattr(learner, "comparison_", None)) is not None:
        manifest["comparison"] = compared
    try:
        _learner(manifest, arrays)
    except ModelFileError as error:
        # Better told now than by whoever loads it: numbers near the end of the range make such models.
        reason = str(error).removeprefix("the model file is damaged or forged: ")
        raise ModelFileError(
            f"save: this {name} could not be loaded again, so it is not written: {reason}"
        ) from None
    write_members(path, manifest, arrays)


def load(path: Path, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read a fitted learner from a model file.

    Nothing in the file is run and nothing is believed: any file ends in a learner that predicts or in
    ModelFileError. Files larger than `max_bytes` are refused.
    """
    manifest, arrays = read_members(path, max_bytes=max_bytes)
    with model_file_errors(path):
        return _learner(manifest, arrays)


def open(path: Path, *, max_bytes: int = MAX_BYTES) -> AnyPredictor:
    """Read only the predictor: it predicts Tables and needs no scikit-learn.

    Checked as by `load`, but for the learner's parameters and summary, which are not needed for predicting.
    """
    manifest, arrays = read_members(path, max_bytes=max_bytes)
    with model_file_errors(path):
        return _predictor(manifest, arrays)[0]


def manifest(path: Path, *, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """The manifest of a model file as JSON-ready values: kind, version, parameters, schema, classes, training."""
    content = read_manifest(path, max_bytes=max_bytes)
    with model_file_errors(path):
        _check_manifest(content)
        return content


def summary_digest(arrays: Mapping[str, Array]) -> str:
    """sha256 over the lines `sha256sum` would print for the summary's members, in the order of their names."""
    sums = {f"summary/{name}.npy": sha256_of(pieces_of(name, array)) for name, array in arrays.items()}
    lines = "".join(f"{digits}  {name}\n" for name, digits in sorted(sums.items()))
    return sha256_of((lines.encode("ascii"),))


def _check_parameters(cls: type, parameters: Mapping[str, Any], schema: Schema) -> None:
    """Raise ParameterError unless the learner could be fitted with these under this schema."""
    who, classes = cls.__name__, schema.classes
    check_parameters(who, cls, parameters)
    resolve_costs(parameters.get("costs"), classes, who)
    resolve_priors(parameters.get("priors"), classes, who)
    resolve_class_weight(parameters.get("class_weight"), classes, np.ones(len(classes)), who)


def _group_arrays(group: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {f"{group}/{name}": np.asarray(array) for name, array in arrays.items()}


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """The schema's own form, with the levels that JSON has no number for (infinity) written as words."""
    content = schema.to_dict()
    for part in (*content["attributes"], *content["ignored"], content["target"]):
        if part and "levels" in part:
            part["levels"] = [encode(level, f"level of {part['name']}") for level in part["levels"]]
    return content


def schema_from_json(stored: Any) -> Schema:
    """Read it back, trusting nothing."""
    require(isinstance(stored, dict), "its schema is not an object")
    ignored, target = stored.get("ignored", []), stored.get("target")
    parts = [*stored.get("attributes", []), *ignored, target]
    restored = [
        {**part, "levels": [decode(level) for level in part["levels"]]}
        if isinstance(part, dict) and isinstance(part.get("levels"), list)
        else part
        for part in parts
    ]
    n = len(parts) - len(ignored) - 1
    return Schema.from_dict(
        {**stored, "attributes": restored[:n], "ignored": restored[n:-1], "target": restored[-1]}
    )


def _check_manifest(manifest: dict[str, Any]) -> Schema:
    """The schema of a manifest whose every field is what it should be."""
    if manifest.get("holds") == "sum":
        raise ModelFileError(
            "this is the summary of some rows and no model yet; learn from it with "
            f"{messages.learner_of_sums()}."
        )
    require(
        manifest.keys() - {"comparison"} == set(_FIELDS),
        f"its manifest must have the fields {', '.join(_FIELDS)}",
    )
    require(isinstance(manifest["acumen"], str), "it does not state its version of acumen")
    if "comparison" in manifest:
        check_comparison(manifest["comparison"])
    schema = schema_from_json(manifest["schema"])
    target = schema.target
    task = model_class(manifest["kind"]).class_under(schema).task
    if task.target != "nominal":
        fits = target is None if task.target is None else task.suits(schema)
        require(fits, f"its schema has {'a' if task.target is None else 'no numeric'} target")
        require(manifest["classes"] == [], f"it is of {task.noun} and yet names classes")
    else:
        require(task.suits(schema) and target is not None and target.levels, "its schema has no classes")
        # Compared as text: to Python 1, 1.0 and true are equal.
        require(
            json.dumps(manifest["classes"]) == json.dumps(manifest["schema"]["target"]["levels"]),
            "its classes are not the levels of its target",
        )
    training = manifest["training"]
    names = {"rows", "weight", "schema_sha256", "summary_sha256"}
    require(isinstance(training, dict), "its training record is incomplete")
    require(training.keys() - {"weights"} == names, "its training record is incomplete")
    require(training.get("weights", "counts") in READINGS, "it does not say how row weights were read")
    rows, weight, summary = training["rows"], training["weight"], training["summary_sha256"]
    require(type(rows) is int and 0 <= rows < 2**63, "its number of training rows is no such number")
    require(type(weight) is float and 0 <= weight < np.inf, "its training weight is no such number")
    require(summary is None or isinstance(summary, str), "the digest of its summary is no text")
    require(
        training["schema_sha256"] == digest(manifest["schema"]),
        "its schema is not the one it was trained under",
    )
    return schema


def _learner(manifest: dict[str, Any], arrays: dict[str, Array]) -> Any:
    """The fitted learner a manifest and its arrays stand for."""
    predictor, training, groups = _predictor(manifest, arrays)
    cls = learner_class(manifest["kind"])
    stored = manifest["parameters"]
    require(isinstance(stored, dict), "its parameters are not an object")
    parameters = {spec.name: spec.default for spec in specs_of(cls)}
    for key, value in stored.items():
        require(key in parameters, f"{cls.__name__} has no parameter {key[:60]!r}")
        parameters[key] = decode(value)
    _check_parameters(cls, parameters, predictor.schema)
    summary = groups.get("summary")
    # A plan may have nothing to say, and then there are no arrays of it.
    plan = None if summary is None else groups.get("plan", {})
    learner = cls.restore(parameters, predictor, training, summary, plan)
    if "comparison" in manifest:
        learner.comparison_ = manifest["comparison"]
    return learner


def _predictor(
    manifest: dict[str, Any], arrays: dict[str, Array]
) -> tuple[AnyPredictor, dict[str, Any], dict[str, dict[str, Array]]]:
    """The model with its decisions, the training record, and the arrays by group."""
    schema = _check_manifest(manifest)
    groups: dict[str, dict[str, Array]] = {}
    for name, array in arrays.items():
        group, _, rest = name.partition("/")
        require(group in _GROUPS and rest, f"the array {name!r} belongs to nothing")
        groups.setdefault(group, {})[rest] = array
    require("plan" not in groups or "summary" in groups, "it holds a plan without a summary")
    training = manifest["training"]
    if "summary" in groups:
        require(
            training["summary_sha256"] == summary_digest(groups["summary"]),
            "its summary is not the one it was trained from",
        )
    cls = model_class(manifest["kind"]).class_under(schema)
    model = cls.from_arrays(groups.get("model", {}), schema)
    predictor = cls.task.predictor.from_arrays(schema, model, groups.get("decision", {}))
    if "seen" in groups:
        predictor = replace(predictor, seen=TrainingProfile.from_arrays(groups["seen"], schema))
    return predictor, training, groups
