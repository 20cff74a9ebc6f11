"""CN2 (Clark and Niblett 1989; Clark and Boswell 1991): rules by beam search, one after another.

    ordered     the best rule for the rows left, of whatever class; the rows it covers go; a list
    unordered   the best rule for each class in turn; only rows of the class go; rules vote by their class counts

From the rule without conditions, one condition is added to each of the `beam` best at every step. A rule must be
significant (likelihood ratio against the class distribution of the whole table: as many degrees of freedom as there are
classes but one; one where a class stands against all others together), and better than the rule without conditions by
more than `threshold`. Rules that cover the same rows count once, the first of them; those that no further condition
could make better, or significant, are not carried on. Of equally good rules that of more rows is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from scipy.special import chdtri

from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.rulelist.row_counts import recount
from acumen.rules.coded_table import CodedRuleTable, uncounted_rules
from acumen.rules.constraints import RuleConstraints
from acumen.rules.models import CN2Model
from acumen.rules.ripper import class_weights

MeasureOfRule = Literal["entropy", "laplace", "m-estimate", "likelihood-ratio", "wracc"]
MEASURES: Final[tuple[str, ...]] = get_args(MeasureOfRule)


@dataclass(frozen=True, slots=True)
class CN2Options:
    """How rules are searched for and judged; the parameters of `CN2`."""

    ordered: bool = True
    beam: int = 5
    measure: MeasureOfRule = "entropy"
    significance: float | None = 0.05
    min_covered: float = 2.0
    max_conditions: int | None = None
    m: float = 2.0
    threshold: float = 0.0
    smoothing: float = 1.0


def critical_value(significance: float | None, classes: int, *, ordered: bool) -> float:
    """What the likelihood ratio of a rule must reach; 0 where it need not be significant."""
    if significance is None:
        return 0.0
    degrees = max(classes - 1, 1) if ordered else 1  # one class against the others together has one
    return float(chdtri(degrees, significance))


def learn_cn2(table: Table, options: CN2Options, constraints: RuleConstraints) -> tuple[CN2Model, int]:
    """The rules for a table's labelled rows, and how many were looked at."""
    coded = CodedRuleTable.of(table, constraints)
    totals = class_weights(table)
    n_classes = int(np.count_nonzero(totals))
    search = coded.rows.cn2(
        MEASURES.index(options.measure),
        options.ordered,
        int(options.beam),
        critical_value(options.significance, n_classes, ordered=options.ordered),
        float(options.min_covered),
        int(options.max_conditions or 0),
        float(options.m),
        float(options.threshold),
        coded.must,
        cores(),
    )
    classes = table.schema.classes
    majority = classes[int(totals.argmax())]
    rules = uncounted_rules(coded.rules(search))
    model = recount(CN2Model(rules, majority, classes, options.ordered, smoothing=options.smoothing), table)
    if model.default_counts:
        # The most frequent class of the rows that are left (of all where none is).
        rest = max(classes, key=lambda label: model.default_counts.get(label, 0.0))
        model = CN2Model(model.rules, rest, classes, options.ordered, model.default_counts, options.smoothing)
    return model, int(search[3])
