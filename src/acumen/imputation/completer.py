"""`Completer`: fill missing values from the other attributes, fitted on training rows only."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from acumen.assessment.contestants import fixed_seed
from acumen.base.transformer import Transformer, output_of
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.imputation.chain import AttributeFiller, plain_answer, require_learner
from acumen.imputation.errors import HiddenCellError
from acumen.imputation.fit import fit
from acumen.imputation.model import CompletionModel
from acumen.imputation.rows import ColumnValues
from acumen.models.parameters import AtLeast, OfLearner
from acumen.rows.training_rows import Rows
from acumen.types import Floats


class Completer(Transformer):
    """Fill missing values from the other attributes, as `complete` does, with a model fitted on training rows.

    `fit` uses neither the classes nor other rows, so folds do not leak in a pipeline or in `assess`. If an attribute
    has no missing values in the training rows, missing ones in new rows get its mean or mode. A Table becomes a Table
    of the same attributes, with texts unchanged. Anything else becomes an array of numbers with one column for each
    level of a nominal attribute. Infinite numbers count as missing in arrays.

    Parameters
    ----------
    learner, max_iter, n_jobs
        As in `complete`.
    random_state : int, Generator or None
        Seeds which cells are hidden, and the learners.

    Attributes
    ----------
    errors_ : dict of str to CellError
        The error of each filled attribute, on known cells of the training rows that were hidden, compared with its mean
        or mode.
    n_iter_ : int
        The number of rounds.

    Examples
    --------
    >>> import acumen, numpy as np
    >>> X = np.sqrt(np.column_stack([np.arange(60.0), np.arange(60.0) * 2]))
    >>> X[::7, 1] = np.nan
    >>> made = acumen.Completer().fit(X)
    >>> made.errors_["x1"].error < made.errors_["x1"].baseline, bool(np.isnan(made.transform(X)).any())
    (True, False)
    """

    kind: ClassVar[str] = "completer"
    model_type = CompletionModel
    errors_: dict[str, HiddenCellError]
    n_iter_: int

    def __init__(
        self,
        learner: Annotated[Any, OfLearner("a word such as 'auto', learners of acumen, or None")] = "auto",
        *,
        max_iter: Annotated[int, AtLeast(1)] = 5,
        random_state: int | np.random.Generator | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def constant_sensitive(self) -> bool:
        """Whether constant columns matter: trees draw among all columns."""
        return True

    def objection(self, schema: Schema) -> str | None:
        if not schema.numeric and not schema.nominal:
            return "the table has 0 feature(s) that can be filled, so there is nothing to do."
        return None

    def _remember_names(self, X: Any, schema: Schema) -> None:
        super()._remember_names(X, schema)
        self._wide = not isinstance(X, Table)

    def learn(self, rows: Rows) -> tuple[CompletionModel, Floats]:
        table = rows.require_local(self._name)
        learner = "auto" if self.learner is None else self.learner
        require_learner(learner, self._name)
        columns = ColumnValues.of(table)
        names = [a.name for a in columns.attributes if columns.gaps(a.name).any()]
        seed = fixed_seed(self.random_state) % 2**31
        filling = fit(columns, names, learner, self.max_iter, seed, self.n_jobs)
        self.n_iter_ = max(1, len(filling.filling.rounds))
        self.errors_ = {error.attribute: error for error in filling.errors}
        plain = {
            a.name: AttributeFiller(a, None, *plain_answer(a, columns.values[a.name], columns.weights))
            for a in columns.attributes
        }
        return CompletionModel(filling.filling, plain, self._wide), np.array([table.total_weight])

    def transform(self, X: Any) -> Any:
        """Fill the missing values of rows; for a Table, of a Table with its target.

        Anything but a Table becomes an array, or what `set_output` asks for.
        """
        if not isinstance(X, Table) or output_of(self) != "default":
            return super().transform(X)
        rows = self._query(X)
        with limited_to(self.jobs):
            done = self.model_.fill(rows).into(rows)
        return done.replace(
            schema=Schema(done.schema.attributes, X.schema.target),
            labels=X.labels, response=X.response, weights=X.weights, ignored=(),
        )  # fmt: skip
