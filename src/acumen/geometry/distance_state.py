"""Distances by name, and fitted distances and their rows in model files.

resolve            "euclidean", "gower", ... or a Distance or a function -> Distance
to_arrays          a fitted distance as plain arrays
from_arrays        read it back, validating everything
rows_to_arrays     stored raw rows as plain arrays
rows_from_arrays   read them back, validating everything
knows              which rows have any value that a distance uses
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acumen.data.schema import Schema
from acumen.errors import DataError, ModelFileError, ParameterError, did_you_mean
from acumen.geometry.distance import Distance, DistanceLayout, FittedDistance, codes_of, numbers_of
from acumen.geometry.distance_form import DistanceForm
from acumen.geometry.distances import OF_NUMBERS, Euclidean, Function
from acumen.geometry.level_distances import OF_LEVELS, Gower
from acumen.geometry.raw_rows import RawRows
from acumen.preprocessing.packing import pack_json
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes, stored_floats
from acumen.preprocessing.words import Vocabulary
from acumen.types import UNKNOWN, Array, Bools, Floats

#: Every distance that has a word.
KINDS: Final[Mapping[str, type[Distance]]] = {kind.name: kind for kind in (*OF_NUMBERS, *OF_LEVELS)}

_RULES = ("squared", "absolute", "largest", "power")
_ROOTS = ("itself", "square_root", "power_root", "half", "odds")
_SCALINGS = ("none", "deviation", "range")


def resolve(spec: Any, schema: Schema, who: str = "distance") -> Distance:
    """The distance for a learner's parameter; "auto" is Euclidean if all inputs are numeric, otherwise Gower."""
    if isinstance(spec, Distance):
        return spec
    if isinstance(spec, type) and issubclass(spec, Distance):
        raise ParameterError(
            f"{who}: distance must be an object, and {spec.__name__} is a class; give {spec.__name__}()."
        )
    if callable(spec):
        return Function(spec)
    if spec == "auto":
        return Euclidean() if len(schema.numeric) == len(schema) else Gower()
    word = spec.replace("_", "-") if isinstance(spec, str) else spec
    if word not in KINDS:
        raise ParameterError(
            f"{who}: distance must be 'auto', one of {', '.join(map(repr, KINDS))}, a Distance or a function; got "
            f"{spec!r}." + (did_you_mean(word, KINDS) if isinstance(word, str) else "")
        )
    return KINDS[word]()


# -- model files ----------------------------------------------------------------------------------


def to_arrays(made: FittedDistance) -> dict[str, Array]:
    """A fitted distance as plain arrays."""
    form = made.form
    about = {
        "state": made.distance.to_state(), "rule": form.rule, "root": form.root, "power": form.power, "unit": form.unit,
        "share": form.share, "capped": form.capped, "extra": form.extra, "scaling": made.scaling,
        "words": len(made.vocabularies),
    }  # fmt: skip
    arrays: dict[str, Array] = {
        "about": pack_json(about), "factor": form.factor, "weight": form.weight, "differ": form.differ,
        "count": form.count, "places": made.places, "centre": made.centre, "turn": made.turn,
    }  # fmt: skip
    arrays |= {f"tables/{j}": table for j, table in enumerate(form.tables) if table.size}
    for j, vocabulary in enumerate(made.vocabularies):
        arrays |= {f"words/{j}/{name}": array for name, array in vocabulary.to_arrays().items()}
    return arrays


def from_arrays(arrays: Mapping[str, Array], schema: Schema) -> FittedDistance:
    """Read `to_arrays` back, trusting nothing."""
    about = _description(arrays)
    distance = from_state(about.get("state"))
    require(distance.objection(schema) is None, "its distance is not for such a table")
    layout = distance.layout(schema)
    form = _form(about, arrays, distance, layout)
    places = stored_array(arrays, "places", np.int64, (len(layout.numbers),))
    require(((places >= -1) & (places <= 6)).all(), "a number of decimal places is none")
    d = len(layout.numbers) if distance.turns else 0
    wide = len(form.factor) - (distance.turns == "direction")
    vocabularies = _vocabularies(about, arrays, schema, layout)
    require(about.get("scaling") in _SCALINGS, "its numbers are scaled in no known way")
    return FittedDistance(
        distance, schema, layout, form, places, about["scaling"],
        stored_floats(arrays, "centre", (d,)), stored_floats(arrays, "turn", (d, wide if d else 0)), vocabularies,
    )  # fmt: skip


def from_state(state: Any) -> Distance:
    """The distance whose `to_state` this is."""
    require(isinstance(state, dict) and isinstance(state.get("distance"), str), "a stored distance is none")
    name, values = state["distance"], {key: value for key, value in state.items() if key != "distance"}
    require(name in KINDS, f"there is no distance {name[:40]!r}")
    try:
        return KINDS[name](**values)
    except (ParameterError, TypeError, ValueError) as error:
        raise ModelFileError(f"the model file is damaged or forged: {error}") from None


