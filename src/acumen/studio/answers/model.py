"""Screen 3: a learner fitted on all rows, or a model file: in words, drawn, as rules, and its other forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from acumen.base.notebook import learned_drawings
from acumen.data.forms import is_moment
from acumen.errors import AcumenError, DataError
from acumen.explain.questions import DrawsRows, HasMachines, HasShapes, Prunes, ReadsTree
from acumen.studio import commands
from acumen.studio.answers import pictures
from acumen.studio.answers.edited import edited_model
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.pictures import svg_tree
from acumen.studio.answers.selection import select_rows
from acumen.studio.model_edits import MOST_RULES
from acumen.studio.spec import Asked, ModelSpec, TableSpec

#: Lines of a table.
MOST_LINES: Final = 200


#: Characters of a description.
MOST_TEXT: Final = 60_000


def learn(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Learn from all rows as `acumen learn` does, or open a file; earlier models are reused."""
    request = Asked(given, "a job")
    spec = ModelSpec.of(request.within("model"))
    request.end()
    if bench.models.get(spec) is None:
        tell({"doing": f"opening {spec.shown}" if spec.table is None else f"learning {spec.learner}"})
        bench.heard.clear()
        bench.models.put(spec, fit_model(bench, spec))
        bench.warned.put(spec, list(dict.fromkeys(bench.heard)))
    return {"learned": True}


def fit_model(bench: Bench, spec: ModelSpec) -> Any:
    """The model, made now."""
    from acumen.profiling.uninformative import drop_uninformative
    from acumen.registry import parse_learner
    from acumen.store import load

    if spec.edits is not None:
        return edited_model(bench, spec)
    if spec.table is None:
        return load(spec.file)
    entry, settings = parse_learner(spec.learner)
    table = bench.table(spec.table)
    learner = entry.make(commands.add_seed(entry, settings))
    learner.check_parameters()
    return learner.fit(drop_uninformative(table))


