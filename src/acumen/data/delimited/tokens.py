"""Tokens that may stand for a missing value (NULL, None, -, n/a): what they are in one column of words."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from acumen.data.columns import PERHAPS

if TYPE_CHECKING:
    from acumen.data.delimited.survey import Survey


def stay_levels(found: Survey, column: int, levels: Collection[str]) -> frozenset[str]:
    """The tokens that are levels here.

    All are in the target, of which no row should be lost by a guess; a minus is beside a plus; and so are those that
    the schema to be read like has as levels.
    """
    name, like = found.names[column], found.request.like
    tokens = frozenset(level.removeprefix(PERHAPS) for level in levels if level.startswith(PERHAPS))
    if name == found.roles.target or (
        like is not None and like.target is not None and name == like.target.name
    ):
        return tokens
    stated = frozenset(map(str, like[name].levels)) if like is not None and name in like else frozenset()
    signs = frozenset({"-"}) if "+" in levels and column not in found.bound else frozenset()
    return tokens & (stated | signs)


def missing_here(found: Survey, column: int) -> list[str]:
    """The tokens that count as missing in a column of words, in order of appearance."""
    levels = found.tables[column].levels(column)
    stays = stay_levels(found, column, levels)
    tokens = [level.removeprefix(PERHAPS) for level in levels if level.startswith(PERHAPS)]
    return [token for token in tokens if token not in stays]
