"""Any table survives being written and read: through CSV, TSV and ARFF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acumen import Dialect, read
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.types import Kind

NASTY = [
    "", " ", "?", "NA", "N/A", "null", "NaN", "nan", "a", "A", "'", '"', "''", '""', "\\", "\\n", "\n", "\r",
    "\r\n", "\t", ",", ";", "{", "}", "{1}", "{0 1}", "%", "%a", "a%b", "#", "#a", "@data", "@attribute", "0",
    "00712", "1.5", "1,5", "-", "+1", "true", " lead", "trail ", "two words", "é", "日本", "\u2028", "\x85", "\xa0",
    "\x1f", "\ufeff", "2001-02-03", "'quoted'", '"quoted"', "it's", "a\\'b", "\\u0041", "inf",
]  # fmt: skip
TEXT = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8
)
#: Readers give nameless columns (empty or blank) a name, which is a change; everything else must survive.
NAMES = TEXT.filter(str.strip)
NUMBERS = st.floats(allow_infinity=True, allow_nan=True, width=64)


@st.composite
def tables(draw: Any) -> Table:
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    n_rows = draw(st.integers(1, 8))
    kinds: list[Kind] = [draw(st.sampled_from(["numeric", "nominal", "ordinal", "text"])) for _ in names]
    attributes, numeric, nominal, text = [], [], [], []
    for name, kind in zip(names, kinds, strict=True):
        if kind == "numeric":
            numeric.append(np.array(draw(st.lists(NUMBERS, min_size=n_rows, max_size=n_rows))))
            attributes.append(Attribute(name))
        elif kind == "text":
            values = draw(st.lists(TEXT | st.none(), min_size=n_rows, max_size=n_rows))
            made = np.empty(n_rows, dtype=object)
            made[:] = values
            text.append(made)
            attributes.append(Attribute(name, "text"))
        else:
            levels = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
            codes = st.integers(-1, len(levels) - 1)
            nominal.append(np.array(draw(st.lists(codes, min_size=n_rows, max_size=n_rows)), np.int32))
            attributes.append(Attribute(name, kind, tuple(levels)))
    target, labels = None, None
    if len(names) > 1 and draw(st.booleans()):
        levels = draw(st.lists(TEXT, min_size=1, max_size=3, unique=True))
        target = Attribute(draw(NAMES.filter(lambda name: name not in names)), "nominal", tuple(levels))
        codes = st.integers(-1, len(levels) - 1)
        labels = np.array(draw(st.lists(codes, min_size=n_rows, max_size=n_rows)), np.int32)
        names.insert(draw(st.integers(0, len(names))), target.name)
    schema = Schema(tuple(attributes), target, columns=tuple(names))
    return Table(schema, n_rows, numeric=numeric, nominal=nominal, text=text, labels=labels)


def wishes(table: Table) -> dict[str, Any]:
    """What a file cannot say of itself: which strings are text, and the levels with their order."""
    stated = [*table.schema.attributes, *([table.schema.target] if table.schema.target else [])]
    return {
        "kinds": {a.name: a.kind for a in stated},
        "levels": {a.name: a.levels for a in stated if a.is_nominal},
        "target": table.schema.target.name if table.schema.target else None,
    }


def same(one: Table, other: Table) -> None:
    assert other.schema.columns == one.schema.columns
    assert len(other) == len(one)
    for name in one.schema.columns:
        mine, theirs = one.column(name).tolist(), other.column(name).tolist()
        assert [repr(v) for v in theirs] == [repr(v) for v in mine], name


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), st.sampled_from(["csv", "tsv"]))
def test_tables_survive_csv(tmp_path: Path, table: Table, form: str) -> None:
    path = tmp_path / f"t.{form}"
    table.write(path)
    dialect = Dialect(delimiter="," if form == "csv" else "\t", header=True, decimal=".")
    back = read(path, dialect=dialect, **wishes(table))
    same(table, back)
    assert back.schema == table.schema


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_tables_survive_arff(tmp_path: Path, table: Table) -> None:
    path = tmp_path / "t.arff"
    table.write(path)
    told = wishes(table)
    # Levels need not be told: the file declares them. Only order and text have no word in ARFF.
    kinds = {name: kind for name, kind in told["kinds"].items() if kind in ("ordinal", "text")}
    if table.schema.target is not None:
        back = read(path, kinds=kinds, target=told["target"])
        assert back.schema == table.schema
    elif len(table.schema.columns) > 1:
        # The last attribute is the class where none is named; a text cannot be one.
        last = table.schema.columns[-1]
        kinds.pop(last, None)
        back = read(path, kinds=kinds, ignore=last)
        for attribute in back.schema.attributes:
            assert attribute == table.schema[attribute.name]
    else:
        back = read(path, kinds=kinds)
        assert back.schema == table.schema
    same(table, back)


def test_weights_come_back_from_their_column(tmp_path: Path) -> None:
    schema = Schema(
        (Attribute("x"),), Attribute("y", "nominal", ("a", "b")), weight="w", columns=("w", "x", "y")
    )
    table = Table(
        schema,
        2,
        numeric=[np.array([1.0, 2.0])],
        labels=np.array([1, 0], np.int32),
        weights=np.array([0.5, 3.0]),
    )
    for form in ("csv", "tsv", "arff"):
        table.write(tmp_path / f"t.{form}")
        back = read(tmp_path / f"t.{form}", target="y", weight="w")
        assert back.schema == schema
        assert back.weights.tolist() == [0.5, 3.0]


@pytest.mark.parametrize("form", ["csv", "csv.gz", "tsv.bz2", "arff", "arff.xz"])
def test_built_in_tables_survive_unaided(tmp_path: Path, form: str) -> None:
    from acumen.datasets import load, names

    for name in names():
        table = load(name)
        assert table.schema.target is not None
        table.write(tmp_path / f"t.{form}")
        same(table, read(tmp_path / f"t.{form}", target=table.schema.target.name))
