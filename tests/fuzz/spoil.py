"""Model files made wrong in every way; the same for the same generator.

spoil_bytes      bits, runs, cuts and splices of a file as it lies, checksums left wrong
spoil_contents   manifest fields, schema, arrays and member bytes, with every checksum made right again
"""

from __future__ import annotations

import copy
import hashlib
import io
import random
import warnings
from typing import Any

import numpy as np

from acumen.errors import ModelFileError
from acumen.store.container import npy_header, write_container
from acumen.store.file import digest, dump
from acumen.store.model_file import summary_digest
from acumen.types import Array

JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308, 5e-324, "", "a",
    "inf", "nan", "naive-bayes", "toy", "numeric", "ordinal", "ignored", "text", "\udc80", "é" * 50, [], [[]], {},
    [None], {"float": "inf"}, {"float": "nan"}, {"tuple": [1, []]}, {"dict": [[[], 1]]}, {"dict": [[1, 1], [1, 2]]},
    {"array": {"dtype": "<f8", "shape": [2, 2], "values": [1.0, 2.0, 3.0, 4.0]}},
    {"array": {"dtype": "text", "shape": [2], "values": ["a" * 5000, ""]}},
    {"array": {"dtype": "<i8", "shape": [10**9, 0], "values": []}}, {"name": "x", "kind": "numeric"},
    {"name": "x", "kind": "nominal", "levels": ["a", "b"]}, ["a", "b", "c"], ["a", "a"], [1, True],
]  # fmt: skip
NUMBERS = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e-300, 0.5, 2**53, -1e6]
DTYPES = ["<f8", "<i4", "<i8", "<u4", "<u8", "|b1", "|u1", "<f4", ">f8", "<c16", "<M8[s]", "<U4", "|i1"]


def spoil_bytes(original: bytes, other: bytes, rng: random.Random) -> bytes:
    """A file as it lies, with something done to its bytes."""
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(data) + 1)
        length = min(rng.choice((1, 2, 4, 8, 64, 500)), len(data) - at)
        match rng.randrange(8):
            case 0 if length:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at : at + length] = rng.choice((b"\x00", b"\xff", b"\x80", b" ", b"[")) * length
            case 2:
                data[at : at + length] = rng.randbytes(length)
            case 3:
                del data[at:]
            case 4:
                del data[at : at + length]
            case 5:
                data[at:at] = rng.randbytes(length)
            case 6:
                start = rng.randrange(len(other))
                data[at : at + length] = other[start : start + rng.choice((length, 2 * length, 200))]
            case _:
                data = data[:at] + bytearray(other[rng.randrange(len(other)) :])
        if not data:
            break
    return bytes(data)


def spoil_contents(original: tuple[dict[str, Any], dict[str, Array]], rng: random.Random) -> bytes:
    """A file with other contents, whole in itself: sizes, checksums and digests are right."""
    manifest, arrays = copy.deepcopy(original[0]), dict(original[1])
    members: dict[str, bytes] = {}
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        match rng.randrange(12):
            case 0 | 1 | 2:
                _spoil_json(manifest, rng)
            case 10 | 11:
                _spoil_schema(manifest, rng)
            case 3:
                _spoil_names(arrays, rng)
            case 4 if arrays:
                name = rng.choice(sorted(arrays))
                members[name] = spoil_bytes(_npy(arrays[name]), _npy(arrays[name]), rng)
            case _ if arrays:
                name = rng.choice(sorted(arrays))
                arrays[name] = _spoil_array(arrays[name], rng)
    members = {name: members.get(name) or _npy(array) for name, array in arrays.items()}
    if rng.random() < 0.9:
        _repair_digests(manifest, arrays)
    named = {f"arrays/{name}.npy": content for name, content in members.items()}
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in named.items()}
    order = sorted(named.items()) if rng.random() < 0.95 else rng.sample(list(named.items()), len(named))
    try:
        first = dump({"members": sums, **manifest})
    except ValueError:  # a number of too many digits
        first = b'{"format": 1, "rows": ' + b"9" * 5000 + b"}"
    if rng.random() < 0.03:
        first = _spoil_text(first, rng)
    made = io.BytesIO()
    write_container(made, [("manifest.json", (first,)), *((name, (data,)) for name, data in order)])
    return made.getvalue()


def _spoil_json(manifest: dict[str, Any], rng: random.Random) -> None:
    """Change one value somewhere, however deep; or take it away, or put one in."""
    at: Any = manifest
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(at[key], (dict, list)) and at[key] and rng.random() < 0.85:
            at = at[key]
            continue
        match rng.randrange(6):
            case 0:
                del at[key]
            case 1 if isinstance(at, dict):
                at[rng.choice(("levels", "weight", "x", "kind"))] = rng.choice(JUNK)
            case 1 | 2 if isinstance(at, list):
                at.insert(rng.randrange(len(at) + 1), copy.deepcopy(rng.choice([*at, *JUNK])))
            case _:
                at[key] = copy.deepcopy(rng.choice(JUNK))
        return


