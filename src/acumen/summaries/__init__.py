"""Summaries of rows: immutable values that add.

algebra     Summary, add_up, leave_each_out, Parts
counts      LevelCounts       class by level of one nominal attribute
moments     ClassMoments      weight, mean and squares of numeric attributes
scatter     ScatterMatrices   products of deviations
distinct    DistinctValues    values of numeric attributes while they are few
joint       JointCounts       combinations of nominal attributes
words       TokenCounts       documents' words by class
anova       one-way analysis of variance, from ClassMoments
borrow      what the kernels are handed: columns, labels, weights, parts
"""

from __future__ import annotations

from acumen.summaries.algebra import Summary, SummaryGroup, add_up, leave_each_out
from acumen.summaries.counts import JointCounts, LevelCounts
from acumen.summaries.distinct import DistinctValues
from acumen.summaries.moments import ClassMoments
from acumen.summaries.scatter import ScatterMatrices
from acumen.summaries.words import TokenCounts

__all__ = [
    "ClassMoments",
    "DistinctValues",
    "JointCounts",
    "LevelCounts",
    "ScatterMatrices",
    "Summary",
    "SummaryGroup",
    "TokenCounts",
    "add_up",
    "leave_each_out",
]
