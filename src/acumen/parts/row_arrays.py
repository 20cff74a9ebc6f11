"""Rows as plain arrays for a file, and back, trusting nothing.

    rows_to_arrays     Table -> arrays
    rows_from_arrays   arrays, schema -> Table

Columns lie one after the other, as readers make them: a summary of rows that came from a file is then made over the
same memory layout as one of rows that were just read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.preprocessing.stored_arrays import require, stored, stored_floats
from acumen.types import UNKNOWN, Array, Floats, Objects


def rows_to_arrays(rows: Table) -> dict[str, Array]:
    """All that is learned from."""
    made: dict[str, Array] = {
        "numeric": _stacked(rows.numeric.columns, len(rows), np.float64),
        "nominal": _stacked(rows.nominal.columns, len(rows), np.int32),
    }
    if rows.labels is not None:
        made["labels"] = rows.labels
    if rows.response is not None:
        made["response"] = rows.response
    if rows.weights.size:
        made["weights"] = rows.weights
    if rows.sparse is not None:
        made["cells"] = np.asarray(rows.sparse.data, dtype=np.float64)
        made["places"] = np.asarray(rows.sparse.indices, dtype=np.int64)
        made["ends"] = np.asarray(rows.sparse.indptr, dtype=np.int64)
    for j, texts in enumerate(rows.text):
        coded = [b"" if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
        made[f"text{j}"] = np.frombuffer(b"".join(coded), dtype=np.uint8)
        made[f"text{j}_ends"] = np.cumsum([len(text) for text in coded], dtype=np.int64)
        made[f"text{j}_missing"] = np.array([text is None for text in texts], dtype=np.bool_)
    return made


def _stacked(columns: Any, rows: int, dtype: Any) -> Array:
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
    numeric = stored(arrays, "numeric", np.float64, (width, rows))
    nominal = stored(arrays, "nominal", np.int32, (len(schema.nominal), rows))
    for attribute, codes in zip(schema.nominal, nominal, strict=True):
        _require_codes(codes, len(attribute.levels), UNKNOWN, attribute.name)
    labels = response = None
    if target is not None and target.is_nominal:
        labels = stored(arrays, "labels", np.int32, (rows,))
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
    raw = stored(arrays, name, np.uint8, (None,)).tobytes()
    ends = stored(arrays, f"{name}_ends", np.int64, (rows,))
    missing = stored(arrays, f"{name}_missing", np.bool_, (rows,))
    starts = np.concatenate(([0], ends[:-1]))
    sound = bool((ends >= starts).all()) and (int(ends[-1]) if rows else 0) == len(raw)
    require(sound and (not rows or starts[0] == 0), "the texts of some rows do not fit their ends")
    made = np.empty(rows, dtype=object)
    for i, (a, b, gone) in enumerate(zip(starts.tolist(), ends.tolist(), missing.tolist(), strict=True)):
        try:
            made[i] = None if gone else raw[a:b].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            require(False, "the text of a row is not UTF-8")
    return made


def _sparse(arrays: Mapping[str, Array], rows: int, width: int) -> Any:
    from scipy.sparse import csr_matrix

    cells = stored(arrays, "cells", np.float64, (None,))
    places = stored(arrays, "places", np.int64, (len(cells),))
    ends = stored(arrays, "ends", np.int64, (rows + 1,))
    sound = ends[0] == 0 and ends[-1] == len(cells) and bool((np.diff(ends) >= 0).all())
    require(sound, "the cells of sparse rows do not fit their ends")
    require(not len(places) or (places.min() >= 0 and places.max() < width), "a sparse cell is in no column")
    index = np.int32 if len(cells) < np.iinfo(np.int32).max else np.int64
    return csr_matrix((cells, places.astype(index), ends.astype(index)), shape=(rows, width))
