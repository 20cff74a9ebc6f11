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
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.pictures import svg_tree
from acumen.studio.spec import Asked, TableSpec

#: Sets or rules that are sent, at most.
MOST = 2_000


@dataclass(frozen=True, slots=True)
class BasketQuestion:
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
    def of(cls, given: Any) -> BasketQuestion:
        request = Asked(given, "what occurs together")
        rules = request.flag("rules")
        wanted = cls(
            TableSpec.of(request.within("table")), rules, request.number("min_support", 0.1),
            request.number("min_confidence", 0.5) if rules else None, request.whole("max_size", None, 1, 100),
            "all" if rules else request.one_of("sets", ("all", "closed", "maximal")),
            request.texts("heads", 20) if rules else (), request.texts("contains", 20), request.texts("excludes", 20),
            request.whole("top", 200, 1, MOST) or 200, request.text("discretise"),
        )  # fmt: skip
        request.end()
        return wanted

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
        arguments = [f"min_support={self.min_support:g}", f"top={self.top}"]
        constraints = {
            name: list(getattr(self, name)) for name in ("contains", "excludes") if getattr(self, name)
        }
        arguments += [f"constraints={constraints!r}"] if constraints else []
        arguments += [] if self.discretise is None else [f"discretise={self.discretise!r}"]
        if self.rules:
            arguments.insert(1, f"min_confidence={self.min_confidence:g}")
            arguments += [] if self.max_size is None else [f"max_body={max(self.max_size - 1, 1)}"]
            arguments += [f"heads={list(self.heads)!r}"] if self.heads else []
            call = f"acumen.AssociationRules({', '.join(arguments)}).fit(table).rules_"
        else:
            arguments += [] if self.max_size is None else [f"max_size={self.max_size}"]
            arguments += [] if self.sets == "all" else [f"kind={self.sets!r}"]
            call = f"acumen.frequent_itemsets(table, {', '.join(arguments)})"
        return f"{commands.table_python(self.table)}found = {call}\nprint(found)\n"


@dataclass(frozen=True)
class _BasketsKept(Reading):
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
        table = as_lists(_BasketsKept(spec.data, options, plain, options))
        return table, Baskets.of(table, discretise=discretise, who="mine")

    return bench.baskets.compute((spec, discretise), make)


def mine(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Sets of items, or rules between them, with filters; each says how many rows it selects."""
    from acumen.associations.constraints import ItemConstraints
    from acumen.cli.mine import form_of, run_mining

    request = Asked(given, "a job")
    wanted = BasketQuestion.of(request.within("mined"))
    request.end()
    tell({"doing": f"mining {wanted.table.shown}"})
    table, baskets = baskets_of(bench, wanted.table, wanted.discretise)
    result: Any = run_mining(
        baskets, ItemConstraints(contains=wanted.contains, excludes=wanted.excludes), rules=wanted.rules,
        min_support=wanted.min_support, min_confidence=wanted.min_confidence, max_size=wanted.max_size,
        kind=wanted.sets, heads=wanted.heads, top=wanted.top,
    )  # fmt: skip
    what = "rules" if wanted.rules else "itemsets"
    return {
        "value": {**form_of(result), what: result.to_dicts()},
        "items": _common(baskets),
        # Lists of items are other rows than those of the table that the other screens show.
        "lists": len(table) != len(bench.table(wanted.table)),
        "scatter": svg_tree(result.to_figure()._repr_svg_()) if wanted.rules and len(result) else None,
        "graph": svg_tree(result.to_figure("graph")._repr_svg_()) if wanted.rules and len(result) else None,
        "command": commands.command_forms(wanted.words(), wanted.python()),
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
