"""Model files made wrong in every way, the same for the same seed; each must be refused or predict.

spoil_bytes      bits, runs, cuts and splices of a file as it lies, checksums left wrong
spoil_contents   manifest fields, arrays and member bytes, with every checksum made right again
outcome          "refused" (ModelFileError) or "predicts"; anything else is raised

By hand, in bounded memory:  python tests/store/model_fuzz.py COUNT [SEED [KIND]]
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from acumen import store
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import AcumenError, ModelFileError
from acumen.store import kinds
from acumen.store.container import write_container
from acumen.store.file import read_members
from acumen.store.manifest import digest, dump
from acumen.store.model_file import summary_digest
from acumen.store.npy import preamble
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

#: Parameters that lead to other arrays in the file.
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "naive-bayes": tuple({"numeric": word} for word in ("gaussian", "histogram", "kernel", "discretise")),
    "full-bayes": tuple({"covariance": word} for word in ("full", "shared", "diagonal")),
    "text-bayes": tuple({"event": word} for word in ("multinomial", "bernoulli")),
    "parzen": tuple({"window": word} for word in ("gaussian", "box")),
}
DECIDED = {"costs": {("a", "b"): 5.0}, "priors": "uniform"}


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
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return made.astype(dtype) if dtype.kind not in "MU" else np.zeros(made.shape, dtype)
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
    return preamble(array.dtype, array.shape) + array.tobytes()


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


def rows_of(schema: Schema) -> Table:
    """Six rows under a schema: plain, missing, unknown and extreme values."""
    values = np.array([0.0, 1.5, np.nan, 1e300, -1e300, 3.0])
    texts = np.array(["word1 common", "", None, "never seen", "word2", "common common"], dtype=object)
    n = len(values)
    codes = [np.resize(np.arange(-2, len(a.levels), dtype=np.int32), n) for a in schema.nominal]
    inputs = schema.without_target()
    return Table(
        inputs, n, numeric=[values] * len(schema.numeric), nominal=codes, text=[texts] * len(schema.text)
    )


def outcome(path: Path, read: Callable[[Path], Any] = store.load) -> str:
    """What becomes of a file; AssertionError or another exception where the promise is broken."""
    try:
        learner = read(path)
    except ModelFileError as error:
        assert str(error).startswith(str(path)), "the sentence names the file"
        return "refused"
    predictor = getattr(learner, "predictor_", learner)
    rows = rows_of(predictor.schema)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        codes = predictor.predict(rows)
        assert codes.shape == (len(rows),)
        assert ((codes >= 0) & (codes < predictor.schema.n_classes)).all(), "codes are valid"
        # Probabilities made of NaN would come out even, and so look well.
        assert not np.isnan(predictor.scores(rows)).any(), "scores are numbers"
        if predictor.model.probabilistic:
            proba = predictor.proba(rows)
            assert np.isfinite(proba).all(), "probabilities are finite"
            assert np.allclose(proba.sum(axis=1), 1.0), "probabilities sum to 1"
        assert isinstance(predictor.describe(), str)
        predictor.explain(rows.take(slice(0, 1)))
        if getattr(learner, "summary_", None) is not None and hasattr(learner, "partial_fit"):
            _go_on(learner)
    return "predicts"


def _go_on(learner: Any) -> None:
    """Learn more rows upon a summary out of a file: a sentence may refuse it, nothing may break."""
    schema = learner.predictor_.schema
    rows = rows_of(schema)
    labels = np.resize(np.arange(schema.n_classes, dtype=np.int32), len(rows))
    full = Schema(schema.attributes, schema.target)
    with contextlib.suppress(AcumenError):
        learner.partial_fit(
            Table(full, len(rows), numeric=rows.numeric, nominal=rows.nominal, text=rows.text, labels=labels)
        )


def mutants(files: list[Path], seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Spoiled files, one half with right checksums, each with words to make it again."""
    originals = [path.read_bytes() for path in files]
    contents = [read_members(path) for path in files]
    for i in range(count):
        rng = random.Random(f"{seed}/{i}")
        which = rng.randrange(len(files))
        if i % 2:
            yield (
                f"bytes of {files[which].name}, {seed}/{i}",
                spoil_bytes(originals[which], rng.choice(originals), rng),
            )
        else:
            yield f"contents of {files[which].name}, {seed}/{i}", spoil_contents(contents[which], rng)


def fitted_learners(only: str = "") -> Iterator[tuple[str, Any]]:
    """Learners of every kind there is, fitted to every small table they do not object to."""
    from toy_kind import mixed_table

    tables = {
        "mixed": mixed_table(),
        "with-text": mixed_table(text=True),
        "numeric": mixed_table(nominal=False),
        "nominal": mixed_table(numeric=False),
        "text": mixed_table(numeric=False, nominal=False, text=True),
    }
    for kind in sorted(kinds.KINDS) if not only else [only]:
        try:
            cls = kinds.learner_class(kind)
        except (ImportError, AttributeError):  # not built yet
            continue
        for words, table in tables.items():
            for i, parameters in enumerate((*VARIANTS.get(kind, ({},)), DECIDED)):
                learner = cls(**parameters)
                objection = getattr(learner, "objection", lambda schema: None)
                if objection(table.schema) is None:
                    yield f"{kind}-{words}-{i}", learner.fit(table)


def write_originals(folder: Path, only: str = "") -> list[Path]:
    """A file for each fitted learner, with its summary where it has one."""
    files = []
    for name, learner in fitted_learners(only):
        path = folder / f"{name}.acm"
        store.save(learner, path, summary=getattr(learner, "summary_", None) is not None)
        files.append(path)
    return files


def main(count: int = 2000, seed: int = 0, only: str = "") -> None:
    """The long run: bounded memory, an alarm for each file, and a tally at the end."""
    sys.path.insert(0, str(Path(__file__).parent))
    from toy_kind import TOY

    kinds.KINDS = {**kinds.KINDS, **TOY}  # type: ignore[misc]
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        files = write_originals(Path(folder), only)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(SystemExit("a file took over 5 s")))
        tally = {"refused": 0, "predicts": 0}
        slowest, failures = 0.0, 0
        path = Path(folder) / "mutant.acm"
        for i, (words, data) in enumerate(mutants(files, seed, count)):
            path.write_bytes(data)
            signal.alarm(5)
            start = time.perf_counter()
            try:
                tally[outcome(path, store.open if i % 8 == 7 else store.load)] += 1
            except Exception as error:
                failures += 1
                print(f"FAILED {words}: {type(error).__name__}: {error}")
            signal.alarm(0)
            slowest = max(slowest, time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"files": count, **tally, "failures": failures, "slowest_s": slowest, "peak_mib": peak}))
    sys.exit(failures > 0)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*numbers, *sys.argv[3:])
