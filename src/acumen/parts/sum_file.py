"""Sums in files, read without trust: the container of model files, with the plan in its manifest.

    write_sum, read_sum                 part.sum
    rows_to_arrays, rows_from_arrays    rows as plain arrays for a file, and back

Columns of rows lie one after the other, as readers lay them out: a summary of rows from a file then runs over the same
memory layout as one of rows that were just read.

A sum holds its plan, so that a sum of all parts is all that learning needs. What it says of itself must hold together:
the blocks and rows in it are those of the parts it names, every array is what schema and plan ask for, and every number
a number. Sums may hold rows as they are (those at the ends of parts), so they are to be kept as the rows are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from acumen import messages
from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.engines.blocks import BLOCK_ROWS
from acumen.engines.runs import BlockRun, RunSums
from acumen.errors import ModelFileError
from acumen.models.summary_arrays import summary_arrays
from acumen.parts.part_sums import PartSum
from acumen.parts.plan import Plan
from acumen.parts.plan_file import PLAN_FIELDS, plan_arrays, plan_from_json, plan_to_json, require_format
from acumen.preprocessing.stored_arrays import require, stored_array, stored_floats
from acumen.profiling.training_profile import TrainingProfile, seen_from_words
from acumen.store.file import (
    MAX_BYTES,
    ModelFileMissing,
    Path,
    model_file_errors,
    read_members,
    write_members,
)
from acumen.types import UNKNOWN, Array, Floats, Objects


def rows_to_arrays(rows: Table) -> dict[str, Array]:
    """All that is learned from."""
    arrays: dict[str, Array] = {
        "numeric": _stack(rows.numeric.columns, len(rows), np.float64),
        "nominal": _stack(rows.nominal.columns, len(rows), np.int32),
    }
    if rows.labels is not None:
        arrays["labels"] = rows.labels
    if rows.response is not None:
        arrays["response"] = rows.response
    if rows.weights.size:
        arrays["weights"] = rows.weights
    if rows.sparse is not None:
        arrays["cells"] = np.asarray(rows.sparse.data, dtype=np.float64)
        arrays["places"] = np.asarray(rows.sparse.indices, dtype=np.int64)
        arrays["ends"] = np.asarray(rows.sparse.indptr, dtype=np.int64)
    for j, texts in enumerate(rows.text):
        coded = [b"" if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
        arrays[f"text{j}"] = np.frombuffer(b"".join(coded), dtype=np.uint8)
        arrays[f"text{j}_ends"] = np.cumsum([len(text) for text in coded], dtype=np.int64)
        arrays[f"text{j}_missing"] = np.array([text is None for text in texts], dtype=np.bool_)
    return arrays


def _stack(columns: Any, rows: int, dtype: Any) -> Array:
    return np.ascontiguousarray(columns, dtype=dtype).reshape(len(columns), rows)


def rows_from_arrays(arrays: Mapping[str, Array], schema: Schema, rows: int) -> Table:
    """The rows that arrays stand for, each value checked against the schema."""
    target = schema.target
    expected = {"numeric", "nominal"} | ({"weights"} & arrays.keys())
    if target is not None:
        expected.add("labels" if target.is_nominal else "response")
    sparse = "cells" in arrays
    expected |= {"cells", "places", "ends"} if sparse else set()
    expected |= {f"text{j}{end}" for j in range(len(schema.text)) for end in ("", "_ends", "_missing")}
    require(arrays.keys() == expected, "the rows of a block are not those its schema asks for")
    width = 0 if sparse else len(schema.numeric)
    numeric = stored_array(arrays, "numeric", np.float64, (width, rows))
    nominal = stored_array(arrays, "nominal", np.int32, (len(schema.nominal), rows))
    for attribute, codes in zip(schema.nominal, nominal, strict=True):
        _require_codes(codes, len(attribute.levels), UNKNOWN, attribute.name)
    labels = response = None
    if target is not None and target.is_nominal:
        labels = stored_array(arrays, "labels", np.int32, (rows,))
        _require_codes(labels, len(target.levels), 0, target.name)
    elif target is not None:
        response = stored_floats(arrays, "response", (rows,), finite=False)
    weights: Floats = NO_WEIGHTS
    if "weights" in arrays:
        weights = stored_floats(arrays, "weights", (rows,))
        require((weights > 0).all(), "a row that counts has no weight")
    return Table(
        schema,
        rows,
        numeric=list(numeric),
        nominal=list(nominal),
        text=[_texts(arrays, f"text{j}", rows) for j in range(len(schema.text))],
        sparse=_sparse(arrays, rows, len(schema.numeric)) if sparse else None,
        labels=labels,
        response=response,
        weights=weights,
    )


def _require_codes(codes: Array, levels: int, least: int, name: str) -> None:
    sound = not codes.size or (codes.min() >= least and codes.max() < levels)
    require(sound, f"a row has a code of {name[:60]!r} that is none of its levels")


def _texts(arrays: Mapping[str, Array], name: str, rows: int) -> Objects:
    raw = stored_array(arrays, name, np.uint8, (None,)).tobytes()
    ends = stored_array(arrays, f"{name}_ends", np.int64, (rows,))
    missing = stored_array(arrays, f"{name}_missing", np.bool_, (rows,))
    starts = np.concatenate(([0], ends[:-1]))
    sound = bool((ends >= starts).all()) and (int(ends[-1]) if rows else 0) == len(raw)
    require(sound and (not rows or starts[0] == 0), "the texts of some rows do not fit their ends")
    texts = np.empty(rows, dtype=object)
    for i, (a, b, gone) in enumerate(zip(starts.tolist(), ends.tolist(), missing.tolist(), strict=True)):
        try:
            texts[i] = None if gone else raw[a:b].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            require(False, "the text of a row is not UTF-8")
    return texts


def _sparse(arrays: Mapping[str, Array], rows: int, width: int) -> Any:
    from scipy.sparse import csr_matrix

    cells = stored_array(arrays, "cells", np.float64, (None,))
    places = stored_array(arrays, "places", np.int64, (len(cells),))
    ends = stored_array(arrays, "ends", np.int64, (rows + 1,))
    sound = ends[0] == 0 and ends[-1] == len(cells) and bool((np.diff(ends) >= 0).all())
    require(sound, "the cells of sparse rows do not fit their ends")
    require(not len(places) or (places.min() >= 0 and places.max() < width), "a sparse cell is in no column")
    index = np.int32 if len(cells) < np.iinfo(np.int32).max else np.int64
    return csr_matrix((cells, places.astype(index), ends.astype(index)), shape=(rows, width))


_FIELDS = PLAN_FIELDS | {"places", "ragged", "runs"}
_NUMBERED = re.compile(r"(0|[1-9][0-9]{0,8})/(.+)")


def write_sum(part: PartSum, path: Path) -> None:
    """Write a sum; the same sum gives the same bytes, whatever the order of merging."""
    arrays = {f"plan/{name}": np.asarray(array) for name, array in plan_arrays(part.plan).items()}
    runs = list(part.runs)
    for i, (_, summary) in enumerate(runs):
        arrays |= {f"runs/{i}/{name}": array for name, array in summary_arrays(summary).items()}
    for i, (_, rows) in enumerate(part.ragged):
        arrays |= {f"ragged/{i}/{name}": array for name, array in rows_to_arrays(rows).items()}
    if part.seen is not None:
        seen = part.seen
        arrays["seen/low"], arrays["seen/high"], arrays["seen/infinite"] = seen.low, seen.high, seen.infinite
        arrays["seen/level"] = np.array([seen.level], dtype=np.int32)
        arrays["seen/words"] = np.unique(seen.words)
    manifest = {
        **plan_to_json(part.plan),
        "holds": "sum",
        "places": list(part.parts),
        "runs": [[run.block, run.level] for run, _ in runs],
        "ragged": [[start, len(rows)] for start, rows in part.ragged],
    }
    write_members(path, manifest, arrays)


def read_sum(path: Path, *, max_bytes: int = MAX_BYTES) -> PartSum:
    """Read a sum; raises ModelFileError for any other file."""
    try:
        manifest, arrays = read_members(path, max_bytes=max_bytes)
    except ModelFileMissing:
        raise
    except ModelFileError as error:
        raise ModelFileError(_of_sums(str(error))) from None
    try:
        with model_file_errors(path):
            return _sum_from_json(manifest, arrays, os.fsdecode(path))
    except ModelFileError as error:
        raise ModelFileError(_of_sums(str(error))) from None


def _of_sums(sentence: str) -> str:
    """What is said of model files, of summaries: they are written alike."""
    for one, other in (
        ("the model file is", "the summary is"),
        ("the model was never", "the summary was never"),
        ("this is not a model file", "this is no summary"),
        (messages.writer(), "acumen parts summarise -o FILE"),
        (" MODEL comes first, DATA behind it.", ""),
    ):
        sentence = sentence.replace(one, other)
    return sentence


def _sum_from_json(manifest: dict[str, Any], arrays: Mapping[str, Array], name: str) -> PartSum:
    require_format(manifest, "sum")
    require(manifest.keys() == _FIELDS, "its fields are not those of a summary")
    groups: dict[str, dict[str, Array]] = {"plan": {}, "runs": {}, "ragged": {}, "seen": {}}
    for key, array in arrays.items():
        group, _, rest = key.partition("/")
        require(group in groups and rest, f"the array {key!r} belongs to nothing")
        groups[group][rest] = array
    plan = plan_from_json({key: manifest[key] for key in PLAN_FIELDS}, groups["plan"])
    learner = plan.learner
    places = manifest["places"]
    sound = isinstance(places, list) and all(type(i) is int and 0 <= i < len(plan.parts) for i in places)
    require(sound and places and places == sorted(set(places)), "it names parts that there are not")
    runs: RunSums[Any] = RunSums()
    held: list[tuple[int, int]] = []
    for place, row_arrays in _group_by_number(manifest["runs"], groups["runs"], "blocks"):
        require(place[1] <= 40, "it has a run of too many blocks")
        run = BlockRun(*place)
        require(run.end <= plan.blocks, "it has blocks that the plan does not have")
        runs.put(run, learner.restore_summary(row_arrays, plan.model_schema, plan.plan))
        held.append((run.block * BLOCK_ROWS, min(run.end * BLOCK_ROWS, plan.n_counted)))
    require(len(runs) == len(manifest["runs"]), "two of its runs are one")
    ragged = []
    for (start, rows), row_arrays in _group_by_number(manifest["ragged"], groups["ragged"], "rows"):
        sound = 0 < rows < BLOCK_ROWS and start // BLOCK_ROWS == (start + rows - 1) // BLOCK_ROWS
        require(sound, "some of its rows are not of one block")
        ragged.append((start, rows_from_arrays(row_arrays, plan.model_schema, rows)))
        held.append((start, start + rows))
    _require_held(plan, places, held)
    return PartSum(plan, tuple(places), runs, tuple(ragged), _read_profile(groups["seen"], plan), name)


def _group_by_number(listed: Any, arrays: Mapping[str, Array], what: str) -> Any:
    """Pairs of whole numbers, each with the arrays of its place."""
    sound = isinstance(listed, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in listed)
    sound = sound and all(type(n) is int and 0 <= n < 2**53 for pair in listed for n in pair)
    require(sound, f"its {what} are not counted")
    groups: list[dict[str, Array]] = [{} for _ in listed]
    for name, array in arrays.items():
        match = _NUMBERED.fullmatch(name)
        require(match is not None, f"the array {name!r} belongs to none of its {what}")
        assert match is not None
        require(int(match[1]) < len(groups), f"the array {name!r} belongs to none of its {what}")
        groups[int(match[1])][match[2]] = array
    return zip([tuple(pair) for pair in listed], groups, strict=True)


def _require_held(plan: Plan, places: list[int], held: list[tuple[int, int]]) -> None:
    """What it holds must be the rows of the parts it names, each once."""
    wanted = _stretches([(plan.starts[i], plan.starts[i + 1]) for i in places])
    in_order = sorted(held)
    require(all(a[1] <= b[0] for a, b in pairwise(in_order)), "it holds some rows twice")
    require(_stretches(in_order) == wanted, "its blocks and rows are not those of the parts it names")


def _stretches(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    stretches: list[tuple[int, int]] = []
    for begin, end in sorted(pairs):
        if begin == end:
            continue
        if stretches and stretches[-1][1] == begin:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((begin, end))
    return stretches


def _read_profile(arrays: Mapping[str, Array], plan: Plan) -> TrainingProfile | None:
    return seen_from_words(arrays, plan.model_schema) if arrays else None