def _spoil_schema(manifest: dict[str, Any], rng: random.Random) -> None:
    """Another schema that is a schema, for which the arrays are wrong or by chance right."""
    schema = manifest.get("schema")
    if not isinstance(schema, dict) or not isinstance(schema.get("attributes"), list):
        return
    schema["columns"] = []
    attributes = [a for a in [*schema["attributes"], schema.get("target")] if isinstance(a, dict)]
    if not attributes:
        return
    attribute = rng.choice(attributes)
    levels = attribute.get("levels")
    match rng.randrange(7):
        case 0 if isinstance(levels, list):
            attribute["levels"] = levels[: rng.randrange(len(levels) + 1)]
        case 1 if isinstance(levels, list):
            attribute["levels"] = [*levels, *rng.choice((["new"], [1.5], [10**30], list(range(300))))]
        case 2:
            attribute["kind"] = rng.choice(("numeric", "nominal", "ordinal", "text"))
        case 3:
            attribute.pop("levels", None)
        case 4:
            rng.shuffle(schema["attributes"])
        case 5:
            attribute["name"] = rng.choice(("", "x" * 1000, "\n\x00", "\udc80"))
        case _:
            more = rng.choice((1, 1, 5, 2000))
            schema["attributes"] += [{"name": f"more{i}", "kind": "numeric"} for i in range(more)]


def _spoil_text(text: bytes, rng: random.Random) -> bytes:
    """JSON of which a parser may be afraid."""
    return rng.choice(
        [
            b"[" * 100_000,
            b'{"a":' * 50_000,
            b"[]," * 400_000,
            b'"' + b'\\"' * 100_000,
            b"null",
            b'{"format": 1, "format": 1}',
            text.replace(b'"rows"', b'"weight"'),
            text.replace(b": 1", b": NaN"),
            text.replace(b": 1", b": 1e999"),
            text.replace(b'"format": 1', b'"format": 2'),
            text.decode("utf-8").encode("utf-16"),
            text[: len(text) // 2],
            text + b"{}",
            text.replace(b'"a"', b'"\xff"'),
        ]
    )


def _spoil_names(arrays: dict[str, Array], rng: random.Random) -> None:
    """Drop, rename, double or exchange arrays."""
    name, other = (rng.choice(sorted(arrays)) for _ in range(2)) if arrays else ("x", "x")
    match rng.randrange(5):
        case 0:
            arrays.pop(name, None)
        case 1 if arrays:
            arrays[rng.choice(("model/x", "x", "summary/counts", "../x", "model/../x", "", "decision/x"))] = (
                arrays[name]
            )
        case 2 if arrays:
            arrays[name], arrays[other] = arrays[other], arrays[name]
        case 3:
            arrays["decision/costs"] = np.full((3, 3), rng.choice(NUMBERS))
        case _:
            arrays["decision/shift"] = np.full(3, rng.choice(NUMBERS))


def _spoil_array(array: Array, rng: random.Random) -> Array:
    """Other numbers, another type or another shape."""
    made = array.copy()
    match rng.randrange(9):
        case 0:
            dtype = np.dtype(rng.choice(DTYPES))
            if dtype.kind in "MU" or made.dtype.kind in "MU":
                return np.zeros(made.shape, dtype)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return made.astype(dtype)
        case 1:
            return made.reshape(rng.choice(((-1,), (1, -1), (-1, 1), (*made.shape, 1))))
        case 2 if made.ndim:
            return made[: rng.randrange(len(made) + 1)]
        case 3 if made.ndim:
            return np.concatenate([made, made[-1:]])
        case 4 if made.ndim == 2:
            return np.ascontiguousarray(made.T)
        case 5 if made.ndim:
            return made[::-1].copy()
    if made.size:
        flat = made.reshape(-1)
        where = slice(None) if rng.random() < 0.2 else rng.randrange(made.size)
        if made.dtype.kind == "f":
            flat[where] = rng.choice([*NUMBERS, float(flat[0]), -float(flat[0]), 2 * float(flat[0])])
        elif made.dtype.kind == "b":
            flat.view(np.uint8)[where] = rng.choice((0, 1, 2, 255))
        elif made.dtype.kind in "iu":
            info = np.iinfo(made.dtype)
            bounds = [0, 1, 2, 3, info.max, info.min, info.max // 2, len(flat)]
            flat[where] = rng.choice([n for n in bounds if info.min <= n <= info.max])
    return made


def _npy(array: Array) -> bytes:
    return npy_header(array.dtype, array.shape) + array.tobytes()


def _repair_digests(manifest: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Make `training` agree with what was changed, where there is still such a thing."""
    training, schema = manifest.get("training"), manifest.get("schema")
    if not isinstance(training, dict):
        return
    if isinstance(schema, dict):
        training["schema_sha256"] = digest(schema)
        if isinstance(schema.get("target"), dict) and schema["target"].get("levels"):
            manifest["classes"] = schema["target"]["levels"]
    summary = {n.removeprefix("summary/"): a for n, a in arrays.items() if n.startswith("summary/")}
    try:
        training["summary_sha256"] = summary_digest(summary) if summary else None
    except ModelFileError:  # of a type no file may hold: refused before its digest is looked at
        training["summary_sha256"] = ""
