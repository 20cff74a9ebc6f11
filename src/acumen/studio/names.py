"""The questions and jobs that a page may ask for: each a name, and the function that answers it.

The server knows the names without importing what answers them; the worker imports it when it is first asked.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

#: Name -> module of `acumen.studio.answers`, and function: (bench, what the page sent) -> answer.
QUESTIONS: Final[Mapping[str, str]] = {
    "columns": "table:columns",
    "card": "table:card",
    "rows": "table:rows",
    "csv": "table:csv_of",
    "profile": "table:profile",
    "suited": "compared:suited_learners",
    "learner": "compared:learner",
    "errors": "errors:errors",
    "disagree": "errors:disagree",
    "model": "model:model",
    "row": "row:row",
    "pruned": "model:pruning_sequence",
    "nodes": "model:nodes",
    "groupers": "groups:groupers",
}
#: Questions whose answers look at every value of a table.
LONG: Final = frozenset({"card", "profile", "csv"})
#: The same of jobs, which wait in a queue: (bench, what the page sent, how to report events) -> result.
JOBS: Final[Mapping[str, str]] = {
    "compare": "compared:compare",
    "learn": "model:learn",
    "plane": "pictures:plane",
    "tune": "compared:tune",
    "cluster": "groups:cluster",
    "mine": "baskets:mine",
    "edit": "edited:edit",
    "keep": "keep:keep",
}


def load_answer(target: str) -> Callable[..., Any]:
    """The function that answers a question or does a job."""
    module, _, name = target.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(f"acumen.studio.answers.{module}"), name)
    return function
