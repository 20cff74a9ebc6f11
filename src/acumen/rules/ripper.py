"""RIPPER (Cohen 1995): rules for one class after the other, the rarest first, the most frequent class as default.

A rule is grown on two thirds of the rows, test by test by FOIL's gain, until it covers no row of other classes; pruned
on the third held back, its last conditions going; and kept unless the message of rules and exceptions becomes 64 bits
longer than the shortest so far, or it is wrong on half of what it covers. Rules are then left out, from the last,
where that shortens the message. In each pass of optimisation every rule competes with one grown anew and one grown on
from it, judged by the message of the whole list; rows of the class that are left over get further rules.

The kernel has all of it (`native/kernels/rules/ripper.cpp`); rows are drawn by a stream of its own that depends
on the seed alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from acumen.data.table import Table
from acumen.engines.cores import cores
from acumen.rulelist.row_counts import recount
from acumen.rules.coded_table import CodedRuleTable, uncounted_rules
from acumen.rules.constraints import RuleConstraints
from acumen.rules.models import RipperModel
from acumen.types import Codes, Floats

Classes = Literal["rarest-first", "all"]
Deletion = Literal["prefix", "subsets"]
Stopping = Literal["mdl", "error"]
Gain = Literal["smoothed", "plain"]


@dataclass(frozen=True, slots=True)
class RipperOptions:
    """How rules are grown, pruned and judged; the parameters of `Ripper`."""

    prune_share: float = 1 / 3
    optimise: int = 2
    classes: Classes = "rarest-first"
    deletion: Deletion = "prefix"
    stop: Stopping = "mdl"
    min_covered: float = 2.0
    gain: Gain = "smoothed"
    sets: bool = False
    max_conditions: int | None = None
    smoothing: float = 1.0
    seed: int = 0
    weights: Floats | None = None  # of each attribute, where some count more than others


def learn_ripper(
    table: Table, options: RipperOptions, constraints: RuleConstraints
) -> tuple[RipperModel, int]:
    """The list for a table's labelled rows, and how many rules were looked at."""
    weights = options.weights
    if weights is not None:
        constraints = constraints.without(
            [name for name, weight in zip(table.schema.names, weights, strict=True) if not weight]
        )
    coded = CodedRuleTable.of(table, constraints)
    worth = np.empty(0) if weights is None else weights[[column.first for column in coded.columns]]
    totals = class_weights(table)
    order = _rarest_first(totals, table)
    default = int(order[-1])
    search = coded.rows.ripper(
        order if options.classes == "all" else order[:-1],
        options.gain == "smoothed",
        options.sets,
        float(options.min_covered),
        int(options.max_conditions or 0),
        coded.must,
        float(options.prune_share),
        int(options.optimise),
        options.classes == "all",
        options.deletion == "subsets",
        options.stop == "error",
        coded.conditions,
        options.seed,
        worth,
        cores(),
    )
    classes = table.schema.classes
    model = RipperModel(
        uncounted_rules(coded.rules(search)), classes[default], classes, smoothing=options.smoothing
    )
    return recount(model, table), int(search[3])


def class_weights(table: Table) -> Floats:
    """The weight of each class."""
    return np.bincount(table.class_codes, table.row_weights, minlength=table.schema.n_classes).astype(
        np.float64
    )


def _rarest_first(totals: Floats, table: Table) -> Codes:
    """Classes that have rows, by their weight; of equal ones by their names."""
    names = table.schema.classes
    present = [code for code in range(len(totals)) if totals[code] > 0]
    return np.array(sorted(present, key=lambda code: (totals[code], str(names[code]))), dtype=np.int32)
