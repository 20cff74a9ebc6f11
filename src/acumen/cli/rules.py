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
    """Rules by hand: how far to trust each, and a list changed like a text."""


@rules.command(cls=Guarded, short_help="Change a model's rules, and see what that does.")
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.option("--without", type=int, multiple=True, metavar="N", help="Leave out rule N. May be repeated.")
@click.option("--move", type=(int, int), multiple=True, metavar="N TO", help="Put rule N at the place TO.")
@click.option("--replace", type=(int, str), multiple=True, metavar="N RULE",
              help="Another rule in the place of rule N: 'if a = b then c'.")  # fmt: skip
@click.option(
    "--insert", type=(int, str), multiple=True, metavar="N RULE", help="A rule more, which has the place N."
)
@click.option("--simplify", is_flag=True, help="Leave out conditions and rules that say nothing new.")
@click.option("-o", "--output", metavar="FILE", type=FILE_OUT, help="Where to keep the edited model.")
@click.option(
    "--effect",
    metavar="DATA",
    type=FILE_IN,
    help="A table: which of its rows are answered otherwise, and a test.",
)
@click.option("--folds", type=click.IntRange(2),
              help="Judge both lists on so many folds of --effect too, beside the learner anew.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="For the folds.")
@click.option("--recount", is_flag=True, help="Count the rows of --effect anew behind each rule.")
@click.option("--json", "as_json", is_flag=True, help="The list and the effect, as JSON.")
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
    """Change the rules of a model, show the new list, and what the change does to a table's rows.

    Changes are made in this order: --replace, --move, --insert, --without, --simplify; all numbers of --without are
    those of the list before it is made. The edited list is a model of its own, which `predict`, `test`, `show` and
    `compare` take; it remembers what was changed.
    """
    from acumen.codegen import export
    from acumen.data.escape import printable_lines
    from acumen.store import load

    refuse_terminal(output)
    for flag, is_given in (("--recount counts", recount), ("--folds judges", folds is not None)):
        if is_given and effect is None:
            raise click.UsageError(f"{flag} the rows of a table; give it by --effect DATA.")
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
        console.say("not kept; give -o FILE to keep the edited model.")
    elif output != STDOUT:
        console.say(f"kept in {output}")


@rules.command(cls=Guarded, short_help="Tell how far each rule can be trusted.")
@click.argument("model", metavar="MODEL", type=FILE_IN)
@click.argument("data", metavar="DATA", type=FILE_IN)
@click.option("--folds", type=click.IntRange(0), default=10, show_default=True,
              help="In how many parts rows are left out in turn; 0 for none.")  # fmt: skip
@click.option("--control", type=click.Choice(["hochberg", "yekutieli"]), default="hochberg", show_default=True,
              help="How p-values are corrected; yekutieli whatever the dependence between rules.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="For the folds.")
@click.option("--json", "as_json", is_flag=True, help="All of it, as JSON.")
def report(model: str, data: str, folds: int, control: Any, seed: int, as_json: bool) -> None:
    """Tell how far each rule of a model can be trusted; DATA is the table it was learned from.

    Of each rule: how often it is right, with an interval, on these rows and on rows left out; in how many folds it was
    found again; the chance that a rule without meaning is as good (Fisher's exact test), corrected for all rules that
    were looked at; and which condition it could do without.
    """
    from acumen.assessment.rule_report import rule_report
    from acumen.codegen import export
    from acumen.profiling.fit_warnings import data_warnings_off
    from acumen.store import load

    learner = load(model)
    export.rules_of(learner.predictor_)  # or it is said, before anything is read, that there are none
    table = table_of(data, learner.predictor_)
    require_known_classes(table, "rules report")
    with console.busy("judging the rules"), data_warnings_off():
        result = rule_report(
            learner,
            table,
            folds=folds,
            control=control,
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
    for place in sorted({_place(number, len(new), "--without") for number in without}, reverse=True):
        new = new.without(place)
    if simplify:
        new = new.simplify()
    if new is old:
        raise click.UsageError("say what to change: --without, --move, --replace, --insert or --simplify.")
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
    classifier.restored(replace(learner.predictor_, model=GivenRules.of(new)), learner.training_)
    save(classifier, output)
