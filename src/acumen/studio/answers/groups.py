"""Screen 6, groups of rows: found by the functions of `acumen cluster`, drawn, and kept for selections."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

from acumen.errors import AcumenError, ParameterError
from acumen.studio import commands
from acumen.studio.answers.memory import Bench
from acumen.studio.answers.pictures import Drawn, svg_tree
from acumen.studio.spec import Asked, TableSpec

Key = tuple[TableSpec, str, str | None, int]


def key_of(given: Any) -> Key:
    """What groups are asked for: a table, a learner, how many, a seed."""
    request = Asked(given, "groups")
    key = (
        TableSpec.of(request.within("table")), request.text("learner") or "k-means", request.text("k"),
        request.whole("seed", 0) or 0,
    )  # fmt: skip
    request.end()
    return key


def groupers(bench: Bench, given: dict[str, Any]) -> dict[str, Any]:
    """The learners that find groups in a table, what they do, and why others were left out."""
    from acumen.models.task import GROUPS
    from acumen.profiling.uninformative import drop_uninformative
    from acumen.registry import suitable_learners

    request = Asked(given, "a question")
    spec = TableSpec.of(request.within("table"))
    request.end()
    suitable = suitable_learners(drop_uninformative(bench.table(spec)), GROUPS)
    return {
        "learners": [
            {
                "kind": each.kind,
                "summary": each.summary,
                # Some find out themselves how many groups there are.
                "told_k": any(
                    parameter.name == each.learner.count_parameter for parameter in each.parameters
                ),
            }
            for each in suitable
        ],
        "left_out": [{"kind": kind, "why": why} for kind, why in suitable.left_out.items()],
    }


def cluster(bench: Bench, given: dict[str, Any], tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """`acumen cluster`: groups with their profiles, rules and pictures; the model is kept for selections."""
    from acumen.cli.cluster import facts, fit_and_describe
    from acumen.cli.shared_options import drop_uninformative_columns
    from acumen.profiling.fit_warnings import data_warnings_off

    request = Asked(given, "a job")
    key = key_of(request.within("cluster"))
    request.end()
    spec, _, _, seed = key
    tell({"doing": f"reading {spec.shown}"})
    table = bench.table(spec)
    model, number = _model(key)
    tell({"doing": f"clustering {spec.shown}"})

    def watch(done: int, total: int) -> None:
        tell({"doing": f"how many clusters: {100 * done // max(total, 1)} % of what is tried"})

    output = io.StringIO()
    with redirect_stderr(output), data_warnings_off():
        rows = drop_uninformative_columns(table, False)
        choice, profile, rules = fit_and_describe(rows, model, number, seed, spec.shown, watch)
    bench.groups.put(key, model)
    tell({"doing": "drawing"})
    words = _words(key)
    return {
        "value": facts(model, None, profile, rules, choice),
        "said": [line for line in output.getvalue().splitlines() if line],
        "k": getattr(model, model.count_parameter, None),
        "rules": None if rules is None else str(rules),
        "chosen": None if choice is None else svg_tree(choice.to_figure()._repr_svg_()),
        "profile": None if profile is None else svg_tree(profile.to_figure()._repr_svg_()),
        "plane": _plane(model, rows),
        "own": _own(model),
        "command": commands.command_forms(
            [*words, "-o", "groups.acm"], _python(key, model, choice is not None)
        ),
    }


def _model(key: Key) -> tuple[Any, int | str | None]:
    """The learner, and how many groups it is asked for."""
    import click

    from acumen.cli.cluster import clusterer, how_many

    _, word, k, seed = key
    try:
        entry, settings = clusterer(word)
        number = how_many(entry, k, settings)
        learner = entry.make_seeded(
            settings, seed, **({entry.learner.count_parameter: number} if isinstance(number, int) else {})
        )
    except click.ClickException as error:
        raise ParameterError(error.format_message()) from None
    learner.check_parameters()
    return learner, number


def _plane(model: Any, rows: Any) -> Drawn | None:
    """Rows in the plane in which they differ most; words have none."""
    from acumen.clusters.pictures import picture
    from acumen.profiling.fit_warnings import data_warnings_off

    try:
        with data_warnings_off():
            return svg_tree(picture(model, rows)._repr_svg_())
    except AcumenError:
        return None


def _own(model: Any) -> Drawn | None:
    """What a learner draws of itself: a dendrogram, the curve that a reach was chosen by."""
    from acumen.explain.questions import DrawsItself

    if not isinstance(model, DrawsItself) or not hasattr(model, "to_figure"):
        return None
    try:
        return svg_tree(model.to_figure()._repr_svg_())
    except AcumenError:
        return None


def save_clusters(bench: Bench, key: Key, model: Any, path: Any, name: str, flag: str) -> dict[str, str]:
    """The model of groups, or a page about them, written; and the command that writes it."""
    from acumen.clusters.cluster_page import page_of
    from acumen.profiling.fit_warnings import data_warnings_off
    from acumen.profiling.uninformative import drop_uninformative
    from acumen.render.report import report_html
    from acumen.store import save

    command = commands.command_forms([*_words(key), flag, name], _python(key, model, False))
    if flag == "-o":
        save(model, path)
        return command
    rows = drop_uninformative(bench.table(key[0]))
    with data_warnings_off():
        page = page_of(
            model,
            rows,
            model.profile(rows),
            model.to_rules(rows),
            source=key[0].shown,
            command=command["cli"],
        )
    path.write_text(report_html(page), encoding="utf-8")
    return command


def _words(key: Key) -> list[str]:
    spec, learner, k, seed = key
    words = ["cluster", *commands.table_words(spec), "--learner", learner]
    return [
        *words,
        *([] if k is None else ["--n-clusters", k]),
        *([] if seed == 0 else ["--seed", str(seed)]),
    ]


def _python(key: Key, model: Any, chosen: bool) -> str:
    spec, seed = key[0], key[3]
    expression = " ".join(repr(model).split())
    lines = f"from acumen import {', '.join(sorted(commands.named_in(expression)))}\n{commands.table_python(spec)}"
    lines += "rows = acumen.drop_uninformative(table)\n"
    if chosen:
        lines += f"print(acumen.choose_n_clusters({expression}, rows, random_state={seed}))\n"
    lines += f"model = {expression}.fit(rows)\nprint(model.profile(rows))\nprint(model.to_rules(rows))\n"
    return f"{lines}acumen.save(model, 'groups.acm')\n"
