"""Which model is written as what: the scores of a classifier, the values of a regressor, as tensors.

write_scores   (rows, classes): what `model.scores` says
write_values   (rows, 1): what `model.values` says
write_shares   scores as probabilities
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.bayes.full import FullBayesModel
from acumen.codegen.export import FirstMatch, Summed
from acumen.discriminant.kernel_fisher import KernelFisherModel
from acumen.ensembles.adaboost_model import AdaBoostModel
from acumen.ensembles.committee import CommitteeModel, CommitteeRegressionModel, before_votes
from acumen.ensembles.forest_model import ForestModel, ForestRegressionModel
from acumen.ensembles.gradient_model import BoostingModel, BoostingRegressionModel
from acumen.errors import DataError, article
from acumen.exports.onnx_columns import InputTensors
from acumen.exports.onnx_machines import (
    write_decisions,
    write_full_bayes,
    write_kernel,
    write_matrix,
    write_svm,
)
from acumen.exports.onnx_sums import first_held, write_sums
from acumen.exports.onnx_trees import write_packed, write_tree
from acumen.linear.perceptron import PerceptronModel
from acumen.linear.perceptron_forms import KernelForm
from acumen.models.model import AnyModel
from acumen.rulelist.rule_list import RuleList
from acumen.svm.model import SVMModel
from acumen.svm.regress import SVRModel
from acumen.trees.model import DecisionTreeModel
from acumen.types import Floats

_MEMBERS = (
    "trees, forests, boosting, bagging and votes of them, rules, linear and additive models, naive Bayes, "
    "discriminants and support vector machines"
)


def write_scores(columns: InputTensors, model: Any) -> str:
    """The scores of a classifier, up to what all classes of a row share."""
    g = columns.graph
    match model:
        case DecisionTreeModel():
            return write_tree(columns, model.tree, model.shares)
        case ForestModel():
            summed = write_packed(columns, model.packed, model.coding)
            shares = g.add("Add", summed, g.constant(model.prior[None, :]))
            return g.add("Log", g.add("Div", shares, g.constant([[float(len(model) + 1)]])))
        case BoostingModel():
            return _write_boosting(columns, model)
        case AdaBoostModel():
            return _ada_boost(columns, model)
        case CommitteeModel():
            return _committee(columns, model)
        case SVMModel():
            return write_svm(columns, model)
        case FullBayesModel():
            return write_full_bayes(columns, model)
        case KernelFisherModel():
            X = write_matrix(columns, model.support.view)
            at = write_kernel(columns, X, model.support.kernel, model.support.rows, model.coefficients)
            at = g.add("Add", at, g.constant(model.intercept[None, :]))
            offset = model.log_prior - 0.5 * np.einsum("cq,cq->c", model.mean, model.mean)
            return g.add("Add", g.add("MatMul", at, g.constant(model.mean.T)), g.constant(offset[None, :]))
        case PerceptronModel(form=KernelForm()):
            return _kernel_perceptron(columns, model)
        case RuleList(ordered=False):
            return g.add("Log", write_sums(columns, model.to_votes(columns.schema)))
        case FirstMatch():
            bodies, scores = model.branches(columns.schema)
            return g.looked_up(g.constant(scores), first_held(columns, bodies))
        case Summed():
            return write_sums(columns, _sums(model, columns))
    raise _not_written(model)


def write_values(columns: InputTensors, model: Any) -> str:
    """The number that a regressor says."""
    g = columns.graph
    match model:
        case ForestRegressionModel():
            summed = write_packed(columns, model.packed, model.coding)
            return g.add("Div", summed, g.constant([[float(len(model))]]))
        case BoostingRegressionModel():
            return g.add(
                "Add", write_packed(columns, model.packed, model.coding), g.constant(model.base[None, :])
            )
        case CommitteeRegressionModel():
            total = g.total(*(write_values(columns, member) for member in model.members))
            return g.add("Div", total, g.constant([[float(len(model.members))]]))
        case SVRModel():
            return write_decisions(columns, model)
        case Summed():
            return write_sums(columns, _sums(model, columns))
    raise _not_written(model)


def _sums(model: Summed, columns: InputTensors) -> Any:
    try:
        return model.to_sums(columns.schema)
    except DataError as error:
        raise DataError(f"to_onnx: {error}") from error


def _not_written(model: AnyModel) -> DataError:
    return DataError(
        f"to_onnx: {article(model.kind)} model cannot be exported to ONNX; supported are {_MEMBERS}."
    )


# -- scores -----------------------------------------------------------------------------------------


def write_shares(columns: InputTensors, scores: str, classes: int) -> str:
    """Probabilities from log scores, as `base.decision.normalised` has them."""
    g = columns.graph
    top = g.over_columns("ReduceMax", scores)
    top = g.choose(g.add("Equal", top, g.constant([[-np.inf]])), g.constant([[0.0]]), top)
    shares = g.add("Exp", g.add("Sub", scores, top))
    total = g.over_columns("ReduceSum", shares)
    some = g.add("Greater", total, g.constant([[0.0]]))
    return g.choose(some, g.add("Div", shares, total), g.constant([[1.0 / classes]]))


def write_best(columns: InputTensors, scores: str) -> str:
    """(rows, 1): the place of the largest score, of equal ones the first."""
    return columns.graph.add("ArgMax", scores, axis=1, keepdims=1)


def _write_boosting(columns: InputTensors, model: BoostingModel) -> str:
    g, k = columns.graph, len(model.seen)
    start = np.full(k, -np.inf)
    if model.lines <= 1:
        start[model.places[0]] = 0.0
    if not model.lines:
        return g.add(
            "Add", g.add("Mul", g.number(columns.body(())), g.constant([[0.0]])), g.constant(start[None, :])
        )
    start[model.places[-model.lines :]] = model.base
    spread = np.zeros((model.lines, k))
    spread[np.arange(model.lines), model.places[-model.lines :]] = 1.0
    summed = write_packed(columns, model.packed, model.coding)
    return g.add("Add", g.add("MatMul", summed, g.constant(spread)), g.constant(start[None, :]))


def _class_votes(columns: InputTensors, member: Any, weight: float, classes: int) -> str:
    """(rows, classes): a member's vote for the class it scores highest."""
    g = columns.graph
    best = write_best(columns, write_scores(columns, member))
    return g.looked_up(g.constant(weight * np.eye(classes)), best)


