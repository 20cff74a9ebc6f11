"""Naive Bayes as a NaiveBayesModel: counts of levels and Gaussians, class by class.

PMML makes probabilities of counts, count over sum; so smoothed probabilities are written as counts of so many rows as
the class has. Intervals of numbers become a derived field.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np

from acumen import messages
from acumen.bayes.factors.binned import BinnedFactor, bin_widths
from acumen.bayes.factors.gaussian import GaussianFactor
from acumen.bayes.naive import NaiveBayesModel
from acumen.errors import DataError
from acumen.exports.places import Places
from acumen.exports.pmml_sums import Model, intervals
from acumen.exports.pmml_xml import Document, element, level, number
from acumen.models.predictor import Predictor
from acumen.types import Bools, Floats, Label

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
