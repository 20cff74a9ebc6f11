"""Odds ratios of a logistic regression: what a person may quote of it.

    odds_ratios    a model -> OddsRatios: for each attribute by what its odds are multiplied, with an interval
    OddsRatio      one line: of which class against which, of which level against which, per how many units

A number's ratio is per unit of its own (or as many as `per` says), a date's per day, an ordinal attribute's per
level; a level's is against the reference level of its attribute, which may be any. Intervals are Wald's: the
coefficient plus and minus so many standard errors, on the scale of logarithms. A contrast of levels or of classes has
its error from the covariance of both. Under an l2 penalty ratios are drawn towards 1 and so are their intervals,
which is said; l1 leaves no interval that could be believed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen import messages
from acumen.data.escape import printable, printable_lines
from acumen.data.schema import Attribute, Schema
from acumen.errors import DataError, ParameterError, did_you_mean
from acumen.render.forest_plot import ForestFigure, ForestRow, ratio_said
from acumen.render.text import Heading, number, table
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.linear.logistic import LogisticModel

WHO = "odds_ratios"
#: Of so many coefficients, all lines together, a model keeps how they vary together.
MOST_TOGETHER = 600
_NOTES = {
    0: "Wald intervals, from the observed information.",
    1: "The l2 penalty has drawn these ratios and their intervals (Wald's, from the penalised information) towards 1: "
    "they are no confidence intervals. For those fit with {penalty=None}.",
    2: "The l1 penalty chose the columns and drew the ratios towards 1, which no interval allows for. For intervals "
    "fit with {penalty=None}.",
}
_NO_ERRORS = "There are no intervals: standard errors were not computed; fit with {standard_errors=True}."
_APART = (
    "How coefficients vary together was not kept (there are too many, or the model is older), so levels and several "
    "classes have no interval."
)


@dataclass(frozen=True, slots=True)
class OddsRatio:
    """By what the odds of `outcome` against `against` are multiplied.

    Of a level: if an attribute has `value` rather than `reference`. Of a number: if it is larger by `per`. `low` and
    `high` are NaN where there is no interval; the reference level's own line has a ratio of 1 and none.
    """

    outcome: Label
    against: Label
    attribute: str
    value: Label | None
    reference: Label | None
    per: float | None
    unit: str
    ratio: float
    low: float
    high: float
    coefficient: float
    error: float

    @property
    def is_reference(self) -> bool:
        """Whether it is the level that others are compared with."""
        return self.value is not None and self.value == self.reference

    @property
    def text(self) -> str:
        """`plan = gold`, `age`, `age, per 10`."""
        if self.value is not None:
            return f"{self.attribute} = {_word(self.value)}"
        if self.per == 1 and not self.unit:
            return self.attribute
        return f"{self.attribute}, per {number(self.per)}{f' {self.unit}' if self.unit else ''}"

    def in_words(self) -> tuple[str, str]:
        """The ratio and its interval in words: `0.634`, `0.301 to 1.34`."""
        if self.is_reference:
            return "1", "reference"
        interval = "–" if math.isnan(self.low) else f"{ratio_said(self.low)} to {ratio_said(self.high)}"
        return ratio_said(self.ratio), interval

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form; NaN and infinity are None."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in fields.items()}


@dataclass(frozen=True, slots=True)
class OddsRatios(Sequence[OddsRatio]):
    """The odds ratios of a model, in the order of its attributes; `level` is the coverage of the intervals."""

    rows: tuple[OddsRatio, ...]
    level: float
    target: str
    note: str

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def of(self, attribute: str, value: Label | None = None, outcome: Label | None = None) -> OddsRatio:
        """The one of an attribute, of a level of it, of a class."""
        for row in self.rows:
            if row.attribute == attribute and row.value == value and outcome in (None, row.outcome):
                return row
        raise DataError(f"{WHO}: there is no ratio of {attribute!r}{'' if value is None else f' = {value}'}.")

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready form."""
        rows = [row.to_dict() for row in self.rows]
        return {
            "schema_version": 1,
            "target": self.target,
            "level": self.level,
            "note": self.note,
            "rows": rows,
        }

    def figure(self, title: str = "") -> ForestFigure:
        """A forest plot: a point and its interval a line, on a logarithmic axis with 1 marked."""
        several = len({row.outcome for row in self.rows}) > 1
        rows = [
            ForestRow(
                row.text, row.ratio, row.low, row.high, reference=row.is_reference,
                group=f"{self.target} = {_word(row.outcome)}" if several else "",
            )
            for row in self.rows
        ]  # fmt: skip
        heading = title or f"Odds ratios for {self._odds()}"
        return ForestFigure(tuple(rows), heading, f"odds ratio ({100 * self.level:g} % interval)", self.note)

    def _repr_svg_(self) -> str:
        return self.figure()._repr_svg_()

    def _odds(self) -> str:
        outcomes = dict.fromkeys(row.outcome for row in self.rows)
        if len(outcomes) != 1:
            against = f" against {self.rows[0].against}" if self.rows else ""
            return f"{self.target}{against}"
        return f"{self.target} = {_word(next(iter(outcomes)))} against {_word(self.rows[0].against)}"

    def __str__(self) -> str:
        head = printable(f"Odds ratios for {self._odds()}")
        lines = [head, self.note]
        headings = [Heading("", least=16), Heading("odds ratio", "right"),
                    Heading(f"{100 * self.level:g} % interval", "right")]  # fmt: skip
        outcomes = list(dict.fromkeys(row.outcome for row in self.rows))
        for outcome in outcomes:
            if len(outcomes) > 1:
                lines.append(
                    printable(f"{self.target} = {_word(outcome)} against {_word(self.rows[0].against)}")
                )
            outcome_rows = [row for row in self.rows if row.outcome == outcome]
            cells = [[printable(row.text), *row.in_words()] for row in outcome_rows]
            lines += table(headings, cells, 100)
        return printable_lines("\n".join(lines))


