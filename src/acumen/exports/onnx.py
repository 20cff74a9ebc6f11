"""A model as an ONNX graph: what any of its run-times computes without Python.

to_onnx   model -> a file, or the bytes of one
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

import numpy as np

from acumen.data.out.atomic import replacing
from acumen.data.schema import Schema
from acumen.errors import DataError, ParameterError, article
from acumen.exports.onnx_columns import InputTensors
from acumen.exports.onnx_graph import IR_VERSION, OPSETS, OnnxGraph, onnx_package
from acumen.exports.onnx_scores import write_best, write_scores, write_shares, write_values
from acumen.models.predictor import AnyPredictor, Predictor, RegressionPredictor
from acumen.types import Array, Label


def to_onnx(model: Any, path: str | PathLike[str] | None = None) -> bytes:
    """Write a fitted model as an ONNX graph.

    The graph has one input for each attribute, under its name, each of shape (rows, 1): numbers as double, NaN for
    missing (dates and times as acumen counts them, in days since 1970-01-01); levels as strings, the empty one for
    missing; levels that are numbers or truth values as double too. It gives `label`, the class of each row, and
    `probabilities`, one column for each class in the order of `classes_`; of models without probabilities `scores`; of
    regressors `value`. Costs and priors are decided by as `predict` does.

    Everything is computed in double precision, by the operators of ai.onnx 18 and ai.onnx.ml 5.

    Parameters
    ----------
    model : fitted learner or predictor
        Trees, forests, bagging, boosting and votes, rules, linear and additive models, naive Bayes, discriminants and
        support vector machines. What ONNX cannot say (words of texts, kernels of one's own) is a DataError that says
        what to do.
    path : path, optional
        Where the file is written.

    Returns
    -------
    bytes
        The file's content.

    Examples
    --------
    >>> import acumen
    >>> tree = acumen.DecisionTree().fit(acumen.datasets.load("loan"))
    >>> made = acumen.to_onnx(tree)                                    # doctest: +SKIP
    """
    predictor = predictor_of(model, "to_onnx")
    package = onnx_package()
    schema = predictor.schema
    if not schema.attributes:
        raise DataError("to_onnx: the model has no attributes, so its graph would have no inputs.")
    if "" in schema.names:
        raise DataError("to_onnx: an attribute without a name cannot be an input of a graph; rename it.")
    _require_writable(schema)
    graph = OnnxGraph(package, free_prefix(schema.names))
    columns = InputTensors(graph, schema)
    columns.declare()
    outputs = (
        _classes(columns, predictor) if isinstance(predictor, Predictor) else _values(columns, predictor)
    )
    model_proto = _file(graph, outputs, predictor)
    if path is not None:
        with replacing(fspath(path), "to_onnx", DataError) as file:
            file.write(model_proto)
    return model_proto


def _require_writable(schema: Schema) -> None:
    """Refuse names, levels and classes that cannot be written as UTF-8."""
    named = schema.attributes if schema.target is None else (*schema.attributes, schema.target)
    for a in named:
        for what, text in (("name", a.name), *(("level", str(level)) for level in a.levels)):
            if any("\ud800" <= c <= "\udfff" for c in text):
                raise DataError(
                    f"to_onnx: the {what} {text!r} contains half a character (a surrogate), which cannot be written as "
                    "UTF-8; rename it and fit again."
                )


def free_prefix(names: Sequence[str]) -> str:
    """A prefix for the graph's own names with which none of these names begins."""
    prefix = "acumen/"
    while any(name.startswith(prefix) for name in names):
        prefix = f"_{prefix}"
    return prefix


def predictor_of(model: Any, who: str) -> AnyPredictor:
    """The predictor of a fitted learner, or the predictor itself; an error for anything else."""
    predictor = model
    if not isinstance(model, AnyPredictor):
        if not hasattr(model, "_require_fitted"):
            raise ParameterError(
                f"{who}: model must be a fitted learner of acumen, or the result of store.open; got "
                f"{type(model).__name__}."
            )
        predictor = model._require_fitted()
    if not isinstance(predictor, (Predictor, RegressionPredictor)):
        raise DataError(
            f"{who}: {article(predictor.model.kind)} model predicts neither classes nor numbers, so it cannot be "
            "exported."
        )
    return predictor


def _classes(columns: InputTensors, predictor: Predictor) -> list[tuple[str, Any, list[Any]]]:
    g, package = columns.graph, columns.graph.package
    k = len(predictor.classes)
    scores = write_scores(columns, predictor.model)
    if predictor.shift is not None:
        scores = g.add("Add", scores, g.constant(predictor.shift[None, :]))
    label, other = output_names(predictor)
    if predictor.model.probabilistic:
        shares = write_shares(columns, scores, k)
        g.name_output(other, shares)
        if predictor.costs is not None:
            best = write_best(columns, g.add("MatMul", shares, g.constant(-predictor.costs.T)))
        else:
            best = write_best(columns, scores)
    else:
        g.name_output(other, scores)
        best = write_best(columns, scores)
    labels, kind = label_constant(predictor.classes, package)
    g.name_output(label, g.looked_up(g.constant(labels, labels.dtype), best))
    return [(label, kind, [None]), (other, package.TensorProto.DOUBLE, [None, k])]


def _values(columns: InputTensors, predictor: AnyPredictor) -> list[tuple[str, Any, list[Any]]]:
    name = _free("value", predictor)
    columns.graph.name_output(name, write_values(columns, predictor.model))
    return [(name, columns.graph.package.TensorProto.DOUBLE, [None, 1])]


def output_names(predictor: Predictor) -> tuple[str, str]:
    """What the outputs of a classifier are called: with underscores where an attribute is called so."""
    other = "probabilities" if predictor.model.probabilistic else "scores"
    return _free("label", predictor), _free(other, predictor)


def _free(name: str, predictor: AnyPredictor) -> str:
    while name in predictor.schema.names:
        name += "_"
    return name


def label_constant(classes: tuple[Label, ...], package: Any) -> tuple[Array, Any]:
    """The classes as a constant of their own type; texts where they are of several."""
    kinds = {type(label) for label in classes}
    for kind, dtype, tensor in (
        (bool, np.bool_, "BOOL"),
        (int, np.int64, "INT64"),
        (float, np.float64, "DOUBLE"),
    ):
        if kinds == {kind}:
            return np.array(classes, dtype=dtype), getattr(package.TensorProto, tensor)
    return np.array([str(label) for label in classes], dtype=object), package.TensorProto.STRING


def _file(graph: OnnxGraph, outputs: list[tuple[str, Any, list[Any]]], predictor: AnyPredictor) -> bytes:
    helper = graph.package.helper
    results = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in outputs]
    target = predictor.schema.target.name if predictor.schema.target else ""
    used = {name for node in graph.nodes for name in node.input}
    constants = [tensor for tensor in graph.tensors if tensor.name in used]
    model_proto = helper.make_model(
        helper.make_graph(graph.nodes, "acumen", graph.inputs, results, constants),
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in OPSETS],
        ir_version=IR_VERSION,
        producer_name="acumen",
        doc_string=f"A {predictor.model.kind} model of {target}.",
    )
    graph.package.checker.check_model(model_proto)
    return bytes(model_proto.SerializeToString())
