"""Small tables written out by hand, for the tests of every room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import NO_WEIGHTS, Table

#: The loan applications of the worked examples, table A: Age, Has_Job, Own_house, Credit_Rating, Class.
_LOAN = """young false false fair No, young false false good No, young true false good Yes,
young true true fair Yes, young false false fair No, middle false false fair No, middle false false good No,
middle true true good Yes, middle false true excellent Yes, middle false true excellent Yes,
old false true excellent Yes, old false true good Yes, old true false good Yes, old true false excellent Yes,
old false false fair No"""

_WEATHER = """sunny hot high FALSE no, sunny hot high TRUE no, overcast hot high FALSE yes,
rainy mild high FALSE yes, rainy cool normal FALSE yes, rainy cool normal TRUE no, overcast cool normal TRUE yes,
sunny mild high FALSE no, sunny cool normal FALSE yes, rainy mild normal FALSE yes, sunny mild normal TRUE yes,
overcast mild high TRUE yes, overcast hot normal FALSE yes, rainy mild high TRUE no"""


def table_of(
    columns: Mapping[str, Sequence[Any]],
    labels: Sequence[Any] | None = None,
    *,
    levels: Mapping[str, Sequence[Any]] | None = None,
    classes: Sequence[Any] | None = None,
    text: Sequence[str] = (),
    ordered: Sequence[str] = (),
    weights: Sequence[float] | None = None,
    target: str = "class",
) -> Table:
    """A table of columns: numbers are numeric, other values nominal (None or NaN missing) unless in `text`.

    `levels` may say what the levels of a column are; otherwise they come in order of first occurrence.
    """
    levels = dict(levels or {})
    attributes: list[Attribute] = []
    blocks: dict[str, list[Any]] = {"numeric": [], "nominal": [], "text": []}
    for name, values in columns.items():
        if name in text:
            attributes.append(Attribute(name, "text"))
            blocks["text"].append(np.array([*values, None], dtype=object)[:-1])
        elif name not in levels and all(isinstance(v, (int, float)) and v is not True for v in values):
            attributes.append(Attribute(name, "numeric"))
            blocks["numeric"].append(np.array(values, dtype=np.float64))
        else:
            known = tuple(levels.get(name, dict.fromkeys(v for v in values if v is not None)))
            attributes.append(Attribute(name, "nominal", known, ordered=name in ordered))
            blocks["nominal"].append(codes_of(values, known))
    target_attribute, codes = None, None
    if labels is not None:
        known = tuple(classes or dict.fromkeys(v for v in labels if v is not None))
        target_attribute = Attribute(target, "nominal", known)
        codes = codes_of(labels, known)
    n = len(next(iter(columns.values()))) if columns else len(labels or ())
    made = NO_WEIGHTS if weights is None else np.array(weights, dtype=np.float64)
    return Table(Schema(tuple(attributes), target_attribute), n, labels=codes, weights=made, **blocks)


def codes_of(values: Sequence[Any], levels: Sequence[Any]) -> np.ndarray:
    """Codes of values; missing -1, a value that is no level -2."""
    place = {level: code for code, level in enumerate(levels)}
    return np.array([-1 if v is None else place.get(v, -2) for v in values], dtype=np.int32)


def loan() -> Table:
    """The loan applications, levels in the order of the worked examples."""
    names = ("Age", "Has_Job", "Own_house", "Credit_Rating", "Class")
    levels = {
        "Age": ("young", "middle", "old"),
        "Has_Job": ("false", "true"),
        "Own_house": ("false", "true"),
        "Credit_Rating": ("fair", "good", "excellent"),
    }
    return _written(_LOAN, names, levels, ("No", "Yes"))


def weather() -> Table:
    """The weather problem (Quinlan 1986), every attribute nominal."""
    names = ("outlook", "temperature", "humidity", "windy", "play")
    levels = {
        "outlook": ("sunny", "overcast", "rainy"),
        "temperature": ("hot", "mild", "cool"),
        "humidity": ("high", "normal"),
        "windy": ("TRUE", "FALSE"),
    }
    return _written(_WEATHER, names, levels, ("yes", "no"))


def _written(
    text: str, names: Sequence[str], levels: Mapping[str, Sequence[str]], classes: Sequence[str]
) -> Table:
    rows = [row.split() for row in text.split(",")]
    columns = {name: [row[j] for row in rows] for j, name in enumerate(names[:-1])}
    return table_of(columns, [r[-1] for r in rows], levels=levels, classes=classes, target=names[-1])
