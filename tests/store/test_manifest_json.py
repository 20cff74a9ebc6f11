"""The manifest's JSON: the same bytes for the same values, and nothing that a parser need fear."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import ModelFileError
from acumen.store.file import MAX_CONTAINERS, MAX_DEPTH, MAX_MANIFEST, digest, dump, parse

text = st.text(st.characters(codec=None), max_size=8)  # lone surrogates too
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(text, values, max_size=5))
def test_what_is_dumped_is_parsed_again(made: dict[str, Any]) -> None:
    back = parse(dump(made))
    assert repr(back) == repr(json.loads(json.dumps(made, sort_keys=True)))
    assert dump(dict(reversed(made.items()))) == dump(made)
    assert digest(dict(reversed(made.items()))) == digest(made)


def test_people_can_read_it() -> None:
    assert dump({"b": "grün", "a": [1]}).decode() == '{\n "a": [\n  1\n ],\n "b": "grün"\n}\n'


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_that_are_not_finite_are_refused(word: str) -> None:
    with pytest.raises(ModelFileError, match="manifest holds"):
        parse(f'{{"a": {word}}}'.encode())


def test_a_doubled_key_is_refused_at_any_depth() -> None:
    with pytest.raises(ModelFileError, match="key twice"):
        parse(b'{"a": [{"b": 1, "b": 1}]}')


def test_depth_is_bounded_before_parsing() -> None:
    deepest = b'{"a":' * (MAX_DEPTH - 1) + b"{}" + b"}" * (MAX_DEPTH - 1)
    assert parse(deepest)
    for text in (b'{"a":' + deepest + b"}", b"[" * 10**6, b'{"":' * 10**6):
        with pytest.raises(ModelFileError, match="nests deeper"):
            parse(text)


def test_brackets_inside_text_are_not_depth() -> None:
    assert parse(b'{"a": "' + b"[" * 1000 + b'\\"' + b"{" * 1000 + b'"}')


def test_a_text_without_end_is_scanned_once() -> None:
    # Quadratic scanning of this would take hours.
    with pytest.raises(ValueError):
        parse(b'{"a": "' + b'\\"' * (MAX_MANIFEST // 2 - 10))


def test_the_number_of_containers_is_bounded() -> None:
    with pytest.raises(ModelFileError, match="too many lists"):
        parse(b'{"a": [' + b"[]," * MAX_CONTAINERS + b"[]]}")


def test_length_is_bounded() -> None:
    with pytest.raises(ModelFileError, match="longer than"):
        parse(b" " * (MAX_MANIFEST + 1))


@pytest.mark.parametrize("text", [b"[]", b"1", b"null", b'"a"'])
def test_anything_but_an_object_is_refused(text: bytes) -> None:
    with pytest.raises(ModelFileError, match="not a JSON object"):
        parse(text)
