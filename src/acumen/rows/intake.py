"""What users hand to `fit` and `predict`, as tables: Tables, frames, arrays, sparse matrices, single rows.

training_table   X, y, sample_weight -> rows with labels and weights
untargeted_table X, sample_weight -> rows with weights and without a target
training_rows    the same, and what part of a row each is
query_table      X -> rows matched to a fitted schema, by name or by position
one_row          a mapping, a sequence or a table of one row -> that row
counted_places   rows -> those that count, class weights multiplied in
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from acumen import messages
from acumen.data.align import align, apply_choices, by_position
from acumen.data.columns import RawColumn
from acumen.data.forms import written_number
from acumen.data.memory import reader as memory
from acumen.data.memory.cells import is_missing as is_missing
from acumen.data.memory.cells import objects
from acumen.data.parts import Parts
from acumen.data.report import Report
from acumen.data.request import Request
from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table
from acumen.errors import DataError
from acumen.rows.labels import among, encode_labels, label_vector
from acumen.rows.soft_labels import is_soft, read_shares, shared_out
from acumen.types import MISSING, Array, Bools, Codes, Floats, Indices, Kind, Label


def is_named(X: Any) -> bool:
    """Whether columns come with names (Tables, frames), or by position (arrays, sparse matrices)."""
    return isinstance(X, Table) or hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")


def as_table(X: Any) -> Table:
    """Anything with rows and columns as a Table without target."""
    if isinstance(X, Table):
        return X
    if isinstance(X, (list, tuple)) or (
        not is_named(X) and not hasattr(X, "tocsr") and hasattr(X, "__array__")
    ):
        X = np.asarray(X)
    if not memory.accepts(X):
        raise DataError(
            f"rows come as a Table, a data frame, an array or a sparse matrix; got a {type(X).__name__}. "
            "Read a file first: acumen.read(path, target=...)."
        )
    return memory.read(X, Request())


def training_table(
    X: Any,
    y: Any,
    sample_weight: Any,
    who: str,
    classes: Sequence[Label] | None = None,
) -> Table:
    """Rows with labels and weights; rows of weight zero are left out."""
    return training_rows(X, y, sample_weight, who, classes)[0]


def refuse_file(X: Any, who: str) -> None:
    """A sentence where the name of a file, or its parts, stand for its rows."""
    if isinstance(X, (str, PathLike)):
        raise DataError(
            f"{who}: rows are needed, not the name of a file; read it first: table = {messages.reader(str(X))}, then "
            "fit(table)."
        )
    if isinstance(X, Parts):
        raise DataError(
            f"{who}: what acumen.scan gives are parts, from which fit_stream learns; fit takes rows that are all in "
            "memory, as acumen.read gives them."
        )


def training_rows(
    X: Any,
    y: Any,
    sample_weight: Any,
    who: str,
    classes: Sequence[Label] | None = None,
) -> tuple[Table, Floats]:
    """The same, and what part of a row each of them is: empty unless labels are shared out among the classes."""
    refuse_file(X, who)
    if y is None and not (isinstance(X, Table) and X.labels is not None):
        if isinstance(X, Table) and X.response is not None:
            raise DataError(
                f"{who}: the target {_target_of(X)!r} is numeric, and a classifier needs classes; read the table with "
                f"{messages.option('kinds', {_target_of(X): 'nominal'})}, or take a regressor such as LinearRegression."
            )
        raise DataError(f"{who} requires y to be passed, but the target y is None.")
    table = as_table(X)
    weights = row_weights(sample_weight, table, who)
    declared = None if y is None else memory.declared_labels(y)
    y = y if y is None or hasattr(y, "shape") else np.asarray(y)
    labels: Array | None = None
    parts = NO_WEIGHTS
    levels: tuple[Label, ...] | None = None
    if y is not None and is_soft(y):
        labels, levels = read_shares(y, who, classes)
    elif declared is not None:
        labels = declared.codes
    elif y is not None:
        labels = label_vector(y, who)
    if labels is not None and len(labels) != len(table):
        raise DataError(
            f"{who}: Found input variables with inconsistent numbers of samples: [{len(table)}, {len(labels)}]."
        )
    if weights.size and not weights.all():
        keep = np.flatnonzero(weights)
        if not keep.size:
            raise DataError(f"{who}: every row has weight zero; there is nothing to learn from.")
        table, weights = table.take(keep), weights[keep]
        labels = None if labels is None else labels[keep]
    if labels is None:
        training = replace_target(table, table.schema, table.labels, weights)
    else:
        kind: Kind = "nominal"
        if declared is not None:
            codes, levels, kind = labels, declared.levels, declared.kind
            if classes is not None:
                codes, levels = among(codes, levels, classes, who)
        elif levels is None:
            codes, levels = encode_labels(labels, who, classes)
        else:
            table, codes, weights, parts = shared_out(table, labels, weights)
        target = Attribute(target_name(y, table.schema), kind, levels)
        schema = Schema(table.schema.attributes, target)
        training = replace_target(table, schema, codes, weights)
    if training.labels is None or not training.schema.n_classes or not (training.labels >= 0).any():
        raise DataError(f"{who}: no row has a label; there is nothing to learn from.")
    return training, parts


def untargeted_table(X: Any, y: Any, sample_weight: Any, who: str) -> Table:
    """The inputs alone, with weights, for learners that need no target; `y` and a Table's own are ignored."""
    table = as_table(X)
    weights = row_weights(sample_weight, table, who)
    inputs = replace_target(table, Schema(table.schema.attributes), None, weights)
    if not len(inputs):
        raise DataError(f"{who}: Found array with 0 sample(s); there is nothing to learn from.")
    if weights.size and not weights.all():
        inputs = inputs.take(np.flatnonzero(weights))
        if not len(inputs):
            raise DataError(f"{who}: every row has weight zero; there is nothing to learn from.")
    return inputs


