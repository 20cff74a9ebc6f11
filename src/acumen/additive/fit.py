"""From rows to an additive model: slots, strengths, pairs, the fit, and what is kept of it.

Settings   what a fit is asked for
learned    rows, what is to be learned, settings -> Parts of a model
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from acumen.additive.coarse import Coarse, coarse
from acumen.additive.edits import Edit, apply_edits, edits_of
from acumen.additive.interactions import MOST_PAIRS, found_pairs, purified
from acumen.additive.layout import Layout, layout_of
from acumen.additive.newton_state import Place
from acumen.additive.parts import Facts, Parts
from acumen.additive.penalty import Penalty, Rising
from acumen.additive.row_source import SlottedRows
from acumen.additive.strengths import Fitted, by_aic, by_folds, fitted, folds_of, settled, start_of
from acumen.additive.survey import Survey, survey_of
from acumen.additive.target import Target
from acumen.data.schema import Schema
from acumen.engines.blas import blas_threads
from acumen.errors import ParameterError, did_you_mean
from acumen.rows.training_rows import Rows
from acumen.rows.weights import whole_rows
from acumen.types import Floats

Smooth = Literal["aic", "cv"]
#: Slots in all, about: of one line of coefficients, and of each of several; and how many there may be of few rows,
#: which else have no more slots than rows. What is spent on slots grows with their third power.
ROOM: Final = (1_500, 800)
LEAST_ROOM: Final = 500
_FIRST = 3.0  # the strength that choosing starts from
_FAR, _CLOSE = (
    10.0,
    2.0,
)  # how many times larger or smaller a strength may become at once: at first, and near the end


@dataclass(frozen=True, slots=True)
class Settings:
    """As the learners' parameters have them."""

    who: str
    bins: int
    smooth: Smooth | float
    pairs: int | Literal["auto"]
    monotone: Mapping[str, int] | None
    edits: Any = None
    weights: Floats | None = None  # of each attribute, where some count more than others
    text_weights: Floats | None = None  # of the texts among them


def learned(rows: Rows, target: Target, settings: Settings) -> Parts:
    """The parts of a model."""
    survey = survey_of(rows, settings.weights)
    schema, who = survey.schema, settings.who
    signs = monotone_signs(settings.monotone, schema, who)
    edits = edits_of(settings.edits, schema, who)
    room = min(ROOM[target.lines > 1], max(LEAST_ROOM, whole_rows(survey.weight)))
    layout = layout_of(survey, settings.bins, room)
    with blas_threads(1):
        ground = SlottedRows(rows, layout, target, settings.weights)
        held = _signs(layout, signs)
        found = _fit(ground, settings, held, None)
        ground, found = _with_pairs(ground, settings, held, found)
        return _parts(ground, found, edits, survey)


def _fit(ground: SlottedRows, settings: Settings, signs: Mapping[int, int], before: Fitted | None) -> Fitted:
    """Strengths chosen where they are to be, and the fit under them."""
    who, layout = settings.who, ground.layout
    penalty = Penalty.of(layout, ground.weight)
    count = len(penalty.forms)
    start = start_of(ground)
    strengths = np.full(count, _FIRST)
    counting = _counting(layout, settings)
    if before is not None:
        old = len(before.strengths) - len(layout.words)
        strengths[:old] = before.strengths[:old] * counting[:old]
        width = before.found.coefficients.shape[0] - layout.n_words
        start[:width] = before.found.coefficients[:width]
        if layout.n_words:
            words = slice(count - len(layout.words), count)
            strengths[words] = before.strengths[old:] * counting[words]
            start[-layout.n_words :] = before.found.coefficients[width:]
    held = _FAR
    if before is None and isinstance(settings.smooth, str):
        small = coarse(layout, ground.weight)
        if small is not None:
            strengths, start = _first(small, ground, strengths)
            held = _CLOSE
    place, chosen = Place(ground, start), None
    if not isinstance(settings.smooth, str):
        strengths[:] = float(settings.smooth)
    elif count:
        if settings.smooth == "cv":
            chosen = by_folds(place, penalty, strengths, folds_of(ground, who), who, held)
        else:
            chosen = by_aic(place, penalty, strengths, who, held)
        strengths, place = chosen.strengths, chosen.found.place
    return fitted(place, penalty, strengths / counting, Rising.of(layout, signs), who=who, rough=chosen)


def _first(small: Coarse, ground: SlottedRows, strengths: Floats) -> tuple[Floats, Floats]:
    """Strengths and coefficients to start from, found on fewer bins."""
    fewer = ground.relaid(small.layout)
    own = Penalty.of(small.layout, fewer.weight)
    place, found = settled(Place(fewer, start_of(fewer)), own, strengths, _FAR)
    found[: len(small.times)] *= small.times
    return found, small.back(place.coefficients)


