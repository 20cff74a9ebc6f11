"""What commands share that change a model by hand: rows that a change is looked at with, and its judgement on folds.

table_of               DATA under a model's schema, labels included
held_out               a model before and after a change, on the same folds
require_known_classes  or a sentence: no row could be right or wrong
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acumen.cli import console
from acumen.cli.data import Reading

if TYPE_CHECKING:
    from acumen.data.table import Table


def table_of(data: str, predictor: Any) -> Table:
    """The rows of DATA under the model's schema, labels included where it has them."""
    from acumen.cli.matching import Matching, MatchWish
    from acumen.data.concat import concat
    from acumen.errors import DataError

    matching = Matching(predictor, Reading(data, {}), MatchWish())
    try:
        with console.busy(f"reading {data}"):
            table = concat([rows for _, rows in matching.tables(matching.scan())])
    except DataError as error:
        sentence, renamed, _ = str(error).partition(" Say --rename")
        if not renamed:
            raise
        # These commands have no such options: what a change does is looked at on the model's own columns.
        raise DataError(f"{sentence} Give a table that has the columns it was learned from.") from None
    matching.tell()
    return table


def held_out(before: Any, after: Any, table: Table, folds: int, seed: int, who: str) -> Any:
    """Both on the same folds."""
    from acumen.assessment.held_out_effect import held_out_effect
    from acumen.profiling.fit_warnings import data_warnings_off

    require_known_classes(table, who)
    with console.busy("judging on folds"), data_warnings_off():
        return held_out_effect(before, after, table, folds=folds, random_state=seed)


def require_known_classes(table: Table, who: str) -> None:
    """Some row must be of a class that the model knows."""
    from acumen.errors import DataError
    from acumen.types import MISSING

    target = table.schema.target
    if target is None or table.labels is None or (table.labels >= 0).any():
        return
    if (table.labels == MISSING).all():
        raise DataError(
            f"{who}: no row of DATA has a known {target.name!r}, so no answer can be right or wrong."
        )
    raise DataError(
        f"{who}: no row of DATA is of a class that the model knows ({', '.join(map(str, target.levels))}); give "
        "the table that it was learned from."
    )