def _target_of(table: Table) -> str:
    return table.schema.target.name if table.schema.target is not None else ""


def learned_schema(schema: Schema) -> Schema:
    """What a model keeps of a table's schema: inputs, then target, wherever they stood among other columns."""
    names = schema.names if schema.target is None else (*schema.names, schema.target.name)
    return schema if schema.columns == names else Schema(schema.attributes, schema.target)


def replace_target(
    table: Table, schema: Schema, labels: Codes | None, weights: Floats, response: Floats | None = None
) -> Table:
    """The same inputs, borrowed, with another target and weights; ignored columns are left behind."""
    return table.replace(
        schema=learned_schema(schema), labels=labels, response=response, weights=weights, ignored=()
    )


def query_table(X: Any, schema: Schema, named: bool, who: str) -> Table:
    """Rows to be predicted: matched by name where both sides have names, else by position.

    A path, a pattern or the address of a database is read as the training table was.
    """
    if isinstance(X, (str, PathLike)):
        from acumen.data.read import read

        return align(read(X, like=schema), schema)
    if isinstance(X, Table):
        return align(X, schema)
    if named and is_named(X):
        return align(as_table(X), schema)
    table = as_table(X)
    if named:
        warnings.warn(
            f"X does not have valid feature names, but {who} was fitted with feature names",
            UserWarning,
            stacklevel=4,
        )
    elif is_named(X):
        warnings.warn(
            f"X has feature names, but {who} was fitted without feature names", UserWarning, stacklevel=4
        )
    return by_position(table, schema, who)


def one_row(row: Any, schema: Schema, named: bool, who: str) -> Table:
    """The one row of a table or frame, or a row given as mapping (absent: missing) or sequence."""
    if isinstance(row, Table) or getattr(row, "ndim", 1) == 2 or hasattr(row, "columns"):
        return query_table(row, schema, named, who)
    if hasattr(row, "to_dict") and hasattr(row, "index"):  # a pandas Series
        row = row.to_dict() if named else list(row)
    if not isinstance(row, Mapping):
        values = list(np.asarray(row, dtype=object).ravel())
        if len(values) != len(schema):
            raise DataError(f"{who}: a row needs {len(schema)} values; got {len(values)}.")
        row = dict(zip(schema.names, values, strict=True))
    unknown = [name for name in row if name not in schema]
    if unknown:
        raise DataError(f"{who}: the row has a value for {unknown[0]!r}, which is no attribute of the model.")
    numeric, nominal, text = [], [], []
    for attribute in schema.attributes:
        column = apply_choices(_cell(attribute, row.get(attribute.name)), attribute)
        if attribute.is_nominal:
            nominal.append(column.to_codes(attribute.levels))
        elif attribute.is_numeric:
            numeric.append(column.to_floats())
        else:
            text.append(column.to_strings())
    return Table(Schema(schema.attributes), 1, numeric=numeric, nominal=nominal, text=text)


_MOMENTS = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def _cell(attribute: Attribute, value: Any) -> RawColumn:
    missing = is_missing(value)
    if isinstance(value, _MOMENTS) and not missing:
        cell = np.empty(1, dtype=object)
        cell[0] = value if attribute.is_numeric else str(value)
        return objects(attribute.name, cell, Report())
    if isinstance(value, np.generic):
        value = value.item()
    if (
        isinstance(value, str)
        and attribute.is_numeric
        and (written := written_number(attribute.form, value)) is not None
    ):
        value = written
    if isinstance(value, (bool, str)) or missing:
        levels: tuple[Label, ...] = () if missing else (value,)
        code = MISSING if missing else 0
        return RawColumn(attribute.name, "nominal", codes=np.array([code], dtype=np.int32), levels=levels)
    if isinstance(value, (int, float)):
        return RawColumn(attribute.name, "numeric", values=np.array([float(value)]))
    raise DataError(
        f"attribute {attribute.name!r}: a value must be text, a number, a date or a boolean; got {value!r}."
    )


def target_name(y: Any, schema: Schema) -> str:
    """The name of a target that came apart from the inputs."""
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name else "target"
    while name in schema:
        name += "_"
    return name


def row_weights(sample_weight: Any, table: Table, who: str) -> Floats:
    """The rows' own weights times those given; empty when all are one."""
    if sample_weight is None:
        return table.weights
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who}: sample_weight must be numbers.") from None
    if weights.ndim == 0:
        weights = np.full(len(table), float(weights))
    if weights.shape != (len(table),):
        raise DataError(f"{who}: sample_weight.shape == {weights.shape}, expected ({len(table)},)!")
    if not np.all(weights >= 0) or np.isinf(weights).any():
        raise DataError(f"{who}: sample_weight must be numbers of at least 0, none missing.")
    if table.weights.size:
        return weights * table.weights
    return NO_WEIGHTS if np.all(weights == 1.0) else np.ascontiguousarray(weights)


def counted_places(
    table: Table, factors: Floats | None, counts: Callable[[Table], Bools]
) -> tuple[Table, Indices | slice]:
    """The rows that count, weighted by their classes' factors, and which of the table's these are."""
    if factors is not None:
        weights = table.row_weights * np.append(factors, 1.0)[np.maximum(table.class_codes, -1)]
        table = replace_target(table, table.schema, table.class_codes, weights)
    keep = counts(table)
    if table.weights.size:
        keep = keep & (table.weights > 0)
    if keep.all():
        return table, slice(None)
    places = np.flatnonzero(keep)
    return table.take(places), places
