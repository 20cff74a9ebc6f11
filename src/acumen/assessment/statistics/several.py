"""Learners over several tables: ranks, whether they differ at all, and which do.

over_tables   scores, a line for each table -> Ranking
Ranking       mean ranks, Friedman's test, Nemenyi's critical difference and cliques, wins and losses
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.assessment.statistics.friedman import (
    cliques,
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
)
from acumen.assessment.statistics.given import between_0_and_1, scores
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.signed import average_ranks, win_tie_loss
from acumen.errors import DataError
from acumen.types import Array, Floats


@dataclass(frozen=True, eq=False)
class Ranking:
    """k learners over N tables; everything a critical-difference diagram shows.

    Attributes
    ----------
    names : tuple of str
        Of the learners, in the order of the columns.
    ranks : array
        Mean ranks, 1 for the best.
    n_tables : int
    friedman, iman_davenport : TestResult
    difference : float
        Nemenyi's critical difference of mean ranks, at `alpha`.
    p : array (k, k)
        Nemenyi's p-value of each pair.
    cliques : list of tuples
        Groups without a significant difference, as positions in `names`, best first.
    wins : array (k, k, 3)
        Wins, ties and losses of each against each.
    """

    names: tuple[str, ...]
    ranks: Floats
    n_tables: int
    alpha: float
    friedman: TestResult
    iman_davenport: TestResult
    difference: float
    p: Floats
    cliques: list[tuple[int, ...]]
    wins: Array

    @property
    def order(self) -> list[str]:
        """The names, best first."""
        return [self.names[i] for i in np.argsort(self.ranks, kind="stable")]

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        others = ~np.eye(len(self.names), dtype=bool)
        lines = [
            f"{self.n_tables} tables, {len(self.names)} learners. {self.iman_davenport}. "
            f"Critical difference of mean ranks at {self.alpha:g}: {self.difference:.3f}."
        ]
        for i in np.argsort(self.ranks, kind="stable"):
            won, tied, lost = self.wins[i][others[i]].sum(axis=0)
            lines.append(
                f"  {self.names[i]:<{width}}  {self.ranks[i]:6.3f}  won {won}, tied {tied}, lost {lost}"
            )
        lines += [
            "  no significant difference: " + ", ".join(self.names[i] for i in group)
            for group in self.cliques
        ]
        return "\n".join(lines)


def over_tables(
    values: Any, names: Sequence[str] | None = None, alpha: float = 0.05, smaller_is_better: bool = True
) -> Ranking:
    """Rank learners over several tables, and test which differ.

    Parameters
    ----------
    values : matrix
        A line for each table, a column for each learner: one mean score each, as of a cross-validation.
    names : sequence of str, optional
        Of the learners.
    alpha : float
        The chance allowed of finding any difference where there is none.
    smaller_is_better : bool
        True for errors and losses, False for accuracies.
    """
    table_scores = scores(values, "over_tables")
    alpha = between_0_and_1(alpha, "alpha", "over_tables")
    n, k = table_scores.shape
    known = tuple(f"learner {i + 1}" for i in range(k)) if names is None else tuple(names)
    if len(known) != k:
        raise DataError(f"over_tables: {k} names are needed, one for each column; got {len(known)}.")
    ranks = average_ranks(table_scores, smaller_is_better)
    difference = critical_difference(k, n, alpha)
    return Ranking(
        names=known,
        ranks=ranks,
        n_tables=n,
        alpha=alpha,
        friedman=friedman(table_scores),
        iman_davenport=iman_davenport(table_scores),
        difference=difference,
        p=nemenyi(ranks, n),
        cliques=cliques(ranks, difference),
        wins=win_tie_loss(table_scores, smaller_is_better),
    )
