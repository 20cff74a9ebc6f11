"""Screen 4: where a learner errs on rows it had not learned from: the confusion, curves in few points, calibration."""

from __future__ import annotations

from typing import Any, Final

from acumen.errors import DataError
from acumen.studio import commands
from acumen.studio.answers.drawn import drawn
from acumen.studio.answers.memory import Bench
from acumen.studio.spec import Asked, ModelSpec, RunSpec

#: Points of a curve that are sent; the slider moves among them without asking again.
MOST_STEPS: Final = 500


def errors(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """What a learner of a comparison did on the rows of the first repeat, each tested once."""
    asked = Asked(given, "a question")
    spec, name, positive = RunSpec.of(asked.within("run")), asked.needed("learner"), asked.text("positive")
    asked.end()
    comparison = bench.run(spec)
    if name not in comparison.assessments:
        raise DataError(f"there is no {name!r} in this comparison.")
    found = comparison.assessments[name].first(1)
    python = commands.run_python(spec, bench.choice(spec).named).removesuffix("print(found)\n")
    if found.confusion is None:
        return _numbers(found, spec, name, python)
    labels = found.confusion.labels
    made = {
        "learner": name,
        "classes": [str(label) for label in labels],
        # Rows are what is true, columns what was predicted.
        "matrix": found.confusion.matrix.T,
        "error": found.mean_of("error") if "error" in found.table else found.confusion.error,
        "interval": list(found.interval_of("error")) if "error" in found.table else None,
        "measures": {
            m: getattr(found.confusion, m) for m in ("balanced_accuracy", "kappa", "mcc", "macro_f1")
        },
        "steps": None,
        "calling": None,
        "command": commands.said(
            commands.run_words(spec), f"{python}print(found.assessments[{name!r}].confusion)\n"
        ),
    }
    if all(run.proba is not None for run in found.runs):
        steps = made["steps"] = _steps(found, positive)
        text = dict(bench.choice(spec).words).get(name)
        if steps is not None and text is not None:
            model = ModelSpec(spec.table, text)
            made["calling"] = commands.calling(model, name, steps["positive"], python)
    return made


def _steps(found: Any, word: str | None) -> dict[str, Any] | None:
    """The curve of one class against the others as numbers that add up: what is found and called for nothing."""
    from acumen.assessment.first_repeat import FirstRepeat

    first = FirstRepeat.of(found)
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
        "calibration": drawn(first.calibration(positive).figure()._repr_svg_()),
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
        "fit": drawn(fit_figure(truth, predicted, target)._repr_svg_()),
        "residuals": drawn(residual_figure(truth, predicted, target)._repr_svg_()),
        "command": commands.said(commands.run_words(spec), f"{python}print(found.assessments[{name!r}])\n"),
    }


def disagree(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """Two learners on the same rows: where one alone is right."""
    asked = Asked(given, "a question")
    spec, a, b = RunSpec.of(asked.within("run")), asked.needed("a"), asked.needed("b")
    asked.end()
    found = bench.run(spec).disagree(a, b)
    python = commands.run_python(spec, bench.choice(spec).named).removesuffix("print(found)\n")
    return {
        **found.to_dict(),
        "text": str(found),
        "command": commands.said(commands.run_words(spec), f"{python}print(found.disagree({a!r}, {b!r}))\n"),
    }
