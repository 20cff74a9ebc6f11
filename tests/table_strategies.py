"""Tables of every shape the house knows, for laws over them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table

#: Column names: any text but the end-of-string mark, which no library's C interface can carry.
names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
strings = st.text(st.characters(codec="utf-8"), max_size=6)
numbers = st.floats(allow_nan=True, allow_infinity=True)

levels = st.one_of(
    st.lists(strings, unique=True, max_size=4),
    st.lists(st.integers(-(2**53), 2**53), unique=True, max_size=4),
    st.lists(st.floats(-1e6, 1e6), unique=True, max_size=4),
    st.sampled_from([[False, True], [True, False], [True]]),
)


@st.composite
def attributes(draw: st.DrawFn, name: str, kinds: tuple[str, ...]) -> Attribute:
    kind = draw(st.sampled_from(kinds))
    found = draw(levels) if kind in ("nominal", "ordinal") else ()
    return Attribute(name, kind, tuple(found))  # type: ignore[arg-type]


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """At least one input; perhaps a target, weights and ignored columns, in any order."""
    found = draw(st.lists(names, unique=True, min_size=4, max_size=8))
    roles = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    target = draw(attributes(found[0], ("nominal", "ordinal", "numeric"))) if roles[0] else None
    weight = found[1] if roles[1] else None
    ignored = (Attribute(found[2], "ignored"),) if roles[2] else ()
    inputs = tuple(draw(attributes(name, ("numeric", "nominal", "ordinal", "text"))) for name in found[3:])
    plain = Schema(inputs, target, weight, ignored)
    in_order = iter(plain.names)  # the inputs keep their order, as in any source; the others lie anywhere
    places = draw(st.permutations(plain.columns))
    columns = tuple(next(in_order) if name in plain.names else name for name in places)
    return Schema(inputs, target, weight, ignored, columns)


def columns(draw: st.DrawFn, attribute: Attribute, rows: int, lowest: int) -> Any:
    if attribute.is_numeric:
        return np.array(draw(st.lists(numbers, min_size=rows, max_size=rows)), dtype=np.float64)
    if attribute.is_nominal:
        code = st.integers(lowest, len(attribute.levels) - 1)
        return np.array(draw(st.lists(code, min_size=rows, max_size=rows)), dtype=np.int32)
    made = np.empty(rows, dtype=object)
    made[:] = draw(st.lists(st.none() | strings, min_size=rows, max_size=rows))
    return made


@st.composite
def tables(draw: st.DrawFn, min_rows: int = 1, unknown: bool = False) -> Table:
    """A table under any schema; with `unknown` some codes are of levels the schema does not know."""
    schema = draw(schemas())
    rows = draw(st.integers(min_rows, 7))
    lowest = -2 if unknown else -1

    def fill(*found: Attribute) -> list[Any]:
        return [columns(draw, attribute, rows, lowest) for attribute in found]

    target = schema.target
    weights = draw(st.lists(st.floats(0, 1e6), min_size=rows, max_size=rows)) if schema.weight else []
    return Table(
        schema,
        rows,
        numeric=fill(*schema.numeric),
        nominal=fill(*schema.nominal),
        text=fill(*schema.text),
        labels=fill(target)[0] if target is not None and target.is_nominal else None,
        response=fill(target)[0] if target is not None and target.is_numeric else None,
        weights=np.array(weights, dtype=np.float64),
        ignored=fill(*schema.ignored),
    )
