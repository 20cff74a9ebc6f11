"""A selection of rows, said by what selects it: a cell of a confusion, a node, a rule, a group, items, one and another.

The page keeps what was said and never the rows; every screen resolves it to the same positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acumen.errors import ParameterError
from acumen.explain.questions import HasMachines
from acumen.studio.answers.memory import Bench
from acumen.studio.problems import NotMade
from acumen.studio.spec import Asked, ModelSpec, RunSpec, TableSpec
from acumen.types import Indices

#: Selections within selections.
_DEEPEST: Final = 8


def select_rows(bench: Bench, table: TableSpec, said: Any, depth: int = 0) -> Indices | None:
    """Positions in the table, ascending; None where nothing is selected."""
    if said is None:
        return None
    if not isinstance(said, Mapping) or len(said) != 1 or depth > _DEEPEST:
        raise ParameterError("studio: a selection says one thing that selects rows.")
    (kind, of), n = next(iter(said.items())), len(bench.table(table))
    if kind == "not":
        rows = select_rows(bench, table, of, depth + 1)
        return None if rows is None else np.setdiff1d(np.arange(n), rows)
    if kind == "and":
        if not isinstance(of, list) or not of:
            raise ParameterError("studio: `and` is of a list of selections.")
        selections = [rows for each in of if (rows := select_rows(bench, table, each, depth + 1)) is not None]
        positions = np.arange(n)
        for rows in selections:
            positions = np.intersect1d(positions, rows)
        return positions
    if kind not in _KINDS:
        raise ParameterError(f"studio: rows are not selected by {str(kind)[:40]!r}.")
    rows = _KINDS[kind](bench, Asked(of, "a selection"))
    return rows[rows < n]


def _cell(bench: Bench, asked: Asked) -> Indices:
    run, name = RunSpec.of(asked.within("run")), asked.required("learner")
    truth, predicted = asked.text("truth"), asked.text("predicted")
    threshold, positive = asked.within("threshold"), asked.text("positive")
    asked.end()
    assessment = bench.run(run).assessments[name]
    labels = {str(label): label for label in assessment.confusion.labels}
    if threshold is not None and not isinstance(threshold, (int, float)):
        raise ParameterError("studio: a threshold is a number.")
    return np.asarray(
        assessment.rows(
            _label(labels, truth),
            _label(labels, predicted),
            threshold=threshold,
            positive=_label(labels, positive),
        )
    )


def _label(labels: dict[str, Any], word: str | None) -> Any:
    return None if word is None else labels.get(word, word)


def _apart(bench: Bench, asked: Asked) -> Indices:
    run, a, b = RunSpec.of(asked.within("run")), asked.required("a"), asked.required("b")
    cell = asked.one_of("cell", ("only_a", "only_b", "both_right", "both_wrong"))
    asked.end()
    return np.asarray(getattr(bench.run(run).disagree(a, b), cell))


def _node(bench: Bench, asked: Asked) -> Indices:
    spec, node = ModelSpec.of(asked.within("model")), asked.whole("node", 0)
    on = TableSpec.of(asked.within("table"))
    asked.end()
    return np.asarray(bench.model(spec).rows_at(node, bench.rows(on, spec)))


def _rule(bench: Bench, asked: Asked) -> Indices:
    from acumen.codegen.export import rules_of
    from acumen.data.align import align

    spec, at = ModelSpec.of(asked.within("model")), asked.whole("rule", 0)
    on = TableSpec.of(asked.within("table"))
    asked.end()
    predictor = bench.model(spec).predictor_
    rows = align(bench.rows(on, spec), predictor.schema)
    return np.flatnonzero(rules_of(predictor).deciding(rows) == at)


def _group(bench: Bench, asked: Asked) -> Indices:
    from acumen.studio.answers.groups import key_of

    key, group = key_of(asked.within("cluster")), asked.whole("group", 0, -1)
    asked.end()
    grouping = bench.groups.get(key)
    if grouping is None:
        raise NotMade("these groups are not in memory; find them again.", "cluster")
    return np.flatnonzero(grouping.labels_ == group)


def _support(bench: Bench, asked: Asked) -> Indices:
    """The support vectors of a machine, among the rows that it was learned from."""
    spec, at = ModelSpec.of(asked.within("model")), asked.whole("machine", 0) or 0
    asked.end()
    learner = bench.model(spec)
    machines = (learner.machines_ or ()) if isinstance(learner, HasMachines) else ()
    if spec.table is None or at >= len(machines):
        raise ParameterError("studio: this model has no such machine.")
    table = bench.table(spec.table)
    places = np.arange(len(table))[learner.counted_places(table, learner.class_factors(table))[1]]
    return np.sort(places[machines[at].support])


def _items(bench: Bench, asked: Asked) -> Indices:
    from acumen.associations.rows_containing import rows_holding
    from acumen.studio.answers.baskets import baskets_of, require_rows

    spec, discretise = TableSpec.of(asked.within("table")), asked.text("discretise")
    items, without = asked.texts("items", 200), asked.texts("without", 200)
    asked.end()
    table, baskets = baskets_of(bench, spec, discretise)
    require_rows(table, bench.table(spec))
    return rows_holding(baskets, table.weights, items, without)


_KINDS: Final = {
    "cell": _cell, "apart": _apart, "node": _node, "rule": _rule, "group": _group, "items": _items,
    "support": _support,
}  # fmt: skip
