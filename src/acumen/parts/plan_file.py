"""Plans in files, read without trust.

write_plan, read_plan   plan.json: one JSON object; arrays (words, edges) as base64 of their npy form
plan_to_json, plan_arrays, plan_from_json   what summaries keep of their plan, too
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from acumen import __version__
from acumen.data.dialect import Dialect
from acumen.data.out.atomic import replacing
from acumen.data.request import Request
from acumen.errors import ModelFileError, ParameterError
from acumen.models.kinds import kind_of
from acumen.parts.plan import Part, Plan, require_adds
from acumen.preprocessing.stored_arrays import require
from acumen.rows.weights import Weighing
from acumen.store.container import parse_npy
from acumen.store.file import FORMAT, MAX_MANIFEST, ModelFileMissing, Path, dump, model_file_errors, pieces_of
from acumen.store.file import parse as parse_json
from acumen.store.model_file import schema_from_json, schema_to_json
from acumen.store.parameters import decode, encode
from acumen.types import Array

PLAN_FIELDS = {"acumen", "factors", "format", "holds", "learner", "left_out", "options", "parts", "schema"}
_OPTIONS = {
    "columns", "date_order", "date_parts", "dialect", "ignore", "kinds", "not_missing", "levels", "merge", "missing",
    "ragged", "target", "weight",
}  # fmt: skip


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as JSON; the same plan gives the same bytes."""
    arrays = {name: _base64(name, array) for name, array in plan_arrays(plan).items()}
    text = dump({**plan_to_json(plan), "holds": "plan", "plan": arrays})
    if len(text) > MAX_MANIFEST:
        raise ModelFileError(
            f"plan: the plan would take {len(text):,} bytes, and {MAX_MANIFEST:,} is the most; there are too many "
            "levels, words or parts."
        )
    where = os.fsdecode(path)
    try:
        with replacing(where, "plan") as file:
            file.write(text)
    except OSError as error:
        raise ModelFileError(f"plan: {where} cannot be written ({error.strerror or error}).") from error


def read_plan(path: Path) -> Plan:
    """Read a plan; raises ModelFileError for any other file."""
    try:
        with model_file_errors(path):
            content = parse_json(_text_of(path))
            require_format(content, "plan")
            arrays = content.pop("plan", None)
            require(isinstance(arrays, dict), "its arrays are not an object")
            return plan_from_json(content, {name: _from_base64(name, text) for name, text in arrays.items()})
    except ModelFileMissing:
        raise
    except ModelFileError as error:
        raise ModelFileError(str(error).replace("the model file is", "the plan is")) from None


def _text_of(path: Path) -> bytes:
    if os.path.isdir(path):  # noqa: PTH112
        raise ModelFileError("this is a folder; give the file that acumen parts plan wrote.")
    with open(path, "rb") as file:  # noqa: PTH123
        text = file.read(MAX_MANIFEST + 1)
    if text.startswith(b"PK\x03\x04"):
        raise ModelFileError("this is no plan but a model or a summary; acumen parts plan writes plans.")
    if not text.lstrip().startswith(b"{"):
        raise ModelFileError("this is not a plan; acumen parts plan -o FILE writes one.")
    require(text.rstrip().endswith(b"}"), "it is cut off")
    return text


def _base64(name: str, array: Array) -> str:
    return base64.b64encode(b"".join(bytes(piece) for piece in pieces_of(name, array))).decode("ascii")


def _from_base64(name: str, text: Any) -> Array:
    require(isinstance(text, str) and text.isascii(), f"the array {name[:60]!r} is not written in base64")
    return parse_npy(name[:200], np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8))


def require_format(manifest: Mapping[str, Any], holds: str) -> None:
    """A sentence where a file holds something else, or is of a time to come."""
    number, content = manifest.get("format"), manifest.get("holds")
    require(type(number) is int and number >= 1, "it states no format number")
    if number != FORMAT:
        raise ModelFileError(f"it has format {number}, written by a newer acumen; this one knows {FORMAT}.")
    if content != holds:
        command = {"plan": "acumen parts plan", "sum": "acumen parts summarise"}
        by = command.get(str(content), "another")
        other = "it is a model file" if content is None else f"it was written by {by}"
        raise ModelFileError(f"this is not what {command[holds]} writes; {other}.")


