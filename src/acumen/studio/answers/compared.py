"""Screen 2: which learners suit, their comparison while it goes on, and parameters chosen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from acumen.studio import commands
from acumen.studio.answers.memory import Bench, reading_of
from acumen.studio.answers.pictures import svg_tree
from acumen.studio.spec import Asked, RunSpec, TableSpec

#: Seconds between two pictures of where a learner stands; a comparison of quick learners has thousands of splits.
BETWEEN: Final = 0.15

Tell = Callable[[dict[str, Any]], None]


def suited_learners(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The learners that suit a table, those of the usual suite ticked, and why others were left out."""
    from acumen.profiling.uninformative import drop_uninformative
    from acumen.registry import suitable_learners

    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    request.end()
    rows = drop_uninformative(bench.table(spec))
    usual, every = suitable_learners(rows, suite="usual"), suitable_learners(rows)
    ticked = {each.text for each in usual}
    shown = [*usual, *(each for each in every if each.kind not in {one.kind for one in usual})]
    return {
        "learners": [
            {
                "text": e.text,
                "label": e.label,
                "kind": e.kind,
                "summary": e.summary,
                "ticked": e.text in ticked,
                "probabilistic": bool(getattr(e.make(e.settings).model_type, "probabilistic", False)),
            }
            for e in shown
        ],
        "left_out": [
            {"kind": kind, "why": why} for kind, why in {**every.left_out, **usual.left_out}.items()
        ],
        "measures": _measures(rows),
    }


def _measures(rows: Any) -> list[str]:
    from acumen.assessment.scores import MEASURES
    from acumen.models.task import CLASSES, task_of

    numbers = task_of(rows.schema) is not CLASSES
    return [
        name
        for name, each in MEASURES.items()
        if (each.needs == "numbers") == numbers and each.needs != "run"
    ]


def learner(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """A learner's parameters, as `acumen learners NAME --json` tells them."""
    from acumen.registry import entry

    request = Asked(given, "a question")
    word = request.required("learner")
    request.end()
    return entry(word).to_dict()


class ProgressWatch:
    """Told of learners at work; tells the page."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._told = tell, dict[str, float]()

    def __call__(self, name: str, done: int) -> None:
        """Splits are finished; `stands` says it with figures."""

    def expects(self, name: str, seconds: float | None, waiting: Sequence[str]) -> None:
        now = time.monotonic()
        if now - self._told.get("", 0.0) > BETWEEN:
            self._told[""] = now
            self._tell({"at": name, "seconds": seconds, "waiting": list(waiting)})

    def stands(self, name: str, done: int, standing: Callable[[], Any]) -> None:
        now = time.monotonic()
        if now - self._told.get(name, 0.0) > BETWEEN:
            self._told[name] = now
            standings = standing()
            self._tell(
                {
                    "stands": name,
                    "done": done,
                    "mean": standings.estimate,
                    "low": standings.low,
                    "high": standings.high,
                }
            )


def compare(bench: Bench, given: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """A comparison by the functions of `acumen compare`; what was made before is not made again."""
    from acumen.assessment.compare import compared_by
    from acumen.assessment.probing import seconds
    from acumen.assessment.sample import sample_size
    from acumen.cli.choosing import SUITE_TIME, choose_learners
    from acumen.cli.compare import named_as

    request = Asked(given, "a job")
    spec = RunSpec.of(request.within("run"))
    request.end()
    result = bench.runs.get(spec)
    if result is None or not result[0].complete:
        tell({"doing": f"reading {spec.table.shown}"})
        table = bench.table(spec.table)
        limited = not spec.learners and spec.suite != "all"
        choice = choose_learners(
            spec.suite,
            ",".join(spec.learners) or None,
            spec.baseline,
            table,
            {},
            spec.seed,
            keep_ids=spec.keep_ids,
        )
        tell({"learners": list(choice.named), "left_out": choice.left_out})
        comparison = compared_by(
            choice.named, table, folds=spec.folds, repeats=spec.repeats, measure=spec.measure,
            baseline=named_as(spec.baseline, choice), seed=spec.seed, rope=spec.rope,
            time_limit=seconds(SUITE_TIME if spec.time is None and limited else spec.time, "--time-limit"),
            keep_ids=spec.keep_ids, calibrate=spec.calibrate, sample=sample_size(spec.sample),
            progress=ProgressWatch(tell),
        )  # fmt: skip
        result = comparison, choice
        bench.runs.put(spec, result)
    return comparison_content(spec, *result)


def comparison_content(spec: RunSpec, found: Any, choice: Any) -> dict[str, Any]:
    """What the page shows of a comparison: all that `--json` has, in words too, drawn, and as commands."""
    from acumen.assessment.comparison_text import lead, verdicts
    from acumen.data.escape import printable_lines

    return {
        "comparison": found.to_dict(),
        "text": printable_lines(found.describe()),
        "answer": printable_lines(lead(found)),
        "sentences": [printable_lines(each) for each in verdicts(found)],
        "svg": svg_tree(found.figure()._repr_svg_()),
        "complete": found.complete,
        "texts": dict(choice.words),
        "left_out": choice.left_out,
        "command": commands.command_forms(commands.run_words(spec), commands.run_python(spec, choice.named)),
    }


def tune(bench: Bench, given: dict[str, Any], tell: Tell) -> dict[str, Any]:
    """Parameters tried by `acumen tune`, which is run as it is."""
    from acumen.studio.answers.running import ran

    request = Asked(given, "a job")
    spec = TableSpec.of(request.within("table"))
    word, grids = request.required("learner"), request.texts("grids", 8)
    folds = request.whole("folds", 10, 2, 100)
    request.end()
    tell({"doing": f"tuning {word} on {reading_of(spec).display_name}"})
    words = ["tune", *commands.table_words(spec), "--learner", word]
    for grid in grids:
        words += ["--grid", grid]
    words += ["--folds", str(folds)]
    return {
        **ran(words, spec),
        "command": commands.command_forms(words, _tuning_of(spec, word, grids, folds)),
    }


def _tuning_of(spec: TableSpec, word: str, grids: Sequence[str], folds: int | None) -> str:
    from acumen.cli.tune import grid_of
    from acumen.registry import entry

    kind = entry(word)
    grid = grid_of(grids, kind)
    return (
        f"from acumen import {kind.name}, KFold, Tuned\n{commands.table_python(spec)}"
        f"found = Tuned({kind.name}(), {grid!r}, KFold({folds})).fit(acumen.drop_uninformative(table))\n"
        "print(found.results_)\n"
    )
