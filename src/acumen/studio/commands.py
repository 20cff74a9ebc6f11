"""What is shown, as a command line and as Python: a person learns both on the way, and can run either without a studio.

A command is a list of words; addresses of databases are without their passwords. Python is what gives the same in a
notebook or a script.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from acumen.studio.spec import ModelSpec, RunSpec, TableSpec


def command_forms(words: Sequence[str], python: str) -> dict[str, str]:
    """A command in both forms."""
    from acumen.data.databases.address import mask_passwords

    return {"cli": mask_passwords(shlex.join(["acumen", *words])), "python": mask_passwords(python)}


# -- tables ---------------------------------------------------------------------------------------


def table_words(spec: TableSpec) -> list[str]:
    """DATA and the options that say how it is read."""
    from acumen.messages import listed_fields

    words = [spec.shown]
    for flag, value in (
        ("--target", spec.target), ("--weight", spec.weight), ("--query", spec.query)
    ):  # fmt: skip
        words += [] if value is None else [flag, value]
    for name, kind in spec.kinds:
        words += ["--kind", f"{name}={kind}"]
    for name, levels in spec.levels:
        words += ["--levels", f"{name}={listed_fields(levels)}"]
    for flag, values in (
        ("--ignore", spec.ignore),
        ("--missing", spec.missing),
        ("--not-missing", spec.known),
    ):
        for value in values:
            words += [flag, value]
    for name, levels in spec.merge:
        words += ["--merge", f"{name}={listed_fields(levels)}"]
    for name in spec.date_parts:
        words += ["--date-parts", name]
    return words + spec.written.words()


def table_python(spec: TableSpec) -> str:
    """The lines that read it."""
    from acumen.datasets import names

    arguments = {
        name: list(value) if isinstance(value, tuple) else value for name, value in spec.options().items()
    }
    for name in spec.written.options():
        arguments.pop(name, None)
    options = "".join(f", {name}={value!r}" for name, value in arguments.items()) + spec.written.python()
    call = "acumen.datasets.load" if spec.shown in names() and spec.data == spec.shown else "acumen.read"
    return f"import acumen\n\ntable = {call}({spec.shown!r}{options})\n"


def inspect(spec: TableSpec) -> dict[str, str]:
    """The data card."""
    return command_forms(
        ["inspect", *table_words(spec)], f"{table_python(spec)}print(acumen.inspect(table))\n"
    )


# -- comparisons ----------------------------------------------------------------------------------


def run_words(spec: RunSpec) -> list[str]:
    """The options of `acumen compare`, but for those that are as usual."""
    words = ["compare", *table_words(spec.table)]
    if spec.learners:
        words += ["--learners", ",".join(spec.learners)]
    elif spec.suite != "usual":
        words += ["--suite", spec.suite]
    for flag, value, usual in (
        ("--folds", spec.folds, None), ("--repeats", spec.repeats, 10), ("--measure", spec.measure, None),
        ("--time-limit", spec.time, None), ("--sample", spec.sample, None), ("--baseline", spec.baseline, None),
        ("--rope", spec.rope, 0.01), ("--seed", spec.seed, 0),
    ):  # fmt: skip
        words += [] if value == usual else [flag, f"{value:g}" if isinstance(value, float) else str(value)]
    words += ["--keep-ids"] if spec.keep_ids else []
    return words + (["--calibrate"] if spec.calibrate else [])


def run_python(spec: RunSpec, learners: Any = None) -> str:
    """The lines that compare; `learners` are those that were made, by name, where their texts are known."""
    arguments = ""
    for name, value, usual in (
        ("measure", spec.measure, None), ("baseline", spec.baseline, None), ("rope", spec.rope, 0.01),
        ("sample", spec.sample, None), ("keep_ids", spec.keep_ids, False), ("calibrate", spec.calibrate, False),
    ):  # fmt: skip
        arguments += "" if value == usual else f", {name}={value!r}"
    time = spec.time if spec.learners or spec.suite == "all" else spec.time or "60s"
    arguments += "" if time in (None, "none") else f", time={time!r}"
    lines = table_python(spec.table)
    if spec.learners and learners:
        texts, imports = [], set()
        for name, learner in learners.items():
            expression = " ".join(repr(learner).split())
            imports |= named_in(expression)
            texts.append(f"    {name!r}: {expression},\n")
        lines = f"from acumen import {', '.join(sorted(imports))}\n{lines}" if imports else lines
        lines += f"learners = {{\n{''.join(texts)}}}\n"
    else:
        lines += f"learners = acumen.suitable_learners(table, suite={spec.suite!r}).learners({spec.seed})\n"
    method = f"acumen.KFold({spec.folds or 10}, n_repeats={spec.repeats})"
    method = "" if spec.folds is None and spec.repeats == 10 else f", {method}"
    lines += f"found = acumen.compare(learners, table{method}{arguments}, random_state={spec.seed})\n"
    return lines + "print(found)\n"


def named_in(expression: str) -> set[str]:
    """Which of acumen's names an expression needs."""
    import acumen

    return {word for word in re.findall(r"\b[A-Z]\w*(?=\()", expression) if word in acumen.__all__}


# -- models ---------------------------------------------------------------------------------------


