"""The fitted support vector machine: a view of the rows, machines over one kernel, decoding, calibration.

SVMModel             scores are decoded decisions
CalibratedSVMModel   scores are log probabilities
code_matrix          "ovo", "ovr", "ecoc" -> each class's side in each machine: +1, -1, or 0 for neither
decode               the machines' decisions -> a score for each class; the largest wins

two        one machine: half its decision for the second class, minus half for the first
votes      each pair's winner gets a vote; the sum of decisions, squeezed below half a vote, breaks ties
largest    one machine per class: its decision is the score
losses     error-correcting codes: minus the hinge losses of the decisions against a class's code
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from acumen import messages
from acumen.codegen.export import Summed
from acumen.codegen.terms import TermSum, view_sum
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.explain.explanation import Evidence
from acumen.geometry.kernel import Rows
from acumen.geometry.kernels import Linear, Precomputed
from acumen.models.class_codes import decode_scores, exhaustive, one_vs_one, one_vs_rest, random_code, votes
from acumen.models.model import Model
from acumen.models.probability_curves import ProbabilityCurves
from acumen.preprocessing.finite import without_infinities
from acumen.preprocessing.matrix import NumericMatrix
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.svm.expansion import Expansion
from acumen.svm.kernel_rows import view_rows
from acumen.svm.reading.reasons import evidence_of
from acumen.svm.reading.text import describe_machines
from acumen.svm.solvers.certificate import Certificate, certificate_of, together
from acumen.types import Array, Codes, Floats

_CELLS = 1 << 22
#: What is kept of each machine's training, for `describe`: one line a machine.
FACTS = ("rows", "support", "norm", "primal", "dual", "kkt")


@dataclass(frozen=True, slots=True)
class SVMModel(Summed, Model):
    """The fitted machines. `code` is machines x classes: the side each class is on."""

    kind: ClassVar[str] = "svm"
    probabilistic: ClassVar[bool] = False
    how_probable: ClassVar[str] = "learn it with {probability=platt} or {probability=isotonic}"

    view: NumericMatrix | None  # None for a precomputed kernel: the rows are its lines
    expansion: Expansion
    code: Codes
    decoding: str
    facts: Floats  # machines x FACTS
    calibration: ProbabilityCurves | None = None

    def decisions(self, rows: Table) -> Floats:
        """What each machine says of each row."""
        return decisions_of(self.expansion, self.view, rows)

    def scores(self, rows: Table) -> Floats:
        scores = decode(self.decoding, self.code, self.decisions(rows))
        return scores if self.calibration is None else self.calibration.log_proba(scores)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        return describe_machines(self, schema, full=full)

    @property
    def by_changes(self) -> bool:
        return not self.is_linear and self.view is not None

    def apart(self, rows: Table, winner: int, rival: int) -> Floats:
        """Of machines that vote, what the one between the two classes decides; votes are too coarse to tell changes."""
        between = np.flatnonzero((self.code[:, winner] != 0) & (self.code[:, rival] != 0))
        if self.decoding != "votes" or self.calibration is not None or not len(between):
            return super(SVMModel, self).apart(rows, winner, rival)
        sign = float(self.code[between[0], winner])
        differences: Floats = self.decisions(rows)[:, between[0]] * sign
        return differences

    def separations(self, rows: Table) -> Floats:
        """`apart` of every pair of classes."""
        if self.decoding != "votes" or self.calibration is not None:
            return super(SVMModel, self).separations(rows)
        decisions, k = self.decisions(rows), self.code.shape[1]
        separations = np.zeros((len(rows), k, k))
        for machine, sides in enumerate(self.code):
            one, other = (int(np.flatnonzero(sides == side)[0]) for side in (1, -1))
            separations[:, one, other], separations[:, other, one] = (
                decisions[:, machine],
                -decisions[:, machine],
            )
        return separations

    def evidence(self, row: Table, schema: Schema, winner: int, rival: int) -> tuple[Evidence, ...]:
        X = matrix_of(self.view, row, self.expansion.width)
        return evidence_of(self, row, X, schema, winner, rival)

    @property
    def single(self) -> bool:
        """Whether it is Crammer and Singer's one machine, whose facts stand there once for each class."""
        return self.decoding == "largest" and not (self.code < 0).any()

    @property
    def certificate(self) -> Certificate:
        """What was proved of all machines together."""
        lines = self.facts[:1] if self.single else self.facts
        return together([certificate_of(*line) for line in lines[:, 3:].tolist()])

    @property
    def is_linear(self) -> bool:
        return isinstance(self.expansion.kernel, Linear)

    def to_sums(self, schema: Schema) -> tuple[TermSum, ...]:
        """The scores of a linear machine for each class, or one for two classes, as sums of terms.

        Raises DataError for a calibrated machine, for one that votes by pairs, and for one with a kernel.
        """
        if not self.is_linear or self.view is None:
            raise DataError(
                "a support vector machine with this kernel is no sum of terms that could be read; use to_onnx, or "
                f"learn it with {messages.setting('kernel', 'linear')}."
            )
        if self.calibration is not None or self.decoding not in ("two", "largest"):
            raise DataError(
                "the probabilities of a support vector machine, and votes of pairs of classes, are no sums of terms; "
                f"use to_onnx, or learn it with {messages.setting('multiclass', 'ovr')} and without probabilities."
            )
        weights, intercept = self.expansion.coefficients, self.expansion.intercept.tolist()
        sums = [view_sum(self.view, w, b) for w, b in zip(weights.T, intercept, strict=True)]
        class_sums = [TermSum(-np.inf)] * self.code.shape[1]
        if self.decoding == "two":
            for c in np.flatnonzero(self.code[0]).tolist():
                class_sums[c] = sums[0].times(0.5 * float(self.code[0, c]))
        else:
            known = np.flatnonzero((self.code != 0).any(axis=0)).tolist()
            for c, one in zip(known, sums, strict=True):
                class_sums[c] = one
        return tuple(class_sums)

    @property
    def n_parameters(self) -> int:
        """Weights and intercepts, or coefficients that are not zero and intercepts."""
        return int(np.count_nonzero(self.expansion.coefficients) + len(self.expansion.intercept))

    def to_arrays(self) -> dict[str, Array]:
        arrays = self.expansion.to_arrays()
        arrays |= {
            "code": np.asarray(self.code, dtype=np.int32),
            "decoding": np.array([DECODINGS.index(self.decoding)], dtype=np.int32),
            "facts": self.facts,
        }
        if self.view is not None:
            arrays |= {f"view/{name}": array for name, array in self.view.to_arrays().items()}
        return arrays | (self.calibration.to_arrays() if self.calibration is not None else {})

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        view, width = read_view(arrays, schema)
        expansion = Expansion.from_arrays(arrays, width)
        require((view is None) == isinstance(expansion.kernel, Precomputed), "its kernel needs another view")
        machines, k = len(expansion.intercept), schema.n_classes
        code = stored_codes(arrays, "code", (machines, k), low=-1, below=2)
        decoding = DECODINGS[int(stored_codes(arrays, "decoding", (1,), low=0, below=len(DECODINGS))[0])]
        _check_code(decoding, code)
        facts = stored_floats(arrays, "facts", (machines, len(FACTS)), low=0.0, finite=False)
        calibration = ProbabilityCurves.from_arrays(arrays, k)
        kind: Any = SVMModel if calibration is None else CalibratedSVMModel
        model: Self = kind(view, expansion, code, decoding, facts, calibration)
        return model


