"""C4.5rules as a learner: the rules of an unpruned tree, made fewer and shorter (`trees.decision_list`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from acumen.base.rules import RuleList
from acumen.base.rules_count import recounted
from acumen.data.table import Table
from acumen.rules.constraints import Constraints
from acumen.trees.decision_list import decision_list

if TYPE_CHECKING:
    from acumen.trees.learners import DecisionTree


@dataclass(frozen=True, slots=True)
class C45RulesModel(RuleList):
    """An ordered list of rules, those of a class together."""

    kind: ClassVar[str] = "c45rules"


def learned(
    table: Table, tree: DecisionTree, constraints: Constraints, *, cf: float, smoothing: float
) -> C45RulesModel:
    """The list for a table's labelled rows; `tree` has the parameters of the tree."""
    allowed = [name for name in table.schema.names if name not in constraints.must_not_use]
    rows = table if len(allowed) == len(table.schema.names) else table.select(allowed)
    model, _ = tree.learn(rows)
    found = decision_list(
        model.to_rules(rows.schema),  # type: ignore[attr-defined]
        rows,
        cf=cf,
        allows=constraints.allows if constraints else None,
        fulfilled=constraints.fulfilled if constraints else None,
    )
    made = C45RulesModel(found.rules, found.default, table.schema.classes, smoothing=smoothing)
    return recounted(made, table)
