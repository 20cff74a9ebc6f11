"""Screen 1: the card of a table, what was decided about its columns, its rows by the page, a selection's profile."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from acumen.data.forms import shown_as
from acumen.data.schema import Attribute, Schema
from acumen.studio import commands
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.selection import select_rows
from acumen.studio.output_files import put
from acumen.studio.spec import Asked, TableSpec
from acumen.types import Array, Indices

#: Rows that are sent at once.
MOST_ROWS: Final = 200
#: Levels of a column that are sent.
MOST_LEVELS: Final = 50
#: Columns of a page of rows.
MOST_COLUMNS: Final = 200


def columns(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """What is known as soon as a table is read: its columns, why they are so, what is to be predicted."""
    from acumen.profiling.target_guess import Guess, likely_target
    from acumen.profiling.uninformative import uninformative_columns

    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    request.end()
    table = bench.table(spec)
    target = table.schema.target
    if spec.target is None and target is not None:
        guess: Guess | None = Guess(target.name, "the file itself says so")
    else:
        guess = likely_target(table)
    return {
        "source": spec.shown,
        "rows": len(table),
        "target": None if target is None else target.name,
        "columns": _columns(table.schema, [note.to_dict() for note in table.report], {}, spec),
        "idle": uninformative_columns(table),
        "guess": None if guess is None else guess._asdict(),
        "task": None if target is None else _task(table.schema),
        "command": commands.inspect(spec),
    }


def card(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The data card, and the columns with their figures; of a large table this takes its time."""
    from acumen.profiling.card import card_of

    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    request.end()

    def make() -> dict[str, Any]:
        rows = bench.table(spec)
        data_card = card_of(rows)
        content = data_card.to_dict()
        figures = {each["name"]: each for each in content["attributes"]}
        if content["target"] is not None:
            figures[content["target"]["name"]] = content["target"]
        return {
            "card": content,
            "columns": _columns(rows.schema, content["notes"], figures, spec),
            # Values that may stand for none, as they would be said.
            "placeholders": {
                each.name: f"{each.numeric.placeholder[0]:g}"
                for each in data_card.attributes
                if each.numeric is not None and each.numeric.placeholder is not None
            },
            "command": commands.inspect(spec),
        }

    return bench.cards.compute(spec, make)


def _task(schema: Schema) -> str | None:
    from acumen.models.task import task_of

    task = task_of(schema)
    return None if task is None else task.name


def _columns(
    schema: Schema, every: list[dict[str, Any]], figures: dict[str, dict[str, Any]], spec: TableSpec
) -> list[dict[str, Any]]:
    """Every column in the order of the source, with its role, why it is what it is, and its figures where known."""
    notes: dict[str, list[dict[str, Any]]] = {}
    for note in every:
        if note["column"] is not None:
            notes.setdefault(note["column"], []).append(note)
    ignored = {attribute.name for attribute in schema.ignored}
    known = {attribute.name: attribute for attribute in _schema_values(schema)}
    target = None if schema.target is None else schema.target.name
    columns = []
    for name in schema.columns:
        figures_of_column, attribute = figures.get(name, {}), known.get(name)
        role = (
            "target"
            if name == target
            else "weight"
            if name == schema.weight
            else "ignored"
            if name in ignored
            else "input"
        )
        nominal = figures_of_column.get("nominal") or {}
        shown = (
            nominal.get("levels") or figures_of_column.get("classes") or []
        )  # those of a target are called classes
        columns.append(
            {
                "name": name,
                "role": role,
                "kind": "ignored"
                if role == "ignored"
                else "numeric"
                if attribute is None
                else attribute.kind,
                "missing": figures_of_column.get("missing"),
                "distinct": figures_of_column.get("distinct"),
                "numeric": _with_dates(figures_of_column.get("numeric")),
                "levels": shown[:MOST_LEVELS],
                "n_levels": nominal.get("declared", len(shown) or None),
                # In the order of their codes; none where there are more than a person puts in order.
                "order": _order_of(attribute),
                "moment": attribute is not None and attribute.form.startswith("date"),
                "alike": _alike(attribute, notes.get(name, [])),
                "association": figures_of_column.get("association"),
                "decided": _role_reason(name, role, attribute, spec),
                "why": notes.get(name, []),
            }
        )
    return columns


def _alike(attribute: Attribute | None, notes: list[dict[str, Any]]) -> list[list[str]]:
    """Levels that are perhaps one, where a note says so."""
    from acumen.data.naming import similar_levels

    sentences = " ".join(note["text"] for note in notes if note["code"] == "alike-levels")
    if attribute is None or not sentences:
        return []
    groups = similar_levels([level for level in attribute.levels if isinstance(level, str)])[:5]
    # In the order of the note, which names first what the others are to be read as.
    return [sorted(group, key=lambda level: sentences.find(repr(level))) for group in groups]


