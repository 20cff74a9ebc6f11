"""`acumen rules`: the numbers of rules are those that `acumen show` prints.

edit MODEL          rules changed by hand
report MODEL DATA   how far each rule can be trusted
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from acumen.cli import console
from acumen.cli.files import FILE_IN, FILE_OUT, STDOUT, Guarded, refuse_terminal
from acumen.cli.shapes import held_out, require_known_classes, table_of

if TYPE_CHECKING:
    from acumen.data.schema import Schema
    from acumen.data.table import Table
    from acumen.rulelist.rule_list import RuleList


@click.group(no_args_is_help=False)
def rules() -> None:
    """Edit the rules of a model by hand, and report how reliable each rule is."""


@rules.command(cls=Guarded, short_help="Edit the rules of a model, and see the effect.")
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option(
    "--remove", "without", type=int, multiple=True, metavar="N", help="Remove rule N. May be repeated."
)
@click.option(
    "--move",
    type=(int, int),
    multiple=True,
    metavar="N TO",
    help="Move rule N to position TO. May be repeated.",
)
@click.option("--replace", type=(int, str), multiple=True, metavar="N RULE",
              help="Replace rule N by another: 'if a = b then c'. May be repeated.")  # fmt: skip
@click.option(
    "--insert",
    type=(int, str),
    multiple=True,
    metavar="N RULE",
    help="Insert a rule at position N. May be repeated.",
)
@click.option("--simplify", is_flag=True, help="Remove redundant conditions and rules.")
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Save the edited model to this file.")
@click.option(
    "--effect",
    metavar="DATA",
    type=FILE_IN,
    help="Table on which to show changed predictions, with a significance test.",
)
@click.option("--folds", type=click.IntRange(2),
              help="Also compare both lists and a retrained learner by cross-validation on --effect.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the folds.")
@click.option("--recount", is_flag=True, help="Recount the rows of each rule on --effect.")
@click.option("--json", "as_json", is_flag=True, help="Print the list and the effect as JSON.")
def edit(
    model: str,
    without: tuple[int, ...],
    move: tuple[tuple[int, int], ...],
    replace: tuple[tuple[int, str], ...],
    insert: tuple[tuple[int, str], ...],
    simplify: bool,
    output: str | None,
    effect: str | None,
    folds: int | None,
    seed: int,
    recount: bool,
    as_json: bool,
) -> None:
    """Edit the rules of a model, show the new list, and show the effect on the rows of a table.

    Edits run in this order: --replace, --move, --insert, --remove, --simplify; the numbers of --remove refer
    to the list before any rule is removed. The edited list is a new model for `predict`, `test`, `show` and
    `compare`; it records the edits.
    """
    from acumen.codegen import export
    from acumen.data.escape import printable_lines
    from acumen.store import load

    refuse_terminal(output)
    for flag, is_given in (("--recount counts", recount), ("--folds evaluates", folds is not None)):
        if is_given and effect is None:
            raise click.UsageError(f"{flag} the rows of a table; add --effect DATA.")
    learner = load(model)
    old = export.rules_of(learner.predictor_)
    schema = learner.predictor_.schema
    new = _edit_rules(old, schema, without, move, replace, insert, simplify)
    table = None if effect is None else table_of(effect, learner.predictor_)
    if recount and table is not None:
        new = new.recount(table)
    difference = None
    if table is not None:
        from acumen.assessment.effect import effect as effect_of

        difference = effect_of(old, new, table)
    held = (
        None if table is None or folds is None else held_out(learner, new, table, folds, seed, "rules edit")
    )
    if output is not None:
        _keep(new, learner, output)
    if as_json:
        content: dict[str, Any] = {"schema_version": 1, "rules": new.to_dict(), "model_file": output}
        facts = {
            name: None if each is None else each.to_dict()
            for name, each in (("effect", difference), ("held_out", held))
        }
        console.result_json({**content, **facts})
        return
    say = console.say if output == STDOUT else console.result
    say(printable_lines(new.describe(schema, full=True)))
    for each in (difference, held):
        if each is not None:
            say(f"\n{each}")
    if output is None:
        console.say("Model not saved; add -o FILE to save the edited model.")
    elif output != STDOUT:
        console.say(f"Model saved to {output}.")


@rules.command(cls=Guarded, short_help="Report how reliable each rule is.")
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.argument("data", metavar="DATA", type=FILE_IN)
@click.option("--folds", type=click.IntRange(0), default=10, show_default=True,
              help="Number of cross-validation folds; 0 for no held-out estimate.")  # fmt: skip
@click.option("--correction", "control", type=click.Choice(["hochberg", "yekutieli"]), default="hochberg",
              show_default=True,
              help="Correction of p-values for the number of rules; yekutieli allows any dependence between "
              "rules.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the folds.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def report(model: str, data: str, folds: int, control: Any, seed: int, as_json: bool) -> None:
    """Report how reliable each rule of a model is; DATA is the table it was trained on.

    For each rule: its accuracy with a confidence interval, on these rows and on held-out rows; the number of folds
    that found it again; a p-value (Fisher's exact test), corrected for all rules that the search evaluated; and
    conditions that could be removed.
    """
    from acumen.assessment.rule_report import rule_report
    from acumen.codegen import export
    from acumen.profiling.fit_warnings import data_warnings_off
    from acumen.store import load

    learner = load(model)
    export.rules_of(learner.predictor_)  # or it is said, before anything is read, that there are none
    table = table_of(data, learner.predictor_)
    require_known_classes(table, "rules report")
    with console.busy("evaluating the rules"), data_warnings_off():
        result = rule_report(
            learner,
            table,
            folds=folds,
            correction=control,
            n_tested=_looked_at(learner, table),
            random_state=seed,
        )
    if as_json:
        console.result_json(result.to_dict())
    else:
        console.result(str(result))


def _looked_at(learner: Any, table: Table) -> int | None:
    """How many rules the search looked at, which the file does not tell: known where learning again gives the rules."""
    from acumen.base.scikit import clone
    from acumen.codegen import export

    if learner.kind == "rule-classifier":  # rules by hand, which nothing looked for
        return None
    again = clone(learner).fit(table)
    same = export.rules_of(again.predictor_).rules == export.rules_of(learner.predictor_).rules
    return getattr(again, "n_tested_", None) if same else None


def _edit_rules(
    old: RuleList,
    schema: Schema,
    without: tuple[int, ...],
    move: tuple[tuple[int, int], ...],
    replace: tuple[tuple[int, str], ...],
    insert: tuple[tuple[int, str], ...],
    simplify: bool,
) -> RuleList:
    from acumen.rulelist.parsing import parse_rule

    new = old
    for number, text in replace:
        new = new.replace_rule(_place(number, len(new), "--replace"), parse_rule(text, schema))
    for number, to in move:
        new = new.move_rule(_place(number, len(new), "--move"), _place(to, len(new), "--move"))
    for number, text in insert:
        new = new.insert_rule(_place(number, len(new) + 1, "--insert"), parse_rule(text, schema))
    for place in sorted({_place(number, len(new), "--remove") for number in without}, reverse=True):
        new = new.without(place)
    if simplify:
        new = new.simplify()
    if new is old:
        raise click.UsageError("give at least one of --remove, --move, --replace, --insert and --simplify.")
    return new


def _place(number: int, rules: int, option: str) -> int:
    """The place of a rule, from 0, whose printed number this is."""
    if not 1 <= number <= rules:
        raise click.UsageError(f"{option}: rules are numbered from 1 to {rules}; got {number}.")
    return number - 1


def _keep(new: RuleList, learner: Any, output: str) -> None:
    """The edited list as a model file, with the old model's record of its training."""
    from dataclasses import replace

    from acumen.rules.learners import RuleClassifier
    from acumen.rules.models import GivenRules
    from acumen.store import save

    classifier = RuleClassifier(
        new,
        costs=getattr(learner, "costs", None),
        priors=getattr(learner, "priors", None),
        class_weight=getattr(learner, "class_weight", None),
    )
    classifier.restore_state(replace(learner.predictor_, model=GivenRules.of(new)), learner.training_)
    save(classifier, output)
