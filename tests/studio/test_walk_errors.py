"""The screen of errors: cells select rows, costs move the threshold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import acumen
from studio_served import HOSTILE, Served, write_customers
from studio_walked import Walk, expect, needs_chromium

pytestmark = needs_chromium

MARKED = ("ROC", "Precision and recall", "Gain", "Lift", "Cost")


def test_a_person_opens_a_hostile_table_selects_errors_and_sees_their_rows(walk):
    page = walk.page
    walk.open()
    walk.sees("Built-in tables")
    page.wait_for_url(lambda url: "key" not in url)
    walk.accessible()
    page.get_by_role("link", name="customers.csv").click()
    walk.sees("Suggested: churned, since its name")
    page.get_by_role("region", name="Table of rows").wait_for()
    walk.sees("Classes: ")
    assert HOSTILE in page.get_by_role("region", name="Table of columns").inner_text()
    assert page.locator("main img").count() == 0
    page.locator("footer pre").filter(has_text="--target").wait_for()  # the guess is taken, and asked with
    expect(page.locator("footer pre")).to_have_text("acumen inspect customers.csv --target churned")
    walk.accessible()
    walk.shot("table")
    page.goto(f"{walk.studio.base}/errors?file=customers.csv&target=churned&learner=naive-bayes&folds=3")
    page.locator("[data-cell='leaves,stays']").wait_for()
    count = int(re.match(r"\d+", page.locator("[data-cell='leaves,stays']").inner_text())[0])
    walk.accessible()
    asked = len(walk.questions)
    marker = page.locator("[data-marker='ROC']")
    before = marker.get_attribute("cx")
    page.get_by_label("Called from a probability of").fill("40")
    expect(marker).not_to_have_attribute("cx", before)
    page.get_by_role("button", name="Back to 0.5").click()
    expect(marker).to_have_attribute("cx", before)
    assert len(walk.questions) == asked, "the slider asks nobody"
    page.locator("[data-cell='leaves,stays']").press("Enter")
    strip = page.get_by_role("region", name="Selection")
    strip.get_by_text(f"{count} rows").wait_for()
    page.get_by_role("link", name="Table").click()
    walk.sees(f"{count} selected rows of 300")
    page.go_back()
    page.locator("[data-cell='leaves,stays'][aria-pressed=true]").wait_for()
    page.reload()
    page.locator("[data-cell='leaves,stays'][aria-pressed=true]").wait_for()


@pytest.mark.slow
def test_journey_costs_move_the_threshold_to_the_cheapest_everywhere(walk):
    page = walk.page
    walk.open("/errors?file=customers.csv&target=churned&learner=logistic&positive=leaves&folds=5")
    missed = page.get_by_label("A missed leaves")
    missed.wait_for()
    before = {name: page.locator(f"[data-marker='{name}']").get_attribute("cx") for name in MARKED}
    asked = len(walk.questions)
    missed.fill("5")
    for name, was in before.items():
        expect(page.locator(f"[data-marker='{name}']")).not_to_have_attribute("cx", was)
    after = {name: page.locator(f"[data-marker='{name}']").get_attribute("cx") for name in before}
    further = [name for name in MARKED if float(after[name]) > float(before[name])]
    assert further == ["ROC", "Precision and recall", "Gain", "Lift"], (
        "more rows are called, at a lower threshold"
    )
    assert len(walk.questions) == asked
    # The costs and the threshold are in the address.
    shown = page.locator("output[for=threshold]").inner_text()
    page.wait_for_url(re.compile(r"threshold=0\.\d+&missed=5"))
    page.reload()
    expect(missed).to_have_value("5")
    expect(page.locator("output[for=threshold]")).to_have_text(shown)
    walk.sees("--costs missed=5,alarm=1 --positive-class leaves")
    said = re.search(r"--threshold (\S+) --positive-class leaves$", walk.command())
    assert said, walk.command()
    assert float(said[1]) == pytest.approx(
        float(page.locator("output[for=threshold]").inner_text()), abs=6e-4
    )
    page.get_by_role("button", name="Back to 0.5").click()
    expect(page.locator("footer pre")).not_to_contain_text("--threshold")
    table = acumen.read(walk.studio.folder / "customers.csv", target="churned", ignore=["customer_id"])
    costs = {("stays", "leaves"): 5, ("leaves", "stays"): 1}
    found = acumen.assess(acumen.Logistic(), table, acumen.KFold(5), ["cost"], 0, costs=costs).interval_of(
        "cost"
    )
    said = [
        float(n) for n in re.findall(r"[\d.]+", page.locator("[data-cost]").inner_text().replace(",", ""))
    ]
    assert [said[0], *said[3:]] == pytest.approx(
        [1000 * found.estimate, 1000 * found.low, 1000 * found.high], rel=1e-3
    )
    walk.shot("errors")
    page.select_option("select >> nth=1", "naive-bayes")
    page.locator("[data-apart='only_a']").click()
    page.get_by_role("region", name="Selection").get_by_text("only Logistic right").wait_for()


@pytest.mark.slow
def test_journey_who_are_the_errors_and_where_in_the_tree_do_they_end(walk):
    page = walk.page
    walk.open("/errors?dataset=iris&learner=naive-bayes&folds=5")
    page.locator("[data-cell='Iris-versicolor,Iris-virginica']").click()
    page.get_by_role("region", name="Selection").get_by_text("by NaiveBayes").wait_for()
    page.get_by_role("link", name="Model", exact=True).click()
    page.get_by_label("Learner").select_option("decision-tree")
    page.locator("[data-node='0'].marked").wait_for()
    assert page.locator("[data-node='1'].marked").count() == 0, "no setosa is among them"
    walk.accessible()
    walk.shot("nodes")


@pytest.mark.slow
def test_a_hundred_thousand_rows_leave_the_page_light(context, folder: Path, studio: Served, request: Any):
    path = folder / "many.csv"
    write_customers(path, 100_000)
    request.addfinalizer(path.unlink)
    walk = Walk(context.new_page(), studio)
    walk.open("/errors?file=many.csv&target=churned&learner=naive-bayes&positive=leaves&folds=3")
    walk.page.locator("[data-cell='leaves,stays']").wait_for()
    points = walk.page.evaluate("document.querySelector('.curve').getAttribute('d').split('L').length")
    assert points <= 502
    took = walk.page.evaluate(
        """async () => { const s = document.querySelector('input[type=range]'); const n = [];
        for (let i = 5; i < 60; i++) { const t = performance.now(); s.value = i;
        s.dispatchEvent(new Event('input', {bubbles: true})); await new Promise(r => setTimeout(r));
        n.push(performance.now() - t); } n.sort((a, b) => a - b); return n[Math.floor(n.length / 2)]; }"""
    )
    print(f"a move of the slider takes {took:.1f} ms in the middle")  # told, not judged by
    walk.page.locator("[data-cell='leaves,stays']").click()
    walk.page.get_by_role("region", name="Selection").get_by_text("rows").first.wait_for()
    walk.fine()
