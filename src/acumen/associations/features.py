"""RuleFeatures: rules as attributes, for any learner.

fit         rows with classes -> the rules of a `CarMiner` transform   rows -> a 0/1 column for each rule that
tells whether its conditions hold; beside the attributes, or alone
"""

from __future__ import annotations

from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from acumen.associations.cars import ClassRules, objection
from acumen.associations.learners import CarMiner
from acumen.base.coverage import Coverage, parts_of, unpacked
from acumen.base.intake import is_named, query_table, training_rows
from acumen.base.parameters import AtLeast, check_parameters, with_parameters_of
from acumen.data.naming import free_name
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Array, Floats
from acumen.views.columns import remade
from acumen.views.matrix import NumericMatrix


class RuleFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Class association rules as further attributes, or as the only ones.

    A Table becomes a Table with a 0/1 column for each rule, so that a learner of acumen can follow; anything
    else an array. Rules are learned from the rows given to `fit` alone: inside a pipeline folds do not leak.

    Parameters
    ----------
    only : bool
        Whether the attributes themselves are left out.
    max_rules : int, optional
        The first so many rules in canonical order.
    min_support, min_confidence, class_supports, max_conditions, prune, limit, n_jobs
        As of `CarMiner`.

    Attributes
    ----------
    rules_ : ClassRules

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> made = acumen.RuleFeatures(min_support=0.2, max_conditions=1).fit_transform(loan)
    >>> [a.name for a in made.schema][-2:]
    ['Age = young', 'Age = middle']
    """

    @with_parameters_of(CarMiner)
    def __init__(
        self, *, only: bool = False, max_rules: Annotated[int, AtLeast(1)] | None = 100, **mining: Any
    ) -> None:
        self.only = only
        self.max_rules = max_rules
        CarMiner.__init__(self, **mining)  # stores them, whoever self is

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the rules of rows with classes, given as to any classifier."""
        who = "RuleFeatures"
        given = self.get_params()
        check_parameters(who, type(self), given)
        table, _ = training_rows(X, y, sample_weight, who)
        sentence = objection(table.schema)
        if sentence is not None:
            raise DataError(f"{who}: {sentence}")
        mining = {name: value for name, value in given.items() if name not in ("only", "max_rules")}
        self.rules_: ClassRules = CarMiner(**mining).fit(X, y, sample_weight).rules_
        if self.max_rules is not None:
            self.rules_ = self.rules_[: self.max_rules]
        self._view = NumericMatrix.fit(table, nominal="one-hot")
        self._schema = Schema(table.schema.attributes)
        self.n_features_in_ = len(self._schema)
        self._named = is_named(X)
        if self._named:
            self.feature_names_in_ = np.array(self._schema.names, dtype=object)
        return self

    def transform(self, X: Any) -> Any:
        """The rows with the columns of the rules; of a Table as a Table with its target and weights."""
        if not hasattr(self, "rules_"):
            raise NotFittedError("This RuleFeatures instance is not fitted yet. Call 'fit' first.")
        rows = query_table(X, self._schema, self._named, "RuleFeatures")
        columns = self._columns(rows)
        if not isinstance(X, Table):
            return columns if self.only else np.column_stack([_dense(self._view.transform(rows)), columns])
        return self._table(X, rows, columns)

    def _columns(self, rows: Table) -> Floats:
        bodies = [self.rules_.body(at) for at in range(len(self.rules_))]
        made = np.zeros((len(rows), len(bodies)))
        for part, some in parts_of(rows):
            coverage = Coverage(bodies, some)
            for at in range(len(bodies)):
                made[part, at] = unpacked(coverage.rule(at), len(some))
        return made

    def _names(self, taken: Any) -> list[str]:
        names: list[str] = []
        for at in range(len(self.rules_)):
            names.append(free_name(" and ".join(map(str, self.rules_.body(at))), {*taken, *names}))
        return names

    def _table(self, given: Table, rows: Table, columns: Floats) -> Table:
        target = given.schema.target
        taken = {a.name for a in given.schema.attributes} | ({target.name} if target else set())
        new = [Attribute(name) for name in self._names(taken)]
        extra = [*np.ascontiguousarray(columns.T)]
        if self.only:
            return remade(given, new, numeric=extra)
        if rows.sparse is not None:
            raise DataError(
                "RuleFeatures: beside a sparse table's attributes there is no room; take only=True."
            )
        old = list(given.schema.attributes)
        numbers = [column for _, column in given.numeric_columns()]
        return remade(given, [*old, *new], numeric=[*numbers, *extra], nominal=given.nominal)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the new columns behind those of the attributes; of nominal ones as `numeric_matrix`
        has them.
        """
        if not hasattr(self, "rules_"):
            raise NotFittedError("This RuleFeatures instance is not fitted yet. Call 'fit' first.")
        old = () if self.only else tuple(self._view.names)
        return np.array([*old, *self._names(old)], dtype=object)


def _dense(matrix: Any) -> Floats:
    made: Floats = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)
    return made
