"""What was learned, as a notebook shows it: one place for all models, which are asked what they have to show.

    learned_bundle   predictor -> text, HTML and drawing of its model, each bounded in size

A drawing where the model has one, its rules, its tables, the weights of its terms, the worth of its attributes; and
what it says of itself in words, folded away where there is something to look at. Nothing here knows a family: a model
shows a drawing by `to_figure`, groups by `to_profile`, rules by `to_rules`, tables by `to_tables`, terms by `to_sums`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, runtime_checkable

import numpy as np

from acumen.codegen import export
from acumen.codegen.terms import Count, LevelCases, Slope, Square, TermSum
from acumen.data.schema import Schema
from acumen.errors import AcumenError
from acumen.models.predictor import AnyPredictor, Predictor, limit_lines
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.notebook import bundle, notebook_html, render_figure
from acumen.render.report import Code, Details, Drawing, Piece, ReportTable, named_rows
from acumen.render.text import many, number
from acumen.render.views import register_renderers
from acumen.rulelist.rule_list import RuleList
from acumen.types import Floats

#: Lines of a description in a notebook, and nodes of a tree that is drawn.
_LINES = 120
_TERMS = 200


@runtime_checkable
class ToTables(Protocol):
    """A model that is best shown as tables."""

    def to_tables(self, schema: Schema) -> Sequence[ReportTable]:
        """Tables that show the model."""
        ...


def learned_bundle(
    predictor: AnyPredictor,
    title: str = "",
    *,
    said: str | None = None,
    facts: Mapping[str, Any] | None = None,
    worth: Floats | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """The formats that a notebook can choose from.

    `title` is what it is called, `said` its description, `facts` the statistics of the training rows, `worth` that
    of each attribute, `parameters` those that are not the usual ones.
    """
    text = predictor.describe() if said is None else said
    pieces = list(_pieces(predictor, worth))
    words = Code(limit_lines(text, _LINES))
    pieces.append(Details("In words", (words,)) if pieces else words)
    if parameters:
        rows = [[name, repr(value)[:200]] for name, value in parameters.items()]
        pieces.append(Details("Parameters", (ReportTable(["parameter", "value"], rows),)))
    svg = next((piece.svg for piece in pieces if isinstance(piece, Drawing)), None)
    page = notebook_html(title or predictor.model.kind, pieces, _under(predictor, facts))
    return bundle(text, page, svg)


def _under(predictor: AnyPredictor, facts: Mapping[str, Any] | None) -> str:
    schema = predictor.schema
    phrases = [] if schema.target is None else [f"for {schema.target.name}"]
    if facts and "rows" in facts:
        phrases.append(f"learned from {many(int(facts['rows']), 'row')}")
    return ", ".join([*phrases, many(len(schema), "attribute")])


def _pieces(predictor: AnyPredictor, worth: Floats | None) -> Iterator[Piece]:
    """All that can be looked at; what cannot be drawn after all is left to the words."""
    for part in (_drawing, _profile, _rules, _tables, _weights):
        with suppress(AcumenError, AttributeError, ValueError, ArithmeticError):
            yield from list(part(predictor))
    if (
        worth is not None
        and len(worth) == len(predictor.schema)
        and not hasattr(predictor.model, "importances")
    ):
        yield from _worth(worth, predictor.schema)


def learned_tables(predictor: AnyPredictor) -> list[ReportTable]:
    """The model as tables: proportions and means of naive Bayes, weights of linear models; none for others."""
    pieces: list[Piece] = []
    for part in (_tables, _weights):
        with suppress(AcumenError, AttributeError, ValueError, ArithmeticError):
            pieces += part(predictor)
    return [piece for piece in pieces if isinstance(piece, ReportTable)]


def learned_drawings(predictor: AnyPredictor, worth: Floats | None = None) -> list[Drawing]:
    """What sets groups apart, and what each attribute is worth, drawn beside a model's own figure."""
    pieces: list[Piece] = []
    with suppress(AcumenError, AttributeError, ValueError, ArithmeticError):
        pieces += _profile(predictor)
    if (
        worth is not None
        and len(worth) == len(predictor.schema)
        and not hasattr(predictor.model, "importances")
    ):
        pieces += [
            piece for folded in _worth(worth, predictor.schema) for piece in getattr(folded, "pieces", ())
        ]
    return [piece for piece in pieces if isinstance(piece, Drawing)]


