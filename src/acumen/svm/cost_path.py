"""Machines over a range of C, each begun from the one before.

When C grows by a factor, multipliers times that factor are feasible still, and nearly right for the rows at their
bound; so a path costs little more than its last machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.svm.classify import FittedMachines, SVMOptions, fit
from acumen.svm.model import SVMModel
from acumen.svm.solvers.certificate import Certificate
from acumen.types import Floats


@dataclass(frozen=True, slots=True)
class PathPoint:
    """One C of a path: its model, certificate, support vectors, and the norm of w (of all machines together)."""

    C: float
    model: SVMModel
    certificate: Certificate
    n_support: int
    norm: float
    slack: float
    steps: int

    def __str__(self) -> str:
        return (
            f"C = {self.C:<9.4g} support vectors {self.n_support:<6} |w| {self.norm:<9.4g} slack {self.slack:<9.4g} "
            f"gap {self.certificate.relative_gap:.1e} in {self.steps} steps"
        )


@dataclass(frozen=True, slots=True)
class SVMPath:
    """A path over C, from the smallest to the largest."""

    points: tuple[PathPoint, ...]

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, place: int) -> PathPoint:
        return self.points[place]

    @property
    def C(self) -> Floats:  # noqa: N802 - as the learner's parameter is written
        return np.array([point.C for point in self.points])

    def __str__(self) -> str:
        return "\n".join(map(str, self.points))


def path_over(wishes: SVMOptions, table: Table, values: Sequence[float]) -> tuple[SVMPath, tuple[str, ...]]:
    """The path, and what there is to warn of."""
    numbers = [value for value in values if isinstance(value, (int, float)) and 0 < value < np.inf]
    if not numbers or len(numbers) < len(values):
        raise ParameterError(f"SVM.path: C must be finite numbers above 0; got {list(values)!r}.")
    costs = sorted(map(float, numbers))
    points: list[PathPoint] = []
    complaints: list[str] = []
    before: FittedMachines | None = None
    last = 1.0
    for value in costs:
        starts = None
        if before is not None and before.duals:
            starts = tuple(b * (value / last) for b in before.duals)
        fit_at = fit(replace(wishes, C=value, probability=None), table, starts)
        reports = fit_at.reports
        points.append(
            PathPoint(
                C=value,
                model=fit_at.model,
                certificate=fit_at.certificate,
                n_support=len(np.unique(np.concatenate([report.support for report in reports]))),
                norm=float(np.sqrt(sum(report.norm**2 for report in reports))),
                slack=float(sum(report.slack.sum() for report in reports)),
                steps=sum(max(report.steps, 0) for report in reports),
            )
        )
        complaints += fit_at.warnings
        before, last = fit_at, value
    return SVMPath(tuple(points)), tuple(complaints)
