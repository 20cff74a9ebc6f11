"""A table to a model: view, kernel, machines, support vectors, calibration.

fit              SVMOptions, table -> FittedMachines
SVMOptions       the learner's parameters, checked
FittedMachines   the model, a report of each machine, and sentences on solves that ended early
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry.kernel import Kernel, Rows
from acumen.geometry.kernels import Precomputed
from acumen.models.probability_curves import ProbabilityCurves
from acumen.preprocessing.finite import mean_row
from acumen.preprocessing.matrix import NumericMatrix
from acumen.rows.content_folds import content_folds
from acumen.svm.expansion import Expansion
from acumen.svm.kernel_rows import resolve_kernel, training_rows
from acumen.svm.machine import Machine, train
from acumen.svm.model import CalibratedSVMModel, SVMModel, code_matrix, decode
from acumen.svm.reading.report import MachineReport, reports_of, row_types
from acumen.svm.settings import Solver, SolverSettings
from acumen.svm.solvers.certificate import Certificate, together
from acumen.svm.solvers.pairwise import at_once
from acumen.svm.solvers.problem import BoxProblem, Loss
from acumen.svm.solvers.single_machine import train_hard, train_single
from acumen.types import Bools, Codes, Floats, Indices

_FOLDS = 5


@dataclass(frozen=True, slots=True)
class SVMOptions:
    """What a learner was told."""

    kernel: Any
    gamma: float | str
    degree: int
    offset: float
    loss: Loss
    C: float
    solver: Solver
    tol: float
    max_iter: int | None
    folded: bool
    multiclass: str
    scale: bool
    probability: str | None
    who: str = "SVM"

    def settings(self, kernel: Kernel) -> SolverSettings:
        """What every machine is solved with."""
        return SolverSettings(kernel, self.loss, self.solver, self.tol, self.max_iter, self.folded)


@dataclass(frozen=True, slots=True)
class FittedMachines:
    """What training leaves."""

    model: SVMModel
    reports: tuple[MachineReport, ...]
    certificate: Certificate
    warnings: tuple[str, ...]
    duals: tuple[Floats, ...] = ()  # each machine's b, to begin the next from


def fit(wishes: SVMOptions, table: Table, starts: tuple[Floats, ...] | None = None) -> FittedMachines:
    """Learn from rows that all have a label; `starts` are feasible b of the same machines."""
    view, X = training_rows(table, wishes.scale, wishes.kernel, wishes.who)
    weights = table.row_weights
    present = np.flatnonzero(np.bincount(table.class_codes, weights, table.schema.n_classes)).astype(np.int32)
    if len(present) < 2:
        only = ", ".join(str(table.schema.classes[c]) for c in present.tolist())
        raise DataError(
            f"{wishes.who}: it needs rows of two classes at least, to put a margin between; every row is of class "
            f"{only} (one class only)."
        )
    centred = wishes.scale and view is not None
    kernel = resolve_kernel(
        wishes.kernel, X, weights, gamma=wishes.gamma, degree=wishes.degree, offset=wishes.offset,
        centred=centred, who=wishes.who,
    )  # fmt: skip
    settings = wishes.settings(kernel)
    if wishes.multiclass == "single" and len(present) > 2:
        parts = _fit_single(wishes, settings, table, view, X, present)
    else:
        parts = _fit_machines(wishes, settings, table, view, X, present, starts)
    if wishes.probability is None:
        return parts
    calibration = _calibration(wishes, table, parts)
    m = parts.model
    model = CalibratedSVMModel(m.view, m.expansion, m.code, m.decoding, m.facts, calibration)
    return replace(parts, model=model)


def _fit_machines(
    wishes: SVMOptions,
    settings: SolverSettings,
    table: Table,
    view: NumericMatrix | None,
    X: Rows,
    present: Codes,
    starts: tuple[Floats, ...] | None,
) -> FittedMachines:
    code, decoding = code_matrix(wishes.multiclass, present, table.schema.n_classes)
    cost = wishes.C * table.row_weights
    every = [signs[table.class_codes] for signs in code.astype(np.int8)]
    members = [np.flatnonzero(signs) for signs in every]
    sides = [signs[rows].astype(np.float64) for signs, rows in zip(every, members, strict=True)]
    at_one_go = None
    if starts is None and np.isfinite(wishes.C):
        at_one_go = at_once(X, members, sides, cost, settings)
    machines: list[Machine] = []
    for m, rows in enumerate(members):
        if at_one_go is not None and (at_one_go[m].stopped != "max_iter" or wishes.max_iter is not None):
            machines.append(at_one_go[m])
            continue
        whole = len(rows) == len(table)
        machine_rows = (
            X if whole else X[rows][:, rows] if isinstance(settings.kernel, Precomputed) else X[rows]
        )
        start = None if starts is None else starts[m]
        machines.append(_train_one(wishes, settings, machine_rows, sides[m], cost[rows], rows, start))
    names = list(zip(*(_on_side(table.schema, code == side) for side in (1, -1)), strict=True))
    reports = reports_of(machines, sides, members, names, 10 * wishes.tol)
    expansion = _expansion(settings.kernel, X, machines, members, table.row_weights)
    model = SVMModel(view, expansion, code, decoding, _facts(reports))
    proof = together([machine.certificate for machine in machines])
    return FittedMachines(
        model, tuple(reports), proof, _complaints(wishes, machines), tuple(m.b for m in machines)
    )


def _train_one(
    wishes: SVMOptions,
    settings: SolverSettings,
    X: Rows,
    sides: Floats,
    cost: Floats,
    rows: Indices,
    start: Floats | None,
) -> Machine:
    if np.isinf(wishes.C):
        return train_hard(X, sides, settings, rows, wishes.who)
    problem = BoxProblem.of_classes(sides, cost, wishes.loss, balanced=not wishes.folded)
    return train(X, problem, settings, start)


def _expansion(
    kernel: Kernel, X: Rows, machines: list[Machine], members: list[Indices], row_weights: Floats
) -> Expansion:
    """All machines over the rows that are a support vector of any."""
    d = X.shape[1]
    intercept = np.array([machine.bias for machine in machines])
    if machines[0].w is not None:
        weights = np.column_stack([machine.w for machine in machines if machine.w is not None])
        return Expansion(kernel, np.empty((0, d)), weights, intercept, d, mean_row(X, row_weights))
    # All at once: of many machines the matrix is large, and written once only.
    values = np.concatenate([machine.coefficients for machine in machines])
    filled = np.flatnonzero(values)
    rows = np.concatenate(members)[filled]
    each = np.repeat(np.arange(len(machines)), [len(some) for some in members])[filled]
    used, place = np.unique(rows, return_inverse=True)
    coefficients = np.zeros((len(used), len(machines)))
    coefficients[place, each] = values[filled]
    return _over(kernel, X, used, coefficients, intercept)


def support_of(kernel: Kernel, X: Rows, coefficients: Floats, intercept: Floats) -> Expansion:
    """The rows with a coefficient, and no others."""
    used = np.flatnonzero((coefficients != 0).any(axis=1))
    return _over(kernel, X, used, np.ascontiguousarray(coefficients[used]), intercept)


def _over(kernel: Kernel, X: Rows, used: Indices, coefficients: Floats, intercept: Floats) -> Expansion:
    support: Any = used if isinstance(kernel, Precomputed) else X[used]
    return Expansion(kernel, support, coefficients, intercept, X.shape[1])


def _fit_single(
    wishes: SVMOptions,
    settings: SolverSettings,
    table: Table,
    view: NumericMatrix | None,
    X: Rows,
    present: Codes,
) -> FittedMachines:
    place = np.full(table.schema.n_classes, -1, dtype=np.int32)
    place[present] = np.arange(len(present), dtype=np.int32)
    labels = place[table.class_codes]
    if np.isinf(wishes.C):
        raise DataError(f"{wishes.who}: multiclass='single' needs a finite C; use 'ovo' or 'ovr' for C=inf.")
    solution = train_single(X, labels, len(present), wishes.C * table.row_weights, settings)
    if solution.w is not None:
        expansion = Expansion(
            settings.kernel, np.empty((0, X.shape[1])), solution.w, solution.bias, X.shape[1],
            mean_row(X, table.row_weights),
        )  # fmt: skip
    else:
        expansion = support_of(settings.kernel, X, solution.a, solution.bias)
    code = np.zeros((len(present), table.schema.n_classes), dtype=np.int32)
    code[np.arange(len(present)), present] = 1
    at = np.arange(len(labels))
    own_decision = solution.decision[at, labels]
    others = solution.decision.copy()
    others[at, labels] = -np.inf
    margin = own_decision - others.max(axis=1)
    norm = float(np.sqrt(solution.square))
    report = MachineReport(
        positive=_class_names(table.schema, present),
        negative=(),
        rows=at,
        alpha=solution.a[at, labels],
        margin=margin,
        slack=np.maximum(1.0 - margin, 0.0),
        type=row_types(margin, 10 * wishes.tol),
        norm=norm,
        bias=float(np.mean(solution.bias)),
        certificate=solution.certificate,
        solver="dual-ascent",
        steps=solution.steps,
    )
    facts = np.repeat(_facts([report]), len(present), axis=0)
    model = SVMModel(view, expansion, code, "largest", facts)
    warnings_given = (
        convergence_warning(wishes, "dual-ascent", solution.stopped, solution.steps, solution.certificate),
    )
    return FittedMachines(model, (report,), solution.certificate, tuple(filter(None, warnings_given)))


def _calibration(wishes: SVMOptions, table: Table, whole: FittedMachines) -> ProbabilityCurves:
    """Curves from scores of rows that were left out, fold by fold."""
    assert wishes.probability is not None
    plain = replace(wishes, probability=None)
    scores = np.full((len(table), table.schema.n_classes), np.nan)
    folds = content_folds(table, _FOLDS)
    for fold in range(_FOLDS):
        held, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if not len(held) or len(np.unique(table.class_codes[rest])) < 2:
            continue
        some, others = table.take(held), table.take(rest)
        if whole.model.view is None:  # lines of a kernel matrix: columns go with the rows left in
            names = [table.schema.names[i] for i in rest.tolist()]
            some, others = some.select(names), others.select(names)
        fitted = fit(plain, others)
        model = fitted.model
        scores[held] = decode(model.decoding, model.code, model.decisions(some))
    known = np.isfinite(scores).any(axis=1)
    if not known.any() or len(np.unique(table.class_codes[known])) < 2:
        model = whole.model  # too few rows to leave any out
        scores = decode(model.decoding, model.code, model.decisions(table))
        known = np.ones(len(table), dtype=np.bool_)
    return ProbabilityCurves.fit(
        wishes.probability, scores[known], table.class_codes[known], table.row_weights[known]
    )


def _on_side(schema: Schema, which: Bools) -> list[tuple[Any, ...]]:
    """The classes marked in each line."""
    sides: list[list[Any]] = [[] for _ in which]
    for machine, c in zip(*(at.tolist() for at in np.nonzero(which)), strict=True):
        sides[machine].append(schema.classes[c])
    return [tuple(classes) for classes in sides]


def _class_names(schema: Schema, codes: Any) -> tuple[Any, ...]:
    return tuple(schema.classes[int(c)] for c in codes)


def _facts(reports: list[MachineReport]) -> Floats:
    """As `model.FACTS` has them."""
    lines = []
    for r in reports:
        proof = r.certificate
        lines.append([len(r.rows), len(r.support), r.norm, proof.primal, max(proof.dual, 0.0), proof.kkt])
    return np.array(lines, dtype=np.float64)


def _complaints(wishes: SVMOptions, machines: list[Machine]) -> tuple[str, ...]:
    complaints = [convergence_warning(wishes, m.solver, m.stopped, m.steps, m.certificate) for m in machines]
    return tuple(filter(None, complaints))[:1]


def convergence_warning(wishes: SVMOptions, solver: str, stopped: str, steps: int, proof: Certificate) -> str:
    """A sentence on a solve that ended early, or nothing."""
    if not stopped:
        return ""
    reached = f"a gap of {proof.gap:.3g} ({proof.relative_gap:.2g} of the primal objective) was reached"
    return (
        f"{wishes.who}: solver={solver!r} stopped after {steps} steps, short of tol={wishes.tol:g}: {reached}. "
        f"Raise max_iter or tol, or scale the attributes."
    )
