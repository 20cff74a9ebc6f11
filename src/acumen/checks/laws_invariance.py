"""Laws on what must not matter: a constant weight for every row; and for folds units, names and the order of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from acumen.checks.subject import NotApplicable, Subject
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table


def a_constant_weight_changes_nothing(subject: Subject) -> None:
    """Rows that all weigh 3.7, 0.1 or 1/n teach what rows without weights teach.

    Whole weights are counts of rows, and learners with a penalty take weights as they are: neither is concerned.
    """
    if subject.learner.minds_scale:
        raise NotApplicable("a penalty stands beside the sum of its losses")
    rows = subject.table()
    plain = subject.new().fit(rows)
    for weight in (3.7, 0.1, 1 / len(rows)):
        even = subject.new().fit(rows, sample_weight=np.full(len(rows), weight))
        subject.require_same(even, plain, rows, f"every row weighing {weight:g}", 1e-8)


LAWS = (a_constant_weight_changes_nothing,)
