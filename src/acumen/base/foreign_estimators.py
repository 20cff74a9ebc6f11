"""Estimators and pipelines of scikit-learn in the place of a learner of acumen.

    adapt            an estimator -> a learner that fits a copy of it on Tables
    ForeignClassifier  its face: labels and, where the estimator has them, probabilities
    ForeignRegressor   the same of numbers
    ForeignModel, ForeignRegressionModel   around the fitted estimator; they are refused by `save`

What an estimator is given:

    a pipeline, or one that says it takes categories or text   a pandas frame: nominal columns categorical
    any other                                                  numbers: a 0/1 column for each level, words as normed
                                                               log counts; the mean for a missing number, unless
                                                               the estimator says that it takes NaN
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeGuard

import numpy as np

from acumen.base.classifier import Classifier
from acumen.base.estimator import LearnerLike
from acumen.base.learner import Learner
from acumen.base.memory_budget import Widths, dense_bytes
from acumen.base.regressor import Regressor
from acumen.base.scikit import clone
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, ModelFileError, ParameterError
from acumen.models.model import Model, RegressionModel
from acumen.models.parameters import Described
from acumen.preprocessing.matrix import NumericMatrix
from acumen.rows.training_rows import Rows
from acumen.types import Array, Codes, Floats, Label

Given = Callable[[Table], Any]
#: Rows of the training table on which an estimator's labels are compared with its own probabilities.
_COMPARED = 1000
_AHEAD = 1e-12
_LEAST = 1e-300


# -- models ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Foreign:
    """What both models have: the fitted estimator, and how rows are given to it."""

    estimator: Any
    given: Given

    @property
    def name(self) -> str:
        """What the estimator is called."""
        return name_of(self.estimator)

    @property
    def n_bytes(self) -> float:
        """Not known."""
        return float("nan")

    def to_arrays(self) -> NoReturn:
        raise ParameterError(
            f"save: this model is made of {self.name}, which is not acumen's; a model file cannot hold it."
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> NoReturn:
        raise ModelFileError("a model file holds no estimator of another library.")

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        target = schema.target.name if schema.target else "value"
        return f"{one_line_repr(self.estimator)} of another library, for {target}"


@dataclass(frozen=True, slots=True, eq=False)
class ForeignModel(_Foreign, Model):
    """A fitted classifier of another library, with probabilities."""

    kind: ClassVar[str] = "foreign"

    codes: Codes  # of the classes the estimator learned
    n_classes: int
    by_label: bool = False  # whether its labels contradict its probabilities or scores

    def scores(self, rows: Table) -> Floats:
        log_shares = np.full((len(rows), self.n_classes), -np.inf)
        X = self.given(rows)
        log_shares[:, self.codes] = self._of_classes(X)
        if self.by_label and len(rows):
            at = np.arange(len(rows)), self.codes[_places(self.estimator, self.estimator.predict(X))]
            behind = log_shares.argmax(axis=1) != at[1]
            log_shares[at] = np.where(behind, log_shares.max(axis=1) + _AHEAD, log_shares[at])
        return log_shares

    def _of_classes(self, X: Any) -> Floats:
        return np.log(np.clip(np.asarray(self.estimator.predict_proba(X), dtype=np.float64), _LEAST, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class ForeignLabelModel(ForeignModel):
    """A fitted classifier of another library, without probabilities."""

    probabilistic: ClassVar[bool] = False

    def _of_classes(self, X: Any) -> Floats:
        k = len(self.codes)
        if hasattr(self.estimator, "decision_function"):
            decision = np.asarray(self.estimator.decision_function(X), dtype=np.float64)
            if decision.ndim == 1 and k == 2:
                return np.column_stack([-decision / 2, decision / 2])
            if decision.shape[1:] == (k,):
                return decision
        predicted = _places(self.estimator, self.estimator.predict(X))
        return np.eye(k)[predicted]


@dataclass(frozen=True, slots=True, eq=False)
class ForeignRegressionModel(_Foreign, RegressionModel):
    """A fitted regressor of another library."""

    kind: ClassVar[str] = "foreign-regressor"

    def values(self, rows: Table) -> Floats:
        return np.asarray(self.estimator.predict(self.given(rows)), dtype=np.float64).reshape(len(rows))


def _places(estimator: Any, labels: Any) -> Array:
    """Where labels stand among those that an estimator learned."""
    place = {label: at for at, label in enumerate(np.asarray(estimator.classes_).tolist())}
    return np.array([place[label] for label in np.asarray(labels).tolist()], dtype=np.intp)


# -- learners -------------------------------------------------------------------------------------

Estimator = Annotated[Any, Described("an estimator or a pipeline of scikit-learn")]
Columns = Literal["auto", "frame", "numbers"]


class _Adapter:
    """What both faces have in common."""

    estimator: Any
    columns: Any

    @property
    def display_name(self) -> str:
        """What it is called in tables of results."""
        return name_of(self.estimator)

    @property
    def _name(self) -> str:
        return self.display_name

    @property
    def estimator_text(self) -> str:
        """The estimator with its non-default parameters, on one line."""
        return one_line_repr(self.estimator)

    @property
    def estimator_(self) -> Any:
        """The fitted estimator."""
        return self._require_fitted().model.estimator  # type: ignore[attr-defined]  # of Learner

    def objection(self, schema: Schema) -> str | None:
        """The objection if the estimator needs a data frame and pandas is not installed."""
        if self._as_frame(schema) and importlib.util.find_spec("pandas") is None:
            return "it needs pandas for columns of several kinds, which is not installed: pip install pandas"
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        """Memory of the numeric matrix and a copy; that of the estimator itself is unknown."""
        if self._as_frame(schema):
            return None
        return dense_bytes(rows, Widths.of(schema).coded, 2)

    @property
    def interpretable(self) -> bool:
        """Unknown."""
        return False

    def _as_frame(self, schema: Schema) -> bool:
        if self.columns != "auto":
            return bool(self.columns == "frame")
        wants = hasattr(self.estimator, "steps") or takes(self.estimator, "categorical", "string")
        plain = all(attribute.is_numeric for attribute in schema.attributes)
        return wants and not (plain and importlib.util.find_spec("pandas") is None)

    def _train(self, table: Table, y: Any) -> tuple[Any, Given]:
        """A fitted copy of the estimator, and how it is given rows."""
        framed = table.sparse is None and self._as_frame(table.schema)
        encode: Given = frame_of if framed else Numbers.fit(table, self.estimator)
        estimator = clone(self.estimator)
        weights = {}
        if table.weights.size:
            key = _weight_key(estimator)
            if key is None:
                raise DataError(
                    f"{self._name}: rows have weights, but {self.display_name} does not take them."
                )
            weights = {key: table.weights}
        try:
            estimator.fit(encode(table), y, **weights)
        except (ValueError, TypeError) as error:
            raise DataError(
                f"{self._name}: it could not learn from this table ({' '.join(str(error).split())[:300]}). Put what it "
                "needs before it in a Pipeline."
            ) from error
        return estimator, encode


class ForeignClassifier(_Adapter, Classifier):
    """A classifier or pipeline of scikit-learn where a learner of acumen is taken.

    Parameters
    ----------
    estimator : classifier
        With `fit` and `predict`; it is copied, never changed. Class labels reach it as they are.
    columns : {"auto", "frame", "numbers"}
        How it is given rows: a pandas frame with categorical columns, or a matrix of numbers; by itself a frame for
        pipelines and for estimators that say they take categories or text.

    Examples
    --------
    >>> import acumen
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> iris = acumen.datasets.load("iris")
    >>> round(acumen.assess(DecisionTreeClassifier(max_depth=2, random_state=0), iris, random_state=0).mean, 2)
    0.07
    """

    kind: ClassVar[str] = "foreign"

    def __init__(self, estimator: Estimator, *, columns: Columns = "auto") -> None:
        self.estimator = estimator
        self.columns = columns

    @property
    def model_type(self) -> type[Model]:  # type: ignore[override]  # it depends on the estimator
        return ForeignModel if hasattr(self.estimator, "predict_proba") else ForeignLabelModel

    def learn(self, rows: Rows) -> tuple[Model, Floats]:
        """Fit a copy on labelled rows."""
        table = rows.require_local(self._name)
        classes = table.schema.classes
        totals = np.bincount(table.class_codes, table.row_weights, len(classes)).astype(np.float64)
        met = np.flatnonzero(np.bincount(table.class_codes, minlength=len(classes))).tolist()
        labels = _label_array(classes)[table.class_codes]
        estimator, encode = self._train(table, labels)
        if not hasattr(estimator, "classes_"):
            estimator.classes_ = _label_array(tuple(classes[c] for c in met))
        place = {label: code for code, label in enumerate(classes)}
        codes = np.array([place[label] for label in np.asarray(estimator.classes_).tolist()], dtype=np.int32)
        model = self.model_type(estimator, encode, codes, len(classes))  # type: ignore[call-arg]
        some = table.take(slice(0, min(len(table), _COMPARED)))
        predicted = np.asarray(estimator.predict(encode(some))).tolist()
        likeliest = [classes[c] for c in model.scores(some).argmax(axis=1).tolist()]
        if predicted != likeliest:
            model = self.model_type(estimator, encode, codes, len(classes), by_label=True)  # type: ignore[call-arg]
        return model, totals


class ForeignRegressor(_Adapter, Regressor):
    """A regressor or pipeline of scikit-learn where a learner of acumen is taken; as ForeignClassifier."""

    kind: ClassVar[str] = "foreign-regressor"
    model_type = ForeignRegressionModel

    def __init__(self, estimator: Estimator, *, columns: Columns = "auto") -> None:
        self.estimator = estimator
        self.columns = columns

    def learn(self, rows: Rows) -> tuple[RegressionModel, Floats]:
        """Fit a copy on rows with a number each."""
        table = rows.require_local(self._name)
        estimator, encode = self._train(table, table.response)
        return ForeignRegressionModel(estimator, encode), np.array([table.row_weights.sum()])


def is_acumen(learner: object) -> TypeGuard[Learner]:
    """Whether it is a learner that takes Tables; its class is none."""
    return not isinstance(learner, type) and hasattr(learner, "objection") and hasattr(learner, "model_type")


def adapt(learner: LearnerLike, who: str = "adapt", *, classifies: bool | None = None) -> Learner:
    """A learner of acumen as it is; an estimator of scikit-learn behind the face of one.

    `classifies` settles whether it predicts classes, where that is known; else the estimator is asked.
    """
    if is_acumen(learner):
        return learner
    if isinstance(learner, type) or not (hasattr(learner, "fit") and hasattr(learner, "predict")):
        raise ParameterError(
            f"{who}: {learner!r} is no learner of acumen or of scikit-learn; pass an instance such as NaiveBayes()."
        )
    from sklearn.base import is_classifier, is_regressor

    if classifies or (classifies is None and (hasattr(learner, "predict_proba") or is_classifier(learner))):
        return ForeignClassifier(learner)
    if is_regressor(learner):
        return ForeignRegressor(learner)
    raise ParameterError(f"{who}: {name_of(learner)} says neither that it predicts classes nor numbers.")


# -- what an estimator is like --------------------------------------------------------------------


def name_of(estimator: Any) -> str:
    """The class; of a pipeline the classes of its steps."""
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps:
        named = [type(step).__name__ for _, step in steps if step is not None and step != "passthrough"]
        return " + ".join(named) or type(estimator).__name__
    return type(estimator).__name__


def one_line_repr(estimator: Any) -> str:
    """As scikit-learn writes it, on one line."""
    return " ".join(repr(estimator).split())


def takes(estimator: Any, *tags: str) -> bool:
    """Whether an estimator says that its input may be such."""
    try:
        from sklearn.utils import get_tags

        input_tags = get_tags(estimator).input_tags
    except (AttributeError, TypeError, ImportError):
        return False
    return any(bool(getattr(input_tags, tag, False)) for tag in tags)


def _weight_key(estimator: Any) -> str | None:
    """The parameter of `fit` that takes row weights; of a pipeline that of its last step."""
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps:
        last, final = steps[-1]
        return f"{last}__sample_weight" if has_fit_parameter(final, "sample_weight") else None
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


# -- what it is given -----------------------------------------------------------------------------


def frame_of(rows: Table) -> Any:
    """A pandas frame of the inputs; a level that is not known is missing."""
    from acumen.data.out.export import to_pandas

    return to_pandas(rows.inputs_only())


@dataclass(frozen=True, slots=True)
class Numbers:
    """Rows as a matrix of numbers."""

    view: NumericMatrix

    @classmethod
    def fit(cls, table: Table, estimator: Any) -> Self:
        """By what the training rows have."""
        impute: Literal["none", "mean"] = "none" if takes(estimator, "allow_nan") else "mean"
        return cls(NumericMatrix.fit(table.inputs_only(), impute=impute))

    def __call__(self, rows: Table) -> Any:
        return self.view.transform(rows.inputs_only())


def _label_array(classes: tuple[Label, ...]) -> Array:
    from acumen.models.predictor import label_array

    return label_array(classes)
