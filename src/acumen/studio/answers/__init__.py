"""What the worker answers: questions at once, jobs in the queue; a name, and the function that knows.

Each takes the bench, where what was made is kept, and what the page asked for. No arithmetic: every figure is asked of
the rooms below, by the functions that the command line calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from acumen.studio.answers import baskets, compared, edited, errors, groups, keep, model, pictures, row, table

Question = Callable[[Any, dict[str, Any]], Any]
Job = Callable[[Any, dict[str, Any], Callable[[dict[str, Any]], None]], Any]

QUESTIONS: Final[Mapping[str, Question]] = {
    "columns": table.columns,
    "card": table.card,
    "rows": table.rows,
    "csv": table.csv_of,
    "profile": table.profile,
    "suited": compared.suited_learners,
    "learner": compared.learner,
    "errors": errors.errors,
    "disagree": errors.disagree,
    "model": model.model,
    "row": row.row,
    "pruned": model.pruning_sequence,
    "nodes": model.nodes,
    "groupers": groups.groupers,
}

JOBS: Final[Mapping[str, Job]] = {
    "compare": compared.compare,
    "learn": model.learn,
    "plane": pictures.plane,
    "tune": compared.tune,
    "cluster": groups.cluster,
    "mine": baskets.mine,
    "edit": edited.edit,
    "keep": keep.keep,
}
