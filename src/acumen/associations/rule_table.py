"""The rules found between items: flat arrays inside, a sequence of `Rule` outside, with their statistics.
said of each.

FoundRules   sort, filter, redundant, to_pandas, HTML, pictures
MEASURES     what can be reckoned of a rule, each from whole counts
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from acumen.associations.baskets import Longs
from acumen.conditions.condition import Condition
from acumen.conditions.rule import Rule
from acumen.data.escape import printable
from acumen.errors import ParameterError, did_you_mean
from acumen.render.text import many
from acumen.types import Bools, Codes, Floats

if TYPE_CHECKING:
    from acumen.render.rule_plot import ItemGraph, RulesFigure

_SHOWN = 20


def _lift(r: FoundRules) -> Floats:
    return r.counts * float(r.n) / (r.body_counts * r.head_counts.astype(np.float64))


def _conviction(r: FoundRules) -> Floats:
    wrong = 1.0 - r["confidence"]
    with np.errstate(divide="ignore"):
        return np.where(wrong > 0, (1.0 - r.head_counts / r.n) / np.where(wrong > 0, wrong, 1.0), np.inf)


#: Name -> what it is of rules; those of chance are reckoned by the search, which knows the parts of bodies.
MEASURES: dict[str, Callable[[FoundRules], Floats]] = {
    "support": lambda r: r.counts / max(r.n, 1),
    "confidence": lambda r: r.counts / r.body_counts,
    "lift": _lift,
    "leverage": lambda r: r.counts / r.n - (r.body_counts / r.n) * (r.head_counts / r.n),
    "conviction": _conviction,
}
CHANCE = ("p", "productivity", "adjusted")
ALL_MEASURES = (*MEASURES, *CHANCE)


@dataclass(frozen=True, eq=False)
class FoundRules(Sequence[Rule]):
    """Rules between items.

    Attributes
    ----------
    names : tuple of str
    n : int
        Baskets.
    counts, body_counts, head_counts : arrays
        In how many baskets a rule's items are all together, its body is, its head is.
    n_tested : int
        All rules that were tested, most of which are not here; `adjusted` p-values answer for them all.
    complete : bool
        False where Ctrl-C ended the search.
    """

    names: tuple[str, ...]
    n: int
    bodies: tuple[Longs, Codes]
    heads: tuple[Longs, Codes]
    counts: Longs
    body_counts: Longs
    head_counts: Longs
    n_tested: int
    complete: bool = True
    measures: tuple[str, ...] = ALL_MEASURES
    conditions: tuple[Condition, ...] | None = field(default=None, repr=False)
    _columns: dict[str, Floats] = field(default_factory=dict, repr=False)
    _redundant: Callable[[FoundRules], Bools] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.counts)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: str) -> Floats: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | str | slice) -> Rule | Floats | Self:
        """One rule; some of them; or what a measure says of each."""
        if isinstance(at, str):
            if at in self._columns:
                return self._columns[at]
            if at not in MEASURES:
                hint = did_you_mean(at, ALL_MEASURES)
                positions = (
                    f"ask for it by measures=({at!r}, ...)" if at in CHANCE else f"there are {ALL_MEASURES}"
                )
                raise ParameterError(
                    f"FoundRules: there is no measure {at!r} of these rules; {positions}.{hint}"
                )
            return MEASURES[at](self)
        if isinstance(at, slice):
            return self.take(np.arange(len(self))[at])
        if not -len(self) <= at < len(self):
            raise IndexError(f"there are {many(len(self), 'rule')}, and none at {at}")
        return self._rule(at % len(self))

    def __iter__(self) -> Iterator[Rule]:
        return (self._rule(at) for at in range(len(self)))

    def body(self, at: int) -> tuple[str, ...]:
        """The items of a rule's body."""
        starts, items = self.bodies
        return tuple(self.names[item] for item in items[starts[at] : starts[at + 1]].tolist())

    def head(self, at: int) -> tuple[str, ...]:
        """The items of a rule's head."""
        starts, items = self.heads
        return tuple(self.names[item] for item in items[starts[at] : starts[at + 1]].tolist())

    def _rule(self, at: int) -> Rule:
        right, covered = int(self.counts[at]), int(self.body_counts[at])
        body, head = (self._side(side, at) for side in (self.bodies, self.heads))
        return Rule(body, head, {True: right, False: covered - right}, self.n, int(self.head_counts[at]))

    def _side(self, side: tuple[Longs, Codes], at: int) -> Any:
        held = side[1][side[0][at] : side[0][at + 1]].tolist()
        if self.conditions is None:
            return frozenset(self.names[item] for item in held)
        return tuple(self.conditions[item] for item in held)

    @property
    def body_sizes(self) -> Longs:
        return np.diff(self.bodies[0])

    def take(self, places: Any) -> Self:
        """Some of the rules, in the order of their places."""
        some = np.asarray(places)
        some = np.flatnonzero(some) if some.dtype == np.bool_ else some.astype(np.intp)
        return replace(
            self,
            bodies=_take_lists(self.bodies, some),
            heads=_take_lists(self.heads, some),
            counts=self.counts[some],
            body_counts=self.body_counts[some],
            head_counts=self.head_counts[some],
            _columns={name: column[some] for name, column in self._columns.items()},
        )

    def sort(self, by: str = "confidence", *, descending: bool | None = None) -> Self:
        """Sort by a measure, the best first; ties by support, then by the original order.

        [default: p-values ascend, all other measures descend]
        """
        down = by not in CHANCE if descending is None else descending
        key = self[by]
        return self.take(np.lexsort((np.arange(len(self)), -self.counts, -key if down else key)))

    def filter(self, function: Callable[[Rule], bool] | None = None, **bounds: float) -> Self:
        """Those rules for which a function is true, or of which measures keep bounds: `min_lift=2,
        max_adjusted=0.05`.
        """
        kept: Bools = np.ones(len(self), dtype=np.bool_)
        for name, bound in bounds.items():
            side, _, measure = name.partition("_")
            if side not in ("min", "max") or measure not in ALL_MEASURES:
                raise ParameterError(
                    f"FoundRules: a bound is called min_ or max_ and a measure; got {name!r}."
                )
            kept &= self[measure] >= bound if side == "min" else self[measure] <= bound
        if function is not None:
            kept &= np.fromiter((bool(function(rule)) for rule in self), dtype=np.bool_, count=len(self))
        return self.take(kept)

    def redundant(self) -> Bools:
        """Which rules say no more than a shorter one: with fewer items in the body, the head is no less sure."""
        assert self._redundant is not None
        return self._redundant(self)

    # -- other forms ------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A data frame: body, head, count and the measures asked for, one rule a line."""
        import pandas as pd

        columns = {
            "body": [self.body(i) for i in range(len(self))],
            "head": [self.head(i) for i in range(len(self))],
        }
        return pd.DataFrame({**columns, "count": self.counts, **{name: self[name] for name in self.measures}})

    def to_dicts(self) -> list[dict[str, Any]]:
        """JSON-ready, one mapping a rule; a conviction without bound is null."""
        values = {name: self[name].tolist() for name in self.measures}
        return [
            {
                "body": list(self.body(i)),
                "head": list(self.head(i)),
                "count": int(self.counts[i]),
                **{name: value[i] if np.isfinite(value[i]) else None for name, value in values.items()},
            }
            for i in range(len(self))
        ]

    def to_figure(self, kind: str = "scatter", *, most: int = 30) -> RulesFigure | ItemGraph:
        """A picture: "scatter" of support and confidence with lift as colour, or a "graph" of the items of
        the strongest rules.
        """
        if kind == "scatter":
            from acumen.render.rule_plot import RulesFigure

            return RulesFigure(self["support"], self["confidence"], self["lift"])
        if kind == "graph":
            from acumen.render.rule_plot import ItemGraph

            some = self.sort("lift")[:most]
            links = [(b, h) for i in range(len(some)) for b in some.body(i) for h in some.head(i)]
            weight = [
                float(v) for i, v in enumerate(some["lift"]) for _ in some.body(i) for _ in some.head(i)
            ]
            return ItemGraph(tuple(links), tuple(weight))
        raise ParameterError(f"FoundRules: a picture is 'scatter' or 'graph'; got {kind!r}.")

    def _line(self, at: int) -> str:
        words = printable(f"{', '.join(self.body(at))} -> {', '.join(self.head(at))}")
        measures = "  ".join(f"{name} {self[name][at]:.4g}" for name in self.measures)
        return f"{words}  ({measures})"

    def __str__(self) -> str:
        head = f"{many(len(self), 'rule')} of {many(self.n, 'basket')}, from {self.n_tested:,} tested"
        head += "" if self.complete else "; the search was ended early, and there may be more"
        lines = [f"  {self._line(at)}" for at in range(min(len(self), _SHOWN))]
        n_more = len(self) - len(lines)
        return "\n".join([head, *lines, *([f"  ... and {n_more} more"] if n_more > 0 else [])])

    def __repr__(self) -> str:
        return f"<FoundRules: {len(self)} of {self.n} baskets>"

    def _repr_html_(self) -> str:
        cells = ["body", "head", "count", *self.measures]
        top = "".join(f"<th>{html.escape(cell)}</th>" for cell in cells)
        values = [self[name] for name in self.measures]
        lines = []
        for at in range(min(len(self), _SHOWN)):
            texts = [", ".join(self.body(at)), ", ".join(self.head(at)), str(int(self.counts[at]))]
            texts += [f"{value[at]:.4g}" for value in values]
            lines.append(
                "<tr>" + "".join(f"<td>{html.escape(printable(text))}</td>" for text in texts) + "</tr>"
            )
        caption = html.escape(str(self).splitlines()[0])
        return f"<table><caption>{caption}</caption><tr>{top}</tr>{''.join(lines)}</table>"


def _take_lists(lists: tuple[Longs, Codes], some: Any) -> tuple[Longs, Codes]:
    starts, items = lists
    sizes = np.diff(starts)[some]
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], sizes)
    return ends, items[np.repeat(starts[:-1][some], sizes) + within]