def odds_ratios(
    model: LogisticModel,
    schema: Schema,
    *,
    reference_levels: Mapping[str, Label] | None = None,
    level: float = 0.95,
    reference_class: Label | None = None,
    units: Mapping[str, float] | None = None,
) -> OddsRatios:
    """The odds ratios of all attributes but texts, in the units and against the levels asked for."""
    if not 0.0 < level < 1.0:
        raise ParameterError(f"{WHO}: level must lie between 0 and 1; got {level!r}.")
    reference_levels, units = dict(reference_levels or {}), dict(units or {})
    inputs = schema.without_target()
    for name in (*reference_levels, *units):
        if name not in inputs.names:
            raise ParameterError(f"{WHO}: there is no attribute {name!r}.{did_you_mean(name, inputs.names)}")
    if not model.lines:
        raise DataError(f"{WHO}: only one class has training rows, so there are no odds.")
    seen = [schema.classes[place] for place in model.places.tolist()]
    base = _base(reference_class, seen)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    rows: list[OddsRatio] = []
    for at, outcome in enumerate(seen):
        if at == base:
            continue
        reading = _Reading(model, at, base)
        for attribute, columns in _columns(model, inputs):
            for wanted in _requested_ratios(model, attribute, columns, reference_levels, units):
                value, beside, size, unit, weights = wanted
                mean, error = reading.of(weights)
                known = error > 0 and model.penalty != 2
                low, high = (mean - z * error, mean + z * error) if known else (math.nan, math.nan)
                rows.append(
                    OddsRatio(
                        outcome=outcome,
                        against=seen[base],
                        attribute=attribute.name,
                        value=value,
                        reference=beside,
                        per=size,
                        unit=unit,
                        ratio=_exp(mean),
                        low=_exp(low),
                        high=_exp(high),
                        coefficient=mean,
                        error=error if known else math.nan,
                    )
                )
    target = schema.target.name if schema.target else "class"
    return OddsRatios(tuple(rows), level, target, _note(model, inputs))


def _note(model: LogisticModel, inputs: Schema) -> str:
    sentences = [messages.fill_template(_NOTES[model.penalty])]
    if not len(model.covariance) and model.penalty != 2:
        sentences = [*sentences, _APART] if len(model.errors) else [messages.fill_template(_NO_ERRORS)]
    if inputs.text:
        sentences.append("Words of texts are left out.")
    return " ".join(sentences)


def _base(against: Label | None, seen: Sequence[Label]) -> int:
    if against is None:
        return 0
    if against in seen:
        return list(seen).index(against)
    spelt = [str(label) for label in seen]
    if str(against) in spelt:
        return spelt.index(str(against))
    raise ParameterError(
        f"{WHO}: reference_class must be a class with training rows ({', '.join(spelt)}); got {against!r}."
        f"{did_you_mean(str(against), spelt)}"
    )


