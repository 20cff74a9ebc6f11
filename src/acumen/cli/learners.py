"""`acumen learners`: the learners and their parameters."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from acumen.cli import console
from acumen.cli.files import Guarded

if TYPE_CHECKING:
    from acumen.registry import Entry


@click.command(cls=Guarded)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def learners(name: str | None, as_json: bool) -> None:
    """List the learners, or the parameters of one of them.

    NAME is the command-line name of a learner, such as naive-bayes. Set its parameters in `acumen learn` with
    --set NAME=VALUE.
    """
    from acumen.models.task import TASKS
    from acumen.registry import entries, entry

    if name is not None:
        one = entry(name)
        if as_json:
            console.result_json(one.to_dict())
        else:
            console.result(_one(one))
    elif as_json:
        console.result_json([each.to_dict() for each in entries()])
    else:
        every = entries()
        width = max(len(each.kind) for each in every)
        lines = []
        for task in TASKS:
            lines_of_task = [f"  {each.kind:<{width}}  {each.summary}" for each in every if each.task is task]
            lines += [f"{task.noun.capitalize()}:", *lines_of_task] if lines_of_task else []
        console.result("\n".join(lines))


def _one(entry: Entry) -> str:
    documentation = entry.documentation()
    lines = [f"{entry.kind} ({entry.name})", entry.summary, ""]
    for spec in entry.parameters:
        lines.append(f"  {spec.name} = {spec.default!r}")
        meaning = documentation.get(spec.name, "")
        text = f"{meaning} Must be {spec.requirement()}.".strip()
        lines += textwrap.wrap(
            text, max(40, console.width() - 6), initial_indent="      ", subsequent_indent="      "
        )
    return "\n".join(lines)
