"""The screen of a model: drawn, pruned, changed by hand."""

from __future__ import annotations

import re

import pytest

import acumen
from studio_walked import expect, needs_chromium

pytestmark = needs_chromium


@pytest.mark.slow
def test_journey_grow_prune_and_click_nodes_with_the_keyboard(walk):
    page = walk.page
    walk.open("/model?dataset=iris&learner=decision-tree")
    node = page.locator("[data-node='2']")
    node.wait_for()
    walk.accessible()
    walk.shot("model")
    node.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('data-node')") not in (None, "2")
    node.focus()
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Selection").get_by_text("100 rows").wait_for()
    page.get_by_label("Prune").fill("2")
    walk.sees("3 leaves")
    page.locator("[data-node]").nth(5).wait_for(state="detached")
    page.get_by_role("button", name="Hide details").click()
    page.wait_for_url(lambda url: "prune=2" in url and "plain=" in url)
    page.reload()
    walk.sees("3 leaves")
    expect(page.get_by_role("button", name="Hide details")).to_have_attribute("aria-pressed", "true")


def test_work_that_nobody_waits_for_is_stopped_and_the_next_begins(walk):
    page = walk.page
    walk.open("/errors?dataset=iris&learner=random-forest(n_estimators=20000)")
    page.get_by_role("button", name="Stop").click()
    page.locator("main .trouble").filter(has_text=re.compile("stopped", re.IGNORECASE)).wait_for()
    page.get_by_label("Learner").select_option("extra-trees")
    page.goto(f"{walk.studio.base}/model?dataset=iris&learner=random-forest(n_estimators=20000)")
    page.get_by_role("button", name="Stop").wait_for()
    page.get_by_label("Learner").select_option("one-r")
    walk.sees("Learned from 150 rows")


@pytest.mark.slow
def test_journey_rules_are_moved_rewritten_undone_and_judged_on_the_same_folds(walk):
    page = walk.page
    walk.open("/model?dataset=iris&learner=decision-tree")
    page.get_by_label("Move rule 1 down").click()
    change = page.get_by_role("region", name="The change")
    change.get_by_text("The learner, retrained on each fold").wait_for()
    assert (
        "rules edit model.acm --move 2 1 --effect iris --recount --folds 10 -o edited.acm" in walk.command()
    )
    page.get_by_label("Rewrite rule 2").click()
    page.get_by_label("Rule 2", exact=True).fill("if petal_wid <= 1 then Iris-setosa")
    page.get_by_role("button", name="Use it").click()
    walk.sees("Did you mean 'petal_width'?")
    page.get_by_label("Rule 2", exact=True).fill("if petal_width <= 0.5 then Iris-setosa")
    page.get_by_role("button", name="Use it").click()
    walk.sees("(rewritten)")
    iris = acumen.datasets.load("iris")
    rules = acumen.DecisionTree(random_state=0).fit(iris).to_rules().move_rule(0, 1)
    new = rules.replace_rule(
        1, acumen.RuleList.parse("if petal_width <= 0.5 then Iris-setosa", iris.schema)[0]
    )
    told = acumen.effect(rules.move_rule(0, 1), new, iris)
    change.get_by_text(f"{told.old_errors} errors before, {told.new_errors} now").wait_for()
    change.get_by_role("rowheader", name="As edited").wait_for()
    walk.accessible()
    walk.shot("rules")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Keep the changed model").click()
    assert "Edited: replaced rule 1" in acumen.load(kept.value.path()).describe()
    page.reload()
    walk.sees("(rewritten)")
    page.get_by_role("button", name="As learned").click()
    page.get_by_text("edited by hand").first.wait_for(state="detached")
    page.get_by_role("button", name=re.compile("^Leave out rule 5")).click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name=re.compile("^Leave out rule 5")).wait_for()


@pytest.mark.slow
def test_journey_a_shape_is_dropped_judged_and_taken_back(walk):
    page = walk.page
    walk.open("/model?file=customers.csv&target=churned&learner=additive")
    page.get_by_role("combobox", name=re.compile("^Shape")).select_option("calls")
    page.get_by_role("button", name="Drop it").click()
    walk.sees("calls: dropped")
    change = page.get_by_role("region", name="The change")
    change.get_by_role("rowheader", name="As edited").wait_for()
    assert 'additive(edits={"calls":"drop"})' in walk.command()
    walk.accessible()
    walk.shot("shapes")
    page.get_by_role("combobox", name=re.compile("^Shape")).select_option("age")
    page.get_by_label("From").fill("30")
    page.get_by_label("to", exact=True).fill("50")
    page.get_by_role("button", name="Flatten between them").click()
    walk.sees("age: flattened (30 to 50)")
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("age: flattened").wait_for(state="detached")


@pytest.mark.slow
def test_journey_a_model_file_is_opened_its_shapes_changed_judged_kept_and_opened_again(walk, tmp_path):
    page, iris = walk.page, acumen.datasets.load("iris")
    acumen.save(acumen.Additive().fit(iris), tmp_path / "flowers.acm")
    walk.open()
    page.set_input_files("input[type=file]", tmp_path / "flowers.acm")
    page.get_by_role("combobox", name=re.compile("^Shape")).select_option("petal_width")
    page.get_by_role("button", name="Drop it").click()
    walk.sees("petal_width: dropped")
    change = page.get_by_role("region", name="The change")
    change.get_by_label("See what it does to the rows of").select_option("dataset:iris")
    change.get_by_role("rowheader", name="As edited").wait_for()
    told = acumen.effect(
        acumen.load(tmp_path / "flowers.acm"), acumen.Additive().fit(iris).edit("petal_width"), iris
    )
    change.get_by_text(f"{told.old_errors} errors before, {told.new_errors} now").wait_for()
    assert walk.command().startswith(
        "acumen shapes edit flowers.acm --remove petal_width --effect iris --folds 10"
    )
    walk.accessible()
    walk.shot("file-shapes")
    with page.expect_download() as kept:
        change.get_by_role("button", name="Keep the changed model").click()
    assert acumen.load(kept.value.path()).edits == {"petal_width": "drop"}
    page.reload()
    walk.sees("petal_width: dropped")
    page.get_by_role("button", name="petal_width as learned").click()
    page.get_by_text("edited by hand").first.wait_for(state="detached")


@pytest.mark.slow
def test_a_machine_is_drawn_over_two_columns_that_are_chosen(walk):
    page = walk.page
    walk.open("/model?dataset=iris&learner=svm")
    drawing = page.locator("details[open] .drawing svg")
    drawing.get_by_text("Margin of Iris-versicolor against Iris-setosa").first.wait_for(state="attached")
    page.get_by_label("Across").select_option("petal_length")
    drawing.get_by_text("petal_length").first.wait_for(state="attached")
    page.get_by_role("combobox", name="Machine").select_option(index=2)
    drawing.get_by_text("Margin of Iris-virginica against Iris-versicolor").first.wait_for(state="attached")
    expect(page.get_by_label("Up").locator("option", has_text="petal_length")).to_have_count(0)
