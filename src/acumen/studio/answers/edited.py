"""Screen 3, by hand: rules or shapes changed, and what that does on all rows and on rows left out in turn.

Both by `acumen rules edit` and `acumen shapes edit`, which are run as they are. Shapes of a learner that is learned
here are changed by a parameter of it, and compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from acumen.errors import DataError, ParameterError
from acumen.store import load, save
from acumen.studio import commands
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.running import ran
from acumen.studio.output_files import put
from acumen.studio.spec import Asked, ModelSpec, TableSpec


def edited_model(bench: Bench, spec: ModelSpec) -> Any:
    """The model with its changes made, of the one in memory that they are of."""
    return _run(bench, spec, None, [])[0]


def edit(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """What the changes of a model do: to the rows of its table, or of `on`, and on as many folds of them."""
    request = Asked(given, "a job")
    spec, folds = ModelSpec.of(request.within("model")), request.whole("folds", None, 2, 100)
    rows = request.within("on")
    request.end()
    on = None if rows is None or spec.table is not None else TableSpec.of(rows)
    if spec.edits is None:
        raise ParameterError("studio: nothing was changed by hand.")
    tell({"doing": "judging the change"})
    judged = "--effect" in commands.edit_words(spec, on)
    more = ["--folds", str(folds)] if folds is not None and judged else []
    model, effect, content = _run(bench, spec, on, more)
    bench.models.put(spec, model)
    words = [*commands.edit_words(spec, on), *more, "-o", spec.shown]
    number, path = put(bench.scratch / "made", spec.shown)
    path.write_bytes(content)
    return {
        **effect,
        "name": spec.shown,
        "made": number,
        "sha256": hashlib.sha256(content).hexdigest(),
        "command": commands.after_learning(spec.base, words, _python(bench, spec, on, folds)),
    }


def _python(bench: Bench, spec: ModelSpec, on: TableSpec | None, folds: int | None) -> str:
    assert spec.edits is not None
    learner = bench.model(spec.base)
    code = commands.model_python(spec.base, learner) + spec.edits.python()
    target = learner.predictor_.schema.target
    if on is not None:
        code += commands.rows_python(on, None if target is None else target.name)
    elif spec.table is None:
        return code
    old, new = ("model", "edited") if spec.rules is None else ("model.to_rules()", "rules")
    classes = target is None or target.is_nominal
    code += f"print(acumen.effect({old}, {new}, table))\n" if classes else ""
    return code + (f"print(acumen.held_out_effect(model, {new}, table, folds={folds}))\n" if folds else "")


def _run(
    bench: Bench, spec: ModelSpec, on: TableSpec | None, more: list[str]
) -> tuple[Any, dict[str, Any], bytes]:
    """The command: the model that it writes, what it says, and its bytes."""
    from acumen.studio.answers.model import fit_model

    learner = bench.models.get(spec.base)
    if learner is None:
        learner = bench.models.put(spec.base, fit_model(bench, spec.base))
    _require_same(learner, spec)
    before, after = bench.scratch / "model.acm", bench.scratch / "changed.acm"
    save(learner, before)
    try:
        result = ran(
            [*commands.edit_words(spec, on), *more, "-o", spec.shown],
            spec.table or on,
            **{spec.base.shown: str(before), spec.shown: str(after)},
        )
        result["value"]["model_file"] = spec.shown
        return load(after), result, after.read_bytes()
    finally:
        after.unlink(missing_ok=True)
        before.unlink(missing_ok=True)


def _require_same(learner: Any, spec: ModelSpec) -> None:
    """Rules are changed by number: they must be those that were looked at."""
    from acumen.codegen.export import rules_of

    if spec.rules is not None:
        n = len(rules_of(learner.predictor_))
        if n != spec.rules.of:
            raise DataError(f"the model has {n} rules now, and {spec.rules.of} were changed: start again.")
    if not spec.edits:
        raise ParameterError("studio: nothing was changed by hand.")
