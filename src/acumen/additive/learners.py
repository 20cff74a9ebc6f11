"""Additive model learners: parameters, documentation, inspecting and editing."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.additive.edits import apply_edits, edits_of, is_date
from acumen.additive.fit import AdditiveSettings, Smooth, check_pairs, fit_parts, monotone_signs
from acumen.additive.layout import SlotLayout
from acumen.additive.losses import Squares, Target
from acumen.additive.model import AdditiveModel, AdditiveRegressionModel
from acumen.additive.parts import AdditiveParts, FitFacts, scores_left_out
from acumen.base.attribute_weights import AttributeWeights, by_kind, weights_of
from acumen.base.classifier import Classifier
from acumen.base.learner import Learner
from acumen.base.regressor import Regressor
from acumen.data.align import align
from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Described, MoreThan, Priors
from acumen.preprocessing.words import Vocabulary
from acumen.rows.training_rows import Rows, TableRows
from acumen.types import Floats

Bins = Annotated[int, Between(2, 4096)]
Smoothing = Smooth | Annotated[float, MoreThan(0)]
Pairs = Annotated[int, AtLeast(0)] | Literal["auto"]
Monotone = Annotated[Any, Described("a mapping from attributes to +1 (rising) or -1 (falling), or None")]
Edits = Annotated[Any, Described("a mapping from attributes to 'drop', (low, high) or levels, or None")]
#: More attributes than these have no room for slots.
MOST_ATTRIBUTES = 1_000


class AdditiveFace(Learner):
    """What both learners share: objections, inspection, editing."""

    bins: Any
    smoothing: Any
    pairs: Any
    monotone: Any
    edits: Any
    attribute_weights: Any

    def check_parameters(self) -> None:
        super().check_parameters()
        check_pairs(self.pairs, self._name)

    def objection(self, schema: Schema) -> str | None:
        """Refuse tables with too many attributes."""
        if len(schema) > MOST_ATTRIBUTES:
            return (
                f"it has a shape for each attribute, {MOST_ATTRIBUTES:,} at most, and there are "
                f"{len(schema):,}. Leave some out, or use Logistic."
            )
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        """Estimate the memory of a fit: codes, a few numbers per row and class, and square matrices over bins."""
        slots = min(sum(self._slots(a) for a in schema.attributes), 3_000)
        return int(rows * (2 * len(schema) + 64 * max(schema.n_classes, 1)) + 8 * 6 * slots * slots)

    def _slots(self, attribute: Any) -> int:
        if attribute.is_numeric:
            return int(self.bins) + 1
        return 500 if attribute.kind == "text" else len(attribute.levels) + 2

    @property
    def constant_sensitive(self) -> bool:
        return False

    @property
    def folds_by_content(self) -> bool:
        """Whether rows are assigned to folds by content: the smoothing is chosen by folds."""
        return bool(self.smoothing == "cv")

    @property
    def streams(self) -> bool:
        return bool(self.smoothing != "cv")

    def _settings(self, schema: Schema) -> AdditiveSettings:
        smooth: Any = self.smoothing if isinstance(self.smoothing, str) else float(self.smoothing)
        pairs: Any = self.pairs if isinstance(self.pairs, str) else int(self.pairs)
        weights = weights_of(self.attribute_weights, schema, self._name)
        texts = None if weights is None else by_kind(weights, schema)[2]
        return AdditiveSettings(
            self._name, int(self.bins), smooth, pairs, self.monotone, self.edits, weights, texts
        )

    # -- reading ----------------------------------------------------------------------------------

    @property
    def _parts(self) -> AdditiveParts:
        parts: AdditiveParts = self._require_fitted().model.parts
        return parts

    @property
    def certificate_(self) -> dict[str, float]:
        """Certificate that the fit is the optimum: gradient norm and duality gap.

        `gradient` is the largest entry of the gradient of mean loss and penalty (for a monotone shape, of the steps
        not held at 0). `excess` is half the squared Newton decrement: to second order, how far loss and penalty are
        above their minimum. `steps` is the number of Newton steps.
        """
        facts = self._parts.facts
        return {"gradient": facts.gradient, "excess": facts.excess, "steps": facts.steps}

    @property
    def smoothing_(self) -> dict[str, float]:
        """How strongly each shape, pair and text was smoothed."""
        return self._by_block(self._parts.strengths)

    @property
    def freedom_(self) -> dict[str, float]:
        """The degrees of freedom that each shape, pair and text spent."""
        return self._by_block(self._parts.freedom)

    @property
    def spread_(self) -> dict[str, float]:
        """Importance of each shape, pair and text: the root mean square of its contributions to the training rows,
        largest first.
        """
        spread = self._by_block(self._parts.spread())
        return dict(sorted(spread.items(), key=lambda each: -each[1]))

    def _by_block(self, values: Floats) -> dict[str, float]:
        schema = self._require_fitted().schema
        return {self._parts.name(at, schema): float(v) for at, v in enumerate(values.tolist())}

    @property
    def is_edited_(self) -> bool:
        """Whether the fitted model was edited by hand."""
        return bool(self._parts.edited.any())

    def edit(self, attribute: str, *what: Any) -> Self:
        """Return a copy in which the shape of an attribute is dropped, or flattened where you do not believe it.

        Parameters
        ----------
        attribute : str
            The attribute to change.
        *what
            Nothing or "drop": the whole shape becomes 0. Two numbers or dates: between them the shape has one value,
            its mean over the training rows there. Levels: these share one value.

        Returns
        -------
        The same kind of learner, fitted, marked as edited in its description and its model file. Its parameter
        `edits` lists the changes, so `compare([model, model.edit("age")], table)` refits both and measures what the
        edit costs.

        Examples
        --------
        >>> import acumen
        >>> model = acumen.Additive().fit(acumen.datasets.load("loan"))
        >>> model.edit("Own_house").is_edited_
        True
        """
        predictor = self._require_fitted()
        schema = predictor.schema
        change = self._change(schema, attribute, what)
        edits = edits_of({attribute: change}, schema, self._name)
        edited = copy.copy(self)
        before = dict(self.edits or {})
        edited.edits = {**before, attribute: _join_changes(before.get(attribute), change, schema, attribute)}
        model = predictor.model
        parts = apply_edits(model.parts, edits, schema)
        edited.predictor_ = replace(predictor, model=replace(model, parts=parts))
        return edited

    def _change(self, schema: Schema, attribute: str, what: tuple[Any, ...]) -> Any:
        if not what or what == ("drop",):
            return "drop"
        if attribute in schema.names and schema[attribute].is_numeric:
            values = tuple(
                str(v) if is_date(v) else v for v in what
            )  # a model file holds texts, and no dates
            return values[0] if len(values) == 1 else values
        return list(what)


def _join_changes(before: Any, change: Any, schema: Schema, attribute: str) -> Any:
    """Both changes of one attribute as one."""
    if before is None or change == "drop":
        return change
    if before == "drop":
        return before
    if not schema[attribute].is_numeric:
        raise ParameterError(
            f"edit: levels of {attribute!r} were flattened already; give all changes at once as edits."
        )
    pieces = list(before) if isinstance(before[0], (tuple, list)) else [before]
    return [*pieces, *(change if isinstance(change[0], (tuple, list)) else [change])]


class Additive(AdditiveFace, Classifier):
    """Classify by log-odds that are a sum of one curve per attribute (GAM): a readable model.

    Numbers are cut into bins with about the same number of rows (a value with that many rows has its own bin), and
    each bin adds its own number. Differences of neighbouring bins and of ordered levels are penalised; unordered
    categories are shrunk to their mean, words of a text to 0. Missing values have their own slot. The loss is convex:
    there is one answer, no seed, and `certificate_` proves it. Only the order of numbers counts.

    Two classes have one sum, the log-odds of the second; several classes have one each (softmax).

    Parameters
    ----------
    bins : int
        The largest number of bins of a numeric column. It is lower where bins would have fewer than four rows each
        (but at least 16), and where all shapes together would have more than about 1,500 slots (800 with several
        classes; with few rows no more than there are rows, but at least 500).
    smoothing : {"aic", "cv"} or float
        How strongly to smooth each shape. "aic": each shape by itself so that AIC is minimal on the training rows
        (with several classes using the observed uncertainty of rows rather than the model's). "cv": these strengths
        times the factor that predicts five folds best. A number: the same strength for all.
    pairs : int or "auto"
        The number of pairs of attributes with their own table, at most 10, for effects that their shapes cannot add
        up to; those with the strongest residual table are taken. "auto": those that chance would hardly produce, if
        AIC falls.
    monotone : mapping, optional
        Attributes whose shape must rise (+1) or fall (-1) with the log-odds of the second of two classes.
    edits : mapping, optional
        Changes to the shapes after fitting, as `edit` makes them: "drop", (low, high), or levels.
    attribute_weights : mapping of attribute to "use", "ignore" or number, optional
        Divisor of the chosen smoothing of an attribute's shape (for a pair: of both). "use" is 2; "ignore", or 0,
        means no shape. Default: 1.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.

    Attributes
    ----------
    certificate_ : dict
        `gradient`, `excess` and `steps` of Newton's method.
    smoothing_, freedom_, spread_ : dicts
        For each shape the strength of smoothing, the degrees of freedom, and how far it moves rows.
    is_edited_ : bool
        Whether a person has changed a shape.

    Examples
    --------
    >>> import acumen
    >>> iris = acumen.datasets.load("iris")
    >>> model = acumen.Additive().fit(iris)
    >>> model.score(iris) > 0.95, model.certificate_["gradient"] < 1e-6
    (True, True)
    """

    kind: ClassVar[str] = "additive"
    model_type = AdditiveModel

    def __init__(
        self,
        *,
        bins: Bins = 128,
        smoothing: Smoothing = "aic",
        pairs: Pairs = 0,
        monotone: Monotone = None,
        edits: Edits = None,
        attribute_weights: AttributeWeights = None,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bins = bins
        self.smoothing = smoothing
        self.pairs = pairs
        self.monotone = monotone
        self.edits = edits
        self.attribute_weights = attribute_weights
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        schema, totals = rows.schema, rows.totals
        seen = totals > 0
        if monotone_signs(self.monotone, schema, self._name) and np.count_nonzero(seen) > 2:
            raise ParameterError(
                f"{self._name}: monotone is for two classes, whose log-odds rise or fall; there are "
                f"{np.count_nonzero(seen)}."
            )
        if np.count_nonzero(seen) < 2:
            edits_of(self.edits, schema, self._name)
            return AdditiveModel(_nothing(float(totals.sum()), schema), seen), totals
        parts = fit_parts(rows, Target.classes(seen), self._settings(schema))
        self.n_iter_ = max(parts.facts.steps, 1)
        return AdditiveModel(parts, seen), totals

    def approximate_leave_one_out(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Approximate leave-one-out probabilities: P(class | row) of each training row, one line per row.

        Second derivatives give the change of the fit when one row is removed; cuts and strengths stay fixed. The
        approximation is good where no single row decides. The rows must be the training rows.
        """
        predictor = self._require_fitted()
        if self.is_edited_:
            raise DataError(f"{self._name}: leaving rows out does not apply to an edited model.")
        table, _ = self.task.intake(X, y, sample_weight, self._name)
        table = self.in_units(
            self.counted_places(align(table, predictor.schema), self.class_factors(table))[0]
        )
        model = predictor.model
        assert isinstance(model, AdditiveModel)
        shares = np.zeros((len(table), len(model.seen)))
        if not model.parts.lines:
            shares[:, model.places] = 1.0
            return shares
        loss = Target.classes(model.seen).loss_of(table)
        scores = scores_left_out(model.parts, table, loss)
        assert not isinstance(loss, Squares)
        shares[:, model.places] = loss.at(scores)[2]
        return shares


def _nothing(weight: float, schema: Schema) -> AdditiveParts:
    """The parts for a single class: no shapes, and no words of texts."""
    layout = SlotLayout((), (), tuple(Vocabulary((), attribute.name) for attribute in schema.text))
    none = np.zeros(len(layout.blocks))
    return AdditiveParts(
        layout, np.zeros((1, 0)), np.zeros((1, 0)), np.array([weight]), none, none, np.empty((0, 2)),
        FitFacts(0.0, 0.0, 0.0, 0.0, 0.0, 0, weight, 1.0), np.zeros(len(none), dtype=np.uint8),
    )  # fmt: skip


class AdditiveRegressor(AdditiveFace, Regressor):
    """Predict a number by a sum of one curve per attribute (GAM), as Additive does, with squared error.

    Parameters
    ----------
    bins, smoothing, pairs, monotone, edits, attribute_weights, n_jobs
        As for Additive; shapes are in the target's own unit, and smoothing is in units of its standard deviation.

    Attributes
    ----------
    certificate_, smoothing_, freedom_, spread_, is_edited_
        As for Additive.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> x = np.linspace(0, 6, 200)[:, None]
    >>> acumen.AdditiveRegressor().fit(x, np.sin(x[:, 0])).score(x, np.sin(x[:, 0])) > 0.99
    True
    """

    kind: ClassVar[str] = "additive-regressor"
    model_type = AdditiveRegressionModel

    def __init__(
        self,
        *,
        bins: Bins = 128,
        smoothing: Smoothing = "aic",
        pairs: Pairs = 0,
        monotone: Monotone = None,
        edits: Edits = None,
        attribute_weights: AttributeWeights = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bins = bins
        self.smoothing = smoothing
        self.pairs = pairs
        self.monotone = monotone
        self.edits = edits
        self.attribute_weights = attribute_weights
        self.n_jobs = n_jobs

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        target = Target.numbers(rows)
        parts = fit_parts(rows, target, self._settings(rows.schema))
        return self._in_units(parts, target), rows.totals

    def _in_units(self, parts: AdditiveParts, target: Target) -> AdditiveRegressionModel:
        self.n_iter_ = max(parts.facts.steps, 1)
        return AdditiveRegressionModel(
            _in_units(parts, target.centre * target.scale, target.unit * target.scale)
        )

    def approximate_leave_one_out(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Approximate leave-one-out predictions: one number per training row, as Additive does.

        With squared error it is exact except for cuts and strengths, which the row influenced.
        """
        predictor = self._require_fitted()
        if self.is_edited_:
            raise DataError(f"{self._name}: leaving rows out does not apply to an edited model.")
        table, _ = self.task.intake(X, y, sample_weight, self._name)
        table = self.in_units(self.counted_places(align(table, predictor.schema), None)[0])
        target = Target.numbers(TableRows(table))
        centre, unit = target.centre * target.scale, target.unit * target.scale
        model = predictor.model
        assert isinstance(model, AdditiveRegressionModel)
        parts = _in_units(model.parts, -centre / unit, 1.0 / unit)
        return scores_left_out(parts, table, target.loss_of(table))[:, 0] * unit + centre


def _in_units(parts: AdditiveParts, centre: float, unit: float) -> AdditiveParts:
    """In the target's own units."""
    coefficients = parts.coefficients * unit
    coefficients[0] += centre
    return replace(parts, coefficients=coefficients, errors=parts.errors * abs(unit))
