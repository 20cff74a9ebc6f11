"""What would take too long to compare, or says nothing when compared, is refused before it starts."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.geometry import search

CLASSES = Attribute("y", "nominal", ("no", "yes"))


def numbered_rows(n: int, twice: bool = False) -> Table:
    """One column with a level for each row; with `twice` the first two rows share theirs."""
    codes = np.arange(n, dtype=np.int32)
    codes[1] = 0 if twice else 1
    schema = Schema((Attribute("id", "nominal", tuple(f"v{i}" for i in range(n))),), CLASSES)
    return Table(schema, n, nominal=[codes], labels=(np.arange(n) % 2).astype(np.int32))


@pytest.mark.parametrize("kind", ["KNN", "DBSCAN", "KMedoids", "Divisive", "Chameleon", "Clara"])
def test_many_rows_that_all_differ_in_every_column_are_refused(kind):
    with pytest.raises(DataError, match=r"each of the 10,000 rows has its own level in 'id'"):
        getattr(acumen, kind)().fit(numbered_rows(10_000))


def test_rows_are_compared_where_few_or_where_two_are_alike():
    assert acumen.KNN(n_neighbors=1).fit(numbered_rows(9_999)) is not None
    assert acumen.KNN(n_neighbors=1).fit(numbered_rows(10_000, twice=True)) is not None


def mixed_rows(n: int) -> Table:
    rng = np.random.default_rng(0)
    schema = Schema((Attribute("a", "nominal", ("p", "q", "r")), Attribute("b")), CLASSES)
    return Table(
        schema, n, nominal=[rng.integers(0, 3, n).astype(np.int32)], numeric=[rng.normal(size=n)],
        labels=rng.integers(0, 2, n).astype(np.int32),
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["DBSCAN", "KMedoids", "Divisive", "Chameleon", "Clarans"])
def test_pairs_beyond_the_most_are_refused_with_a_remedy(kind, monkeypatch):
    rows = mixed_rows(200)
    getattr(acumen, kind)().fit(rows)
    monkeypatch.setattr(search, "MOST_PAIRS", 30_000)
    with pytest.raises(
        DataError, match=rf"{kind}: 200 rows would take .* Take a sample of the rows, or use "
    ):
        getattr(acumen, kind)().fit(rows)


def test_an_index_spares_pairs(monkeypatch):
    monkeypatch.setattr(search, "MOST_PAIRS", 30_000)
    acumen.DBSCAN().fit(np.random.default_rng(0).normal(size=(300, 2)))
