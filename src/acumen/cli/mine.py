"""`acumen mine BASKETS`: frequent itemsets and association rules; needs no scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_OUT, STDOUT, Guarded
from acumen.cli.shared_options import on_engine

if TYPE_CHECKING:
    from acumen.associations.constraints import ItemConstraints
    from acumen.associations.itemsets import Itemsets
    from acumen.associations.rule_table import FoundRules

_SHARE = click.FloatRange(0, 1)


@click.command(cls=Guarded)
@reads_data
@click.option(
    "--min-support",
    type=_SHARE,
    help="Minimum fraction of baskets.  [default: 0.1; none for itemsets with --top]",
)
@click.option("--rules", "wants_rules", is_flag=True, help="Find association rules instead of itemsets.")
@click.option("--min-confidence", type=_SHARE, help="Minimum confidence of rules.  [default: 0.5]")
@click.option("--max-size", type=click.IntRange(1), help="Maximum number of items in an itemset or a rule.")
@click.option("--closed", is_flag=True, help="Only closed itemsets: no larger itemset has the same support.")
@click.option("--maximal", is_flag=True, help="Only maximal itemsets: no larger itemset is frequent.")
@click.option(
    "--head",
    "heads",
    multiple=True,
    metavar="ITEM",
    help="Item allowed in the head of a rule; a pattern. May be repeated.",
)
@click.option(
    "--contains", multiple=True, metavar="ITEM", help="Item that must occur; a pattern. May be repeated."
)
@click.option(
    "--excludes", multiple=True, metavar="ITEM", help="Item that must not occur; a pattern. May be repeated."
)
@click.option(
    "--top",
    type=click.IntRange(1),
    help="Number of results: the most frequent itemsets, or the rules with the highest confidence.",
)
@click.option(
    "--discretise", metavar="NAME", help="Method that turns numbers into intervals, such as equal-frequency."
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=FILE_OUT,
    help="Write all results as CSV, or as JSON if the file is NAME.json.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all results as JSON.")
@on_engine
def mine(
    reading: Reading,
    min_support: float | None,
    wants_rules: bool,
    min_confidence: float | None,
    max_size: int | None,
    closed: bool,
    maximal: bool,
    heads: tuple[str, ...],
    contains: tuple[str, ...],
    excludes: tuple[str, ...],
    top: int | None,
    discretise: str | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Find frequent itemsets in baskets (DATA), or association rules with --rules.

    DATA can be lists of items, one basket per line, or a 0/1 table. In any other table an item is attribute=level.
    """
    from acumen.associations.constraints import ItemConstraints
    from acumen.errors import ParameterError

    if closed and maximal:
        raise ParameterError("mine: give only one of --closed and --maximal.")
    if wants_rules and (closed or maximal):
        raise ParameterError("mine: --closed and --maximal do not apply to rules; remove them.")
    if not wants_rules and (min_confidence is not None or heads):
        raise ParameterError("mine: --min-confidence and --head apply to rules; add --rules.")
    kind = "closed" if closed else "maximal" if maximal else "all"
    constraints = ItemConstraints(contains=contains, excludes=excludes)
    result = run_mining(
        _baskets(reading, discretise), constraints, rules=wants_rules, min_support=min_support,
        min_confidence=min_confidence, max_size=max_size, kind=kind, heads=heads, top=top,
    )  # fmt: skip
    _give(result, output, as_json, "rules" if wants_rules else "itemsets")


def run_mining(
    baskets: Any,
    given: ItemConstraints,
    *,
    rules: bool,
    min_support: float | None,
    min_confidence: float | None,
    max_size: int | None,
    kind: str,
    heads: tuple[str, ...],
    top: int | None,
) -> Itemsets | FoundRules:
    """Run the mining that the options ask for; used by the studio too."""
    if rules:
        from acumen.associations.rules import AssociationRules

        return (
            AssociationRules(
                min_support=0.1 if min_support is None else min_support,
                min_confidence=0.5 if min_confidence is None else min_confidence,
                max_body=None if max_size is None else max(max_size - 1, 1),
                heads=list(heads) if heads else 1,
                constraints=given,
                top=top,
            )
            .fit(baskets)
            .rules_
        )
    from acumen.associations.mining import frequent_itemsets

    options: dict[str, Any] = {} if min_support is None else {"min_support": min_support}
    sets: Any = kind
    return frequent_itemsets(baskets, max_size=max_size, kind=sets, constraints=given, top=top, **options)


def _baskets(reading: Reading, discretise: str | None) -> Any:
    from acumen.associations.baskets import Baskets, as_lists
    from acumen.engines.run import cluster

    if cluster() is not None:
        if discretise is not None:
            raise click.UsageError("--discretise needs all rows at once; remove --engine dask.")
        return reading.scan()
    with console.busy(f"reading {reading.display_name}"):
        return Baskets.of(as_lists(reading), discretise=discretise, who="mine")


def form_of(found: Any) -> dict[str, Any]:
    """The head of the JSON output."""
    return {"schema_version": 1, "baskets": found.n, "complete": found.complete}


def _give(found: Any, output: str | None, as_json: bool, what: str) -> None:
    form = form_of(found)
    if output is not None:
        from acumen.data.out.atomic import replace_text

        replace_text(output, _write_result(found, form, output, what), "mine")
        if output != STDOUT:
            console.say(f"{len(found):,} {what} written to {output}.")
    if as_json:
        console.result_json({**form, what: found.to_dicts()})
    elif output is None:
        console.result(str(found))


def _write_result(found: Any, form: dict[str, Any], output: str, what: str) -> str:
    import csv
    import io
    import json

    if output.endswith(".json"):
        return json.dumps({**form, what: found.to_dicts()}, ensure_ascii=False) + "\n"
    lines = found.to_dicts()
    columns = list(lines[0]) if lines else ["items", "count", "support"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for line in lines:
        writer.writerow(
            ["; ".join(v) if isinstance(v, list) else "" if v is None else v for v in line.values()]
        )
    return out.getvalue()
