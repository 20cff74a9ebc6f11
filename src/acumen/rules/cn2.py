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
from typing import ClassVar, Final, Literal, get_args

import numpy as np
from scipy.special import chdtri

from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.rulelist.row_counts import recounted
from acumen.rulelist.rule_list import RuleList
from acumen.rules.coded import Coded, bare
from acumen.rules.constraints import Constraints
from acumen.rules.ripper import class_weights

MeasureOfRule = Literal["entropy", "laplace", "m-estimate", "likelihood-ratio", "wracc"]
MEASURES: Final[tuple[str, ...]] = get_args(MeasureOfRule)


@dataclass(frozen=True, slots=True)
class CN2Model(RuleList):
    """An ordered list of rules, or rules that vote."""

    kind: ClassVar[str] = "cn2"


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


def learned(table: Table, options: CN2Options, constraints: Constraints) -> tuple[CN2Model, int]:
    """The rules for a table's labelled rows, and how many were looked at."""
    coded = Coded.of(table, constraints)
    totals = class_weights(table)
    there = int(np.count_nonzero(totals))
    found = coded.rows.cn2(
        MEASURES.index(options.measure),
        options.ordered,
        int(options.beam),
        critical_value(options.significance, there, ordered=options.ordered),
        float(options.min_covered),
        int(options.max_conditions or 0),
        float(options.m),
        float(options.threshold),
        coded.must,
        cores(),
    )
    classes = table.schema.classes
    everyday = classes[int(totals.argmax())]
    rules = bare(coded.rules(found))
    made = recounted(CN2Model(rules, everyday, classes, options.ordered, smoothing=options.smoothing), table)
    if made.default_counts:
        # The most frequent class of the rows that are left (of all where none is).
        rest = max(classes, key=lambda label: made.default_counts.get(label, 0.0))
        made = CN2Model(made.rules, rest, classes, options.ordered, made.default_counts, options.smoothing)
    return made, int(found[3])
