"""EM on the coronary table and on rows of the alarm network, against a naive EM over every completion of a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

import acumen
from acumen.types import Codes, Floats
from oracles import bnlearn, pgmpy_alarm


def naive_em(
    codes: Codes, levels: Sequence[int], parents: Sequence[Sequence[int]], alpha: float, steps: int = 400
) -> list[Floats]:
    """The tables of each node given its parents, in which EM comes to rest."""
    rows = Counter(tuple(row) for row in codes.T.tolist())
    choices = [
        [(code,) if code >= 0 else range(n) for code, n in zip(row, levels, strict=True)] for row in rows
    ]
    complete = np.array([line for choice in choices for line in product(*choice)]).T
    row_of = np.repeat(np.arange(len(rows)), [np.prod([len(each) for each in choice]) for choice in choices])
    times = np.array(list(rows.values()))[row_of]
    cells = [tuple(complete[u] for u in (*parents[v], v)) for v in range(len(levels))]
    shapes = [[levels[u] for u in (*parents[v], v)] for v in range(len(levels))]
    tables = [np.full(shape, 1.0 / shape[-1]) for shape in shapes]
    for _ in range(steps):
        share = np.prod([table[cell] for table, cell in zip(tables, cells, strict=True)], axis=0)
        weights = times * share / np.bincount(row_of, share)[row_of]
        before, tables = tables, []
        for cell, shape in zip(cells, shapes, strict=True):
            counts = np.full(shape, alpha)
            np.add.at(counts, cell, weights)
            tables.append(counts / counts.sum(axis=-1, keepdims=True))
        if max(np.abs(new - old).max() for new, old in zip(tables, before, strict=True)) < 1e-9:
            break
    return tables


def check(rows: acumen.Table, edges: Sequence[tuple[str, ...]], alpha: float) -> None:
    names = list(rows.schema.names)
    codes = np.array([np.asarray(column) for column in rows.nominal.columns])
    levels = [len(attribute.levels) for attribute in rows.schema.attributes]
    model = acumen.BayesNetwork(structure=list(edges), missing="em", alpha=alpha).fit(rows)
    network = model.network_
    parents = [[names.index(a) for a, b in edges if b == name] for name in names]
    for name, expected in zip(names, naive_em(codes, levels, parents, alpha), strict=True):
        ours = network.tables[network.names.index(name)]
        # Parents stand in the network's order.
        order = [network.names.index(names[u]) for u in parents[names.index(name)]]
        expected = expected.transpose([*np.argsort(order), len(order)])
        assert np.asarray(ours).reshape(expected.shape) == pytest.approx(expected, abs=1e-4), name


def hide(rows: acumen.Table, hidden: np.ndarray) -> acumen.Table:
    columns = [
        np.where(gone, -1, np.asarray(column)).astype(np.int32)
        for column, gone in zip(rows.nominal.columns, hidden, strict=True)
    ]
    return acumen.Table(rows.schema, len(rows), nominal=columns)


def test_em_on_the_coronary_table_ends_where_a_naive_em_does() -> None:
    rows = bnlearn.coronary()
    (search, *_) = [one for one in bnlearn.LEARNED if one.data == "coronary" and one.score == "bic"]
    hidden = np.random.default_rng(0).random((6, len(rows))) < 0.15
    check(hide(rows, hidden), sorted(search.edges), 1.0)


def test_em_on_the_alarm_network_ends_where_a_naive_em_does() -> None:
    network = acumen.BayesNetwork.from_bif(pgmpy_alarm.ALARM)
    rows = network.sample(150, random_state=1)
    hidden = np.zeros((len(rows.schema), len(rows)), dtype=bool)
    rng = np.random.default_rng(2)
    for _ in range(2):
        hidden[rng.integers(0, len(hidden), len(rows)), np.arange(len(rows))] = True
    check(hide(rows, hidden), sorted(pgmpy_alarm.ARCS), 1.0)
