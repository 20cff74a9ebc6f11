"""Screen 6, what occurs together: sets of items and rules between them, by the functions of `acumen mine`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acumen.cli.data import Reading
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.studio import commands
from acumen.studio.answers.drawn import drawn
from acumen.studio.answers.memory import Bench
from acumen.studio.spec import Asked, TableSpec

#: Sets or rules that are sent, at most.
MOST = 2_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is mined, as `acumen mine` is asked for it."""

    table: TableSpec
    rules: bool
    min_support: float
    min_confidence: float | None
    max_size: int | None
    sets: str
    heads: tuple[str, ...]
    contains: tuple[str, ...]
    excludes: tuple[str, ...]
    top: int
    discretise: str | None

    @classmethod
    def of(cls, given: Any) -> Wanted:
        asked = Asked(given, "what occurs together")
        rules = asked.flag("rules")
        made = cls(
            TableSpec.of(asked.within("table")), rules, asked.number("min_support", 0.1),
            asked.number("min_confidence", 0.5) if rules else None, asked.whole("max_size", None, 1, 100),
            "all" if rules else asked.one_of("sets", ("all", "closed", "maximal")),
            asked.texts("heads", 20) if rules else (), asked.texts("contains", 20), asked.texts("excludes", 20),
            asked.whole("top", 200, 1, MOST) or 200, asked.text("discretise"),
        )  # fmt: skip
        asked.end()
        return made

    def words(self) -> list[str]:
        """The command."""
        words = ["mine", *commands.table_words(self.table), "--min-support", f"{self.min_support:g}"]
        words += ["--top", str(self.top)]
        words += ["--rules"] if self.rules else []
        words += [] if self.min_confidence is None else ["--min-confidence", f"{self.min_confidence:g}"]
        words += [] if self.max_size is None else ["--max-size", str(self.max_size)]
        words += [] if self.sets == "all" else [f"--{self.sets}"]
        for flag, values in (
            ("--head", self.heads),
            ("--contains", self.contains),
            ("--excludes", self.excludes),
        ):
            for value in values:
                words += [flag, value]
        return words + ([] if self.discretise is None else ["--discretise", self.discretise])

    def python(self) -> str:
        """The same in Python."""
        given = [f"min_support={self.min_support:g}", f"top={self.top}"]
        asked = {name: list(getattr(self, name)) for name in ("contains", "excludes") if getattr(self, name)}
        given += [f"constraints={asked!r}"] if asked else []
        given += [] if self.discretise is None else [f"discretise={self.discretise!r}"]
        if self.rules:
            given.insert(1, f"min_confidence={self.min_confidence:g}")
            given += [] if self.max_size is None else [f"max_body={max(self.max_size - 1, 1)}"]
            given += [f"heads={list(self.heads)!r}"] if self.heads else []
            call = f"acumen.AssociationRules({', '.join(given)}).fit(table).rules_"
        else:
            given += [] if self.max_size is None else [f"max_size={self.max_size}"]
            given += [] if self.sets == "all" else [f"kind={self.sets!r}"]
            call = f"acumen.frequent_itemsets(table, {', '.join(given)})"
        return f"{commands.table_python(self.table)}found = {call}\nprint(found)\n"


@dataclass(frozen=True)
class _Kept(Reading):
    """A table that was read already, under its first options; as lists of items it is read anew."""

    table: Table | None = None
    first: Mapping[str, Any] | None = None

    def read(self, like: Schema | None = None) -> Table:
        if self.table is not None and self.options == self.first and like is None:
            return self.table
        return Reading(self.data, self.options).read(like)


def baskets_of(bench: Bench, spec: TableSpec, discretise: str | None) -> tuple[Table, Any]:
    """The rows of a table as baskets; lists of items are recognised, as the command recognises them."""
    from acumen.associations.baskets import Baskets, as_lists

    def make() -> tuple[Table, Any]:
        plain = bench.table(spec)
        options = spec.options()
        table = as_lists(_Kept(spec.data, options, plain, options))
        return table, Baskets.of(table, discretise=discretise, who="mine")

    return bench.baskets.made((spec, discretise), make)


def mine(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Sets of items, or rules between them, with filters; each says how many rows it selects."""
    from acumen.associations.constraints import Constraints
    from acumen.cli.mine import form_of, mined

    asked = Asked(given, "a job")
    wanted = Wanted.of(asked.within("mined"))
    asked.end()
    tell({"doing": f"mining {wanted.table.shown}"})
    table, baskets = baskets_of(bench, wanted.table, wanted.discretise)
    found: Any = mined(
        baskets, Constraints(contains=wanted.contains, excludes=wanted.excludes), rules=wanted.rules,
        min_support=wanted.min_support, min_confidence=wanted.min_confidence, max_size=wanted.max_size,
        kind=wanted.sets, heads=wanted.heads, top=wanted.top,
    )  # fmt: skip
    what = "rules" if wanted.rules else "itemsets"
    return {
        "value": {**form_of(found), what: found.to_dicts()},
        "items": _common(baskets),
        # Lists of items are other rows than those of the table that the other screens show.
        "lists": len(table) != len(bench.table(wanted.table)),
        "scatter": drawn(found.to_figure()._repr_svg_()) if wanted.rules and len(found) else None,
        "graph": drawn(found.to_figure("graph")._repr_svg_()) if wanted.rules and len(found) else None,
        "command": commands.said(wanted.words(), wanted.python()),
    }


def _common(baskets: Any, most: int = 300) -> Sequence[str]:
    """The most frequent items, for those who write a filter."""
    order = (-baskets.counts()).argsort(kind="stable")[:most]
    return [baskets.names[at] for at in order.tolist()]


def require_rows(table: Table, other: Table) -> None:
    """Refuse to select rows of a table that are not those that baskets were made of."""
    if len(table) != len(other):
        raise DataError(
            "the baskets are lists of items, which the other screens read as columns; open the file as baskets to "
            "select its rows."
        )