def _role_reason(name: str, role: str, attribute: Attribute | None, spec: TableSpec) -> str:
    """Why a column is what it is, where nobody objects; what was odd about it the notes say, with their lines."""
    if name in dict(spec.kinds) or name in dict(spec.levels) or name in spec.ignore or name == spec.weight:
        return "as you said"
    if attribute is None:
        return "" if role == "ignored" else "weights of rows"
    if attribute.is_numeric:
        form = attribute.form.partition(" ")[0]
        return (
            f"its values are {'days' if form == 'date' else 'numbers' if form in ('', 'number') else 'times'}"
        )
    if not attribute.is_nominal:
        return "its values are texts of many words"
    if role == "target" and all(_is_number(level) for level in attribute.levels):
        return "the target: its numbers are names of classes"
    return "its levels have an order" if attribute.ordered else "its values are names"


def _is_number(level: Any) -> bool:
    try:
        float(level)
    except (TypeError, ValueError):
        return False
    return True


def _with_dates(figures: dict[str, Any] | None) -> dict[str, Any] | None:
    """Figures of days and times with `shown`, what a person reads."""
    if figures is None or "form" not in figures:
        return figures
    shown = {
        name: shown_as(figures["form"], figures[name])
        for name in ("min", "median", "max")
        if isinstance(figures.get(name), float)
    }
    return figures | {"shown": shown}


def _order_of(attribute: Attribute | None) -> list[str]:
    levels = () if attribute is None else attribute.levels
    return [str(level) for level in levels] if len(levels) <= MOST_LEVELS else []


def rows(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """A page of rows, of all or of a selection, in the order of a column where one is named."""
    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    offset, count = request.whole("offset", 0) or 0, request.whole("count", 50, 1, MOST_ROWS) or 50
    sort, down = request.text("sort"), request.flag("down")
    chosen = request.within("selection")
    request.end()
    table = bench.table(spec)
    places = select_rows(bench, spec, chosen)
    places = np.arange(len(table)) if places is None else places
    if sort is not None:
        places = places[_order(table.column(sort)[places], down)]
    page = places[offset : offset + count]
    names = table.schema.columns[:MOST_COLUMNS]
    some = table.take(page)
    forms = {attribute.name: attribute.form for attribute in _schema_values(table.schema)}
    columns = [_cells(some.column(name), forms.get(name, "")) for name in names]
    return {
        "columns": list(names),
        "more_columns": max(len(table.schema.columns) - len(names), 0),
        "positions": page.tolist(),
        "rows": [list(cells) for cells in zip(*columns, strict=True)] if columns else [],
        "total": len(places),
        "of": len(table),
    }


def _cells(column: Array, form: str) -> list[Any]:
    """Values as a person reads them: days as dates, what is missing as nothing."""
    values = [None if value is None or value != value else value for value in column.tolist()]
    # JSON has no infinite numbers, and what is missing they are not.
    values = [str(value) if value in (math.inf, -math.inf) else value for value in values]
    if not form:
        return values
    return [
        value if value is None or isinstance(value, str) else shown_as(form, value) or value
        for value in values
    ]


def _schema_values(schema: Schema) -> tuple[Attribute, ...]:
    return schema.attributes if schema.target is None else (*schema.attributes, schema.target)


def _order(column: Array, down: bool) -> Indices:
    """Positions in the order of values, those without one last."""
    gone = np.array([value is None or value != value for value in column.tolist()], dtype=np.bool_)
    known = np.flatnonzero(~gone)
    values = column[known]
    if values.dtype.kind == "O":
        values = np.array([str(value) for value in values.tolist()])
    order = np.argsort(values, kind="stable")
    if down:  # equal values stay in the order of the table
        order = len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1]
    return np.concatenate([known[order], np.flatnonzero(gone)])


def csv_of(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The selected rows as CSV, as `Table.write` writes them."""
    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    places = select_rows(bench, spec, request.within("selection"))
    request.end()
    table = bench.table(spec)
    number, path = put(bench.scratch / "made", "selection.csv")
    (table if places is None else table.take(places)).write(path)
    return {"name": path.name, "made": number}


def profile(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """How many rows are selected, and what sets them apart from the others, with the chance of as much."""
    from acumen.base.cluster_profile import profile_of, trait_text

    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    places = select_rows(bench, spec, request.within("selection"))
    among = select_rows(bench, spec, request.within("among"))
    request.end()
    table = bench.table(spec)
    if places is None:
        return {"count": len(table), "of": len(table), "traits": [], "among": None}
    rest = np.arange(len(table)) if among is None else among
    some = table.take(rest)
    groups = np.where(np.isin(rest, places), 0, 1).astype(np.int32)
    traits: list[dict[str, Any]] = []
    if 0 < np.count_nonzero(groups == 0) < len(groups):
        profiles = profile_of(some, groups, 2, ())
        traits = [
            {"text": trait_text(trait), "effect": trait.effect, "q": trait.q, "attribute": trait.attribute}
            for trait in profiles.of(0)[:8]
        ]
    return {
        "count": len(places),
        "of": len(table),
        "among": None if among is None else len(among),
        "traits": traits,
    }
