"""Features phi(row, class) of a maximum entropy model: templates over attributes, and functions.

A template is text. It names what it looks at in the row, and makes one feature for each class:

    "class"              1: how common the class is
    "age"                a numeric attribute's value; for a nominal one a 0/1 for each of its levels; for a
                         text its words
    "colour=red"         one level
    "message:free"       one word
    "colour & size"      products: here a 0/1 for each pair of levels
    "colour=red -> yes"  a feature for that class alone

A function is called with a row (a mapping from attribute to value, None where missing) and a label, and returns
a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.preprocessing.matrix import NumericMatrix
from acumen.types import Codes, Floats, Label

Function: TypeAlias = Callable[[dict[str, Any], Label], float]
#: The most features a model may have.
MOST = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class MaxEntFeatures:
    """Terms over the columns of a view, paired with classes; then functions.

    A term is a product of columns: those at `columns[ends[t] : ends[t + 1]]`; of none it is 1. Feature l is term
    `term[l]` for the class `of[l]`.
    """

    columns: Codes
    ends: Codes  # one more than there are terms
    term: Codes
    of: Codes
    functions: tuple[Function, ...] = ()

    @property
    def n_terms(self) -> int:
        return len(self.ends) - 1

    def __len__(self) -> int:
        return len(self.term) + len(self.functions)

    def parts(self, t: int) -> Codes:
        """The columns of one term."""
        return self.columns[self.ends[t] : self.ends[t + 1]]

    def names(self, columns: Sequence[str]) -> list[str]:
        """What each feature looks at in a row."""
        terms = [" & ".join(columns[j] for j in self.parts(t)) or "class" for t in range(self.n_terms)]
        return [*(terms[t] for t in self.term), *(_function_name(f) for f in self.functions)]

    def terms(self, matrix: Any) -> Any:
        """The terms of each row, a sparse matrix of rows by terms."""
        from scipy.sparse import csc_matrix, hstack

        by_column = csc_matrix(matrix)
        n = by_column.shape[0]
        lengths = np.diff(self.ends)
        alone = np.flatnonzero(lengths == 1)
        terms = [by_column[:, self.columns[self.ends[alone]]]]  # all at once: there may be thousands of words
        others = np.flatnonzero(lengths != 1)
        for t in others.tolist():
            parts = self.parts(t)
            column = by_column[:, [parts[0]]] if len(parts) else csc_matrix(np.ones((n, 1)))
            for j in parts[1:]:
                column = column.multiply(by_column[:, [j]])
            terms.append(column)
        if not len(others):
            return terms[0].tocsr()
        return hstack(terms, format="csc")[:, np.argsort(np.r_[alone, others])].tocsr()

    def values(self, rows: Table, classes: Sequence[Label], codes: Sequence[int]) -> Floats:
        """What the functions say: functions by rows by some of the classes."""
        values = np.zeros((len(self.functions), len(rows), len(codes)))
        for i, row in enumerate(mappings(rows) if self.functions else ()):
            for g, function in enumerate(self.functions):
                for k, code in enumerate(codes):
                    values[g, i, k] = _number(function, row, classes[code])
        return values


def mappings(rows: Table) -> Iterator[dict[str, Any]]:
    """Each row as a mapping from attribute to value; None where missing."""
    columns = {a.name: rows.column(a.name) for a in rows.schema.attributes}
    for i in range(len(rows)):
        row = {name: column[i] for name, column in columns.items()}
        yield {name: None if v is None or v != v else v for name, v in row.items()}


def read_features(features: Any, view: NumericMatrix, schema: Schema, who: str) -> MaxEntFeatures:
    """What a user gave as features: None, one text with commas, or a sequence of templates and functions."""
    if features is None:
        features = ["class", *schema.names]
    if isinstance(features, str):
        features = [part for part in (piece.strip() for piece in features.split(",")) if part]
    if callable(features) or not isinstance(features, Sequence):
        raise ParameterError(f"{who}: features must be a list of templates and functions; got {features!r}.")
    terms: dict[tuple[int, ...], int] = {}
    pairs: dict[tuple[int, int], None] = {}
    functions: list[Function] = []
    at = _places(view)
    for entry in features:
        if callable(entry):
            functions.append(entry)
            continue
        if not isinstance(entry, str):
            raise ParameterError(f"{who}: a feature must be a template (text) or a function; got {entry!r}.")
        template, arrow, label = entry.partition("->")
        codes = [_class(label.strip(), schema, who)] if arrow else list(range(schema.n_classes))
        for columns in _products(template, at, who):
            term = terms.setdefault(columns, len(terms))
            pairs |= {(term, code): None for code in codes}
        if len(pairs) > MOST:
            raise ParameterError(f"{who}: the template {entry!r} makes more than {MOST:,} features.")
    if not pairs and not functions:
        raise ParameterError(f"{who}: features must name at least one feature; got {features!r}.")
    ends = np.cumsum([0, *(len(columns) for columns in terms)], dtype=np.int32)
    flat = np.array([j for columns in terms for j in columns], dtype=np.int32)
    both = np.array(list(pairs), dtype=np.int32).reshape(-1, 2).T.copy()
    return MaxEntFeatures(flat, ends, both[0], both[1], tuple(functions))


def _places(view: NumericMatrix) -> dict[str, list[int]]:
    """Every name a template may use, with its columns."""
    at = {name: [j] for j, name in enumerate(view.names)}
    for attribute, first, last in zip(view.schema, view.starts, view.starts[1:], strict=False):
        at[attribute.name] = list(range(first, last))
    return at


def _products(template: str, at: dict[str, list[int]], who: str) -> Iterator[tuple[int, ...]]:
    """The terms of a template."""
    choices: list[list[tuple[int, ...]]] = []
    for name in (piece.strip() for piece in template.split("&")):
        if name == "class" and name not in at:
            choices.append([()])
        elif name in at:
            choices.append([(j,) for j in at[name]])
        else:
            raise ParameterError(
                f"{who}: a template names {name!r}, which is no attribute, level or word here.{did_you_mean(name, at)}"
            )
    for chosen in product(*choices):
        yield tuple(sorted({j for part in chosen for j in part}))


def _class(label: str, schema: Schema, who: str) -> int:
    for code, known in enumerate(schema.classes):
        if str(known) == label:
            return code
    known_ones = ", ".join(map(repr, schema.classes[:8]))
    raise ParameterError(f"{who}: a template names the class {label!r}; the classes are {known_ones}.")


def _function_name(function: Function) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _number(function: Function, row: dict[str, Any], label: Label) -> float:
    try:
        value = float(function(row, label))
    except (TypeError, ValueError):
        value = float("nan")
    if not np.isfinite(value):
        raise ParameterError(
            f"MaxEnt: the feature {_function_name(function)} must return a finite number for every row and class; for "
            f"{row!r} and {label!r} it does not."
        )
    return value
