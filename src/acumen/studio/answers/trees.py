"""Screen 3, of trees: pruned by a slider, and where rows end up in them."""

from __future__ import annotations

from typing import Any

from acumen.errors import DataError
from acumen.studio import commands
from acumen.studio.answers.drawn import svg_tree
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.selection import select_rows
from acumen.studio.spec import Asked, ModelSpec, TableSpec


def pruning_sequence(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The sequence of prunings by cost and complexity, and the drawing of one of them, by its place."""
    request = Asked(given, "a question")
    spec, place = ModelSpec.of(request.within("model")), request.whole("place", 0)
    bare = request.flag("plain")
    request.end()
    learner = bench.model(spec)
    if not hasattr(learner, "pruning_path"):
        raise DataError("only a single tree can be pruned.")
    path = learner.pruning_path()
    at = min(place or 0, len(path.alphas) - 1)
    alpha = float(path.alphas[at])
    pruning = learner.pruned("cost-complexity", ccp_alpha=alpha)
    data = None if bare or spec.table is None else bench.table(spec.table)
    python = (
        f"{commands.model_python(spec, learner)}print(model.pruned('cost-complexity', ccp_alpha={alpha!r}))\n"
    )
    words = commands.learn_words(spec) if spec.table is not None else ["show", spec.shown]
    words += (
        ["--set", "prune=cost-complexity", "--set", f"ccp_alpha={alpha!r}"] if spec.table is not None else []
    )
    return {
        "place": at,
        "alphas": path.alphas,
        "leaves": path.leaves,
        "errors": path.errors,
        "n_leaves": pruning.n_leaves_,
        "svg": svg_tree(pruning.figure(data=data)._repr_svg_()),
        "command": commands.command_forms(words, python),
    }


def nodes(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """How many selected rows come to each node of a tree."""
    request = Asked(given, "a question")
    spec, table = ModelSpec.of(request.within("model")), TableSpec.of(request.within("table"))
    selected_nodes = request.within("selection")
    request.end()
    learner = bench.model(spec)
    rows = select_rows(bench, table, selected_nodes)
    if rows is None or not hasattr(learner, "counts_at"):
        raise DataError("rows are selected, and a single tree has nodes that they come to.")
    return {"counts": learner.counts_at(bench.rows(table, spec).take(rows)), "total": len(rows)}
