"""Tables for judging learners: small, of every kind of attribute, and the same each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.types import MISSING, Array, Codes, Floats, Label

CLASSES = ("no", "yes", "maybe")  # on purpose not in alphabetical order
COLOURS = ("red", "green", "blue")
GRADES = ("low", "middle", "high")
_WORDS = (("stop", "late", "cold"), ("go", "early", "warm"), ("wait", "noon", "mild"))
_UNEVEN = np.array([0, 1, 0, 2, 1, 0, 1, 2, 0], dtype=np.int32)  # classes 4 : 3 : 2

#: The mixtures a learner is tried with, the richest first; the first it does not object to is used.
MIXTURES: tuple[tuple[str, ...], ...] = (
    ("size", "colour", "age", "grade", "note"),
    ("size", "colour", "age", "grade"),
    ("size", "age"),
    ("colour", "grade"),
    ("note",),
)


def table(
    names: Sequence[str] = MIXTURES[0],
    rows: int = 90,
    seed: int = 0,
    missing: bool = True,
    numbers: bool = False,
) -> Table:
    """Rows of three classes that every attribute separates, though never without error.

    With `numbers` the target is a number that follows from them, again with an error.

    `size` and `age` are numeric, `colour` is nominal, `grade` ordinal, `note` text; with `missing` some
    values of age, colour and note are missing.
    """
    rng = np.random.default_rng(seed)
    labels = rng.permutation(_UNEVEN[np.arange(rows) % len(_UNEVEN)])
    measured = {
        "size": np.round(rng.normal(2.0 * labels, 1.5), 3),
        "age": np.round(40 + rng.normal(-8.0 * labels, 9.0), 2),
    }
    codes = {"colour": _confuse(rng, labels), "grade": _confuse(rng, labels)}
    notes = np.array([_note(rng, label) for label in labels.tolist()] + [None], dtype=object)[:-1]
    if missing:
        measured["age"][rng.random(rows) < 0.1] = np.nan
        codes["colour"][rng.random(rows) < 0.1] = MISSING
        notes[rng.random(rows) < 0.1] = None
    every = {
        "size": Attribute("size"),
        "colour": Attribute("colour", "nominal", COLOURS),
        "age": Attribute("age"),
        "grade": Attribute("grade", "ordinal", GRADES),
        "note": Attribute("note", "text"),
    }
    target = Attribute("answer") if numbers else Attribute("answer", "nominal", CLASSES)
    schema = Schema(tuple(every[name] for name in names), target)
    return Table(
        schema,
        rows,
        numeric=[measured[a.name] for a in schema.numeric],
        nominal=[codes[a.name] for a in schema.nominal],
        text=[notes for _ in schema.text],
        labels=None if numbers else labels,
        response=np.round(5.0 * labels + rng.normal(size=rows), 3) if numbers else None,
    )


def separate(names: Sequence[str], rows: int, seed: int = 3) -> Table:
    """Rows of three classes that nobody could miss: far apart in every attribute, of about the same size."""
    like = table(names, rows, seed, missing=False)
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(rows) % 3).astype(np.int32)
    place = {"size": np.array([0.0, 40.0, 80.0]), "age": np.array([300.0, 0.0, 500.0])}
    words = np.array([" ".join(each) for each in _WORDS], dtype=object)
    return Table(
        like.schema,
        rows,
        numeric=[place[a.name][group] + np.round(rng.normal(size=rows), 2) for a in like.schema.numeric],
        nominal=[group.copy() for _ in like.schema.nominal],
        text=[words[group] for _ in like.schema.text],
        labels=group,
    )


def _confuse(rng: np.random.Generator, labels: Codes) -> Codes:
    """Codes that are the label's two times out of three."""
    other = rng.integers(0, 3, len(labels))
    return np.where(rng.random(len(labels)) < 0.5, labels, other).astype(np.int32)


def _note(rng: np.random.Generator, label: int) -> str:
    class_words, any_ = _WORDS[label], [word for words in _WORDS for word in words]
    return " ".join([str(rng.choice(class_words)), str(rng.choice(any_)), str(rng.choice(any_))])


