"""Your own learner, complete: from sums over rows to the contract.

`Prototypes` keeps the mean of each class and gives a row to the class whose mean is nearest, in units of the
attributes' spread. Its model follows from sums over rows, so that fitting, streaming, going on later and one-pass
cross-validation come from `Classifier` by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

import numpy as np

import acumen
from acumen.checks import check_learner
from acumen.contract import (
    AtLeast,
    Classifier,
    ClassWeight,
    Costs,
    Model,
    Priors,
    Summary,
    empty_table,
    restored_summary,
    stored_floats,
)
from acumen.summaries import ClassMoments, LevelCounts

# -- the algorithm: a summary that adds, and a model solved from it ---------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeSummary(Summary):
    """What the rows of each class come to; `+` of the fields is `+` of the summary."""

    schema: acumen.Schema
    classes: LevelCounts
    numeric: ClassMoments

    @property
    def class_totals(self) -> Any:
        return self.classes.known_counts[:, 0]

    def widen(self, schema: acumen.Schema) -> PrototypeSummary:
        """Under a schema with further levels, of which the moments of numbers know nothing."""
        return PrototypeSummary(schema, self.classes, self.numeric)


def summarise(rows: acumen.Table, plan: None) -> PrototypeSummary:
    """Knows the data and no parameter."""
    labels, weights, k = rows.labels, rows.weights, rows.schema.n_classes
    counts = LevelCounts.of(np.zeros_like(labels), labels, weights, k, 1)
    columns = [values for _, values in rows.numeric_columns()]  # of a sparse table too
    return PrototypeSummary(rows.schema, counts, ClassMoments.of(columns, labels, weights, k))


def solve(summary: PrototypeSummary, *, shrink: float) -> PrototypeModel:
    """Knows the parameters and no data; each argument is the learner's parameter of that name."""
    moments, totals = summary.numeric, summary.class_totals
    weight = np.maximum(moments.weight, 1e-300)
    middle = (moments.weight * moments.mean).sum(axis=0) / weight.sum(axis=0)
    pull = shrink / (shrink + weight)
    spread = np.sqrt(moments.scatter.sum(axis=0) / weight.sum(axis=0))
    with np.errstate(divide="ignore"):
        prior = np.log(totals / totals.sum())
    mean = np.where(moments.weight > 0, pull * middle + (1 - pull) * moments.mean, middle)
    return PrototypeModel(prior, mean, np.where(spread > 0, spread, 1.0))


@dataclass(frozen=True, slots=True)
class PrototypeModel(Model):
    """Plain arrays, and how rows are scored with them."""

    kind: ClassVar[str] = "prototypes"
    log_prior: Any
    mean: Any
    spread: Any

    def scores(self, rows: acumen.Table) -> Any:
        made = np.tile(self.log_prior, (len(rows), 1))
        for j, (_, values) in enumerate(rows.numeric_columns()):
            far = np.abs(values[:, None] - self.mean[:, j]) / self.spread[j]
            made -= np.minimum(np.nan_to_num(far, nan=0.0, posinf=1e3), 1e3)  # a missing value says nothing
        return made

    def to_arrays(self) -> dict[str, Any]:
        return {"log_prior": self.log_prior, "mean": self.mean, "spread": self.spread}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any], schema: acumen.Schema) -> Self:
        k, d = schema.n_classes, len(schema.numeric)
        return cls(
            stored_floats(arrays, "log_prior", (k,), high=0.0, finite=False),
            stored_floats(arrays, "mean", (k, d)),
            stored_floats(arrays, "spread", (d,), low=1e-300),
        )

    def describe(self, schema: acumen.Schema, *, full: bool = False) -> str:
        lines = [f"The means of {len(self.mean)} classes; the nearest is taken"]
        for label, mean in zip(schema.classes, self.mean, strict=True):
            said = [f"{a.name} {value:.4g}" for a, value in zip(schema.numeric, mean, strict=True)]
            lines.append(f"{label}: {', '.join(said)}")
        return "\n".join(lines)

    @property
    def n_parameters(self) -> int:
        return int(self.mean.size + self.spread.size)


# -- the face: parameters, and where the algorithm is -----------------------------------------------


class Prototypes(Classifier):
    """Classify by the nearest mean of a class.

    Parameters
    ----------
    shrink : float
        So many rows of the mean of all rows are added to each class.
    costs, priors, class_weight, n_jobs
        As for NaiveBayes.
    """

    kind: ClassVar[str] = "prototypes"
    model_type = PrototypeModel
    summarise = staticmethod(summarise)
    solve = staticmethod(solve)

    def __init__(
        self,
        *,
        shrink: Annotated[float, AtLeast(0)] = 0.0,
        costs: Costs = None,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
    ) -> None:
        self.shrink = shrink
        self.costs = costs
        self.priors = priors
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @staticmethod
    def restore_summary(arrays: Mapping[str, Any], schema: acumen.Schema, plan: None) -> PrototypeSummary:
        return restored_summary(summarise(empty_table(schema), None), arrays)

    def objection(self, schema: acumen.Schema) -> str | None:
        return None if schema.numeric else "there is no numeric attribute to take means of."


if __name__ == "__main__":
    iris = acumen.datasets.load("iris")
    model = Prototypes(shrink=2).fit(iris)
    print(model)

    # Every law of the contract, on clones of it.
    print(f"passes {len(check_learner(Prototypes()).passed)} laws")

    # One pass over the rows serves all folds, and all values of a parameter that only `solve` uses.
    print(acumen.compare([Prototypes(), acumen.NearestMean()], iris, acumen.KFold(10), random_state=0).names)
    print(acumen.Tuned(Prototypes(), {"shrink": [50, 10, 0]}, random_state=0).fit(iris).best_params_)

    # The training itself can be looked into, and trainings of parts add.
    halves = acumen.Training.of(Prototypes(), iris).parts(np.arange(150, dtype=np.int32) % 2, 2)
    whole = halves[0] + halves[1]
    print(
        whole.n_rows, "rows of two halves:", np.allclose(whole.model.mean, Prototypes().fit(iris).model_.mean)
    )
