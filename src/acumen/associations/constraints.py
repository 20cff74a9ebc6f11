"""What sets and rules must and must not contain.

    ItemConstraints   contains, any_of, excludes; for rules also by side, and templates of whole rules

Items are named outright or by a pattern such as `Age=*`. A template is a rule of patterns: `Age=*, Has_Job=*
-> Class=*` lets pass what has an item for each pattern and no others; with `...` on a side, further items may
stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from acumen.associations.itemsets import Itemsets
from acumen.errors import ParameterError, did_you_mean
from acumen.types import Bools

_WILD = "*?["


@dataclass(frozen=True)
class ItemConstraints:
    """What is let through.

    Parameters
    ----------
    contains, any_of, excludes : sequence of items or patterns
        Each of the first must be matched by some item of a set, one of the second, none of the third. Of a
        rule, of its two sides together.
    body_contains, body_excludes, head_contains, head_excludes : sequence of items or patterns
        The same for one side of a rule; sets have none.
    templates : sequence of text
        A rule must fit one of them.
    """

    contains: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    body_contains: tuple[str, ...] = ()
    body_excludes: tuple[str, ...] = ()
    head_contains: tuple[str, ...] = ()
    head_excludes: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            listed = (value,) if isinstance(value, str) else tuple(value)
            if not all(isinstance(item, str) for item in listed):
                raise ParameterError(f"Constraints: {each.name} must be items or patterns; got {value!r}.")
            object.__setattr__(self, each.name, listed)
        for template in self.templates:
            if template.count("->") != 1:
                raise ParameterError(f"Constraints: a template is 'body -> head'; got {template!r}.")

    @classmethod
    def of(cls, given: Any, who: str) -> ItemConstraints:
        """Constraints, a mapping of their parameters, or None."""
        if given is None:
            return cls()
        if isinstance(given, cls):
            return given
        known = [each.name for each in fields(cls)]
        if isinstance(given, Mapping):
            for name in given:
                if name not in known:
                    raise ParameterError(
                        f"{who}: constraints have no {name!r}; there are {', '.join(known)}."
                        + did_you_mean(str(name), known)
                    )
            return cls(**given)
        raise ParameterError(f"{who}: constraints must be Constraints, a mapping or None; got {given!r}.")

    @property
    def by_side(self) -> bool:
        """Whether something is asked of one side of a rule."""
        return bool(
            self.body_contains
            or self.body_excludes
            or self.head_contains
            or self.head_excludes
            or self.templates
        )

    def check(self, names: Sequence[str], who: str) -> None:
        """Refuse what no item is called."""
        known = set(names)
        for each in fields(self):
            if each.name == "templates":
                continue
            for name in getattr(self, each.name):
                if not any(sign in name for sign in _WILD) and name not in known:
                    raise ParameterError(f"{who}: no item is called {name!r}.{did_you_mean(name, names)}")

    def lets(self, body: Sequence[str], head: Sequence[str]) -> bool:
        """Whether a rule passes."""
        return (
            self.lets_set((*body, *head))
            and _side(body, self.body_contains, self.body_excludes)
            and _side(head, self.head_contains, self.head_excludes)
            and (not self.templates or any(_fits(template, body, head) for template in self.templates))
        )

    def lets_set(self, items: Sequence[str]) -> bool:
        """Whether a set passes."""
        return _side(items, self.contains, self.excludes) and (
            not self.any_of or any(matches(item, pattern) for item in items for pattern in self.any_of)
        )

    def filter(self, found: Itemsets) -> Itemsets:
        """Those sets that pass, judged all at once."""
        starts, items, _ = found.to_arrays()
        rows = np.repeat(np.arange(len(found)), np.diff(starts))

        def has(patterns: Iterable[str]) -> Bools:
            good = np.array([any(matches(n, p) for p in patterns) for n in found.names], dtype=np.bool_)
            held = good[items] if len(good) else np.zeros(0, dtype=np.bool_)
            return np.bincount(rows[held], minlength=len(found)) > 0

        kept: Bools = np.ones(len(found), dtype=np.bool_)
        for pattern in self.contains:
            kept &= has((pattern,))
        if self.any_of:
            kept &= has(self.any_of)
        if self.excludes:
            kept &= ~has(self.excludes)
        return found if kept.all() else found.take(kept)


def matches(item: str, pattern: str) -> bool:
    """Whether an item is meant by a name or a pattern."""
    return item == pattern or fnmatchcase(item, pattern)


def _side(items: Sequence[str], contains: Sequence[str], excludes: Sequence[str]) -> bool:
    return all(any(matches(item, p) for item in items) for p in contains) and not any(
        matches(item, p) for item in items for p in excludes
    )


def _fits(template: str, body: Sequence[str], head: Sequence[str]) -> bool:
    sides = (side.strip() for side in template.split("->"))
    return all(_covers(side, items) for side, items in zip(sides, (body, head), strict=True))


def _covers(side: str, items: Sequence[str]) -> bool:
    """Whether each pattern has an item of its own, and no item is left over unless `...` lets it."""
    patterns = [part.strip() for part in side.split(",") if part.strip()]
    more = "..." in patterns
    patterns = [pattern for pattern in patterns if pattern != "..."]
    if len(patterns) > len(items) or (not more and len(patterns) != len(items)):
        return False

    def can_assign(at: int, left: tuple[str, ...]) -> bool:
        if at == len(patterns):
            return True
        return any(
            matches(item, patterns[at]) and can_assign(at + 1, left[:j] + left[j + 1 :])
            for j, item in enumerate(left)
        )

    return can_assign(0, tuple(items))
