"""C4.5rules as a learner: the rules of an unpruned tree, made fewer and shorter (`trees.decision_list`).

A tree need not test what rules must: a rule that lacks such an attribute is given a test of it that all rows of its
class behind it pass.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acumen.conditions.condition import Condition, numbers_of
from acumen.data.table import Table
from acumen.rows.training_rows import TableRows
from acumen.rulelist.row_counts import recount
from acumen.rulelist.rule_list import Rule, RuleList
from acumen.rules.constraints import RuleConstraints
from acumen.rules.models import C45RulesModel
from acumen.trees.decision_list import decision_list
from acumen.types import Bools

if TYPE_CHECKING:
    from acumen.trees.learners import DecisionTree


def learn_c45_rules(
    table: Table, tree: DecisionTree, constraints: RuleConstraints, *, cf: float, smoothing: float
) -> C45RulesModel:
    """The list for a table's labelled rows; `tree` has the parameters of the tree."""
    allowed = [name for name in table.schema.names if name not in constraints.must_not_use]
    rows = table if len(allowed) == len(table.schema.names) else table.select(allowed)
    model, _ = tree.learn(TableRows(rows))
    short_list = decision_list(
        add_required_tests(model.to_rules(rows.schema), rows, constraints),  # type: ignore[attr-defined]
        rows,
        cf=cf,
        allows=constraints.allows if constraints else None,
        fulfilled=constraints.tests_required if constraints else None,
    )
    rule_list = C45RulesModel(short_list.rules, short_list.default, table.schema.classes, smoothing=smoothing)
    return recount(rule_list, table)


def add_required_tests(rules: RuleList, rows: Table, constraints: RuleConstraints) -> RuleList:
    """The same rules, each with a condition on every attribute of `must_use`, where its rows have values of it."""
    if not constraints.must_use:
        return rules
    extended = []
    for rule in rules:
        body = rule.conditions
        allowed = [c for c in body if constraints.allows(c, rule.label)]
        tested = {condition.attribute for condition in allowed}
        right = rule.covers(rows) & rule.holds(rows)
        extra = [
            condition
            for name in constraints.must_use
            if name not in tested
            and (condition := _required_condition(name, rule, right, rows, constraints)) is not None
        ]
        extended.append(Rule((*body, *extra), rule.head, rule.counts, rule.total, rule.head_total))
    return replace(rules, rules=tuple(extended))


def _required_condition(
    name: str, rule: Rule, right: Bools, rows: Table, constraints: RuleConstraints
) -> Condition | None:
    """A condition that all those rows pass which have a value; None where none has, or none can be made."""
    attribute = rows.schema[name]
    if attribute.is_numeric:
        every = numbers_of(rows, attribute)
        values = every[right & ~np.isnan(every)]
        if not len(values):
            return None
        top = Condition(name, "<=", float(values.max()), attribute.form)
        if constraints.allows(top, rule.label):
            return top
        below = every[every < values.min()]
        low = float(below.max()) if len(below) else math.nextafter(float(values.min()), -math.inf)
        return Condition(name, ">", low, attribute.form)
    if not attribute.is_nominal:
        return None
    codes = next(column for nominal, column in rows.nominal_columns() if nominal is attribute)
    levels = [attribute.levels[code] for code in np.unique(codes[right & (codes >= 0)]).tolist()]
    if not levels:
        return None
    return Condition(name, "=", levels[0]) if len(levels) == 1 else Condition(name, "in", tuple(levels))
