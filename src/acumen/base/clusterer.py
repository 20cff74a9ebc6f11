"""The base class of clusterers, which find groups of similar rows without a target column.

    Clusterer      a learner whose model assigns each row to a cluster

A clusterer gives `cluster(rows) -> Grouping`, or `summarise` and `solve` as any learner does; `fit`, `labels_`,
`objective_`, `fit_predict`, weights and model files follow. All clusterers guarantee, and `acumen.checks` tests:

* `labels_` has one group for each row passed to `fit`, rows of weight zero included, and `predict` returns the same for
  them. -1 marks rows in no group, among them rows without any known value.
* Groups are numbered by their first row: row 0 is in group 0 (or in none), the first row outside it in group 1. Every
  group has a row. `by_first_row` gives the order in which a model must store its centres.
* `objective_` is what the search minimised, summed over rows and their weights: squared distances, or distances. It is
  stored in the model (`GroupModel.objective`), and so in its file.
* Whole weights are repeated rows: random draws use positions in the running sum of weights
  (`rng.random() * weights.sum()`), so that the same seed draws the same rows either way.
* Adding a constant to every number changes no group: subtract the mean before squaring.
* A table's target, and `y`, are ignored; a `k` above the number of distinct rows raises an error.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from acumen.base.cluster_profile import Profile, profile_of
from acumen.base.cluster_rules import GroupRules, rules_of
from acumen.base.grouping import Grouping
from acumen.base.learner import Learner
from acumen.base.scikit import ClusterMixin
from acumen.data.table import Table
from acumen.engines.cores import limited_to
from acumen.errors import ParameterError
from acumen.explain.explanation import Explanation
from acumen.models.model import GroupModel
from acumen.models.predictor import GroupPredictor
from acumen.models.task import GROUPS, Task
from acumen.rows.intake import as_table, is_named, row_weights
from acumen.rows.training_rows import Rows
from acumen.types import Codes, Floats


class Clusterer(ClusterMixin, Learner):
    """Base class of all clusterers. `fit` ignores a table's target."""

    task: ClassVar[Task] = GROUPS
    model_type: ClassVar[type[GroupModel]]
    #: Name of the parameter for the number of clusters; learners without one determine the number themselves.
    count_parameter: ClassVar[str] = "n_clusters"
    predictor_: GroupPredictor
    #: The cluster of each row passed to `fit`; not saved in model files and not available after `fit_stream`.
    labels_: Codes

    def cluster(self, rows: Rows) -> Grouping:
        """Find clusters in rows that all count; for clusterers that do not use summaries.

        For rows that are not in memory the labels may be empty.
        """
        raise NotImplementedError(f"{self._name} must give cluster(rows), or summarise and solve")

    def learn(self, rows: Rows) -> tuple[Any, Floats]:
        if self.adds:
            model, totals = super().learn(rows)
            return model, totals
        clustering = self.cluster(rows)
        if rows.table is not None:
            self._labels = clustering.labels
        self.n_iter_ = clustering.n_iter
        return clustering.model, np.array([rows.weight])

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find clusters in rows.

        Parameters
        ----------
        X : Table, data frame, array or sparse matrix
            A Table's own target is ignored.
        y : ignored
        sample_weight : array-like, optional
            Row weights of at least 0; whole weights are counts of rows, any others are relative.
        """
        super().fit(X, y, sample_weight)
        labels = self.__dict__.pop("_labels", None)
        self.labels_ = self.predict(X) if labels is None else self._for_all(X, sample_weight, labels)
        return self

    def _for_all(self, X: Any, sample_weight: Any, found: Codes) -> Codes:
        """The groups of all rows passed to `fit`, including rows of weight zero, which were not used for training."""
        if sample_weight is None and not (isinstance(X, Table) and X.weights.size):
            return found
        weights = row_weights(sample_weight, as_table(X), self._name)
        if not weights.size or weights.all():
            return found
        labels = self.predict(X)
        labels[weights > 0] = found
        return labels

    def predict(self, X: Any) -> Codes:
        """Assign each row to a cluster, numbered from 0; -1 for none."""
        rows = self._query(X)
        with limited_to(self.jobs):
            return self.predictor_.predict(rows)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Codes:
        """Fit and return the cluster of each row."""
        return self.fit(X, y, sample_weight).labels_

    @property
    def n_clusters_(self) -> int:
        """The number of clusters."""
        n_groups: int = self._require_fitted().model.n_groups
        return n_groups

    @property
    def objective_(self) -> float:
        """The objective that the search minimised, summed over the training rows."""
        objective: float = self._require_fitted().model.objective
        return objective

    def profile(self, table: Any, *, false_discovery: float = 0.05) -> Profile:
        """Describe what is typical of each cluster, by effect size, with a suggested name for each.

        Attributes from which the clusters were computed differ in any case and have no p-value. Columns
        that the table has besides, its target among them, are tested, and false discoveries controlled.

        Parameters
        ----------
        table : Table, data frame or array
            Rows to describe: the training rows, or others.
        false_discovery : float
            The maximum expected fraction of false discoveries among the reported differences of other columns.
        """
        if not isinstance(false_discovery, (int, float)) or not 0 < false_discovery < 1:
            raise ParameterError(
                f"{self._name}.profile: false_discovery must be a number between 0 and 1; got {false_discovery!r}."
            )
        rows = self._query(table)
        groups = self.predict(table)
        used = rows.schema.names
        source = table if isinstance(table, Table) else as_table(table) if is_named(table) else rows
        return profile_of(rows, groups, self.n_clusters_, used, float(false_discovery), others=source)

    def to_rules(self, table: Any, *, max_rules: int | None = None) -> GroupRules:
        """Describe the clusters by the rules of a small tree, with the fraction of rows it assigns correctly.

        Parameters
        ----------
        table : Table, data frame or array
            The rows whose clusters to describe.
        max_rules : int, optional
            The maximum number of rules. [default: twice the number of clusters]
        """
        if max_rules is not None and (
            isinstance(max_rules, bool) or not isinstance(max_rules, int) or max_rules < 2
        ):
            raise ParameterError(
                f"{self._name}.to_rules: max_rules must be a whole number of at least 2; got {max_rules!r}."
            )
        return rules_of(self._query(table), self.predict(table), self.n_clusters_, max_rules)

    def explain(self, row: Any, steps: bool = False) -> Explanation:
        """Explain the cluster of one row: a mapping, a sequence, or a table of one row."""
        explanation: Explanation = super().explain(row, steps)
        return explanation
