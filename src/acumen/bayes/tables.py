"""Naive Bayes as tables for a page: of each attribute what its values are in every class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from acumen.bayes.factors.binned import BinnedFactor, bin_widths
from acumen.bayes.factors.gaussian import GaussianFactor, mean_text
from acumen.bayes.naive import NaiveBayesModel
from acumen.data.schema import Schema
from acumen.render.report import ReportTable, named_rows
from acumen.render.views import register_renderers
from acumen.types import Floats

#: Attributes that have a table of their own.
_MOST = 40


def tables_of(model: NaiveBayesModel, schema: Schema) -> Iterator[ReportTable]:
    """How common the classes are, the shares of levels and intervals, and means with their deviations."""
    classes = [str(label) for label in schema.classes]
    sides = named_rows(len(classes))
    target = schema.target.name if schema.target else "class"
    shares = [f"{share:.4f}" for share in np.exp(model.log_prior).tolist()]
    yield ReportTable(["", *classes], [[f"P({target})", *shares]], sides, "How common each class is")
    for attribute, logs in zip(schema.nominal[:_MOST], model.nominal.log_level, strict=False):
        names = [str(level) for level in attribute.levels]
        yield _shares(attribute.name, names, np.exp(logs), classes, sides)
    if isinstance(model.numeric, BinnedFactor):
        cuts = zip(
            schema.numeric[:_MOST], model.numeric.binning.intervals, model.numeric.log_bin, strict=False
        )
        for attribute, cut, logs in cuts:
            wide = bin_widths(cut) if model.numeric.densities else 1.0
            yield _shares(
                attribute.name, list(cut.short_labels(attribute.form)), np.exp(logs) * wide, classes, sides
            )
    elif isinstance(model.numeric, GaussianFactor) and schema.numeric:
        deviation = np.sqrt(model.numeric.variance)
        rows = [
            [a.name, *(mean_text(a, m, s) for m, s in zip(model.numeric.mean[:, j].tolist(),
                                                           deviation[:, j].tolist(), strict=True))]
            for j, a in enumerate(schema.numeric)
        ]  # fmt: skip
        yield ReportTable(["", *classes], rows, sides, "Mean ± standard deviation in each class")


def _shares(
    name: str, values: list[str], shares: Floats, classes: list[str], sides: list[Literal["left", "right"]]
) -> ReportTable:
    rows = [[value, *(f"{share:.4f}" for share in shares[:, i].tolist())] for i, value in enumerate(values)]
    return ReportTable([name, *classes], rows, sides, f"P({name} | class)")


register_renderers("tables", {NaiveBayesModel: tables_of})
