"""What a learner consists of and what it can do with which tables; queried before any fitting.

    Abilities   its name, its task and the functions of its algorithm; whether summaries add, parts stream, and rows or
                folds can be left out without refitting; its objections; the memory it needs

A learner declares its abilities here, so that training and assessment code needs no knowledge of learner families.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ClassVar, Self

from acumen.base.memory_budget import shortage
from acumen.base.scikit import BaseEstimator
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError, did_you_mean
from acumen.models.model import AnyModel
from acumen.models.parameters import check_parameters
from acumen.models.task import Task
from acumen.resampling.plan import require_seed
from acumen.types import Array, Bools, Codes, Indices


def _near_names(init: Callable[..., None]) -> Callable[..., None]:
    """Wrap `__init__` so that an unknown parameter raises an error that suggests the nearest known one."""

    @wraps(init)
    def init_with_hint(self: Any, *args: Any, **given: Any) -> None:
        try:
            init(self, *args, **given)
        except TypeError:
            known = type(self)._get_param_names()
            wrong = [name for name in given if name not in known]
            if not wrong:
                raise
            raise TypeError(
                f"{type(self).__name__}: there is no parameter {wrong[0]!r}; the parameters are {', '.join(known)}."
                f"{did_you_mean(wrong[0], known)}"
            ) from None

    return init_with_hint


class Abilities(BaseEstimator):
    """What can be asked of an unfitted learner."""

    #: The learner's name on the command line and in model files.
    kind: ClassVar[str]
    #: What it predicts or finds: classes, numbers, groups, itemsets.
    task: ClassVar[Task]
    model_type: ClassVar[type[AnyModel]]
    #: Whether it is a baseline, from which scikit-learn's checks must not expect good predictions.
    poor_score: ClassVar[bool] = False
    #: Whether it also fits tables without a target column, as a model of all attributes.
    learns_without_target: ClassVar[bool] = False
    #: Whether it can be fitted to rows of a single class.
    learns_one_class: ClassVar[bool] = False

    # Functions of the algorithm, as static methods; each gets the hyper-parameters that its signature names. A
    # summary has `+` and `widen(schema)`, and consists of dataclasses, tuples and arrays; a plan has `to_arrays()`.
    #: parts -> plan: what must be the same for all rows.
    plan: ClassVar[Callable[..., Any] | None] = None
    #: (rows, plan) -> summary: additive, knows no hyper-parameter.
    summarise: ClassVar[Callable[..., Any] | None] = None
    #: (rows, plan, parts, n_parts) -> one summary for each part, in one pass. [default: calls `summarise` per part]
    summarise_parts: ClassVar[Callable[..., Any] | None] = None
    #: summary -> model: reads no data.
    solve: ClassVar[Callable[..., Any] | None] = None
    #: (arrays, schema) -> plan and (arrays, schema, plan) -> summary, from a model file; they validate everything.
    restore_plan: ClassVar[Callable[..., Any] | None] = None
    restore_summary: ClassVar[Callable[..., Any] | None] = None
    #: Whether the squared error of a model on a part follows from the part's summary alone (`residual_squares`).
    summary_gives_error: ClassVar[bool] = False

    _parameter_names: ClassVar[tuple[str, ...]]  # cached for each class

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if "__init__" in cls.__dict__:
            cls.__init__ = _near_names(cls.__init__)  # type: ignore[method-assign]

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def jobs(self) -> int | None:
        """The number of threads to use."""
        return getattr(self, "n_jobs", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; those of an inner learner as `estimator__name`."""
        try:
            return super().set_params(**params)
        except ValueError as error:
            known = {name.partition("__")[0] for name in self.get_params()}
            wrong = [first for first in (name.partition("__")[0] for name in params) if first not in known]
            if not wrong:
                raise
            raise ValueError(f"{error}{did_you_mean(wrong[0], sorted(known))}") from None

    @classmethod
    def _get_param_names(cls) -> list[str]:
        # scikit-learn parses the signature each time, which takes longer than solving a small summary.
        if "_parameter_names" not in cls.__dict__:
            cls._parameter_names = tuple(super()._get_param_names())
        return list(cls._parameter_names)

    @property
    def scale_sensitive(self) -> bool:
        """Whether the scale of row weights matters, as it does with a penalty.

        All others learn the same from weights multiplied by a constant; see `acumen.rows.weights`.
        """
        return False

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the predictions: bins or widths depend on the number of columns."""
        return False

    @property
    def folds_by_content(self) -> bool:
        """Whether training rows are assigned to folds by their content; see `acumen.rows.content_folds`."""
        return False

    #: Whether it requires ordered classes, and objects to others.
    requires_ordered_classes: ClassVar[bool] = False

    # -- what it can do ---------------------------------------------------------------------------

    @property
    def adds(self) -> bool:
        """Whether the model is `solve(summary)`, and summaries of parts add up to that of all rows."""
        return self.summarise is not None

    @property
    def streams(self) -> bool:
        """Whether `fit_stream` trains on parts, read one at a time here or by the workers of a cluster."""
        return self.adds

    @property
    def learns_unlabelled(self) -> bool:
        """Whether unlabelled rows are used in training too."""
        return False

    def can_add_folds(self, schema: Schema) -> bool:
        """Whether cross-validation may build training sets by adding the summaries of folds.

        Not where a plan must see the training rows first.
        """
        return self.adds and not self.needs_plan(schema)

    def needs_plan(self, schema: Schema) -> bool:
        """Whether planning needs a pass over the rows.

        Where none is needed the plan is made of no rows.
        """
        return self.plan is not None

    def needs_two_passes(self, schema: Schema) -> bool:
        """Whether summarising takes more than one pass over the rows."""
        return self.needs_plan(schema)

    def objection(self, schema: Schema) -> str | None:
        """Explain in a sentence why this learner cannot learn from such a table; None if it can."""
        return None

    def reason_to_skip(self, table: Table) -> str | None:
        """Explain in a sentence why this learner is a poor choice for such a table, though it could learn; or None."""
        return None

    def memory(self, rows: int, schema: Schema) -> int | None:
        """Estimate the bytes that a fit needs in addition to the table; None if small or unknown.

        A learner that copies rows, codes levels as columns, or makes matrices of columns or rows, says so here: it
        objects then before it asks for more than there is. `acumen.base.memory_budget` has the sizes of the usual ones.
        """
        return None

    def summary_memory(self, schema: Schema) -> int | None:
        """Estimate the bytes of a summary, whatever the number of rows; None if small."""
        return None

    #: Whether a sparse table stays sparse in a fit, so that memory depends on its non-zero values only.
    keeps_sparse: ClassVar[bool] = False

    def memory_for(self, table: Table) -> int | None:
        """Estimate the bytes that a fit on these rows needs in addition to the table."""
        if table.sparse is not None and self.keeps_sparse:
            return 40 * int(table.sparse.nnz) + 100 * len(table.schema) * max(table.schema.n_classes, 1)
        return self.memory(len(table), table.schema)

    def shortage(self, table: Table, parts: int = 0) -> str | None:
        """Explain in a sentence why there is too little memory to learn from these rows; None if there is enough.

        With `parts`, if summaries of this number of parts are held at a time, and their sums.
        """
        need = self.memory_for(table) or 0
        if parts and self.adds:
            need += 3 * parts * (self.summary_memory(table.schema) or 0)
        return None if need < 1 << 16 else shortage(need, table)

    @property
    def interpretable(self) -> bool:
        """Whether a person can read the model: rules, trees, tables or weights of inputs."""
        return True

    def check_parameters(self) -> None:
        """Raise ParameterError unless every parameter satisfies its declaration."""
        values = self.get_params(deep=False)
        check_parameters(self._name, type(self), values)
        if "random_state" in values:
            require_seed(values["random_state"], self._name)

    def object_to(self, schema: Schema) -> None:
        """Raise DataError if this learner objects to such a table."""
        sentence = self.objection(schema)
        if sentence is not None:
            raise DataError(f"{self._name}: {sentence}")

    # -- all folds at once ------------------------------------------------------------------------

    def folds_objection(self, rows: Table) -> str | None:
        """A sentence on why `fit_folds` cannot be used on such rows, or None if it equals refitting.

        Empty, so that nothing is reported, if a learner does not implement `fit_folds`.
        """
        return ""

    def fit_folds(self, rows: Table, parts: Codes, n_parts: int) -> Iterator[Self]:
        """Fit one learner per fold on all rows outside it, in one pass over the rows."""
        raise DataError(f"{self._name} cannot fit all folds at once; refit it for each fold.")

    # -- many draws from the same rows --------------------------------------------------------------

    def prepare_rows(self, rows: Table) -> Any:
        """Compute once what fits on samples of these rows share; None if there is nothing to share."""
        return None

    def use_prepared_rows(self, prepared: Any, places: Indices) -> None:
        """Use the prepared rows at these positions, in this order, for the next fit.

        The model is the same as without; fitting may be faster.
        """

    # -- with each row left out -------------------------------------------------------------------

    def can_leave_one_out(self, rows: Table) -> bool:
        """Whether `leave_one_out` is exact for such rows without refitting."""
        return False

    def leave_one_out(self, rows: Table) -> tuple[Array, Bools]:
        """Predict each training row by the model of all the others; for fitted learners.

        One line of scores a row, or one number; and which rows must be refitted instead (of high leverage, say).
        """
        raise DataError(f"{self._name} cannot leave rows out by itself; refit it for each row.")

    def can_leave_parts_out(self, rows: Table) -> bool:
        """Whether `leave_parts_out` is exact for such rows without refitting."""
        return False

    def leave_parts_out(self, rows: Table, parts: Codes, n_parts: int) -> Array:
        """Predict each row by the model of the rows in other parts; for a learner fitted on all rows."""
        raise DataError(f"{self._name} cannot leave parts out by itself; refit it for each part.")

    def residual_squares(self, summary: Any) -> float:
        """Weighted residual sum of squares on a part, from its summary alone; for fitted regressors."""
        raise DataError(f"{self._name}: the summary of a part does not tell what the model leaves of it.")