def plan_arrays(plan: Plan) -> dict[str, Array]:
    """The arrays of the learner's own plan."""
    return {} if plan.plan is None else dict(plan.plan.to_arrays())


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """All else, but what the file holds."""
    kind = kind_of(plan.learner)
    if kind is None:
        raise ParameterError(f"plan: a plan file holds acumen's own learners; got {plan.name}.")
    parameters = plan.learner.get_params(deep=False)
    return {
        "acumen": __version__,
        "format": FORMAT,
        "learner": {
            "kind": kind,
            "parameters": {name: encode(value, name) for name, value in parameters.items() if name != "n_jobs"},
        },
        "schema": schema_to_json(plan.schema),
        "options": {name: _option_to_json(name, value) for name, value in plan.options.items()},
        "left_out": list(plan.left_out),
        "factors": None if plan.factors is None else [float(factor) for factor in plan.factors],
        "parts": [
            {
                "name": part.name,
                "rows": part.rows,
                "counted": part.n_counted,
                "trace": f"{part.trace:016x}",
                "weighing": [part.weighing.rows, part.weighing.counts, part.weighing.counted, part.weighing.whole],
            }
            for part in plan.parts
        ],
    }  # fmt: skip


def _option_to_json(name: str, value: Any) -> Any:
    if isinstance(value, Dialect):
        return {each.name: encode(getattr(value, each.name), name) for each in fields(Dialect)}
    return encode(value, name)


def plan_from_json(manifest: dict[str, Any], arrays: Mapping[str, Array]) -> Plan:
    """The plan that a manifest and its arrays stand for, every part checked."""
    require(manifest.keys() == PLAN_FIELDS, "its fields are not those of a plan")
    require(isinstance(manifest["acumen"], str), "it does not state its version of acumen")
    require(isinstance(manifest["learner"], dict), "it names no learner")
    learner = decode({"learner": manifest["learner"]})
    learner.check_parameters()
    require_adds(learner)
    schema = schema_from_json(manifest["schema"])
    require(learner.task.needs(schema) is None, "its target is not what its learner learns")
    left_out = manifest["left_out"]
    sound = isinstance(left_out, list) and all(isinstance(name, str) for name in left_out)
    sound = sound and len(set(left_out)) == len(left_out) < len(schema)
    require(sound and set(left_out) <= set(schema.names), "it leaves out columns that there are not")
    factors = manifest["factors"]
    if factors is not None:
        sound = isinstance(factors, list) and all(
            type(each) is float and 0 <= each < np.inf for each in factors
        )
        require(sound and len(factors) == schema.n_classes, "its class weights are not one for each class")
        factors = np.array(factors)
    require(isinstance(manifest["parts"], list) and manifest["parts"], "it has no parts")
    parts = tuple(map(_part_from_json, manifest["parts"]))
    require(len({part.name for part in parts}) == len(parts), "a part is in it twice")
    options = _options_from_json(manifest["options"])
    plan = Plan(learner, schema, options, tuple(left_out), factors, None, parts)
    learner.object_to(plan.model_schema)
    require(0 < plan.n_counted < 2**53, "no row of its parts counts")
    inner = None
    if learner.plan is not None:
        require(learner.restore_plan is not None, f"{plan.name} has no plan")
        inner = learner.restore_plan(arrays, plan.model_schema)
    else:
        require(not arrays, f"{plan.name} has no plan, and yet there is one")
    return replace(plan, plan=inner)


def _part_from_json(entry: Any) -> Part:
    names = {"name", "rows", "counted", "trace", "weighing"}
    require(isinstance(entry, dict) and entry.keys() == names, "one of its parts is none")
    name, rows, counted = entry["name"], entry["rows"], entry["counted"]
    trace, weighing = entry["trace"], entry["weighing"]
    require(isinstance(name, str) and 0 < len(name) <= 4096, "one of its parts has no name")
    whole = all(type(n) is int and 0 <= n < 2**53 for n in (rows, counted)) and counted <= rows
    require(whole, f"the rows of {name[:60]!r} are not counted")
    hexed = isinstance(trace, str) and re.fullmatch("[0-9a-f]{16}", trace) is not None
    require(hexed, f"{name[:60]!r} has no trace")
    require(
        isinstance(weighing, list)
        and [type(each) for each in weighing] == [float, float, bool, bool]
        and all(0 <= each < np.inf for each in weighing[:2]),
        f"it does not say what the rows of {name[:60]!r} weigh",
    )
    return Part(name, rows, counted, int(trace, 16), Weighing(*weighing))


def _options_from_json(stored: Any) -> dict[str, Any]:
    require(
        isinstance(stored, dict) and stored.keys() <= _OPTIONS, "it is read with options that there are not"
    )
    options: dict[str, Any] = {}
    for name, value in stored.items():
        if name == "dialect":
            known = {each.name for each in fields(Dialect)}
            require(isinstance(value, dict) and value.keys() <= known, "its dialect is none")
            options[name] = Dialect(**{key: decode(part) for key, part in value.items()})
        else:
            options[name] = decode(value)
    Request.of(**options)  # which checks each
    return options
