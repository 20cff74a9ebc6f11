"""Describe clusters as rules: a small tree that predicts the cluster of a row, and how often it agrees.

GroupRules   the rules, their fidelity, and recall and precision of each cluster
rules_of     the rules for the clusters of a table's rows
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.models.kinds import learner_class
from acumen.profiling.fit_warnings import data_warnings_off
from acumen.render.text import percent
from acumen.resampling.folds import KFold
from acumen.rulelist.rule_list import RuleList
from acumen.types import Codes, Floats

#: The label of rows in no cluster.
NONE = "no cluster"
#: Folds to compute the held-out fidelity with.
_PARTS = 5


@dataclass(frozen=True, slots=True, eq=False)
class GroupRules:
    """Rules that predict the cluster of a row.

    `fidelity` is the weighted fraction of rows whose cluster the rules predict; `held_out` the same
    of rows that the tree was not grown from, in five parts (NaN of fewer than ten rows). `recall` and `precision`: of
    each group's rows, how many the rules find; of the rows they say are in it, how many are.
    """

    rules: RuleList
    fidelity: float
    held_out: float
    groups: tuple[str, ...]
    recall: Floats = field(repr=False)
    precision: Floats = field(repr=False)
    tree: Any = field(repr=False)

    def __len__(self) -> int:
        return len(self.rules)

    def describe(self) -> str:
        """The rules, then their fidelity, recall and precision."""
        held_out = "" if np.isnan(self.held_out) else f", {percent(self.held_out)} of held-out rows"
        lines = [
            str(self.rules),
            "",
            f"fidelity: the rules predict the cluster of {percent(self.fidelity)} of the rows{held_out}",
        ]
        for group, recall, right in zip(
            self.groups, self.recall.tolist(), self.precision.tolist(), strict=True
        ):
            lines.append(f"    {group}: recall {percent(recall)}, precision {percent(right)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()

    def to_dict(self) -> dict[str, Any]:
        """The rules and their figures as JSON-ready values."""
        return {
            "rules": [str(rule) for rule in self.rules],
            "otherwise": str(self.rules.default),
            "fidelity": self.fidelity,
            "fidelity_held_out": None if np.isnan(self.held_out) else self.held_out,
            "groups": {
                group: {"recall": _finite_or_none(recall), "precision": _finite_or_none(right)}
                for group, recall, right in zip(self.groups, self.recall, self.precision, strict=True)
            },
        }


def _finite_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def rules_of(rows: Table, groups: Codes, n_groups: int, max_rules: int | None = None) -> GroupRules:
    """A tree with at most `max_rules` leaves (default: twice the number of clusters) on the clusters of rows."""
    there = np.unique(groups[rows.row_weights > 0])
    if len(there) < 2:
        raise DataError("to_rules: all rows are in one cluster, so there is nothing to distinguish.")
    names = tuple(NONE if code < 0 else f"cluster {code}" for code in there.tolist())
    labels = np.searchsorted(there, groups).astype(np.int32)
    labels[~np.isin(groups, there)] = -1  # a group whose rows all have weight zero
    table = _with_group_target(rows, labels, names)
    most = max(2 * len(there), 4) if max_rules is None else max_rules
    # A branch may hold one row so that groups of one or two rows get a rule; pruning removes useless branches.
    tree = learner_class("decision-tree")(split="binary", max_leaf_nodes=most, min_samples_leaf=1)
    with data_warnings_off():  # small groups are no reason to warn
        fitted = tree.fit(table)
        held_out = _held_out(tree, table, labels, np.where(labels >= 0, table.row_weights, 0.0))
    predicted = fitted.predictor_.predict(table)
    weights = np.where(labels >= 0, table.row_weights, 0.0)
    same = predicted == labels
    k = len(names)
    known = labels >= 0
    group_weights = np.bincount(labels[known], weights[known], k)
    called = np.bincount(predicted, weights, k)
    right = np.bincount(labels[known & same], weights[known & same], k)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall, precision = right / group_weights, right / called
    return GroupRules(
        fitted.to_rules(), float(weights[same].sum() / weights.sum()), held_out,
        names, recall, precision, fitted,
    )  # fmt: skip


def _with_group_target(rows: Table, labels: Codes, names: tuple[str, ...]) -> Table:
    """The rows with their groups as the target, under a name that no column has."""
    name = "group"
    while name in rows.schema.columns:
        name += "_"
    schema = Schema(rows.schema.attributes, Attribute(name, "nominal", names))
    return rows.replace(schema=schema, labels=labels, response=None, ignored=())


def _held_out(tree: Any, table: Table, labels: Codes, weights: Floats) -> float:
    from acumen.base.scikit import clone

    counted = np.flatnonzero(weights > 0)
    if len(counted) < 2 * _PARTS:
        return float("nan")
    parts = KFold(_PARTS).part_codes(len(counted), labels[counted], 0)[0]
    same = 0.0
    for part in range(_PARTS):
        here, rest = counted[parts == part], counted[parts != part]
        if not len(here) or not len(rest):
            continue
        predicted = clone(tree).fit(table.take(rest)).predictor_.predict(table.take(here))
        same += float(weights[here][predicted == labels[here]].sum())
    return same / float(weights.sum())