def _log_votes(columns: InputTensors, votes: str, total: float, worth: float, prior: Floats) -> str:
    """Votes and what each class has before any, as log probabilities; none for classes without rows."""
    g = columns.graph
    shares = g.add("Add", votes, g.constant(before_votes(total, worth, prior)[None, :]))
    shares = g.add("Mul", shares, g.constant((prior > 0).astype(np.float64)[None, :]))
    return g.add("Log", g.add("Div", shares, g.over_columns("ReduceSum", shares)))


def _ada_boost(columns: InputTensors, model: AdaBoostModel) -> str:
    g, k = columns.graph, len(model.prior)
    if model.stumps is not None and model.coding is not None:
        votes = write_packed(columns, model.stumps, model.coding)
    else:
        votes = g.total(
            *(
                _class_votes(columns, m, float(v), k)
                for m, v in zip(model.members, model.votes.tolist(), strict=True)
            )
        )
    return _log_votes(columns, votes, float(model.votes.sum()), float(model.votes.mean()), model.prior)


def _committee(columns: InputTensors, model: CommitteeModel) -> str:
    g, k = columns.graph, len(model.prior)
    pairs = list(zip(model.members, model.weights.tolist(), strict=True))
    if model.use == "classes":
        votes = g.total(*(_class_votes(columns, member, weight, k) for member, weight in pairs))
        return _log_votes(
            columns, votes, float(model.weights.sum()), float(model.weights.mean()), model.prior
        )
    parts = [
        g.add("Mul", write_shares(columns, write_scores(columns, member), k), g.constant([[weight]]))
        for member, weight in pairs
    ]
    shares = g.add("Mul", g.total(*parts), g.constant((model.prior > 0).astype(np.float64)[None, :]))
    return g.add("Log", g.add("Div", shares, g.over_columns("ReduceSum", shares)))


def _kernel_perceptron(columns: InputTensors, model: PerceptronModel) -> str:
    g, form, k = columns.graph, model.form, len(model.weight)
    assert isinstance(form, KernelForm)
    X = write_matrix(columns, form.support.view)
    values = write_kernel(columns, X, form.support.kernel, form.support.rows, form.coefficients)
    values = g.add("Add", values, g.constant(form.intercept[None, :]))
    if k <= 2:
        if model.zero_is_positive:
            tiny = float(np.finfo(np.float64).smallest_subnormal)
            values = g.choose(g.add("Equal", values, g.constant([[0.0]])), g.constant([[tiny]]), values)
        values = g.beside(g.add("Mul", values, g.constant([[0.0]])), values) if k == 2 else values
    return g.add("Add", values, g.constant(np.where(model.weight > 0, 0.0, -np.inf)[None, :]))
