"""From rows to an additive model: slots, strengths, pairs, the fit, and what is kept of it.

AdditiveSettings   the options of a fit
fit_parts          rows, task, settings -> parts of a model

A first answer on fewer bins: near enough in strengths and shapes that few steps on all bins are left.

    Coarse    a layout of groups of neighbouring bins, and the way back
    coarsen   the groups of a layout with many bins; None if there is little to gain

The cost of choosing strengths grows with the cube of all slots. Of a smooth shape with m times as many bins each
difference is an m-th, and their squares sum to an m-th: its strength is m times that of the groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from acumen.additive.edits import ShapeEdit, apply_edits, edits_of
from acumen.additive.interactions import MOST_PAIRS, find_pairs, purify
from acumen.additive.layout import Shape, SlotLayout, layout_of
from acumen.additive.losses import Target
from acumen.additive.newton import NewtonPoint
from acumen.additive.parts import AdditiveParts, FitFacts
from acumen.additive.penalty import Penalty, Rising
from acumen.additive.row_source import SlottedRows
from acumen.additive.strengths import (
    SmoothedFit,
    by_aic,
    by_folds,
    fit_with,
    folds_of,
    settle_strengths,
    start_of,
)
from acumen.additive.survey import Survey, survey_of
from acumen.data.schema import Schema
from acumen.engines.cores import blas_threads
from acumen.errors import ParameterError, did_you_mean
from acumen.rows.training_rows import Rows
from acumen.rows.weights import whole_rows
from acumen.types import Array, Floats, Indices

#: Groups that a shape has at most, and slots in all below which nothing is grouped.
_GROUPS, _FEW = 24, 300


@dataclass(frozen=True, slots=True, eq=False)
class Coarse:
    """Groups of the slots of a layout."""

    layout: SlotLayout
    into: Indices  # of each coefficient the one of its group
    times: Floats  # of each shape: bins a group

    def back(self, coefficients: Floats) -> Floats:
        """What groups say, for each of their bins."""
        return np.ascontiguousarray(coefficients[self.into])


def coarsen(layout: SlotLayout, weight: Floats) -> Coarse | None:
    """Group the bins of shapes with many bins, about the same number of rows in each; there must be no pairs."""
    if layout.width < _FEW or layout.pairs:
        return None
    shapes, groups = [], []
    for shape, block in zip(layout.shapes, layout.blocks, strict=False):
        fewer, group = _group_slots(shape, weight[block])
        shapes.append(fewer)
        groups.append(group)
    small = replace(layout, shapes=tuple(shapes))
    if small.width > 3 * layout.width // 5:
        return None
    words: Array = np.arange(small.offset[-1], small.width)
    into = np.concatenate([[0], *(g + at for g, at in zip(groups, small.offset, strict=False)), words])
    times = np.array([a.n_values / b.n_values for a, b in zip(layout.shapes, shapes, strict=True)])
    return Coarse(small, into.astype(np.int64), times)


def _group_slots(shape: Shape, weight: Floats) -> tuple[Shape, Array]:
    """The shape with fewer bins, and the group of each slot."""
    known = shape.n_values
    if not shape.numeric or known <= _GROUPS:
        return shape, np.arange(shape.slots, dtype=np.uint16)
    reach = np.cumsum(weight[:known])
    middle = (reach - weight[:known] / 2) / max(float(reach[-1]), 1e-300)
    group = np.minimum((middle * _GROUPS).astype(np.int64), _GROUPS - 1)
    changes = np.flatnonzero(np.diff(group))
    slot_groups = np.zeros(shape.slots, dtype=np.uint16)
    slot_groups[1:known] = np.cumsum(np.diff(group) > 0)
    slot_groups[known:] = len(changes) + 1
    return replace(shape, cuts=shape.cuts[changes]), slot_groups


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
class AdditiveSettings:
    """As the learners' parameters have them."""

    who: str
    bins: int
    smooth: Smooth | float
    pairs: int | Literal["auto"]
    monotone: Mapping[str, int] | None
    edits: Any = None
    weights: Floats | None = None  # of each attribute, where some count more than others
    text_weights: Floats | None = None  # of the texts among them


def fit_parts(rows: Rows, target: Target, settings: AdditiveSettings) -> AdditiveParts:
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
        fit = _fit(ground, settings, held, None)
        ground, fit = _add_pairs(ground, settings, held, fit)
        return _parts(ground, fit, edits, survey)


def _fit(
    ground: SlottedRows, settings: AdditiveSettings, signs: Mapping[int, int], before: SmoothedFit | None
) -> SmoothedFit:
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
        small = coarsen(layout, ground.weight)
        if small is not None:
            strengths, start = _first(small, ground, strengths)
            held = _CLOSE
    place, chosen = NewtonPoint(ground, start), None
    if not isinstance(settings.smooth, str):
        strengths[:] = float(settings.smooth)
    elif count:
        if settings.smooth == "cv":
            chosen = by_folds(place, penalty, strengths, folds_of(ground, who), who, held)
        else:
            chosen = by_aic(place, penalty, strengths, who, held)
        strengths, place = chosen.strengths, chosen.found.place
    return fit_with(place, penalty, strengths / counting, Rising.of(layout, signs), who=who, rough=chosen)


