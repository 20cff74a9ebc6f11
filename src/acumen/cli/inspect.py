"""`acumen inspect DATA`: the data card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_OUT, STDOUT, Guarded
from acumen.cli.shared_options import on_engine

if TYPE_CHECKING:
    from acumen.profiling.card import Card


@click.command(cls=Guarded)
@reads_data
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON with stable keys.")
@click.option("--html", metavar="FILE", type=FILE_OUT,
              help="Write a self-contained HTML page with figures.")  # fmt: skip
@click.option("--outliers", is_flag=True,
              help="Also list outliers and rows whose label differs from their neighbours' labels.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with 1 if there is any warning.")
@on_engine
def inspect(reading: Reading, as_json: bool, html: str | None, outliers: bool, strict: bool) -> int:
    """Summarise a table and find problems before training.

    DATA is a file, a database address, the name of a built-in table, or - for stdin. Prints statistics of
    each attribute, the classes, and warnings about problems such as leaks. Built-in tables and ARFF files have a
    target; for other tables name it with --target. --html adds histograms by class, the information of each
    attribute about the target, associations between attributes, and patterns of missing values. --outliers
    adds rows that are far from all others, and rows whose neighbours agree on another label.
    """
    from acumen.engines.run import cluster
    from acumen.profiling.card import card_of
    from acumen.render.card_text import card_text

    table, apart = None, None
    if cluster() is not None:
        if outliers:
            raise click.UsageError("--outliers needs all rows on one machine; remove --engine dask.")
        with console.busy(f"inspecting {reading.display_name}"):
            card = _card_there(reading)
    else:
        with console.busy(f"reading {reading.display_name}"):
            table = reading.read()
        with console.busy(f"inspecting {len(table):,} rows"):
            card = card_of(table)
    if outliers and table is not None:
        from acumen.neighbours.outlier_scores import outlier_scores

        with console.busy("looking for outliers"):
            apart = outlier_scores(table)
    if html is not None:
        with console.busy(f"writing {html}"):
            card.to_html(html)
        if html != STDOUT:
            console.say(f"Report written to {html}.")
    if html == STDOUT:
        pass  # the page has it all
    elif as_json:
        console.result_json(card.to_dict() | ({"outliers": apart.to_dict()} if apart is not None else {}))
    else:
        drawn = card_text(card.to_dict(), console.width(), paint=console.painter(), glyphs=console.glyphs())
        console.result(drawn if apart is None else f"{drawn}\n\n{apart}")
    return console.FINDING if strict and card.warnings else console.OK


def _card_there(reading: Reading) -> Card:
    """The card of a table that workers read, or of one that is here none the less."""
    from acumen.profiling.card import card_of
    from acumen.profiling.inspect import spread_card

    card = None if reading.data == "-" else spread_card(reading.scan())
    return card_of(reading.read()) if card is None else card
