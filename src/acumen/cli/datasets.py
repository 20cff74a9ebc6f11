"""`acumen datasets`: the built-in tables."""

from __future__ import annotations

import click

from acumen.cli import console
from acumen.cli.files import Guarded


@click.command(cls=Guarded)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def datasets(as_json: bool) -> int:
    """List the built-in tables. You can use their names as DATA in any command."""
    from acumen.datasets import describe, names

    listed = {name: describe(name) for name in names()}
    if as_json:
        entries = [{"name": name, "description": text} for name, text in listed.items()]
        console.result_json({"schema_version": 1, "datasets": entries})
        return console.OK
    from acumen.data.escape import printable
    from acumen.render.text import pad_right, wrap

    room = max(map(len, listed), default=0) + 2
    paint, width = console.painter(), console.width()
    lines = []
    for name, text in listed.items():
        first, *others = wrap(printable(text), width - room)
        lines += [paint(pad_right(name, room), "title") + first, *(" " * room + line for line in others)]
    console.result("\n".join(lines))
    return console.OK