def model(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """What a model is; `row` draws the way of a row, `depth` how deep a tree is drawn, `plain` without histograms."""
    from acumen.codegen import export

    request = Asked(given, "a question")
    spec = ModelSpec.of(request.within("model"))
    depth, bare = request.whole("depth", None, 0, 60), request.flag("plain")
    request.end()
    learner = bench.model(spec)
    predictor = learner.predictor_
    forms = export.forms_of(predictor.model)
    content = facts(learner)
    return {
        **content,
        "description": content["description"][:MOST_TEXT],
        "forms": [form.removeprefix("to_") for form in forms],
        "svg": svg_tree(drawing(bench, spec, depth, bare)),
        "drawings": pictures.of_groups(bench, spec, learner)
        or [svg_tree(each.svg) for each in learned_drawings(predictor, _worth(learner))],
        "plane": pictures.columns(bench, spec, learner),
        "tables": _tables(predictor),
        **_rules(predictor if "to_rules" in forms else None),
        **_shapes(spec, learner),
        "machines": _machines(learner),
        "comparison": getattr(learner, "comparison_", None),
        "warned": bench.warned.get(spec) or [],
        "is_tree": isinstance(learner, ReadsTree),
        "prunes": isinstance(learner, Prunes),
        "command": command(spec, learner),
    }


def facts(learner: Any) -> dict[str, Any]:
    """As `acumen learn --json` tells them."""
    from acumen.cli.learn import facts_of

    return facts_of(learner, None)


def command(spec: ModelSpec, learner: Any) -> dict[str, str]:
    """How it is learned and shown."""
    printed = "rules" if spec.rules is not None and spec.table is None else "model.describe()"
    python = f"{commands.model_python(spec, learner)}print({printed})\n"
    words = ["show", spec.shown] if spec.table is None else []
    return commands.after_learning(spec, words, python)


def drawing(
    bench: Bench, spec: ModelSpec, depth: int | None = None, bare: bool = False, row: Any = None
) -> str | None:
    """The model's own figure; of trees with the values around the cuts, where the rows are there."""
    from acumen.codegen import export

    learner = bench.model(spec)
    predictor = learner.predictor_
    table = None if spec.table is None else bench.table(spec.table)
    try:
        if isinstance(learner, ReadsTree):
            data = None if bare or table is None or predictor.schema.target is None else table
            return str(learner.figure(row=row, data=data, max_depth=depth)._repr_svg_())
        if "to_figure" in export.forms_of(predictor.model):
            return str(export.figure_of(predictor)._repr_svg_())
        if isinstance(learner, DrawsRows) and table is not None:
            return str(learner.figure(table)._repr_svg_())
    except AcumenError:
        return None  # too many columns for a plane, or no coordinates at all: the words say what there is
    return None


def _tables(predictor: Any) -> list[dict[str, Any]]:
    """Shares, means and weights as a notebook shows them; cells are texts."""
    from acumen.base.notebook import learned_tables
    from acumen.render.report import Badge

    return [
        {
            "caption": table.caption,
            "headings": list(table.headings),
            "sides": list(table.sides),
            "rows": [
                [cell.text if isinstance(cell, Badge) else cell for cell in row]
                for row in table.rows[:MOST_LINES]
            ],
            "more": max(len(table.rows) - MOST_LINES, 0),
        }
        for table in learned_tables(predictor)
    ]


def _rules(predictor: Any) -> dict[str, Any]:
    """The rules, whether their order counts, and what was changed by hand; `bare` is a rule as it can be typed."""
    from acumen.codegen.export import rules_of
    from acumen.conditions.rule import Rule

    if predictor is None:
        return {"rules": None}
    rules = rules_of(predictor)
    rows = [
        {"text": str(rule), "bare": str(Rule(rule.body, rule.head)), **rule.to_dict()}
        for rule in rules[:MOST_RULES]
    ]
    for each in rows:
        each.pop("counts", None)
    return {
        "rules": rows,
        "n_rules": len(rules),
        "ordered": rules.ordered,
        "otherwise": str(rules.default),
        "edits": list(rules.edits),
        "changeable": not getattr(rules, "best", 0),
    }


def _shapes(spec: ModelSpec, learner: Any) -> dict[str, Any]:
    """Of additive models: the shapes that can be changed, and the learner's words without changes."""
    parts = getattr(learner.predictor_.model, "parts", None)
    has_shapes = isinstance(learner, HasShapes)
    if not has_shapes or parts is None:
        return {"shapes": None}
    schema, shapes = learner.predictor_.schema, []
    for at, shape in enumerate(parts.layout.shapes):
        attribute = schema.attributes[shape.attribute]
        low, high = parts.ranges[at].tolist()
        one = {"name": attribute.name, "numeric": attribute.is_numeric, "edited": int(parts.edited[at])}
        if attribute.is_numeric:
            moment = attribute.form.partition(" ")[0] if is_moment(attribute.form) else None
            shapes.append({**one, "low": low, "high": high, "moment": moment})
        else:
            shapes.append({**one, "levels": list(attribute.levels[:MOST_LINES])})
    # Of a file the page knows itself what it has changed.
    changes = (learner.edits or {}) if spec.learner else {}
    return {"shapes": shapes, "changes": changes, "base": _without_edits(spec.learner)}


def _without_edits(text: str) -> str:
    """A learner's text without what was changed by hand."""
    from acumen.registry import parse_learner

    if not text:
        return ""
    entry, settings = parse_learner(text)
    others = [each for each in settings if each.partition("=")[0].strip() != "edits"]
    return f"{entry.kind}({', '.join(others)})" if others else entry.kind


def _worth(learner: Any) -> Any:
    """What each attribute is worth, where the learner can tell; its own drawing may say it better."""
    from acumen.codegen import export

    if "to_figure" in export.forms_of(learner.predictor_.model) and not isinstance(learner, ReadsTree):
        return None
    return getattr(learner, "feature_importances_", None)


def _machines(learner: Any) -> list[dict[str, Any]]:
    """The machines of a support vector machine that was learned here, each with how many rows it rests on."""
    machines = []
    for machine in (learner.machines_ or ()) if isinstance(learner, HasMachines) else ():
        up, down = (", ".join(map(str, side)) for side in (machine.positive, machine.negative))
        machines.append(
            {
                "name": f"{up} / {down}" if down else up,
                "rows": len(machine.rows),
                "support": len(machine.support),
                "width": machine.margin_width,
                "types": machine.type_counts(),
            }
        )
    return machines


def pruning_sequence(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The sequence of prunings by cost and complexity, and the drawing of one of them, by its place."""
    request = Asked(given, "a question")
    spec, place = ModelSpec.of(request.within("model")), request.whole("place", 0)
    bare = request.flag("plain")
    request.end()
    learner = bench.model(spec)
    if not isinstance(learner, Prunes):
        raise DataError("only a single tree can be pruned.")
    path = learner.pruning_path()
    at = min(place or 0, len(path.alphas) - 1)
    alpha = float(path.alphas[at])
    pruning = learner.with_pruning("cost-complexity", ccp_alpha=alpha)
    data = None if bare or spec.table is None else bench.table(spec.table)
    python = commands.model_python(spec, learner)
    python += f"print(model.with_pruning('cost-complexity', ccp_alpha={alpha!r}))\n"
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
    if rows is None or not isinstance(learner, ReadsTree):
        raise DataError("rows are selected, and a single tree has nodes that they come to.")
    return {"counts": learner.counts_at(bench.rows(table, spec).take(rows)), "total": len(rows)}
