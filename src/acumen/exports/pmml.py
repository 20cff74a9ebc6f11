"""A model as a PMML 4.4 document: what scoring engines and databases read.

to_pmml   model -> a file, and its text
"""

from __future__ import annotations

from os import PathLike
from typing import Any
from xml.etree import ElementTree as ET

from acumen import __version__
from acumen.bayes.factors.binned import BinnedFactor
from acumen.bayes.factors.gaussian import GaussianFactor
from acumen.bayes.naive import NaiveBayesModel
from acumen.codegen.export import FirstMatch, Summed, moved_sums
from acumen.data.out.atomic import replace_text
from acumen.ensembles.adaboost_model import AdaBoostModel
from acumen.errors import DataError, article
from acumen.exports.onnx import predictor_of
from acumen.exports.pmml_bayes import bayes_model
from acumen.exports.pmml_sums import Model, sums_model
from acumen.exports.pmml_trees import rule_model, tree_model
from acumen.exports.pmml_xml import NAMESPACE, Document, element, level
from acumen.models.predictor import AnyPredictor, Predictor
from acumen.rulelist.rule_list import RuleList
from acumen.rulelist.votes_export import weighed_votes
from acumen.trees.model import DecisionTreeModel

_OTHERS = "trees, rules, naive Bayes, logistic and additive models, discriminants and linear regressions are"


def to_pmml(model: Any, path: str | PathLike[str] | None = None) -> str:
    """Write a fitted model as a PMML 4.4 document.

    Fields are called as the attributes are; numbers are doubles (dates and times as acumen counts them, in days since
    1970-01-01). The document gives `prediction` and, of classes, the probability of each: `P(yes)`; of rules in order,
    for which PMML has no probabilities, the `confidence` of what is said. Missing values and levels nobody knows are
    answered as `predict` does, and so are priors; costs where each leaf or rule answers alone.

    Parameters
    ----------
    model : fitted learner or predictor
        Decision trees (TreeModel), rules (RuleSetModel; those that vote RegressionModel), naive Bayes
        (NaiveBayesModel), logistic and additive models, Fisher's discriminant and linear regressions (RegressionModel).
        Of others, and of what PMML cannot say, a DataError says what to do.
    path : path, optional
        Where the file is written.

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
            sums = weighed_votes(predictor, model.to_votes(predictor.schema))
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
    return DataError(f"to_pmml: {article(predictor.model.kind)} model is not to be had in PMML; {_OTHERS}.")
