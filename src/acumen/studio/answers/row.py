"""Screen 5: one row, what is said of it and why, what would be said if it were otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acumen.data.forms import is_moment, shown_as, written_as
from acumen.data.table import Table
from acumen.errors import AcumenError, ParameterError
from acumen.explain.questions import ReadsTree
from acumen.studio import commands
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.model import drawing
from acumen.studio.answers.pictures import svg_tree
from acumen.studio.spec import Asked, ModelSpec

#: Rows among which the nearest of another class is looked for; of more, some evenly.
MOST_NEAR: Final = 20_000
#: Categories of a column that can be chosen.
MOST_LEVELS: Final = 500
#: Rules and neighbours that are told.
MOST_SAID: Final = 12


def row(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """A row of the model's table, with some values changed: prediction, reasons, path, the nearest of another class."""
    from acumen.models.prediction_columns import explanation_dict

    request = Asked(given, "a question")
    spec = ModelSpec.of(request.within("model"))
    position, changed = request.whole("position", 0), request.within("changed") or {}
    request.end()
    if not isinstance(changed, Mapping) or spec.table is None:
        raise ParameterError(
            "studio: a row is of a model's table, and what is changed in it an object of values."
        )
    learner, table = bench.model(spec), bench.table(spec.table)
    predictor = learner.predictor_
    if not 0 <= (position or 0) < len(table):
        raise ParameterError(f"there is no row {(position or 0) + 1:,}; the table has {len(table):,}.")
    one = table.take(slice(position, (position or 0) + 1))
    values = {name: _value(one, name) for name in predictor.schema.names}
    now = values | {name: _parse_value(predictor.schema, name, value) for name, value in changed.items()}
    explanation = learner.explain(now)
    explanation_content = explanation_dict(explanation)
    target = table.schema.target
    content = {
        "position": position,
        "fields": [_field(table, attribute, values[attribute.name], now[attribute.name])
                   for attribute in predictor.schema.attributes],
        "truth": None if target is None else _value(one, target.name),
        "explanation": explanation_content,
        "text": str(explanation),
        "fired": [str(each) for each in explanation.rules[:MOST_SAID]],
        "near": [str(each) for each in getattr(explanation, "near_misses", ())[:MOST_SAID]],
        "without": _without(explanation),
        "neighbours": [_case(each, table) for each in explanation.cases[:MOST_SAID]],
        "path": None,
        "svg": None,
        "nearest": _nearest(predictor, table, now, explanation_content, position or 0)
        if "label" in explanation_content
        else None,
        "command": _command(spec, learner, now),
    }  # fmt: skip
    if isinstance(learner, ReadsTree):
        content["path"] = str(learner.path(now))
        content["svg"] = svg_tree(drawing(bench, spec, None, True, now))
    return content


def _without(explanation: Any) -> str | None:
    """What would be said without the rule that answered."""
    other = getattr(explanation, "otherwise", None)
    return None if other is None or not explanation.rules else str(other)


def _case(case: Any, table: Table) -> dict[str, Any]:
    """A row that was looked up; its number is that of the table where every row was learned from."""
    whole = case.row is not None and table.labels is not None and bool((table.labels >= 0).all())
    answer = case.answer
    return {
        "position": case.row if whole and not table.weights.size else None,
        "answer": None if answer is None else str(answer),
        "distance": case.distance,
        "weight": case.weight,
        "text": str(case),
    }


def _value(rows: Table, name: str) -> Any:
    value = rows.column(name)[0]
    value = value.item() if isinstance(value, np.generic) else value
    return None if value is None or value != value else value


def _shown_value(attribute: Any, value: Any) -> Any:
    """A value as a person writes it: days as a date."""
    return shown_as(attribute.form, value) or value if attribute.form and value is not None else value


def _parse_value(schema: Any, name: str, value: Any) -> Any:
    """What came from a form, as the column has it; nothing is a missing value."""
    if name not in schema.names:
        raise ParameterError(f"the model has no attribute {name!r}.")
    attribute = schema[name]
    if value is None or value == "":
        return None
    if attribute.is_numeric:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ParameterError(f"{name} is a number; got {str(value)[:80]!r}.") from None
    known = {str(level): level for level in attribute.levels}
    return known.get(str(value), str(value))


def _field(table: Table, attribute: Any, was: Any, now: Any) -> dict[str, Any]:
    field = {"name": attribute.name, "kind": attribute.kind, "was": was, "now": now}
    if attribute.is_numeric:
        column = table.column(attribute.name)
        known = column[np.isfinite(column)]
        field |= {"low": float(known.min()) if known.size else None, "high": float(known.max()) if known.size else None,
                 "whole": bool(known.size and (known == np.floor(known)).all())}  # fmt: skip
        if is_moment(attribute.form):
            field |= {"moment": attribute.form.partition(" ")[0], "said": _shown_value(attribute, was)}
    else:
        shown = [str(level) for level in attribute.levels[:MOST_LEVELS]]
        values = [str(value) for value in (was, now) if value is not None]
        field["levels"] = list(dict.fromkeys([*shown, *values]))  # the row's own values can always be chosen
    return field


def _nearest(
    predictor: Any, table: Table, now: dict[str, Any], told: dict[str, Any], position: int
) -> dict[str, Any] | None:
    """The nearest row of another class, by KNN's own distance: what would have to be otherwise.

    The row itself is not meant, though it may be of another class than the one it is taken for.
    """
    from acumen.neighbours.learners import KNN

    if table.labels is None:
        return None
    label = str(told["label"])
    others = np.flatnonzero(
        np.array([each is not None and str(each) != label for each in table.label_values()])
    )
    others = others[others != position]
    if not others.size:
        return None
    if len(others) > MOST_NEAR:
        others = others[np.linspace(0, len(others) - 1, MOST_NEAR).astype(np.intp)]
    some = table.take(others).select(list(predictor.schema.names))
    try:
        nearest = KNN(n_neighbors=1).fit(some).explain(now)
    except AcumenError:
        return None  # columns without a distance
    if not nearest.cases:
        return None
    case = nearest.cases[0]
    at = int(others[case.row]) if getattr(case, "row", None) is not None else None
    if at is None:
        return None
    near = table.take(slice(at, at + 1))
    values = {name: _value(near, name) for name in predictor.schema.names}
    return {
        "position": at,
        "label": str(table.label_values()[at]),
        "distance": case.distance,
        "differs": [
            {
                "name": n,
                "here": _shown_value(predictor.schema[n], now[n]),
                "there": _shown_value(predictor.schema[n], v),
            }
            for n, v in values.items()
            if v != now[n]
        ],
    }


def _command(spec: ModelSpec, learner: Any, now: dict[str, Any]) -> dict[str, str]:
    import csv
    import io
    import shlex

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(now)
    # The command reads cells in the forms that the model was trained on.
    schema = learner.predictor_.schema
    writer.writerow(
        ["" if value is None else written_as(schema[name].form, value) for name, value in now.items()]
    )
    python = f"{commands.model_python(spec, learner)}print(model.explain({now!r}))\n"
    proba = ["--probabilities"] if learner.predictor_.model.probabilistic else []
    learn = commands.after_learning(spec, [], python)
    predict = commands.command_forms(["predict", spec.shown, "-", "--explain", *proba], "")["cli"]
    return {**learn, "cli": f"{learn['cli']} && printf %s {shlex.quote(out.getvalue())} | {predict}"}
