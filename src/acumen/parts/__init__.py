"""Train on files in several places with any scheduler: plan, summarise each part, merge, fit.

    plan            what all parts have in common, and where each begins among the training rows
    plan_parts      files -> plan
    part_rows       the training rows of a part
    joined_plans    plans of single parts -> plan
    part_sums       a part under its plan -> sums of whole blocks, and the rows of partial ones; they add
    plan_file       plans in files
    sum_file        sums and rows in files
    predict_parts   predictions of a source, written where its rows are read

The model is the one of all rows on one machine, to the byte. `docs/scale.md` says why, and what it costs.
"""

from __future__ import annotations

from acumen.parts.part_sums import PartSum, merge, summarise
from acumen.parts.plan import Part, Plan
from acumen.parts.plan_file import read_plan, write_plan
from acumen.parts.plan_parts import plan
from acumen.parts.sum_file import read_sum, write_sum

__all__ = [
    "Part",
    "PartSum",
    "Plan",
    "merge",
    "plan",
    "read_plan",
    "read_sum",
    "summarise",
    "write_plan",
    "write_sum",
]
