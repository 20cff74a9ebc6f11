"""Learners chosen at the command line, their comparison, and saving the recommended one.

chosen        --suite and --learners -> learners by name, and why others are left out
compared      the comparison of these on a table, with progress
report_left_out what was left out, on stderr: learners, columns
again         the command that gives the same ranking, with the splits that it was made of
kept          the recommended learner, fitted on all rows, in a file
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.cli import console
from acumen.cli.shared_options import given_words, learner_for, report_ignored_columns, task_of

if TYPE_CHECKING:
    from acumen.assessment.comparison import Comparison
    from acumen.data.table import Table
    from acumen.models.task import Task

#: How long the comparison of a suite may take, unless it is said.
SUITE_TIME = "60s"
#: Options that `again` replaces.
_RESTATED = {"--suite", "--learners", "--folds", "--repeats", "--time-limit", "--sample", "-o", "--output"}


@dataclass(frozen=True, slots=True)
class LearnerChoice:
    """Learners by name, the words that name them, and those skipped."""

    named: dict[str, Any]
    words: dict[str, str]
    left_out: list[str] = field(default_factory=list)
    others: tuple[str, ...] = ()


def choose_learners(
    suite: str,
    words: str | None,
    baseline: str | None,
    table: Table,
    given: dict[str, Any],
    seed: int,
    *,
    keep_ids: bool = False,
) -> LearnerChoice:
    """The learners of a suite that suit the table; or those that are named."""
    from acumen.errors import ParameterError
    from acumen.profiling.uninformative import drop_uninformative
    from acumen.registry import (
        entries,
        learner_from_text,
        others,
        parse_learner,
        split_list,
        suitable_learners,
    )

    task = task_of(table.schema)  # there must be something to predict
    known = {word: each.kind for each in entries() for word in (each.kind, each.name)}
    if words is not None and words.strip() == "all":
        suite, words = "all", None
    if words is None:
        # Suitability depends on the columns used for training.
        suite_choice = suitable_learners(table if keep_ids else drop_uninformative(table), suite=suite)
        suite_learners = suite_choice.learners(seed, **given)
        texts = {each.label: each.text for each in suite_choice}
        if baseline in known and known[baseline] not in suite_choice:
            extra = learner_from_text(known[baseline], seed, **given)
            suite_learners[type(extra).__name__], texts[type(extra).__name__] = extra, known[baseline]
        reasons = [f"{kind}: {why}" for kind, why in suite_choice.left_out.items()]
        return LearnerChoice(
            suite_learners, texts, reasons, tuple(k for k in others(suite, task) if k not in texts.values())
        )
    named_learners = [
        word if names_file(word) else learner_for(word, table.schema) for word in split_list(words)
    ]
    if not named_learners:
        raise ParameterError("--learners: name at least one learner, or use `all`; got nothing.")
    if baseline in known:
        named_learners.append(known[baseline])
    learners: dict[str, Any] = {}
    texts = {}
    for text in named_learners:
        if names_file(text):
            stored = _of_file(text, task, given)
            name = f"{type(stored).__name__}({text})"
            learners[name], texts[name] = stored, text
            continue
        one, settings = parse_learner(text)
        name = f"{one.name}({', '.join(settings)})" if settings else one.name
        learners[name], texts[name] = learner_from_text(text, seed, **given), text
    return LearnerChoice(learners, texts)


def names_file(word: str) -> bool:
    """Whether a word among the learners names a model file."""
    return word.endswith(".acm") and Path(word).is_file()


def _of_file(path: str, task: Task, given: dict[str, Any]) -> Any:
    """The unfitted learner of a model file; an edited rule list keeps its rules and recounts them."""
    from acumen.base.scikit import clone
    from acumen.errors import ParameterError
    from acumen.store import load

    learner = clone(load(path))
    if type(learner).__name__ == "RuleClassifier":
        console.say(
            f"{path}: its rules are fixed and not retrained in each fold. If they were derived from these rows, the "
            "estimated error is too low."
        )
    if learner.task is not task:
        raise ParameterError(
            f"--learners: {path} predicts {learner.task.noun}, but the target is {task.target}."
        )
    return learner.set_params(**{name: value for name, value in given.items() if hasattr(learner, name)})


def run_comparison(
    choice: LearnerChoice, table: Table, *, folds: int | None, repeats: int, **wishes: Any
) -> Comparison:
    """Run the comparison with progress on stderr."""
    from acumen.assessment.compare import compared_by
    from acumen.assessment.contestants import common_task
    from acumen.registry import yardstick

    every = {*choice.named, yardstick(common_task(choice.named)).name}
    with console.progress(len(every), (folds or 10) * repeats) as tell:
        comparison: Comparison = compared_by(
            choice.named, table, folds=folds, repeats=repeats, progress=tell, **wishes
        )
    return comparison


def report_left_out(choice: LearnerChoice, found: Comparison, suite: str, command: str = "") -> None:
    """Report skipped learners and columns, and the flags (of `command`) that include them."""
    by = f"{command} " if command else ""
    for sentence in choice.left_out:
        console.say(f"Skipped {sentence}")
    report_ignored_columns(found.left_out)
    if choice.others:
        n = len(choice.others)
        console.say(
            f"Not in the {suite} suite: {n} more learner{'s' * (n != 1)} (see acumen learners). Use {by}--suite all to "
            f"include {'them' if n != 1 else 'it'}."
        )


def again(choice: LearnerChoice, found: Comparison) -> str:
    """The command that reproduces the ranking, however long it takes."""
    from acumen.data.databases.address import mask_passwords

    argv = given_words()
    if found.time is None and not found.unjudged:
        return shlex.join(["acumen", *map(mask_passwords, argv)])
    kept: list[str] = []
    skip = False
    for word in argv:
        name = word.split("=", 1)[0]
        if skip or name in _RESTATED:
            skip = not skip and "=" not in word
            continue
        kept.append(word)
    names = [choice.words[name] for name in found.names if name in choice.words]
    kept += ["--learners", ",".join(names), "--folds", str(getattr(found.method, "n_splits", 10))]
    kept += ["--repeats", str(getattr(found.method, "n_repeats", 1)), "--time-limit", "none"]
    if found.sample is not None:
        kept += ["--sample", str(found.sample)]
    return shlex.join(["acumen", *map(mask_passwords, kept)])


def save_best(found: Comparison, output: str | None) -> Any:
    """The recommended learner, fitted on all rows and written to a file, if there is one to write."""
    from acumen.assessment.contestants import collect_warnings
    from acumen.store import save

    with console.busy(f"training {found.recommended_learner} on all rows"), collect_warnings():
        model = found.fit()
    if output is not None:
        save(model, output)
    return model


def saved_model_messages(found: Comparison, output: str | None) -> Sequence[str]:
    """Messages about the saved model."""
    where = f" and saved to {output}" if output else ""
    lines = [f"{found.recommended_learner} was trained on all rows{where}."]
    if found.answer.optimistic:
        lines.append(
            f"It was chosen by its {found.measure}, so the value in the table is slightly optimistic. To "
            "evaluate it on "
            "held-out rows, use acumen test."
        )
    return lines
