"""Plans of single parts, made each where its part lies, joined to one plan without reading a row.

    is_plan   whether a file is a plan
    join      plans, in the order of their parts' rows -> the plan of all

It can be done where nothing but columns, levels and counts is to be agreed on: a learner that must know all rows
beforehand (words, edges of bins, balanced class weights) says so, and all parts are planned by one command then. Where
parts differ in what a column is, nobody looks again: a sentence says which kind to name when they are planned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from acumen import messages
from acumen.data.joint_columns import joined_schemas
from acumen.errors import ParameterError, SchemaMismatch
from acumen.models.summary_arrays import empty_table
from acumen.parts.plan import Plan


def is_plan(name: str) -> bool:
    """Whether this names a file that begins as plans do."""
    try:
        with Path(name).open("rb") as file:
            return file.read(16).startswith(b'{\n "acumen"')
    except (OSError, ValueError):
        return False


def join(plans: Sequence[Plan], names: Sequence[str]) -> Plan:
    """The plan of all parts, in the order of the plans."""
    first = plans[0]
    if len(plans) == 1:
        return first
    learner = first.learner
    for each, name in zip(plans[1:], names[1:], strict=True):
        alike = replace(each, schema=first.schema, parts=first.parts, left_out=first.left_out)
        if (sentence := first.difference(replace(alike, plan=first.plan, factors=first.factors))) is not None:
            raise SchemaMismatch(f"{names[0]} and {name} do not join: {sentence}.")
        if each.options != first.options:
            raise SchemaMismatch(
                f"{names[0]} and {name} do not join: their parts are read with other options. Plan both alike."
            )
    if learner.needs_plan(first.learned) or getattr(learner, "balances", False):
        raise ParameterError(
            f"plan: {first.name} must know all rows beforehand (words, edges of bins, balanced classes); plan all "
            "parts by one command."
        )
    dropped = {name for each in plans for name in each.left_out}
    if dropped:
        # What is idle in one part need not be in all.
        raise ParameterError(
            f"plan: column {min(dropped)!r} is left out of a part, and may be worth learning from in others; plan with "
            + (messages.at_the_command_line("--keep-ids") or "all columns")
            + f", or leave it out of all with {messages.option('ignore', min(dropped))}."
        )
    schema = joined_schemas(
        [(each.parts[0].name, each.schema) for each in plans],
        [sum(part.rows for part in each.parts) for each in plans],
        set(first.options.get("levels", {})),
    )
    parts = tuple(part for each in plans for part in each.parts)
    twice = {part.name for i, part in enumerate(parts) if part.name in [p.name for p in parts[:i]]}
    if twice:
        raise ParameterError(f"plan: {min(twice)} is in two of the plans; its rows would count twice.")
    joined = replace(first, schema=schema, parts=parts)
    return replace(joined, factors=learner.class_factors(empty_table(joined.learned)))