def learn_words(spec: ModelSpec, output: str | None = None) -> list[str]:
    """`acumen learn`; the settings behind a learner's name become --set."""
    from acumen.registry import parse_learner

    assert spec.table is not None
    entry, settings = parse_learner(spec.learner)
    words = ["learn", *table_words(spec.table), "--learner", entry.kind]
    for setting in add_seed(entry, settings):
        words += ["--set", setting]
    return words + ([] if output is None else ["-o", output])


def making(spec: ModelSpec) -> list[list[str]]:
    """The commands that make the model's file, `spec.shown`."""
    base = spec.base
    commands = [] if base.table is None else [learn_words(base, base.shown)]
    return commands if spec.edits is None else [*commands, [*edit_words(spec), "-o", spec.shown]]


def edit_words(spec: ModelSpec, on: TableSpec | None = None) -> list[str]:
    """`acumen rules edit`, or shapes, and the changes; looked at with the rows of `on`, or those learned from, which
    are then counted again for the rules.
    """
    assert spec.edits is not None
    words = ["shapes" if spec.rules is None else "rules", "edit", spec.base.shown, *spec.edits.words()]
    rows = spec.table or on
    if rows is None or rows.query is not None or rows.written:
        return words
    counted = ["--recount"] if spec.rules is not None and spec.table is not None else []
    return [*words, "--effect", rows.shown, *counted]


def rows_python(on: TableSpec, target: str | None) -> str:
    """The line that reads rows for a `model`, as it reads them."""
    from acumen.datasets import names

    if on.shown in names() and on.data == on.shown:
        return f"table = acumen.datasets.load({on.shown!r})\n"
    argument = "" if target is None else f", target={target!r}"
    return f"table = acumen.read({on.shown!r}{argument}, like=model.predictor_.schema)\n"


def after_learning(spec: ModelSpec, words: Sequence[str], python: str) -> dict[str, str]:
    """A command on a model file, behind those that make the file where the model was made here; without words these
    alone.
    """
    every = [*making(spec), *([list(words)] if words else [])]
    return {**command_forms([], python), "cli": " && ".join(command_forms(each, "")["cli"] for each in every)}


def calling(spec: ModelSpec, name: str, positive: str, judged: str) -> dict[str, list[str]]:
    """How `positive` is called from a threshold on, in two parts: the number that the page has stands between them.

    `decide` is the command that finds the threshold itself, around what errors cost. `judged` are the lines of Python
    that judge the learner, under `name`.
    """
    assert spec.table is not None
    learn = command_forms(learn_words(spec, spec.shown), "")["cli"]
    query = [] if spec.table.query is None else ["--query", spec.table.query]
    data, called = (
        [spec.shown, spec.table.shown, *query, *spec.table.written.words()],
        shlex.join(["--positive-class", positive]),
    )
    predict, decide = (
        command_forms(["predict", *data], "")["cli"],
        command_forms(["decide", *data], "")["cli"],
    )
    python = f"{judged}judged = found.assessments[{name!r}]\nat = {{'positive': {positive!r}, 'threshold': "
    counted = (
        "}\nfor truth in judged.confusion.labels:\n"
        "    print(truth, [len(judged.rows(truth, each, **at)) for each in judged.confusion.labels])\n"
    )
    return {
        "cli": [f"{learn} && {predict} --threshold ", f" {called}"],
        "python": [command_forms([], python)["python"], counted],
        "decide": [f"{decide} --costs ", f" {called}"],
    }


def file_command(made: dict[str, str], name: str, python: str) -> dict[str, str]:
    """A command whose result goes into a file, in the shell and in Python."""
    lines = f"with open({name!r}, 'w', encoding='utf-8') as file:\n    print({python}, file=file)\n"
    return {"cli": f"{made['cli']} > {shlex.quote(name)}", "python": made["python"] + lines}


def add_seed(found: Any, settings: Sequence[str]) -> list[str]:
    """Settings with a seed among them, where a learner draws at random, so that anybody can make the model again."""
    has = any(spec.name == "random_state" for spec in found.parameters)
    has_seed = any(text.partition("=")[0].strip() == "random_state" for text in settings)
    return [*settings, *(["random_state=0"] if has and not has_seed else [])]


def model_python(spec: ModelSpec, learner: Any) -> str:
    """The lines that learn it, or load it."""
    if spec.edits is not None:
        code = model_python(spec.base, _unfitted_code(spec.learner) if spec.learner else learner)
        code += spec.edits.python()
        if spec.rules is None:
            return code + "model = edited\n"
        return code + (
            "model = acumen.RuleClassifier(rules).fit(acumen.drop_uninformative(table))\n"
            if spec.table is not None
            else ""
        )
    if spec.table is None:
        return f"import acumen\n\nmodel = acumen.load({spec.shown!r})\n"
    expression = " ".join(repr(learner).split())
    imports = ", ".join(sorted(named_in(expression)))
    lines = f"from acumen import {imports}\n{table_python(spec.table)}"
    return f"{lines}model = {expression}.fit(acumen.drop_uninformative(table))\n"


def _unfitted_code(text: str) -> Any:
    from acumen.registry import parse_learner

    entry, settings = parse_learner(text)
    return entry.make(add_seed(entry, settings))
