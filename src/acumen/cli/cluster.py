"""`acumen cluster DATA`: cluster rows, describe each cluster, and save the model."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.data import Reading, reads_data
from acumen.cli.files import FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shared_options import (
    drop_uninformative_columns,
    keep_ids_option,
    on_engine,
    report_table_warnings,
    strict,
)
from acumen.render.text import many

if TYPE_CHECKING:
    from acumen.base.cluster_profile import Profile
    from acumen.base.cluster_rules import GroupRules
    from acumen.clusters.k_choice import ClusterCount
    from acumen.data.table import Table
    from acumen.registry import Entry
    from acumen.types import Indices

#: k is chosen on so many rows at most.
_CHOOSING = 10_000


@click.command(cls=Guarded)
@reads_data
@click.option("--learner", metavar="NAME", default="k-means", show_default=True,
              help="Clusterer: k-means, k-medoids, agglomerative, dbscan ...; see `acumen learners`.")  # fmt: skip
@click.option("--n-clusters", "number", metavar="N", help="Number of clusters, or auto to try 2 to 10.  [default: "
              "auto, if the learner needs a number]")  # fmt: skip
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Set a parameter of the learner. May be repeated.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@click.option(
    "-o", "--output", metavar="FILE", type=FILE_OUT, help="Save the model to this file, usually NAME.acm."
)
@click.option(
    "--labels",
    metavar="FILE",
    type=FILE_OUT,
    help="Write the cluster of each row as CSV; -1 means no cluster.",
)
@click.option("--report", metavar="FILE", type=FILE_OUT,
              help="Write a self-contained HTML report: clusters, rules, figures.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@keep_ids_option
@strict
@on_engine
def cluster(
    reading: Reading,
    learner: str,
    number: str | None,
    settings: tuple[str, ...],
    seed: int,
    output: str | None,
    labels: str | None,
    report: str | None,
    as_json: bool,
    keep_ids: bool,
) -> int:
    """Cluster the rows of a table, and describe each cluster.

    DATA is a file, a database address, the name of a built-in table, or - for stdin. A target column is
    not used for clustering; its relation to the clusters is shown afterwards. With --n-clusters auto, several measures
    choose the number of clusters, and acumen tells you if none stands out. `acumen predict` assigns new rows to
    clusters.
    """
    refuse_terminal(output)
    to_stdout = [path for path in (output, labels, report) if path == STDOUT]
    entry, own_settings = clusterer(learner)
    settings = (*own_settings, *settings)
    wanted = how_many(entry, number, settings)
    model = entry.make_seeded(
        settings, seed, **({entry.learner.count_parameter: wanted} if isinstance(wanted, int) else {})
    )
    model.check_parameters()
    from acumen.engines.run import cluster as engine

    if engine() is not None:
        if labels is not None or report is not None:
            raise click.UsageError(
                "--engine dask only writes a model; remove --labels and --report, and use acumen predict afterwards."
            )
        return _there(model, reading, output, as_json, seed if wanted == "auto" else None)
    with console.busy(f"reading {reading.display_name}"):
        table = reading.read()
        report_table_warnings(table, reading)
        table = drop_uninformative_columns(table, keep_ids)
    choice, profile, rules = fit_and_describe(table, model, wanted, seed, reading.display_name)
    _write(model, table, output, labels)
    if report is not None:
        _report(report, model, table, profile, rules, choice, reading)
    if as_json:
        console.result_json(facts(model, output, profile, rules, choice))
        return console.OK
    from acumen.data.escape import printable_lines

    text = printable_lines(_words(model, profile, rules, choice))
    (console.say if to_stdout else console.result)(text)
    if not to_stdout:
        console.say(f"Model saved to {output}." if output else "Model not saved; add -o FILE to save it.")
    return console.OK


def fit_and_describe(
    table: Table,
    model: Any,
    asked: int | str | None,
    seed: int,
    shown: str,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[ClusterCount | None, Profile | None, GroupRules | None]:
    """Fit a clusterer, its k chosen where that is asked for, and tell what it found; the studio does so too.

    `watch` is told how far the choice of k has come, of how much.
    """
    choice = _choose_k(model, table, seed, told=watch) if asked == "auto" else None
    if choice is not None:
        model.set_params(**{model.count_parameter: choice.leading})
        if choice.n_clusters is None:
            console.say(f"{choice.sentence} {_describe_choice(choice)}")
    with console.busy(f"clustering {shown}"):
        model.fit(table)
        return (choice, *_describe_clusters(model, table))


def _there(model: Any, reading: Reading, output: str | None, as_json: bool, choosing: int | None) -> int:
    """Groups of rows that the workers of a cluster read; how many is looked for on a sample, with that seed."""
    from acumen.base.availability import require_parts
    from acumen.cli.learn import facts_of
    from acumen.data.escape import printable_lines

    require_parts(model)
    with console.busy(f"clustering {reading.display_name}"):
        parts = reading.scan()
        report_table_warnings(parts, reading)
    if choosing is not None:
        from acumen.engines.tasks import fetch_rows

        n = parts.n_rows
        choice = _choose_k(model, fetch_rows(parts, _draw_sample(n, choosing)), choosing, of=n)
        if choice is not None:
            model.set_params(**{model.count_parameter: choice.leading})
            console.say(
                choice.sentence
                if choice.n_clusters is not None
                else f"{choice.sentence} {_describe_choice(choice)}"
            )
    with console.busy(f"clustering {reading.display_name}"):
        model.fit_stream(parts)
    if output is not None:
        from acumen.store import save

        save(model, output)
    if as_json:
        console.result_json(facts_of(model, output))
        return console.OK
    text = printable_lines(model.describe())
    (console.say if output == STDOUT else console.result)(text)
    if output != STDOUT:
        console.say(f"Model saved to {output}." if output else "Model not saved; add -o FILE to save it.")
    return console.OK


def clusterer(word: str) -> tuple[Entry, tuple[str, ...]]:
    """The clusterer that a word names, with settings behind it in parentheses."""
    from acumen.errors import ParameterError
    from acumen.models.task import GROUPS
    from acumen.registry import entries, parse_learner

    entry, settings = parse_learner(word)
    if entry.task is not GROUPS:
        known = ", ".join(each.kind for each in entries() if each.task is GROUPS)
        raise ParameterError(
            f"--learner: {word} is not a clusterer but predicts {entry.task.noun}; use one of {known}."
        )
    return entry, settings


def how_many(found: Entry, number: str | None, settings: tuple[str, ...]) -> int | str | None:
    """How many groups: a number, "auto", or None where the learner is not to be told."""
    has_k = any(spec.name == found.learner.count_parameter for spec in found.parameters)
    sets_k = any(text.partition("=")[0].strip() == found.learner.count_parameter for text in settings)
    if number is None:
        heights = any(text.partition("=")[0].strip() == "distance_threshold" for text in settings)
        return "auto" if has_k and not sets_k and not heights else None
    if not has_k:
        raise click.UsageError(
            f"--n-clusters: {found.kind} determines the number of clusters itself; remove --n-clusters."
        )
    if sets_k:
        raise click.UsageError(
            f"--n-clusters and --set {found.learner.count_parameter}=... mean the same; give only one."
        )
    if number == "auto":
        return "auto"
    try:
        whole = int(number)
    except ValueError:
        whole = 0
    if whole < 1:
        raise click.UsageError(f"--n-clusters must be a whole number of at least 1, or auto; got {number!r}.")
    return whole


def _draw_sample(n: int, seed: int) -> Indices:
    """The rows on which it is looked for how many groups there are."""
    import numpy as np

    if n <= _CHOOSING:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, _CHOOSING, replace=False))


def _choose_k(
    model: Any, table: Table, seed: int, of: int | None = None, told: Callable[[int, int], None] | None = None
) -> ClusterCount | None:
    """How many groups; `of` says how many rows there are where the table holds the sample alone."""
    from acumen.clusters.choose_k import choose_n_clusters, with_count
    from acumen.errors import DataError
    from acumen.profiling.fit_warnings import data_warnings_off

    model.object_to(table.schema.without_target())
    n = len(table) if of is None else of
    rows = table.take(_draw_sample(n, seed)) if of is None and n > _CHOOSING else table
    if n > _CHOOSING:
        console.say(f"The number of clusters is chosen on a sample of {_CHOOSING:,} of {n:,} rows.")
    if len(rows) < 4:
        model.set_params(**{model.count_parameter: 1})
        few = "1 row is" if len(rows) == 1 else f"{len(rows)} rows are"
        console.say(f"{few} too few to choose a number of clusters; using one cluster.")
        return None
    # Data warnings have been shown; the fits on parts of the table would repeat them.
    with console.progress(1, 1000) as tell, data_warnings_off():
        watch = told
        if tell is not None:
            watch = lambda done, total: tell("number of clusters", 1000 * done // total)  # noqa: E731
        try:
            return choose_n_clusters(model, rows, random_state=seed, watch=watch)
        except DataError as error:
            try:
                with_count(model, 1).fit(rows)
            except DataError:
                raise error from None  # not the number of groups is what is wrong
    model.set_params(**{model.count_parameter: 1})
    console.say("All rows are equal; using one cluster.")
    return None


def _describe_choice(choice: ClusterCount) -> str:
    k = choice.leading
    if k == 1:
        return "Using one cluster for all rows; set --n-clusters for more."
    return f"Using k = {k}, the number most measures support; set --n-clusters for another number."


def _describe_clusters(model: Any, table: Table) -> tuple[Profile | None, GroupRules | None]:
    """The profile and the rules; of no group, or one, there is less to be told."""
    from acumen.errors import DataError
    from acumen.profiling.fit_warnings import data_warnings_off

    profile = rules = None
    with contextlib.suppress(DataError), data_warnings_off():
        profile = model.profile(table)
        rules = model.to_rules(table)
    return profile, rules


def _words(model: Any, profile: Profile | None, rules: GroupRules | None, choice: ClusterCount | None) -> str:
    parts = [] if choice is None else [str(choice), ""]
    parts += [model.describe().partition("\n")[0], ""]
    parts.append("No cluster was found." if profile is None else str(profile))
    if rules is not None:
        parts += ["", "As rules:", str(rules)]
    return "\n".join(parts)


def facts(
    model: Any,
    output: str | None,
    profile: Profile | None,
    rules: GroupRules | None,
    choice: ClusterCount | None,
) -> dict[str, Any]:
    """What `--json` tells."""
    from acumen.cli.learn import facts_of

    content = {
        key: value for key, value in facts_of(model, output).items() if key not in ("target", "classes")
    }
    return {
        **content,
        "n_groups": model.n_clusters_,
        "in_no_group": int((model.labels_ < 0).sum()),
        "choice": None if choice is None else choice.to_dict(),
        "groups": [] if profile is None else profile.to_dicts(),
        "rules": None if rules is None else rules.to_dict(),
    }


def _write(model: Any, table: Table, output: str | None, labels: str | None) -> None:
    if output is not None:
        from acumen.store import save

        save(model, output)
    if labels is not None:
        from acumen.data.out.atomic import replace_text

        lines = ["row,group", *(f"{row},{group}" for row, group in enumerate(model.labels_.tolist(), 1))]
        replace_text(labels, "\n".join(lines) + "\n", "cluster")
        if labels != STDOUT:
            console.say(f"Clusters of {many(len(table), 'row')} written to {labels}.")


def _report(
    report: str, model: Any, table: Table, profile: Profile | None, rules: GroupRules | None,
    choice: ClusterCount | None, reading: Reading,
) -> None:  # fmt: skip
    from acumen.clusters.cluster_page import page_of
    from acumen.data.out.atomic import replace_text
    from acumen.render.report import report_html

    command = shlex.join(["acumen", *(click.get_current_context().find_root().obj or ())])
    with console.busy(f"writing {report}"):
        page = page_of(model, table, profile, rules, choice, source=reading.display_name, command=command)
        replace_text(report, report_html(page), "cluster")
    if report != STDOUT:
        console.say(f"Report written to {report}.")
