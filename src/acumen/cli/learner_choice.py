"""Which learner suits a table: the one asked for, or the usual one for its target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acumen.cli import console

if TYPE_CHECKING:
    from acumen.data.schema import Schema
    from acumen.models.task import Task


def task_of(schema: Schema) -> Task:
    """What the target asks for."""
    from acumen.errors import DataError
    from acumen.models import task

    task_wanted = task.task_of(schema)
    if task_wanted is None:
        raise DataError(
            f"name the column to be predicted with --target; the columns are {', '.join(schema.columns)}."
        )
    return task_wanted


def learner_for(word: str | None, schema: Schema) -> str:
    """The learner asked for, which must suit the target; or the usual one, and it is said which."""
    from acumen.errors import DataError
    from acumen.models.task import CLASSES
    from acumen.registry import parse_learner, usual

    if word is not None and parse_learner(word)[0].task.target is None:
        return word  # it has no use for a target
    if word is not None and schema.target is None and parse_learner(word)[0].learner.learns_without_target:
        return word  # it models all attributes then
    task = task_of(schema)
    name = schema.target.name if schema.target is not None else ""
    if word is None:
        if task is not CLASSES:
            console.say(
                f"the target {name!r} is numeric, so {task.usual} is learned; for classes say --kind {name}=nominal."
            )
        return usual(task).kind
    other = parse_learner(word)[0].task
    if not other.suits(schema):
        raise DataError(
            f"{word} predicts {other.noun}, but the target {name!r} is {task.target}; say --kind {name}={other.target}"
            f", or take another learner, such as {task.usual}."
        )
    return word
