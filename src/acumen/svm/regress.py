"""Support vector regression: a table to a model of numbers.

Errors up to epsilon cost nothing; the dual is the classifier's with b between -C and C and epsilon sum |b| added, so
the same solvers solve it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from acumen.data.escape import printable
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Contribution
from acumen.geometry.kernels import Linear, Precomputed
from acumen.models.model import RegressionModel
from acumen.preprocessing.finite import mean_row
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.stored_arrays import require, stored_floats
from acumen.svm.classify import SVMOptions, convergence_warning, support_of
from acumen.svm.expansion import Expansion
from acumen.svm.kernel_rows import resolve_kernel, training_rows
from acumen.svm.machine import Machine, train
from acumen.svm.model import decisions_of, matrix_of, read_view
from acumen.svm.reading.reasons import parts_of
from acumen.svm.reading.text import weight_lines
from acumen.svm.solvers.certificate import Certificate, certificate_of
from acumen.svm.solvers.problem import BoxProblem
from acumen.types import Array, Floats

#: What is kept of the training, for `describe`.
FACTS = ("rows", "support", "norm", "primal", "dual", "kkt", "epsilon")


@dataclass(frozen=True, slots=True)
class FittedSVR:
    """What training leaves."""

    model: SVRModel
    machine: Machine
    slack: Floats
    warnings: tuple[str, ...]


def fit(wishes: SVMOptions, epsilon: float, table: Table) -> FittedSVR:
    """Learn from rows that all have a response."""
    view, X = training_rows(table, wishes.scale, wishes.kernel, wishes.who)
    weights = table.row_weights
    kernel = resolve_kernel(
        wishes.kernel, X, weights, gamma=wishes.gamma, degree=wishes.degree, offset=wishes.offset,
        centred=wishes.scale and view is not None, who=wishes.who,
    )  # fmt: skip
    response = table.target_numbers.astype(np.float64, copy=False)
    size = float(np.abs(response).max(initial=0.0))
    if not size < 1e100:
        raise DataError(
            f"{wishes.who}: the target holds numbers as large as {size:.3g}; divide it by something."
        )
    # Conditions are violated in units of the response, so the tolerance has to know them.
    middle = float(np.average(response, weights=weights))
    unit = float(np.sqrt(np.average((response - middle) ** 2, weights=weights))) or 1.0
    settings = replace(wishes.settings(kernel), tol=wishes.tol * unit)
    if np.isinf(wishes.C):
        raise DataError(
            f"{wishes.who}: C must be finite; a large one, such as 1e6, lets hardly any error be."
        )
    problem = BoxProblem.of_numbers(
        response, wishes.C * weights, epsilon, wishes.loss, balanced=not wishes.folded
    )
    machine = train(X, problem, settings)
    intercept = np.array([machine.bias])
    if machine.w is not None:
        expansion = Expansion(
            kernel, np.empty((0, X.shape[1])), machine.w[:, None], intercept, X.shape[1], mean_row(X, weights)
        )
    else:
        expansion = support_of(kernel, X, machine.coefficients[:, None], intercept)
    proof = machine.certificate
    facts = np.array(
        [len(table), np.count_nonzero(machine.b), machine.norm, proof.primal, proof.dual, proof.kkt, epsilon]
    )
    complaints = convergence_warning(wishes, machine.solver, machine.stopped, machine.steps, proof)
    model = SVRModel(view, expansion, facts)
    return FittedSVR(model, machine, problem.slack(machine.decision), (complaints,) if complaints else ())


@dataclass(frozen=True, slots=True)
class SVRModel(RegressionModel):
    """The fitted machine of numbers."""

    kind: ClassVar[str] = "svr"

    view: NumericMatrix | None
    expansion: Expansion
    facts: Floats

    def values(self, rows: Table) -> Floats:
        return decisions_of(self.expansion, self.view, rows)[:, 0]

    @property
    def certificate(self) -> Certificate:
        """What was proved of the machine."""
        return certificate_of(*self.facts[3:6].tolist())

    @property
    def is_linear(self) -> bool:
        return isinstance(self.expansion.kernel, Linear)

    @property
    def n_parameters(self) -> int:
        return int(np.count_nonzero(self.expansion.coefficients) + 1)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        rows, support, norm, primal, dual, kkt, epsilon = self.facts.tolist()
        target = printable(schema.target.name) if schema.target else "value"
        lines = [
            f"Support vector regression for {target}: kernel {self.expansion.kernel!r}, errors up to {epsilon:g} free",
            f"{support:.0f} support vectors of {rows:.0f} rows, |w| = {norm:.4g}; primal {primal:.6g}, "
            f"gap {max(primal - dual, 0.0):.2g}, KKT within {kkt:.2g}",
        ]
        if self.is_linear and self.view is not None:
            lines.append("f(x), in the attributes' own units, the weightiest first:")
            lines += weight_lines(self.view, self.expansion, 0, None if full else 20)
        return "\n".join(lines)

    @property
    def by_changes(self) -> bool:
        return not self.is_linear and self.view is not None

    def contributions(self, row: Table, schema: Schema) -> tuple[float, tuple[Contribution, ...]]:
        X = matrix_of(self.view, row, self.expansion.width)
        parts, bias = parts_of(self.expansion, self.view, row, X, np.ones(1))
        return bias, tuple(Contribution(*part[:3]) for part in parts)

    def to_arrays(self) -> dict[str, Array]:
        arrays = self.expansion.to_arrays() | {"facts": self.facts}
        if self.view is not None:
            arrays |= {f"view/{name}": array for name, array in self.view.to_arrays().items()}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        view, width = read_view(arrays, schema)
        expansion = Expansion.from_arrays(arrays, width)
        require((view is None) == isinstance(expansion.kernel, Precomputed), "its kernel needs another view")
        require(len(expansion.intercept) == 1, "it has more machines than one")
        facts = stored_floats(arrays, "facts", (len(FACTS),), finite=False)
        return cls(view, expansion, facts)