def _first(small: Coarse, ground: SlottedRows, strengths: Floats) -> tuple[Floats, Floats]:
    """Strengths and coefficients to start from, found on fewer bins."""
    fewer = ground.with_layout(small.layout)
    penalty = Penalty.of(small.layout, fewer.weight)
    place, strengths_found = settle_strengths(NewtonPoint(fewer, start_of(fewer)), penalty, strengths, _FAR)
    strengths_found[: len(small.times)] *= small.times
    return strengths_found, small.back(place.coefficients)


def _counting(layout: SlotLayout, settings: AdditiveSettings) -> Floats:
    """What the strength of each block is divided by: its attribute's weight, of a pair that of both."""
    weights, texts = settings.weights, settings.text_weights
    if weights is None or texts is None:
        return np.ones(len(layout.blocks))
    shapes = [float(weights[shape.attribute]) for shape in layout.shapes]
    pairs = [shapes[cells.first] * shapes[cells.second] for cells in layout.pairs]
    # A text that is ignored has no words, and nothing to be divided.
    return np.array([*shapes, *pairs, *np.where(texts > 0, texts, 1.0)])


def _add_pairs(
    ground: SlottedRows, settings: AdditiveSettings, signs: Mapping[int, int], plain_fit: SmoothedFit
) -> tuple[SlottedRows, SmoothedFit]:
    """The same with pairs, where they are asked for and say something."""
    wanted = settings.pairs
    if wanted == 0:
        return ground, plain_fit
    pairs = find_pairs(plain_fit.found.place, plain_fit.dispersion, wanted)
    # A shape that must rise can be bent by none of its pairs.
    pairs = [p for p in pairs if p.cells.first not in signs and p.cells.second not in signs]
    if not pairs:
        return ground, plain_fit
    wider = ground.with_layout(ground.layout.with_pairs([p.cells for p in pairs]))
    both = _fit(wider, settings, signs, plain_fit)
    if wanted == "auto" and both.aic >= plain_fit.aic:
        return ground, plain_fit
    return wider, both


def _signs(layout: SlotLayout, signs: Mapping[int, int]) -> dict[int, int]:
    """By shape rather than attribute; a constant attribute has no shape."""
    return {at: signs[s.attribute] for at, s in enumerate(layout.shapes) if s.attribute in signs}


def monotone_signs(monotone: Mapping[str, int] | None, schema: Schema, who: str) -> dict[int, int]:
    """The attributes (places) whose shapes must rise (+1) or fall (-1)."""
    if monotone is None:
        return {}
    if not isinstance(monotone, Mapping):
        raise ParameterError(
            f"{who}: monotone must be a mapping from attributes to +1 or -1; got {monotone!r}."
        )
    signs = {}
    for name, sign in monotone.items():
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
        signs[schema.names.index(name)] = int(sign)
    return signs


def _parts(
    ground: SlottedRows, fit: SmoothedFit, edits: tuple[ShapeEdit, ...], survey: Survey
) -> AdditiveParts:
    """What is kept: coefficients about zero, pairs that say nothing of one attribute alone, and standard errors."""
    layout, weight = ground.layout, ground.weight
    coefficients = purify(layout, weight, fit.found.coefficients)
    errors = np.empty_like(coefficients)
    shared = (ground.lines - 1) / ground.lines if ground.lines > 1 else 1.0
    for k, covariance in enumerate(fit.covariances):
        half = purify(layout, weight, covariance)
        variance = np.diag(purify(layout, weight, np.ascontiguousarray(half.T)))
        errors[:, k] = shared * np.sqrt(np.maximum(variance * fit.dispersion, 0.0))
    minimum = fit.found
    facts = FitFacts(
        loss=minimum.loss, aic=fit.aic, freedom=fit.total_freedom, gradient=minimum.gradient, excess=minimum.excess,
        steps=minimum.steps, weight=float(weight[0]), dispersion=fit.dispersion,
    )  # fmt: skip
    parts = AdditiveParts(
        layout, coefficients, errors, weight, fit.strengths, fit.freedom, _ranges(layout, survey), facts,
        np.zeros(len(fit.strengths), dtype=np.uint8),
    )  # fmt: skip
    return apply_edits(parts, edits, survey.schema)


def _ranges(layout: SlotLayout, survey: Survey) -> Floats:
    """The least and the largest number of each numeric shape, for drawing; 0 of others."""
    ranges = np.zeros((len(layout.shapes), 2))
    for at, shape in enumerate(layout.shapes):
        low, high = survey.low[shape.attribute], survey.high[shape.attribute]
        if shape.numeric and low <= high:
            ranges[at] = low, high
    return ranges


def check_pairs(wanted: Any, who: str) -> None:
    """Raise ParameterError where more pairs are asked for than there may be."""
    if wanted != "auto" and wanted > MOST_PAIRS:
        raise ParameterError(f"{who}: pairs must be at most {MOST_PAIRS}, or 'auto'; got {wanted}.")