def matrix(rows: int = 60, seed: int = 1, columns: int = 3) -> tuple[Floats, Codes]:
    """Numbers without missing values and three classes 0, 1, 2."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(rows) % 3).astype(np.int32)
    return np.round(rng.normal(size=(rows, columns)) + 1.5 * y[:, None] * rng.random(columns), 3), y


def positive(rows: Table) -> Table:
    """The same rows with the sizes of their numbers, without the signs."""
    numbers = [np.abs(column) for column in rows.numeric.columns]
    return rows.replace(sparse=None, numeric=numbers)


def with_weights(rows: Table, weights: Floats) -> Table:
    """The same rows with these weights."""
    return rows.replace(weights=weights)


def reversed_column(rows: Table, name: str) -> Table:
    """The same rows with the values of one attribute the other way round."""

    def reverse_column(attributes: Sequence[Attribute], columns: Sequence[Any]) -> list[Any]:
        pairs = zip(attributes, columns, strict=True)
        return [np.ascontiguousarray(c[::-1]) if a.name == name else c for a, c in pairs]

    schema = rows.schema
    return rows.replace(
        schema=schema,
        sparse=None,
        numeric=reverse_column(schema.numeric, [values for _, values in rows.numeric_columns()]),
        nominal=reverse_column(schema.nominal, rows.nominal.columns),
        text=reverse_column(schema.text, rows.text),
    )


def with_classes(rows: Table, classes: Sequence[Label], labels: Codes) -> Table:
    """The same inputs under other classes."""
    assert rows.schema.target is not None
    target = replace(rows.schema.target, levels=tuple(classes))
    return rows.replace(schema=Schema(rows.schema.attributes, target), labels=labels)


def with_class_order(rows: Table) -> Table:
    """The same rows, their classes in the order they are declared in."""
    assert rows.schema.target is not None
    return rows.replace(schema=Schema(rows.schema.attributes, replace(rows.schema.target, kind="ordinal")))


def acting(rows: Table) -> Table:
    """The same rows under names, levels and labels that would act on a terminal, or read as others."""

    def add_escapes(attribute: Attribute) -> Attribute:
        levels = tuple(f"{level}\x1b]0;{i}\x07\u202e" for i, level in enumerate(attribute.levels))
        return replace(attribute, name=f"{attribute.name}\x1b[31m\x9b", levels=levels)

    assert rows.schema.target is not None
    schema = Schema(tuple(map(add_escapes, rows.schema.attributes)), add_escapes(rows.schema.target))
    return rows.replace(schema=schema)


def without_target(rows: Table) -> Table:
    """The inputs alone."""
    return rows.inputs_only()


def snapshot(rows: Table) -> list[Array]:
    """Copies of every array of a table."""
    parts: list[Array] = [*rows.numeric.columns, *rows.nominal.columns, *rows.text, rows.weights]
    parts += [part for part in (rows.labels, rows.response) if part is not None]
    return [part.copy() for part in parts]


def with_empty_columns(rows: Table) -> Table:
    """The same rows, with no value in the first column of numbers, in the first of levels and in any of text."""
    n = len(rows)
    return rows.replace(
        sparse=None,
        numeric=[np.full(n, np.nan), *rows.numeric.columns[1:]] if rows.schema.numeric else (),
        nominal=[np.full(n, -1, dtype=np.int32), *rows.nominal.columns[1:]] if rows.schema.nominal else (),
        text=[np.array([None] * n, dtype=object) for _ in rows.schema.text],
    )


def with_constant_columns(rows: Table) -> Table:
    """The same rows, with one value in each column."""
    n = len(rows)
    return rows.replace(
        sparse=None,
        numeric=[np.full(n, 3.5) for _ in rows.schema.numeric],
        nominal=[np.zeros(n, dtype=np.int32) for _ in rows.schema.nominal],
        text=[np.array(["same"] * n, dtype=object) for _ in rows.schema.text],
    )