def _counting(layout: Layout, settings: Settings) -> Floats:
    """What the strength of each block is divided by: its attribute's weight, of a pair that of both."""
    weights, texts = settings.weights, settings.text_weights
    if weights is None or texts is None:
        return np.ones(len(layout.blocks))
    shapes = [float(weights[shape.attribute]) for shape in layout.shapes]
    pairs = [shapes[cells.first] * shapes[cells.second] for cells in layout.pairs]
    # A text that is ignored has no words, and nothing to be divided.
    return np.array([*shapes, *pairs, *np.where(texts > 0, texts, 1.0)])


def _with_pairs(
    ground: SlottedRows, settings: Settings, signs: Mapping[int, int], found: Fitted
) -> tuple[SlottedRows, Fitted]:
    """The same with pairs, where they are asked for and say something."""
    wanted = settings.pairs
    if wanted == 0:
        return ground, found
    pairs = found_pairs(found.found.place, found.dispersion, wanted)
    # A shape that must rise can be bent by none of its pairs.
    pairs = [p for p in pairs if p.cells.first not in signs and p.cells.second not in signs]
    if not pairs:
        return ground, found
    wider = ground.relaid(ground.layout.with_pairs([p.cells for p in pairs]))
    both = _fit(wider, settings, signs, found)
    if wanted == "auto" and both.aic >= found.aic:
        return ground, found
    return wider, both


def _signs(layout: Layout, signs: Mapping[int, int]) -> dict[int, int]:
    """By shape rather than attribute; a constant attribute has no shape."""
    return {at: signs[s.attribute] for at, s in enumerate(layout.shapes) if s.attribute in signs}


def monotone_signs(given: Mapping[str, int] | None, schema: Schema, who: str) -> dict[int, int]:
    """The attributes (places) whose shapes must rise (+1) or fall (-1)."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"{who}: monotone must be a mapping from attributes to +1 or -1; got {given!r}.")
    made = {}
    for name, sign in given.items():
        if name not in schema.names:
            raise ParameterError(
                f"{who}: monotone names {name!r}, which is no attribute.{did_you_mean(str(name), schema.names)}"
            )
        attribute = schema[name]
        if not (attribute.is_numeric or attribute.ordered):
            raise ParameterError(
                f"{who}: monotone needs numbers or levels in an order, and {name!r} is {attribute.kind} without one."
            )
        if isinstance(sign, bool) or sign not in (1, -1):
            raise ParameterError(f"{who}: monotone must be +1 or -1 for {name!r}; got {sign!r}.")
        made[schema.names.index(name)] = int(sign)
    return made


def _parts(ground: SlottedRows, found: Fitted, edits: tuple[Edit, ...], survey: Survey) -> Parts:
    """What is kept: coefficients about zero, pairs that say nothing of one attribute alone, and standard errors."""
    layout, weight = ground.layout, ground.weight
    coefficients = purified(layout, weight, found.found.coefficients)
    errors = np.empty_like(coefficients)
    shared = (ground.lines - 1) / ground.lines if ground.lines > 1 else 1.0
    for k, covariance in enumerate(found.covariances):
        half = purified(layout, weight, covariance)
        variance = np.diag(purified(layout, weight, np.ascontiguousarray(half.T)))
        errors[:, k] = shared * np.sqrt(np.maximum(variance * found.dispersion, 0.0))
    own = found.found
    facts = Facts(
        loss=own.loss, aic=found.aic, freedom=found.total_freedom, gradient=own.gradient, excess=own.excess,
        steps=own.steps, weight=float(weight[0]), dispersion=found.dispersion,
    )  # fmt: skip
    made = Parts(
        layout, coefficients, errors, weight, found.strengths, found.freedom, _ranges(layout, survey), facts,
        np.zeros(len(found.strengths), dtype=np.uint8),
    )  # fmt: skip
    return apply_edits(made, edits, survey.schema)


def _ranges(layout: Layout, survey: Survey) -> Floats:
    """The least and the largest number of each numeric shape, for drawing; 0 of others."""
    made = np.zeros((len(layout.shapes), 2))
    for at, shape in enumerate(layout.shapes):
        low, high = survey.low[shape.attribute], survey.high[shape.attribute]
        if shape.numeric and low <= high:
            made[at] = low, high
    return made


def most_pairs(wanted: Any, who: str) -> None:
    """Raise ParameterError where more pairs are asked for than there may be."""
    if wanted != "auto" and wanted > MOST_PAIRS:
        raise ParameterError(f"{who}: pairs must be at most {MOST_PAIRS}, or 'auto'; got {wanted}.")
