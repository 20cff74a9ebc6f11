"""Learners compared over several tables: a comparison on each, and ranks over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.assessment.compare import Comparison, compare, named_learners, with_majority
from acumen.assessment.statistics import Ranking, over_tables
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.types import Floats


@dataclass(frozen=True)
class ComparisonOverTables:
    """The comparisons by table, and the ranking over all: Friedman, Nemenyi, wins, ties and losses."""

    comparisons: dict[str, Comparison]
    ranking: Ranking
    values: Floats  # (tables, learners)

    @property
    def names(self) -> tuple[str, ...]:
        """The learners, in the order of the columns of `values`."""
        return self.ranking.names

    def __str__(self) -> str:
        return str(self.ranking)

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def compare_tables(
    learners: Any,
    tables: Any,
    method: Any,
    measure: str,
    random_state: Any,
    n_jobs: int | None,
    progress: Any,
) -> ComparisonOverTables:
    """What `compare` gives for several tables."""
    named = with_majority(named_learners(learners))
    given: dict[str, Table] = (
        {str(k): v for k, v in tables.items()}
        if isinstance(tables, Mapping)
        else {f"table {i + 1}": table for i, table in enumerate(tables)}
    )
    if len(given) < 2 or not all(isinstance(table, Table) for table in given.values()):
        raise DataError("compare: give one Table, or two and more as a list or a mapping of name to Table.")
    found = {
        name: compare(named, table, method, measure, None, random_state, n_jobs, progress=progress)
        for name, table in given.items()
    }
    order = list(named)
    for name, comparison in found.items():
        left = [learner for learner in order if learner not in comparison.assessments]
        if left:
            raise DataError(
                f"compare: {left[0]} was not finished on {name}; ranks need every learner on every table."
            )
    values = np.array([[c.assessments[learner].mean for learner in order] for c in found.values()])
    smaller = next(iter(found.values())).smaller_is_better
    return ComparisonOverTables(found, over_tables(values, order, smaller_is_better=smaller), values)
