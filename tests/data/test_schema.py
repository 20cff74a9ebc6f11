"""What a schema promises: immutable, hashable, stored as JSON and read back, and errors that help."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError, SchemaMismatch
from table_strategies import schemas

AGE = Attribute("age")
COLOUR = Attribute("colour", "nominal", ("red", "green"))
SIZE = Attribute("size", "ordinal", ("small", "large"))
CLASS = Attribute("class", "nominal", ("no", "yes"))


@given(schemas())
def test_json_brings_back_the_schema_and_the_types_of_its_levels(schema: Schema) -> None:
    back = Schema.from_json(schema.to_json())
    assert back == schema
    assert hash(back) == hash(schema)
    for mine, theirs in zip(schema.attributes, back.attributes, strict=True):
        assert list(map(type, mine.levels)) == list(map(type, theirs.levels))
    assert str(back) == str(schema)


@given(schemas(), schemas())
def test_schemas_that_differ_in_inputs_or_target_say_where(one: Schema, other: Schema) -> None:
    differ = one.attributes != other.attributes or one.target != other.target
    assert (one.difference(other) is not None) == differ


def test_schema_cannot_be_edited() -> None:
    schema = Schema((AGE,), CLASS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        schema.target = None  # type: ignore[misc]
    assert {schema: 1}[Schema([AGE], CLASS)] == 1  # type: ignore[arg-type]  # lists become tuples


def test_order_is_part_of_the_kind() -> None:
    assert Attribute("a", "nominal", ("x",), ordered=True).kind == "ordinal"
    assert Attribute("a", "ordinal", ("x",)).ordered
    assert not Attribute("a", "numeric", ordered=True).ordered


def test_lookups_by_kind_and_name() -> None:
    schema = Schema((AGE, COLOUR, SIZE, Attribute("note", "text")), CLASS, "w", (Attribute("id", "ignored"),))
    assert schema.names == ("age", "colour", "size", "note")
    assert (schema.numeric, schema.nominal, len(schema.text)) == ((AGE,), (COLOUR, SIZE), 1)
    assert (schema.classes, schema.n_classes, schema["class"]) == (("no", "yes"), 2, CLASS)
    assert schema.columns == ("age", "colour", "size", "note", "id", "class", "w")
    assert "id" in schema and "w" not in schema and len(schema) == 4 and next(iter(schema)) is AGE
    assert "size: ordinal {small < large}" in str(schema)
    assert schema.without_target() == Schema(schema.attributes)


def test_a_long_list_of_levels_prints_short() -> None:
    assert "(40 levels)" in str(Attribute("a", "nominal", tuple(range(40))))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Attribute("a", "nomnal"), "must be one of .*Did you mean 'nominal'"),  # type: ignore[arg-type]
        (lambda: Attribute("a", "nominal", ("x", "y", "x")), "'x' is given twice"),
        (lambda: Attribute("a", "nominal", (1, True)), "given twice"),
        (lambda: Attribute("a", "numeric", ("x",)), "a numeric attribute has no levels"),
        (lambda: Attribute("a", "nominal", ([],)), "a level must be text"),  # type: ignore[arg-type]
        (lambda: Schema((AGE, AGE)), "'age' occurs twice"),
        (lambda: Schema((AGE,), weight="age"), "'age' occurs twice"),
        (lambda: Schema((Attribute("a", "ignored"),)), "belongs in `ignored`"),
        (lambda: Schema((AGE,), columns=("aeg",)), "every column exactly once"),
        (lambda: Schema((AGE,), columns=("age", "age")), "every column exactly once"),
        (lambda: Schema((AGE,))["aeg"], "no column 'aeg'.*Did you mean 'age'"),
        (lambda: Schema((AGE,), weight="w")["w"], "holds the row weights"),
        (lambda: Schema.from_json("{"), "not JSON"),
        (lambda: Schema.from_json("[]"), "must be a JSON object"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        make()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["attributes", "target", "weight", "ignored", "columns", "name", "kind", "levels"]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_schema_or_a_data_error(made: Any) -> None:
    try:
        assert isinstance(Schema.from_json(json.dumps(made)), Schema)
    except DataError as error:
        assert str(error)


def test_mismatch_names_the_attribute() -> None:
    one, other = Schema((AGE, COLOUR), CLASS), Schema((AGE, COLOUR.with_levels(("red",))), CLASS)
    one.require_same(Schema((AGE, COLOUR), CLASS, "w"))
    with pytest.raises(SchemaMismatch, match="'colour' has other levels"):
        one.require_same(other)
    with pytest.raises(SchemaMismatch, match="only one of them has a target"):
        one.require_same(one.without_target())
    with pytest.raises(SchemaMismatch, match="'colour' stands where the other has 'size'"):
        one.require_same(Schema((AGE, SIZE), CLASS))
    with pytest.raises(SchemaMismatch, match="'age' is numeric in one and text in the other"):
        one.require_same(Schema((Attribute("age", "text"), COLOUR), CLASS))
    with pytest.raises(SchemaMismatch, match="one has 2 attributes, the other 1"):
        one.require_same(Schema((AGE,), CLASS))


def test_public_names_are_these() -> None:
    assert acumen.Schema is Schema and acumen.Attribute is Attribute


def test_printed_names_and_levels_stay_on_their_line_and_cannot_act_on_a_terminal() -> None:
    wild = Attribute("a\x1b[31m\n", "nominal", ("x\ny", "z" * 3_000_000))
    text = str(Schema((wild,), CLASS, "w\x07", (Attribute("i\u202e", "ignored"),)))
    assert len(text.splitlines()) == 5 and len(text) < 1000
    assert all(line.isprintable() for line in text.splitlines())
    assert r"a\x1b[31m\n: nominal {x\ny, zzz" in text


def test_names_are_strings_and_levels_are_several() -> None:
    with pytest.raises(DataError, match="a name is a string; got 3"):
        Attribute(3)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="got the one text 'xy'"):
        Attribute("a", "nominal", "xy")  # type: ignore[arg-type]
