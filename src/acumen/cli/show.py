"""`acumen show MODEL`: what a model file holds; needs no scikit-learn."""

from __future__ import annotations

import click

from acumen.cli import console


@click.command()
@click.argument("model", metavar="MODEL")
@click.option("--full", is_flag=True, help="Everything, however long.")
@click.option("--json", "as_json", is_flag=True, help="The file's own manifest and description, as JSON.")
def show(model: str, full: bool, as_json: bool) -> None:
    """Show what was learned: the model in words, and what it was learned from."""
    from acumen.base.predictor import Predictor
    from acumen.show.escape import printable_lines
    from acumen.store import manifest
    from acumen.store import open as open_model

    predictor = open_model(model)
    about = manifest(model)
    if as_json:
        facts = {key: about[key] for key in ("format", "kind", "acumen", "parameters", "schema", "classes", "training")
                 if key in about}  # fmt: skip
        console.result_json({"schema_version": 1, **facts, "description": predictor.describe(full=True)})
        return
    console.result(printable_lines(predictor.describe(full=full)))
    training = about["training"]
    target = predictor.schema.target
    if isinstance(predictor, Predictor):
        answers = f"classes {', '.join(map(str, predictor.classes))}"
    else:
        answers = f"predicts the number {target.name if target is not None else ''}"
    console.result(
        printable_lines(
            f"\n{about['kind']}, learned from {training['rows']} rows of total weight {training['weight']:g}; "
            f"{len(predictor.schema)} attributes, {answers}"
        )
    )
