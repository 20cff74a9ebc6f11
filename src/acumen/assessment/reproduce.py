"""Python code that reproduces a comparison."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import acumen
from acumen.assessment.contestants import learner_name

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison
    from acumen.base.learner import Learner


def python_of(comparison: Comparison, path: str) -> str:
    """Write a program that reads the table, compares the same learners and writes the same report."""
    lines = ["import acumen"]
    learners = [f"    {name!r}: {_call_text(learner)}," for name, learner in comparison.learners.items()]
    call = [
        "learners",
        "table",
        _public(repr(comparison.method)),
        f"measure={comparison.measure!r}",
        f"random_state={comparison.seed}",
    ]
    if comparison.baseline is not None:
        call.append(f"baseline={comparison.baseline!r}")
    if comparison.positive is not None:
        call.append(f"positive={comparison.positive!r}")
    if comparison.costs is not None:
        costs = comparison.costs
        call.append(f"costs={costs.tolist() if hasattr(costs, 'tolist') else costs!r}")
    if comparison.sample is not None:
        call.append(f"sample={comparison.sample}")
    if comparison.rope != 0.01:
        call.append(f"rope={comparison.rope!r}")
    body = "\n".join([*learners, *call])
    if "array(" in body:
        lines.append("from numpy import array")
    lines += ["", f"table = {_table(comparison)}", "learners = {", *learners, "}"]
    if getattr(comparison.method, "groups", None) is not None:
        lines.append("# The splits keep groups of rows together: pass the same groups= again.")
    lines.append(f"found = acumen.compare(\n    {', '.join(call)}\n)")
    lines.append(f"found.report({path!r})")
    return "\n".join(lines)


def _call_text(learner: Learner) -> str:
    name = learner_name(learner, as_code=True)
    return _public(name if name.endswith(")") else f"{name}()")


def _public(expression: str) -> str:
    """Replace acumen's own names by the way to reach them from `import acumen`."""
    return re.sub(
        r"(?<![\w.'\"])([A-Z]\w*)(?=\()",
        lambda m: f"acumen.{m[1]}" if m[1] in acumen.__all__ else m[1],
        expression,
    )


def _table(comparison: Comparison) -> str:
    from acumen.datasets import names

    data = comparison.data
    assert data is not None and data.schema.target is not None
    source, target = data.report.source, data.schema.target.name
    if source in names():
        return f"acumen.datasets.load({source!r})"
    roles = f"target={target!r}" + (f", weight={data.schema.weight!r}" if data.schema.weight else "")
    if "://" in source or (source and Path(source).is_file()):
        return f"acumen.read({source!r}, {roles})"
    return f"acumen.read(rows, {roles})  # rows: what was compared, {source or 'a table in memory'}"
