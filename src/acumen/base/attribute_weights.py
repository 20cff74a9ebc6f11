"""What a person says of attributes: to be used, to be ignored, or how much each is to count.

    AttributeWeights     the parameter `attribute_weights` of those learners that honour it
    weights_of           such a parameter, under a schema -> one number an attribute; None where all count alike
    without_ignored      a table in which the attributes that count nothing are missing
    places_of_feedback   where a learner, or one within it, takes such weights

A weight multiplies what an attribute has to say: its log-probabilities (naive Bayes), the gain of its tests (trees,
RIPPER), what it adds to a distance (neighbours); the smoothing of its shape is divided by it (additive models). 0 is an
attribute that is not there, 1 one of which nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ParameterError, did_you_mean
from acumen.types import MISSING, Floats

if TYPE_CHECKING:
    from acumen.base.learner import Learner

#: What the words mean: an attribute to be used counts twice as much as one of which nothing is said.
WORDS: Final[Mapping[str, float]] = {"use": 2.0, "ignore": 0.0}
#: Beyond this a weight leaves the others no say that a double could hold.
MOST: Final = 1e6
PARAMETER: Final = "attribute_weights"

#: The type of the parameter.
AttributeWeights: TypeAlias = Mapping[str, Any] | None


def weight_of(what: Any, attribute: str, who: str) -> float:
    """The number that a word or number means; ParameterError for anything else."""
    if isinstance(what, str) and what in WORDS:
        return WORDS[what]
    number = isinstance(what, int | float | np.integer | np.floating) and not isinstance(what, bool)
    if not number or not (what == 0 or 1 / MOST <= what <= MOST):
        near = did_you_mean(what, WORDS) if isinstance(what, str) else ""
        raise ParameterError(
            f"{who}: the weight of {attribute!r} must be 'use', 'ignore', 0 or a number from {1 / MOST:g} to "
            f"{MOST:g}; got {what!r}.{near}"
        )
    return float(what)


def weights_of(given: AttributeWeights, schema: Schema, who: str) -> Floats | None:
    """The weight of each attribute in the schema's order; None where each is 1."""
    if not given:
        return None
    names = schema.names
    weights = np.ones(len(names))
    for name, what in given.items():
        if name not in names:
            raise ParameterError(
                f"{who}: {PARAMETER} names {name!r}, which is no attribute of the table."
                f"{did_you_mean(str(name), names)}"
            )
        weights[names.index(name)] = weight_of(what, name, who)
    if len(names) and not weights.any():
        raise ParameterError(f"{who}: {PARAMETER} ignores every attribute; leave at least one to learn from.")
    return None if (weights == 1.0).all() else weights


def by_kind(weights: Floats, schema: Schema) -> tuple[Floats, Floats, Floats]:
    """The weights of the numeric, the nominal and the text attributes."""
    place = {attribute.name: weight for attribute, weight in zip(schema.attributes, weights, strict=True)}
    kinds = (schema.numeric, schema.nominal, schema.text)
    numeric, nominal, text = (np.array([place[a.name] for a in kind], dtype=np.float64) for kind in kinds)
    return numeric, nominal, text


def without_ignored(table: Table, weights: Floats | None) -> Table:
    """The same rows with every value of an attribute of weight 0 missing, so that nothing can be learned from it."""
    if weights is None or weights.all():
        return table
    numeric, nominal, text = by_kind(weights, table.schema)
    nothing = np.full(len(table), np.nan)
    numbers = [
        values if weight else nothing
        for (_, values), weight in zip(table.numeric_columns(), numeric, strict=True)
    ]
    codes = [
        column if weight else np.full(len(table), MISSING, dtype=np.int32)
        for (_, column), weight in zip(table.nominal_columns(), nominal, strict=True)
    ]
    texts = [
        column if weight else np.full(len(table), None, dtype=object)
        for column, weight in zip(table.text, text, strict=True)
    ]
    return table.replace(numeric=numbers, nominal=codes, text=texts, sparse=None)


def said_of_weights(weights: Floats, schema: Schema) -> str:
    """The weights other than 1 on one line."""
    texts = [f"{name} {w:g}" for name, w in zip(schema.names, weights.tolist(), strict=True) if w != 1.0]
    return f"attributes weighed by a person: {', '.join(texts)}"


def places_of_feedback(learner: Learner) -> list[str]:
    """The names of the parameters, of the learner and those within it, that take such weights; none if there are."""
    return [
        name for name in learner.get_params(deep=True) if name == PARAMETER or name.endswith(f"__{PARAMETER}")
    ]