@dataclass(frozen=True, slots=True)
class CalibratedSVMModel(SVMModel):
    """The same with probabilities."""

    kind: ClassVar[str] = "svm"
    probabilistic: ClassVar[bool] = True


def decisions_of(expansion: Expansion, view: NumericMatrix | None, rows: Table) -> Floats:
    """What each machine says of each row; sparse rows that must be written out are so a few at a time."""
    linear = isinstance(expansion.kernel, Linear)
    if rows.sparse is None or view is None or (linear and not view.centre.any()):
        return expansion(matrix_of(view, rows, expansion.width))
    decisions = np.empty((len(rows), len(expansion.intercept)))
    step = max(1, _CELLS // max(expansion.width, 1))
    for start in range(0, len(rows), step):
        part = slice(start, min(start + step, len(rows)))
        decisions[part] = expansion(matrix_of(view, rows.take(part), expansion.width))
    return decisions


def matrix_of(view: NumericMatrix | None, rows: Table, width: int) -> Rows:
    """The rows as a matrix: the view's, infinite numbers being missing ones, or the lines of a precomputed kernel."""
    if view is not None:
        return without_infinities(view, view_rows(view, rows))
    columns = [column for _, column in rows.numeric_columns()]
    X = np.column_stack(columns) if width else np.empty((len(rows), 0))
    if not np.isfinite(X).all():
        raise DataError("SVM: a precomputed kernel must consist of finite numbers.")
    return np.ascontiguousarray(X)


def read_view(arrays: Mapping[str, Array], schema: Schema) -> tuple[NumericMatrix | None, int]:
    """The view of a model file, which must be the schema's, and how many columns it makes."""
    view_arrays = {
        name.removeprefix("view/"): array for name, array in arrays.items() if name.startswith("view/")
    }
    if not view_arrays:
        require(len(schema.numeric) == len(schema), "it has no view of attributes that are not numeric")
        return None, len(schema)
    view = NumericMatrix.from_arrays(view_arrays)
    require(view.schema == schema.without_target(), "its view is of another schema")
    # Words and levels may be absent from a row; numbers must not be.
    for attribute, fill in zip(view.schema, view.fill.tolist(), strict=True):
        gap = attribute.kind != "text" and not view.is_one_hot(attribute)
        require(not gap or np.isfinite(fill), f"its view leaves {attribute.name[:40]!r} missing")
    return view, len(view.names)


def _check_code(decoding: str, code: Codes) -> None:
    machines, k = code.shape
    require(machines > 0 and k > 0, "it has no machines")
    both = (code > 0).any(axis=1) & (code < 0).any(axis=1)
    if decoding == "two":
        require(
            machines == 1 and both.all() and np.count_nonzero(code) == 2,
            "its one machine is not of two classes",
        )
    elif decoding == "votes":
        require(both.all() and (np.count_nonzero(code, axis=1) == 2).all(), "a machine is not of two classes")
    elif decoding == "largest":
        known = np.flatnonzero((code != 0).any(axis=0))
        require(len(known) == machines, "it needs a machine for each class")
    else:
        require(both.all(), "a machine has one side alone")


Multiclass = Literal["ovo", "ovr", "single", "ecoc"]
DECODINGS: Final = ("two", "votes", "largest", "losses")

#: Codes of so few classes hold every way of cutting them in two.
_EXHAUSTIVE = 6


def code_matrix(scheme: str, present: Codes, classes: int) -> tuple[npt.NDArray[np.int32], str]:
    """Machines x classes, and how their decisions are decoded; classes not `present` are nowhere."""
    k = len(present)
    if k == 2:
        occurring, decoding = one_vs_one(2), "two"
    elif scheme == "ovo":
        occurring, decoding = one_vs_one(k), "votes"
    elif scheme == "ovr":
        occurring, decoding = one_vs_rest(k), "largest"
    elif k <= _EXHAUSTIVE:
        occurring, decoding = exhaustive(k), "losses"
    else:
        length = int(np.ceil(10 * np.log2(k)))
        occurring, decoding = random_code(k, length, np.random.default_rng(k)), "losses"
    code = np.zeros((occurring.shape[1], classes), dtype=np.int32)
    code[:, present] = occurring.T
    return code, decoding


def decode(decoding: str, code: npt.NDArray[np.int32], decision: Floats) -> Floats:
    """A score for each row and class; minus infinity for classes no machine knows."""
    rows, classes = len(decision), code.shape[1]
    known = (code != 0).any(axis=0)
    scores = np.full((rows, classes), -np.inf)
    if decoding == "largest":
        scores[:, known] = decision
    elif decoding == "two":
        scores[:, code[0] > 0] = 0.5 * decision
        scores[:, code[0] < 0] = -0.5 * decision
    elif decoding == "losses":
        scores[:, known] = decode_scores(code.T[known].astype(np.float64), decision, "hinge")
    else:
        won, sums = votes(code.T[known].astype(np.float64), decision)
        # What calibration curves in model files were fitted to.
        scores[:, known] = won + sums / (3.0 * (np.abs(sums) + 1.0))
    return scores