def _drawing(predictor: AnyPredictor) -> Iterator[Piece]:
    model = predictor.model
    if isinstance(model, RuleList) or "to_figure" not in export.forms_of(model):
        return
    yield render_figure(export.figure_of(predictor))


def _profile(predictor: AnyPredictor) -> Iterator[Piece]:
    """What sets groups apart, where their model can tell."""
    to_profile = getattr(predictor.model, "to_profile", None)
    figure = None if to_profile is None else to_profile(predictor.schema)
    if figure is not None:
        yield render_figure(figure)


def _rules(predictor: AnyPredictor) -> Iterator[Piece]:
    """A model that is rules, or one; a tree is drawn instead."""
    model = predictor.model
    offered = export.forms_of(model)
    if "to_rules" not in offered or ("to_figure" in offered and not isinstance(model, RuleList)):
        return
    rules = export.rules_of(predictor)
    rows = []
    for place, rule in enumerate(rules.rules, 1):
        body = " and ".join(map(str, rule.body)) or "always"
        covered = sum(rule.counts.values()) if rule.counts else 0.0
        right = float(rule.counts.get(rule.label, 0.0)) if rule.counts else 0.0
        share = f"{number(right)}/{number(covered)}" if covered else ""
        rows.append([str(place), body, str(rule.label), number(covered) if covered else "", share])
    rows.append(["", "otherwise" if rules.rules else "always", str(rules.default), "", ""])
    how = "the first that holds answers" if rules.ordered else "all that hold vote"
    caption = f"{many(len(rules.rules), 'rule')}; {how}"
    headings = ["", "if", "then", "rows", "right"]
    yield ReportTable(headings, rows, ["right", "left", "left", "right", "right"], caption)


def _tables(predictor: AnyPredictor) -> Iterator[Piece]:
    if isinstance(predictor.model, ToTables):
        yield from predictor.model.to_tables(predictor.schema)


def _weights(predictor: AnyPredictor) -> Iterator[Piece]:
    """The terms of linear models; shapes are drawn instead."""
    to_sums = getattr(predictor.model, "to_sums", None)
    if to_sums is None or getattr(predictor.model, "generative", False):  # which has tables of its own
        return
    sums: tuple[TermSum, ...] = to_sums(predictor.schema)
    if any(isinstance(term, (LevelCases, Square)) for one in sums for term in one.terms):
        return
    labels = (
        [str(label) for label in predictor.schema.classes] if isinstance(predictor, Predictor) else ["weight"]
    )
    columns = [_terms(one) for one in sums]
    if len(columns) == 2:  # of two classes only the difference says anything
        names = dict.fromkeys([*columns[1], *columns[0]])
        columns = [{name: columns[1].get(name, 0.0) - columns[0].get(name, 0.0) for name in names}]
        labels = [f"{labels[1]} over {labels[0]}"]
    names = dict.fromkeys(name for column in columns for name in column if name != "")
    rows = [[name, *(number(column.get(name, 0.0)) for column in columns)] for name in [*names][:_TERMS]]
    rows.append(["intercept", *(number(column.get("", 0.0)) for column in columns)])
    what = "What each adds to the score" if isinstance(predictor, Predictor) else "What each adds"
    yield ReportTable(["", *labels], rows, named_rows(len(labels)), what)


def _terms(one: TermSum) -> dict[str, float]:
    """Weights by name; that of the empty name is the constant, where every number is 0 and nothing holds."""
    coefficients: dict[str, float] = {"": one.constant}
    for term in one.terms:
        if isinstance(term, Slope):
            coefficients[""] -= term.weight * term.centre
            coefficients[str(term.attribute)] = coefficients.get(str(term.attribute), 0.0) + term.weight
        elif isinstance(term, Count):
            name = " and ".join(map(str, term.body))
            coefficients[name] = coefficients.get(name, 0.0) + term.weight
    return coefficients


def _worth(worth: Floats, schema: Schema) -> Iterator[Piece]:
    order = np.argsort(-worth, kind="stable")
    bars = [Bar(schema.names[j], float(worth[j])) for j in order.tolist() if np.isfinite(worth[j])]
    if len(bars) > 1 and any(bar.value > 0 for bar in bars):
        figure = BarsFigure(bars, "share of what all attributes gain", "What each attribute is worth")
        yield Details("What each attribute is worth", (render_figure(figure),))


register_renderers("bundle", {AnyPredictor: learned_bundle})
