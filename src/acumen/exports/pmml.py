"""A model as a PMML 4.4 document: what scoring engines and databases read.

to_pmml   model -> a file, and its text
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from acumen import __version__, messages
from acumen.bayes.factors.binned import BinnedFactor, bin_widths
from acumen.bayes.factors.gaussian import GaussianFactor
from acumen.bayes.naive import NaiveBayesModel
from acumen.codegen.export import FirstMatch, Summed, moved_sums
from acumen.data.out.atomic import replace_text
from acumen.ensembles.adaboost_model import AdaBoostModel
from acumen.errors import DataError, article
from acumen.exports.onnx import predictor_of
from acumen.exports.places import Places
from acumen.exports.pmml_sums import Model, intervals, sums_model
from acumen.exports.pmml_trees import rule_model, tree_model
from acumen.exports.pmml_xml import NAMESPACE, Document, element, level, number
from acumen.models.predictor import AnyPredictor, Predictor
from acumen.rulelist.rule_list import RuleList
from acumen.rulelist.votes_export import votes_under_priors
from acumen.trees.model import DecisionTreeModel
from acumen.types import Bools, Floats, Label

_OTHERS = "trees, rules, naive Bayes, logistic and additive models, discriminants and linear regressions"


def to_pmml(model: Any, path: str | PathLike[str] | None = None) -> str:
    """Write a fitted model as a PMML 4.4 document.

    Fields have the names of the attributes. Numbers are doubles; dates and times are days since 1970-01-01. The outputs
    are `prediction` and, for classifiers, the probability of each class, such as `P(yes)`. Ordered rules, for which
    PMML has no probabilities, give the `confidence` of the prediction. Missing values, unseen categories and priors are
    treated as in `predict`, and so are costs if each leaf or rule predicts on its own.

    Parameters
    ----------
    model : fitted learner or predictor
        Decision trees (TreeModel), rules (RuleSetModel; those that vote RegressionModel), naive Bayes
        (NaiveBayesModel), logistic and additive models, Fisher's discriminant and linear regressions (RegressionModel).
        Other models, and features that PMML lacks, raise a DataError with advice.
    path : path, optional
        The file to write.

    Returns
    -------
    str
        The document.

    Examples
    --------
    >>> import acumen
    >>> made = acumen.to_pmml(acumen.DecisionTree().fit(acumen.datasets.load("loan")))
    >>> "<TreeModel " in made
    True
    """
    predictor = predictor_of(model, "to_pmml")
    root = _document(predictor)
    ET.indent(root, " ")
    text = ET.tostring(root, encoding="unicode").replace(
        "\r", "&#13;"
    )  # a bare one would be read as a line's end
    document = f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
    if path is not None:
        replace_text(path, document, "to_pmml")
    return document


def _document(predictor: AnyPredictor) -> ET.Element:
    schema, model = predictor.schema, predictor.model
    if schema.target is None:
        raise DataError("to_pmml: the model does not know what its target is called, which PMML asks for.")
    if "" in schema.names or not schema.target.name:
        raise DataError(
            "to_pmml: an attribute without a name cannot be a field of PMML; rename it and fit again."
        )
    document = Document(schema)
    if isinstance(predictor, Predictor):
        tag, how, content = _classes(document, predictor)
        function, note = "classification", "confidence" if tag == "RuleSetModel" else "probability"
    else:
        document.unknown = "asIs"
        tag, how, content = sums_model(document, _sums(model, predictor), [None], "none")
        function, note = "regression", ""
    used = [a for a in schema.attributes if a.kind != "text"]
    body = element(
        tag, document.mining_schema(used), document.outputs(note),
        *document.transformations(), *content, modelName=f"acumen {model.kind}", functionName=function,
        algorithmName=model.kind, **how,
    )  # fmt: skip
    fields = [document.data_field(a) for a in (*used, schema.target)]
    return element(
        "PMML",
        element("Header", element("Application", name="acumen", version=__version__)),
        element("DataDictionary", *fields, numberOfFields=len(fields)),
        body,
        version="4.4",
        xmlns=NAMESPACE,
    )


def _classes(document: Document, predictor: Predictor) -> Model:
    model = predictor.model
    match model:
        case DecisionTreeModel():
            return tree_model(document, predictor, model)
        case RuleList(ordered=False) | AdaBoostModel():
            _refuse_costs(predictor)
            document.unknown = "asIs"
            sums = votes_under_priors(predictor, model.to_votes(predictor.schema))
            return sums_model(document, sums, _labels(predictor), "simplemax")
        case FirstMatch():
            document.unknown = "asIs"
            return rule_model(document, predictor, model)
        case NaiveBayesModel() if model.exponents is None and _plain(model) and not predictor.schema.text:
            _refuse_costs(predictor)
            return bayes_model(document, predictor, model)
        case Summed() if model.probabilistic:
            _refuse_costs(predictor)
            document.unknown = "asIs"
            sums = list(moved_sums(predictor, _sums(model, predictor)))
            return sums_model(document, sums, _labels(predictor), "softmax")
    raise _not_written(predictor)


def _plain(model: NaiveBayesModel) -> bool:
    return isinstance(model.numeric, (GaussianFactor, BinnedFactor)) or not model.numeric.n_parameters


def _labels(predictor: Predictor) -> list[str]:
    return [level(label) for label in predictor.classes]


def _refuse_costs(predictor: Predictor) -> None:
    if predictor.costs is not None:
        raise DataError(
            f"to_pmml: this {predictor.model.kind} model decides by costs, which PMML's own decision does not know. "
            "Learn it without costs and decide by the probabilities, or use to_onnx or to_python."
        )


def _sums(model: Any, predictor: AnyPredictor) -> Any:
    if not isinstance(model, Summed):
        raise _not_written(predictor)
    try:
        return model.to_sums(predictor.schema)
    except DataError as error:
        raise DataError(f"to_pmml: {error}") from error


def _not_written(predictor: AnyPredictor) -> DataError:
    return DataError(
        f"to_pmml: {article(predictor.model.kind)} model cannot be exported to PMML; supported are {_OTHERS}."
    )


#: Stands for a probability that underflows; PMML wants one.
_THRESHOLD = 1e-300


def bayes_model(document: Document, predictor: Predictor, model: NaiveBayesModel) -> Model:
    """Inputs with their counts or Gaussians, and the counts of the classes under the priors asked for."""
    schema, seen = predictor.schema, model.weight > 0
    weight = np.where(seen, model.weight, 0.0)
    labels = [label for label, there in zip(predictor.classes, seen.tolist(), strict=True) if there]
    inputs = []
    for a, logs in zip(schema.nominal, model.nominal.log_level, strict=True):
        counts = _counts(logs[seen], weight[seen], a.name)
        values = [level(v) for v in a.levels]
        inputs.append(element("BayesInput", *_pairs(values, counts, labels), fieldName=a.name))
    inputs += _numeric(document, model, seen, weight, labels)
    if not inputs:
        raise DataError("to_pmml: naive Bayes without attributes has no form in PMML.")
    shares = (
        weight if predictor.shift is None else weight * np.exp(predictor.shift - predictor.shift[seen].max())
    )
    target = schema.target
    assert target is not None
    output = element("BayesOutput", _target_counts(shares[seen], labels), fieldName=target.name)
    return "NaiveBayesModel", {"threshold": number(_THRESHOLD)}, [element("BayesInputs", *inputs), output]


def _numeric(
    document: Document, model: NaiveBayesModel, seen: Bools, weight: Floats, labels: Sequence[Label]
) -> list[ET.Element]:
    factor, attributes = model.numeric, document.schema.numeric
    if not attributes:
        return []
    if isinstance(factor, GaussianFactor):
        elements = []
        for j, a in enumerate(attributes):
            stats = [
                element(
                    "TargetValueStat",
                    element("GaussianDistribution", mean=number(float(m)), variance=number(float(v))),
                    value=level(label),
                )
                for label, m, v in zip(labels, factor.mean[seen, j], factor.variance[seen, j], strict=True)
            ]
            elements.append(element("BayesInput", element("TargetValueStats", *stats), fieldName=a.name))
        return elements
    assert isinstance(factor, BinnedFactor)
    elements = []
    for a, cut, logs in zip(attributes, factor.binning.intervals, factor.log_bin, strict=True):
        log_masses = logs + np.log(bin_widths(cut)) if factor.densities else logs
        counts = _counts(log_masses[seen], weight[seen], a.name)
        edges = np.nextafter(cut.edges, -np.inf) if cut.closed == "left" else cut.edges
        names = [str(i) for i in range(len(edges) + 1)]
        steps = intervals(Places(a.name, document.schema, edges), [*names, ""])
        steps.set("dataType", "string")
        field = document.derive(("interval", a.name), f"interval of {a.name}", steps, categorical="string")
        elements.append(element("BayesInput", *_pairs(names, counts, labels), fieldName=field))
    return elements


def _counts(logs: Floats, weight: Floats, name: str) -> Floats:
    """Probabilities as counts; none may be 0, for which PMML takes its threshold instead."""
    if not np.isfinite(logs).all():
        raise DataError(
            f"to_pmml: a level or interval of {name!r} has probability 0 in a class, for which PMML would take a "
            f"threshold. Learn with {messages.setting('alpha')} above 0."
        )
    return np.asarray(np.exp(logs) * weight[:, None])


def _pairs(values: Sequence[str], counts: Floats, labels: Sequence[Label]) -> list[ET.Element]:
    return [
        element("PairCounts", _target_counts(counts[:, v], labels), value=value)
        for v, value in enumerate(values)
    ]


def _target_counts(counts: Floats, labels: Sequence[Label]) -> ET.Element:
    each = [
        element("TargetValueCount", value=level(label), count=number(float(n)))
        for label, n in zip(labels, counts.tolist(), strict=True)
    ]
    return element("TargetValueCounts", *each)
