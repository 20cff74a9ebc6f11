"""Terms of one or two attributes as tables: the places that terms tell apart, and what they add in each.

Places       of one attribute: between its cuts, or its levels; then unknown levels, and last what is missing
asked        which attributes a term's conditions name
table_of     what some terms add in every combination of places
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from acumen.codegen.terms import Count, LevelCases, Term, TermSum
from acumen.conditions.condition import Condition
from acumen.conditions.pair import CombinedAttributes
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.types import MISSING, UNKNOWN, Floats


def attributes_of(term: Count | LevelCases) -> tuple[str, ...]:
    """The attributes of a term's conditions, sorted; "" stands for a pair of numbers, which has no places."""
    names: dict[str, None] = {}
    for one in conditions_of(term):
        if isinstance(one.attribute, CombinedAttributes):
            both = ("",) if one.attribute.is_numeric else (one.attribute.first, one.attribute.second)
            names.update(dict.fromkeys(both))
        else:
            names[one.attribute] = None
    return tuple(sorted(names)) or ("",)


def conditions_of(term: Term) -> list[Condition]:
    """All conditions of a term."""
    if isinstance(term, Count):
        return list(term.body)
    return [one for body, _ in term.cases for one in body] if isinstance(term, LevelCases) else []


class Places:
    """The groups of values of one attribute that terms distinguish: a sample row for each, and the group of any row."""

    def __init__(self, name: str, schema: Schema, cuts: Floats) -> None:
        self.name, self.attribute, self.cuts = name, schema[name], cuts

    @classmethod
    def of(cls, name: str, schema: Schema, terms: Sequence[Sequence[Term]]) -> Places:
        if name == "":
            return cls(schema.names[0], schema, np.empty(0))
        cuts: set[float] = set()
        for term in itertools.chain.from_iterable(terms):
            for one in conditions_of(term):
                if one.attribute == name and schema[name].is_numeric:
                    cuts.update(_cuts_of(one))
        return cls(name, schema, np.array(sorted(cuts)))

    @property
    def size(self) -> int:
        return len(self.attribute.levels) + 2 if self.attribute.is_nominal else len(self.cuts) + 2

    @property
    def rows(self) -> Any:
        """A value for each place: codes, or numbers with NaN last."""
        if self.attribute.is_nominal:
            codes = np.arange(len(self.attribute.levels), dtype=np.int32)
            return np.append(codes, [UNKNOWN, MISSING]).astype(np.int32)
        return np.concatenate([self.cuts, [np.inf, np.nan]])


def _cuts_of(one: Condition) -> list[float]:
    """Where a condition may begin or cease to hold: above these numbers."""
    if one.op in ("missing", "known"):
        return []
    values = one.value if isinstance(one.value, tuple) else (one.value,)
    cuts = [float(value) for value in values]
    if one.op in ("<=", ">", "between"):
        return cuts
    return cuts + [float(np.nextafter(cut, -np.inf)) for cut in cuts]


def table_of(places: Sequence[Places], terms: Sequence[Sequence[Term]]) -> Floats:
    """(combinations of places, sums): what each sum's terms add, the last attribute's places changing fastest."""
    grid = np.meshgrid(*(place.rows for place in places), indexing="ij")
    columns = [(place.attribute, values.ravel()) for place, values in zip(places, grid, strict=True)]
    rows = Table(
        Schema(tuple(place.attribute for place in places)),
        grid[0].size,
        numeric=[np.asarray(values, dtype=np.float64) for a, values in columns if a.is_numeric],
        nominal=[np.ascontiguousarray(values, dtype=np.int32) for a, values in columns if a.is_nominal],
    )
    return np.column_stack([TermSum(0.0, tuple(terms_of_class)).of(rows) for terms_of_class in terms])
