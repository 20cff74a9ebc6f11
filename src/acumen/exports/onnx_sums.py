"""Sums of terms as tensors: (rows, sums).

slopes     one product of matrices
squares    a few operations an attribute
the rest   terms that ask conditions of one attribute, or of two, become a table that is looked up: of numbers by
           the place among all their cuts, of levels by their code. What is in the table is what the terms
           themselves say of a row in each place. Terms over more attributes are worked out condition by condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.codegen.terms import Count, LevelCases, Slope, Square, Term, TermSum
from acumen.conditions.condition import Condition
from acumen.exports.onnx_columns import InputTensors, refuse_words
from acumen.exports.places import Places, attributes_of, conditions_of, table_of
from acumen.types import Floats

#: A table of more cells than these is not written; its terms are worked out one by one.
_CELLS = 1 << 18


def write_sums(columns: InputTensors, sums: Sequence[TermSum]) -> str:
    """The value of each sum for each row."""
    g, k = columns.graph, len(sums)
    parts = [_slopes(columns, sums), *_squares(columns, sums)]
    tables: dict[tuple[str, ...], list[list[Term]]] = {}
    for c, whole in enumerate(sums):
        for term in whole.terms:
            if isinstance(term, (Count, LevelCases)):
                for one in conditions_of(term):
                    refuse_words(one)
                names = attributes_of(term)
                weights_of_codes = tables.setdefault(names, [[] for _ in range(k)])
                weights_of_codes[c].append(term)
    for names, terms in tables.items():
        places = [Places.of(name, columns.schema, terms) for name in names]
        size = int(np.prod([place.size for place in places]))
        if len(names) in (1, 2) and "" not in names and size * k <= _CELLS:
            parts.append(_table(columns, places, terms))
        else:
            parts += _one_by_one(columns, terms)
    constant = g.constant(np.array([[float(one.constant) for one in sums]]))
    some = [part for part in parts if part]
    if not some:
        some = [g.add("Mul", g.number(columns.body(())), g.constant(np.zeros((1, k))))]
    return g.total(*some, constant)


# -- numbers ----------------------------------------------------------------------------------------


def _slopes(columns: InputTensors, sums: Sequence[TermSum]) -> str:
    g, k = columns.graph, len(sums)
    groups: dict[tuple[Any, float], Floats] = {}
    for c, whole in enumerate(sums):
        for term in whole.terms:
            if isinstance(term, Slope):
                line = groups.setdefault((term.attribute, term.centre), np.zeros((2, k)))
                line[0, c] += term.weight
                line[1, c] += term.absent
    if not groups:
        return ""
    numbers = g.beside(*(columns.number(tested) for tested, _ in groups))
    there = g.beside(*(columns.finite(tested) for tested, _ in groups))
    away = g.add("Sub", numbers, g.constant([[centre for _, centre in groups]]))
    result = g.add(
        "MatMul", g.choose(there, away, g.constant([[0.0]])), g.constant([f[0] for f in groups.values()])
    )
    absent = np.array([f[1] for f in groups.values()])
    if absent.any():
        result = g.add("Add", result, g.add("MatMul", g.number(g.negate(there)), g.constant(absent)))
    return result


def _squares(columns: InputTensors, sums: Sequence[TermSum]) -> list[str]:
    g, parts = columns.graph, []
    groups: dict[Any, list[list[Square]]] = {}
    for c, whole in enumerate(sums):
        for term in whole.terms:
            if isinstance(term, Square):
                groups.setdefault(term.attribute, [[] for _ in sums])[c].append(term)
    for tested, each in groups.items():
        for level in range(max(map(len, each))):
            nothing = Square(0.0, tested, 0.0)
            line = [class_squares[level] if level < len(class_squares) else nothing for class_squares in each]
            away = g.add("Sub", columns.number(tested), g.constant([[t.centre for t in line]]))
            # Weighed first: the square alone of a number beyond 1e154 is infinite.
            bent = g.add("Mul", g.add("Mul", away, g.constant([[t.weight for t in line]])), away)
            bent = _cap_squares(columns, bent, columns.number(tested), line)
            whole_term = g.add("Add", bent, g.constant([[t.start for t in line]]))
            absent = g.constant([[t.absent for t in line]])
            parts.append(g.choose(columns.finite(tested), whole_term, absent))
    return parts


def _cap_squares(columns: InputTensors, bent: str, numbers: str, line: Sequence[Square]) -> str:
    """Weighted squares, and what stands for those that would overflow."""
    g, far = columns.graph, [term.beyond for term in line]
    halves = g.add("Mul", numbers, g.constant([[0.5]]))
    half = g.add("Abs", g.add("Sub", halves, g.constant([[0.5 * t.centre for t in line]])))
    logs = g.add("Mul", g.add("Log", half), g.constant([[f.slope for f in far]]))
    capped = g.add("Add", logs, g.constant([[f.level for f in far]]))
    outside = g.add("Greater", half, g.constant([[f.half_distance for f in far]]))
    return g.choose(outside, capped, bent)


# -- tables -----------------------------------------------------------------------------------------


def _place(place: Places, columns: InputTensors) -> str:
    """(rows, 1): the number of each row's place."""
    if place.attribute.is_nominal:
        return columns.code(place.name)
    g, x, n = columns.graph, columns.number(place.name), len(place.cuts)
    if n:
        above = g.place(g.add("Greater", x, g.constant(place.cuts[None, :])))
        at = g.over_columns("ReduceSum", above)
    else:
        at = g.add("Mul", g.place(g.add("IsNaN", x)), g.whole([[0]]))
    return g.choose(g.add("IsNaN", x), g.whole([[n + 1]]), at)


def _table(columns: InputTensors, places: Sequence[Places], terms: Sequence[Sequence[Term]]) -> str:
    g = columns.graph
    at = _place(places[0], columns)
    for place in places[1:]:
        at = g.add("Add", g.add("Mul", at, g.whole([[place.size]])), _place(place, columns))
    return g.looked_up(g.constant(table_of(places, terms)), at)


def _one_by_one(columns: InputTensors, terms: Sequence[Sequence[Term]]) -> list[str]:
    """Terms by their conditions: those of several sums that ask the same are done together."""
    g, k = columns.graph, len(terms)
    counts: dict[tuple[Condition, ...], Floats] = {}
    choices: dict[tuple[tuple[Condition, ...], ...], Floats] = {}
    for c, class_terms in enumerate(terms):
        for term in class_terms:
            if isinstance(term, Count):
                counts.setdefault(term.body, np.zeros(k))[c] += term.weight
            elif isinstance(term, LevelCases):
                bodies = tuple(body for body, _ in term.cases)
                line = choices.setdefault(bodies, np.zeros((len(bodies) + 1, k)))
                line[:, c] += [*(weight for _, weight in term.cases), term.otherwise]
    parts = []
    if counts:
        held = g.number(g.beside(*map(columns.body, counts)))
        parts.append(g.add("MatMul", held, g.constant(list(counts.values()))))
    for bodies, values in choices.items():
        parts.append(g.looked_up(g.constant(values), first_held(columns, bodies)))
    return parts


def first_held(columns: InputTensors, bodies: Sequence[Sequence[Condition]]) -> str:
    """The place of the first body that holds, or their number where none does; (rows, 1)."""
    g = columns.graph
    always = columns.body(())
    held = g.place(g.beside(*map(columns.body, bodies), always))
    return g.add("ArgMax", held, axis=1, keepdims=1)