def _columns(model: LogisticModel, inputs: Schema) -> Iterator[tuple[Attribute, list[int]]]:
    starts = model.coding.starts(inputs).tolist()
    for i, attribute in enumerate(inputs):
        if attribute.kind != "text":
            yield attribute, list(range(starts[i], starts[i + 1]))


def _requested_ratios(
    model: LogisticModel,
    attribute: Attribute,
    columns: list[int],
    reference: Mapping[str, Label],
    per: Mapping[str, float],
) -> Iterator[tuple[Label | None, Label | None, float | None, str, dict[int, float]]]:
    """Each ratio of an attribute: value and reference, or the number of units; and the weights of its columns."""
    name = attribute.name
    if attribute.kind != "nominal":
        if name in reference:
            raise ParameterError(
                f"{WHO}: {name!r} is {attribute.kind}, so its ratio is per step and has no reference level."
            )
        size = float(per.get(name, 1.0))
        if not (math.isfinite(size) and size):
            raise ParameterError(f"{WHO}: per must be a number other than 0; got {size!r} for {name!r}.")
        unit = "level" if attribute.ordered else _unit(attribute)
        yield None, None, size, unit if size == 1 or not unit else f"{unit}s", {columns[0]: size}
        return
    if name in per:
        raise ParameterError(f"{WHO}: {name!r} is nominal and has no unit; choose its reference level.")
    # A level without training rows has nothing that could be compared.
    met = [(level, j) for level, j in zip(attribute.levels, columns, strict=True) if model.coding.fill[j] > 0]
    if not met:
        return
    beside, at = _reference(name, reference.get(name), met)
    for level, j in met:
        yield level, beside, None, "", {} if j == at else {j: 1.0, at: -1.0}


def _reference(name: str, asked: Label | None, met: list[tuple[Label, int]]) -> tuple[Label, int]:
    if asked is None:
        return met[0]
    for level, j in met:
        if level == asked or _word(level) == str(asked):
            return level, j
    known = [_word(level) for level, _ in met]
    raise ParameterError(
        f"{WHO}: the reference of {name!r} must be one of its levels with training rows ({', '.join(known[:12])}"
        f"{', ...' if len(known) > 12 else ''}); got {asked!r}.{did_you_mean(str(asked), known)}"
    )


def _unit(attribute: Attribute) -> str:
    return "day" if attribute.is_moment else ""


def _word(level: Label) -> str:
    return str(level).lower() if isinstance(level, bool) else str(level)


def _exp(log: float) -> float:
    return math.inf if log > 709 else math.exp(log)  # NaN stays what it is


class _Reading:
    """The difference of two classes' lines in some columns, with its standard error."""

    def __init__(self, model: LogisticModel, outcome: int, base: int) -> None:
        self._model = model
        if model.lines == 1:  # the log-odds of the second against the first
            self._sides = {0: 1.0 if outcome == 1 else -1.0}
        else:
            self._sides = {outcome: 1.0, base: -1.0}

    def of(self, weights: Mapping[int, float]) -> tuple[float, float]:
        """Mean and error of a weighted sum of columns; the error is NaN where it is not known."""
        model, width = self._model, self._model.coefficients.shape[1]
        parts = [(line, j, side * w) for line, side in self._sides.items() for j, w in weights.items()]
        mean = sum(model.coefficients[line, j] * w for line, j, w in parts)
        if not parts:
            return 0.0, math.nan
        if len(model.covariance):
            at = np.array([line * width + j for line, j, _ in parts])
            by = np.array([w for *_, w in parts])
            return float(mean), math.sqrt(max(float(by @ model.covariance[np.ix_(at, at)] @ by), 0.0))
        if len(parts) == 1 and len(model.errors):
            line, j, w = parts[0]
            return float(mean), abs(w) * float(model.errors[line, j])
        return float(mean), math.nan


def joint_covariance(covariance: Floats, factor: Floats, lines: int) -> Floats:
    """How the coefficients of all lines vary together, in the columns' own units and without intercepts; or nothing."""
    width = len(factor)
    if not 0 < lines * width <= MOST_TOGETHER:
        return np.empty((0, 0))
    at = np.concatenate([np.arange(width) + line * (width + 1) for line in range(lines)])
    scale = np.tile(factor, lines)
    joint: Floats = covariance[np.ix_(at, at)] * np.outer(scale, scale)
    return (joint + joint.T) / 2
