"""Screen 4: where a learner errs on rows it had not learned from: the confusion, curves in few points, calibration."""

from __future__ import annotations

from typing import Any, Final

from acumen.errors import DataError
from acumen.studio import commands
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.pictures import svg_tree
from acumen.studio.spec import Asked, ModelSpec, RunSpec

#: Points of a curve that are sent; the slider moves among them without asking again.
MOST_STEPS: Final = 500


def errors(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """What a learner of a comparison did on the rows of the first repeat, each tested once."""
    request = Asked(given, "a question")
    spec, name, positive = (
        RunSpec.of(request.within("run")),
        request.required("learner"),
        request.text("positive"),
    )
    request.end()
    comparison = bench.run(spec)
    if name not in comparison.assessments:
        raise DataError(f"there is no {name!r} in this comparison.")
    first_errors = comparison.assessments[name].first(1)
    python = commands.run_python(spec, bench.choice(spec).named).removesuffix("print(found)\n")
    if first_errors.confusion is None:
        return _numbers(first_errors, spec, name, python)
    labels = first_errors.confusion.labels
    content = {
        "learner": name,
        "classes": [str(label) for label in labels],
        # Rows are what is true, columns what was predicted.
        "matrix": first_errors.confusion.matrix.T,
        "error": first_errors.mean_of("error")
        if "error" in first_errors.table
        else first_errors.confusion.error,
        "interval": list(first_errors.interval_of("error")) if "error" in first_errors.table else None,
        "measures": {
            m: getattr(first_errors.confusion, m) for m in ("balanced_accuracy", "kappa", "mcc", "macro_f1")
        },
        "steps": None,
        "calling": None,
        "command": commands.command_forms(
            commands.run_words(spec), f"{python}print(found.assessments[{name!r}].confusion)\n"
        ),
    }
    if all(run.proba is not None for run in first_errors.runs):
        steps = content["steps"] = _steps(first_errors, positive)
        text = dict(bench.choice(spec).words).get(name)
        if steps is not None and text is not None:
            model = ModelSpec(spec.table, text)
            content["calling"] = commands.calling(model, name, steps["positive"], python)
    return content


def _steps(found: Any, word: str | None) -> dict[str, Any] | None:
    """The curve of one class against the others as numbers that add up: what is found and called for nothing."""
    from acumen.assessment.first_repeat import FirstRepeatRows

    first = FirstRepeatRows.of(found)
    labels = {str(label): label for label in first.classes}
    positive = labels[word] if word in labels else first.classes[-1]
    if not first.has_both(positive):
        return None
    curve = first.roc(positive)
    # Of two classes the confusion is what one half gives, and the slider stands there first.
    thresholds, up, down = curve.steps(MOST_STEPS, 0.5 if len(first.classes) == 2 else None)
    return {
        "positive": str(positive),
        "thresholds": [None, *thresholds[1:].tolist()],  # the first calls nobody
        "found": up,
        "alarms": down,
        "auc": curve.auc,
        "auc_interval": list(curve.interval()),
        "calibration": svg_tree(first.calibration(positive).figure()._repr_svg_()),
    }


def _numbers(found: Any, spec: RunSpec, name: str, python: str) -> dict[str, Any]:
    """Of numbers: predicted over actual, and what is left."""
    from acumen.assessment.figures import fit_figure, residual_figure

    truth, predicted = found.residuals()
    target = spec.table.target or "target"
    return {
        "learner": name,
        "classes": None,
        "means": found.means(),
        "fit": svg_tree(fit_figure(truth, predicted, target)._repr_svg_()),
        "residuals": svg_tree(residual_figure(truth, predicted, target)._repr_svg_()),
        "command": commands.command_forms(
            commands.run_words(spec), f"{python}print(found.assessments[{name!r}])\n"
        ),
    }


def disagree(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """Two learners on the same rows: where one alone is right."""
    request = Asked(given, "a question")
    spec, a, b = RunSpec.of(request.within("run")), request.required("a"), request.required("b")
    request.end()
    disagreement = bench.run(spec).disagree(a, b)
    python = commands.run_python(spec, bench.choice(spec).named).removesuffix("print(found)\n")
    return {
        **disagreement.to_dict(),
        "text": str(disagreement),
        "command": commands.command_forms(
            commands.run_words(spec), f"{python}print(found.disagree({a!r}, {b!r}))\n"
        ),
    }
