"""Find the rows that contain an itemset or match a rule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from acumen.associations.baskets import Baskets
from acumen.data.table import Table
from acumen.types import Floats, Indices

_WHO = "rows_containing"


def rows_containing(
    data: Any, items: Iterable[str], *, without: Iterable[str] = (), discretise: Any = None
) -> Indices:
    """Find the positions of the rows that contain all given items.

    Parameters
    ----------
    data : whatever `frequent_itemsets` takes, but parts
    items : names of items, as `frequent_itemsets` and `AssociationRules` give them
    without : names of items, optional
        Rows that hold all of these too are left out. The body of a rule as `items` and its head as `without` are the
        rows that the rule is wrong of.
    discretise : optional
        As in `frequent_itemsets`; items that are intervals have their names of it.

    Returns
    -------
    array of int
        Ascending positions. A row that weighs more than one is there once.

    Examples
    --------
    >>> import acumen
    >>> loan = acumen.datasets.load("loan")
    >>> acumen.rows_containing(loan, ["Own_house=true"])
    array([ 3,  7,  8,  9, 10, 11])
    >>> acumen.rows_containing(loan, ["Class=Yes"], without=["Own_house=true"])
    array([ 2, 12, 13])
    """
    baskets = Baskets.of(data, discretise=discretise, who=_WHO)
    weights = data.weights if isinstance(data, Table) else np.empty(0)
    return rows_holding(baskets, weights, items, without)


def rows_holding(baskets: Baskets, weights: Floats, items: Iterable[str], without: Iterable[str]) -> Indices:
    """The same of baskets that were made of rows with these weights; none: each is one basket."""
    held = baskets.hold(baskets.numbers(dict.fromkeys(items), _WHO))
    if left_out := dict.fromkeys(without):
        held &= ~baskets.hold(baskets.numbers(left_out, _WHO))
    places = np.flatnonzero(held)
    if not weights.size:
        return places
    # A basket of weight 2 is two baskets, one behind the other.
    rows = np.repeat(np.arange(len(weights)), np.rint(weights).astype(np.int64))
    return np.asarray(np.unique(rows[places]))
