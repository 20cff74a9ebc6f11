"""The transformer that turns rules into attributes for any learner.

fit         rows with classes -> the rules of a `CarMiner`
transform   rows -> a 0/1 column for each rule that tells whether its conditions hold; beside the attributes, or alone
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, cast

import numpy as np

from acumen.associations import class_rules
from acumen.associations.learners import CarMiner, mine_rules
from acumen.associations.rule_columns import RuleColumns
from acumen.base.transformer import Transformer, as_coordinates
from acumen.data.naming import unique_names
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.models.parameters import AtLeast, with_parameters_of
from acumen.models.task import CLASS_COLUMNS, Task
from acumen.preprocessing.columns import remade
from acumen.rows.training_rows import Rows
from acumen.rulelist.rule_list import RuleList
from acumen.types import Floats, Label


class RuleFeatures(Transformer):
    """Class association rules as additional attributes, or as the only ones.

    Rules are learned from the rows and classes given to `fit` alone, so inside a pipeline folds do not leak; what a
    row becomes does not depend on its class. A Table becomes a Table with a 0/1 column for each rule behind its
    attributes, so that a learner of acumen can follow; anything else an array of numbers, nominal attributes having a
    column for each level. An infinite number is missing.

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
    rules_ : RuleList
        In canonical order; the last columns are theirs.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> made = acumen.RuleFeatures(min_support=0.2, max_conditions=1).fit_transform(loan)
    >>> [a.name for a in made.schema][-2:]
    ['Age = young', 'Age = middle']
    """

    kind: ClassVar[str] = "rule-features"
    task: ClassVar[Task] = CLASS_COLUMNS
    model_type = RuleColumns

    min_support: float
    min_confidence: float
    class_supports: Mapping[Label, float] | None
    max_conditions: int | None
    prune: str | None
    limit: int | None

    @with_parameters_of(CarMiner)
    def __init__(
        self, *, only: bool = False, max_rules: Annotated[int, AtLeast(1)] | None = 100, **mining: Any
    ) -> None:
        self.only = only
        self.max_rules = max_rules
        CarMiner.__init__(cast(Any, self), **mining)  # stores them, whoever self is

    @property
    def constant_sensitive(self) -> bool:
        """Whether a constant column may change the output: it is one of the columns, or in rules."""
        return True

    def objection(self, schema: Schema) -> str | None:
        return class_rules.objection(schema)

    def _remember_names(self, X: Any, schema: Schema) -> None:
        super()._remember_names(X, schema)
        self._wide = not isinstance(X, Table)  # an array has numbers alone

    def learn(self, rows: Rows) -> tuple[RuleColumns, Floats]:
        table = rows.require_local(self._name)
        rules = mine_rules(self, table, self._name, free=False)
        if self.only and not len(rules):
            raise DataError(
                f"{self._name}: no rule is frequent and sure enough, so there would be no column; lower min_support "
                "or min_confidence, or take only=False."
            )
        kept = rules if self.max_rules is None else rules[: self.max_rules]
        about = rules.rows
        return RuleColumns(kept.to_rules(), self.only, self._wide), about.totals / about.unit

    @property
    def rules_(self) -> RuleList:
        """The rules behind the new columns."""
        rules: RuleList = self.model_.rules
        return rules

    def as_table(self, rows: Table, made: Floats) -> Table:
        names = self.get_feature_names_out().tolist()
        n = len(self.rules_)
        if self.only:
            return as_coordinates(rows, made, tuple(names))
        if rows.sparse is not None:
            raise DataError(
                f"{self._name}: beside a sparse table's attributes there is no room; take only=True."
            )
        old = rows.schema
        known = {*old.columns, *old.names, *([old.target.name] if old.target else [])}
        free = unique_names([*known, *names[len(names) - n :]])[0][len(known) :]
        # Where infinite numbers are missing, as in arrays; further columns of the rows stay as they are.
        numbers = dict(zip(names, made.T, strict=True))
        numeric = [np.ascontiguousarray(numbers.get(a.name, column)) for a, column in rows.numeric_columns()]
        numeric += [*np.ascontiguousarray(made[:, made.shape[1] - n :].T)]
        return remade(rows, [*old.attributes, *map(Attribute, free)], numeric=numeric, nominal=rows.nominal)
