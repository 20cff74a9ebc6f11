"""A kind of model made for the tests of the file: small, but with every type of array a model may hold.

It scores a class by its prior, its levels' log shares and the distance to its mean. It imports no
scikit-learn, so that what the file itself imports can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.models.kinds import Kind
from acumen.models.model import Model
from acumen.models.parameters import AtLeast
from acumen.models.predictor import Predictor
from acumen.preprocessing.stored_arrays import (
    require,
    stored_array,
    stored_codes,
    stored_floats,
    stored_log_shares,
)
from acumen.types import Array, Codes, Floats

TOY = {"toy": Kind("store.toy_kind:ToyModel", "store.toy_kind:Toy")}


@dataclass(frozen=True, slots=True)
class ToyModel(Model):
    kind: ClassVar[str] = "toy"
    log_prior: Floats
    mean: Floats
    log_level: tuple[Floats, ...]
    used: Array  # one truth value a numeric attribute
    order: Codes  # the order in which classes are looked at; a permutation

    def scores(self, rows: Table) -> Floats:
        total = np.tile(self.log_prior, (len(rows), 1))
        for table, (_, codes) in zip(self.log_level, rows.nominal_columns(), strict=True):
            known = codes >= 0
            total[known] += table[:, codes[known]].T
        for j, (_, values) in enumerate(rows.numeric_columns()):
            if self.used[j]:
                apart = np.abs(np.nan_to_num(values)[:, None] - self.mean[:, j])
                total -= np.minimum(apart, 1e6)
        return total[:, self.order][:, np.argsort(self.order)]

    def to_arrays(self) -> dict[str, Array]:
        levels = {f"nominal/{j}/log": table for j, table in enumerate(self.log_level)}
        return {
            "log_prior": self.log_prior,
            "mean": self.mean,
            "used": self.used,
            "order": self.order,
            **levels,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        k, m = schema.n_classes, len(schema.numeric)
        order = stored_codes(arrays, "order", (k,), low=0, below=k)
        require(len(np.unique(order)) == k, "the order of classes is no permutation")
        return cls(
            stored_log_shares(arrays, "log_prior", (k,)),
            stored_floats(arrays, "mean", (k, m), low=-1e300, high=1e300),
            tuple(
                stored_log_shares(arrays, f"nominal/{j}/log", (k, len(a.levels)))
                for j, a in enumerate(schema.nominal)
            ),
            stored_array(arrays, "used", np.bool_, (m,)),
            order,
        )

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return f"A toy of {schema.n_classes} classes"


@dataclass
class ToySummary:
    """Also serves as a plan."""

    counts: Floats

    def to_arrays(self) -> dict[str, Array]:
        return {"counts": self.counts}


class Toy:
    """As much of a learner as the file asks for."""

    kind: ClassVar[str] = "toy"

    def __init__(
        self,
        *,
        alpha: Annotated[float, AtLeast(0)] = 1.0,
        mode: Literal["plain", "odd"] = "plain",
        costs: Any = None,
        priors: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha, self.mode, self.costs = alpha, mode, costs
        self.priors, self.random_state, self.n_jobs = priors, random_state, n_jobs
        self.summary_: ToySummary | None = None
        self.plan_: ToySummary | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {n: getattr(self, n) for n in ("alpha", "mode", "costs", "priors", "random_state", "n_jobs")}

    def fit(self, rows: Table) -> Self:
        assert rows.labels is not None
        k = rows.schema.n_classes
        labels = rows.labels
        counts = np.bincount(labels, minlength=k).astype(float)
        log_level = []
        for attribute, codes in rows.nominal_columns():
            table = np.full((k, len(attribute.levels)), 1.0 + self.alpha)
            known = codes >= 0
            np.add.at(table, (labels[known], codes[known]), 1.0)
            log_level.append(np.log(table / table.sum(axis=1, keepdims=True)))
        matrix = np.nan_to_num(rows.numeric.matrix())
        mean = np.array([matrix[labels == c].mean(axis=0) for c in range(k)]).reshape(k, -1)
        used = np.ones(mean.shape[1], dtype=np.bool_)
        order = np.arange(k, dtype=np.int32)
        model = ToyModel(np.log(counts / counts.sum()), mean, tuple(log_level), used, order)
        costs = None if self.costs is None else 1.0 - np.eye(k)
        shift = None if self.priors is None else np.r_[-np.inf, np.zeros(k - 1)]
        self.predictor_ = Predictor(rows.schema, model, costs, shift)
        self.training_: dict[str, Any] = {"rows": len(rows), "weight": rows.total_weight}
        self.summary_, self.plan_ = ToySummary(counts), ToySummary(np.array([0.5, 1.5]))
        return self

    @classmethod
    def restore(
        cls,
        parameters: dict[str, Any],
        predictor: Predictor,
        training: dict[str, Any],
        summary_arrays: Mapping[str, Array] | None,
        plan_arrays: Mapping[str, Array] | None,
    ) -> Self:
        made = cls(**parameters)
        made.predictor_, made.training_ = predictor, training
        if summary_arrays is not None:
            k = predictor.schema.n_classes
            made.summary_ = ToySummary(stored_floats(summary_arrays, "counts", (k,), low=0))
        if plan_arrays is not None:
            made.plan_ = ToySummary(stored_floats(plan_arrays, "counts", (2,), low=0))
        return made


def mixed_table(
    n: int = 60, *, text: bool = False, numeric: bool = True, nominal: bool = True, counts: bool = False
) -> Table:
    """A small table with missing values; the same at every call."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, n).astype(np.int32)
    values = [rng.normal(labels, 1.0), rng.integers(0, 4, n).astype(np.float64)]
    if counts:
        values[0] = np.floor(np.abs(values[0]))
    else:
        values[0][::7] = np.nan
    codes = [((labels + rng.integers(0, 2, n)) % 3).astype(np.int32), rng.integers(-1, 2, n).astype(np.int32)]
    words = np.array(
        [f"word{label} common {'odd' if i % 3 else 'even'}" for i, label in enumerate(labels)], object
    )
    attributes: list[Attribute] = []
    if numeric:
        attributes += [Attribute("length"), Attribute("count")]
    if nominal:
        colours, yes_no = ("red", "grün", "bl\udc80ue"), (True, False)
        attributes += [Attribute("colour", "nominal", colours), Attribute("answer", "ordinal", yes_no)]
    if text:
        attributes.append(Attribute("note", "text"))
    schema = Schema(tuple(attributes), Attribute("species", "nominal", ("a", "b", "c")))
    return Table(
        schema,
        n,
        numeric=values if numeric else (),
        nominal=codes if nominal else (),
        text=[words] if text else (),
        labels=labels,
    )