def _description(arrays: Mapping[str, Array]) -> dict[str, Any]:
    raw = stored_array(arrays, "about", np.uint8, (None,))
    try:
        about = json.loads(raw.tobytes().decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ModelFileError("the model file is damaged or forged: its distance is not JSON.") from None
    require(isinstance(about, dict), "its distance is no JSON object")
    description: dict[str, Any] = about
    return description


def _form(
    about: Mapping[str, Any], arrays: Mapping[str, Array], distance: Distance, layout: DistanceLayout
) -> DistanceForm:
    require(about.get("rule") in _RULES and about.get("root") in _ROOTS, "its distance has no known rule")
    for name in ("share", "capped"):
        require(isinstance(about.get(name), bool), f"its {name!r} is neither true nor false")
    for name, low, high in (("power", 1e-3, 100.0), ("unit", 1e-7, 1.0), ("extra", 0.0, 1e100)):
        value = about.get(name)
        require(
            isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high,
            f"its {name!r} is out of range",
        )
    require(bool(about["extra"]) <= (layout.text or not layout.names), "it adds words where there are none")
    factor = stored_floats(arrays, "factor", (None,), low=0.0, high=1e308)
    if not distance.turns:
        require(len(factor) == len(layout.numbers), "it has factors for other columns")
    weight = stored_floats(arrays, "weight", (len(factor),), low=0.0, high=1e300)
    q = len(layout.levels)
    differ = stored_array(arrays, "differ", np.float64, (q,))
    require(np.all(np.isnan(differ) | ((differ >= 0) & (differ <= 1e300))), "a level adds less than nothing")
    tables = []
    for j, (*_, size) in enumerate(layout.levels):
        if not np.isnan(differ[j]):
            tables.append(np.empty((0, 0)))
            continue
        table = stored_array(arrays, f"tables/{j}", np.float64, (size + 1, size + 1))
        require(not np.isinf(table).any(), "a table of levels holds infinity")
        tables.append(table)
    return DistanceForm(
        rule=about["rule"],
        root=about["root"],
        factor=factor,
        weight=weight,
        differ=differ,
        count=stored_floats(arrays, "count", (q,), low=0.0, high=1e300),
        tables=tuple(tables),
        levels=tuple(size for *_, size in layout.levels),
        power=float(about["power"]),
        unit=float(about["unit"]),
        share=about["share"],
        capped=about["capped"],
        extra=float(about["extra"]),
    )


def _vocabularies(
    about: Mapping[str, Any], arrays: Mapping[str, Array], schema: Schema, layout: DistanceLayout
) -> tuple[Vocabulary, ...]:
    count = len(schema.text) if layout.text else 0
    require(about.get("words") == count, "it has words of other texts")
    vocabularies = []
    for j in range(count):
        start = f"words/{j}/"
        vocabulary_arrays = {
            name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)
        }
        vocabularies.append(Vocabulary.from_arrays(vocabulary_arrays))
        require(vocabularies[-1].attribute == schema.text[j].name, "it has words of another text")
    return tuple(vocabularies)


def require_distance(distance: Any, schema: Schema, who: str) -> Distance:
    """The distance meant, unless it objects to the table."""
    resolved = resolve(distance, schema, who)
    sentence = resolved.objection(schema)
    if sentence is not None:
        raise DataError(f"{who}: {sentence}")
    return resolved


def rows_to_arrays(raw: RawRows) -> dict[str, Array]:
    """Rows as plain arrays."""
    arrays: dict[str, Array] = {"numbers": raw.numbers, "codes": raw.codes}
    for j, (counts, known) in enumerate(zip(raw.words, raw.text_known, strict=True)):
        arrays |= {
            f"text/{j}/counts": np.asarray(counts.data, dtype=np.float64),
            f"text/{j}/columns": counts.indices.astype(np.int32),
            f"text/{j}/ends": counts.indptr.astype(np.int64),
            f"text/{j}/told": known.astype(np.uint8),
        }
    return arrays


def rows_from_arrays(arrays: Mapping[str, Array], schema: Schema, fitted: FittedDistance, n: int) -> RawRows:
    """Read `rows_to_arrays` back, trusting nothing: n rows of such a table."""
    numbers: Floats = stored_array(arrays, "numbers", np.float64, (n, len(schema.numeric)))
    require(not np.isinf(numbers).any(), "the array 'numbers' holds infinity")
    codes = stored_codes(arrays, "codes", (n, len(schema.nominal)), low=UNKNOWN, below=2**31 - 1)
    sizes = np.array([len(a.levels) for a in schema.nominal], dtype=np.int64)
    require(np.all(codes < sizes), "the array 'codes' names no level")
    words, known = _texts(arrays, fitted, n)
    return RawRows(numbers, codes, words, known)


def _texts(
    arrays: Mapping[str, Array], fitted: FittedDistance, n: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    from scipy.sparse import csr_matrix

    words, known = [], []
    for j, vocabulary in enumerate(fitted.vocabularies):
        counts = stored_floats(arrays, f"text/{j}/counts", (None,), low=0.0, high=1e15)
        columns = stored_codes(
            arrays, f"text/{j}/columns", (len(counts),), low=0, below=max(len(vocabulary), 1)
        )
        ends = stored_array(arrays, f"text/{j}/ends", np.int64, (n + 1,))
        require(
            ends[0] == 0 and ends[-1] == len(counts) and np.all(np.diff(ends) >= 0), "rows of words overlap"
        )
        there = stored_array(arrays, f"text/{j}/told", np.uint8, (n,))
        require(np.all(there <= 1), "a flag is neither 0 nor 1")
        words.append(csr_matrix((counts, columns, ends), shape=(n, len(vocabulary))))
        known.append(there.astype(np.bool_))
    return tuple(words), tuple(known)


def knows(fitted: FittedDistance, raw: RawRows) -> Bools:
    """Which rows know anything that the distance looks at; of a function, anything at all."""
    layout, has_value = fitted.layout, np.zeros(len(raw), dtype=np.bool_)
    if not layout.numbers and not layout.levels and not layout.text:
        return np.asarray((~np.isnan(raw.numbers)).any(axis=1) | (raw.codes >= 0).any(axis=1))
    has_value |= (~np.isnan(numbers_of(layout, raw))).any(axis=1)
    has_value |= (codes_of(layout, raw) >= 0).any(axis=1)
    for text_known in raw.text_known if layout.text else ():
        has_value |= text_known
    return has_value
