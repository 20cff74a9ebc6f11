"""The screen of comparing: rankings that fill, stop, and stand side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from studio_walked import expect, needs_chromium

pytestmark = needs_chromium


@pytest.mark.slow
def test_journey_which_learner_really_with_stop_and_two_runs_side_by_side(walk):
    page = walk.page
    walk.open("/table?file=customers.csv&target=churned")
    page.get_by_role("button", name="Compare learners").click()
    page.get_by_text("More learners, settings").click()
    page.get_by_label("Folds").fill("3")
    page.get_by_label("Repeats").fill("300")
    page.get_by_label("Time").fill("none")
    page.get_by_role("button", name="Take these").click()
    page.get_by_role("button", name="Compare", exact=True).click()
    walk.sees("So far; verdicts are made of whole repeats")
    page.locator("circle.mean").nth(2).wait_for()
    walk.shot("compare-live")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name=re.compile("^Compare")).wait_for()
    page.goto(
        f"{walk.studio.base}/compare?file=customers.csv&target=churned&learners=naive-bayes&learners=one-r&folds=3&repeats=2"
    )
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("region", name="Ranking").wait_for()
    assert "Majority" in page.get_by_role("region", name="Ranking").inner_text()
    assert "recommended" in page.get_by_role("region", name="Ranking").inner_text()
    expect(page.locator("footer pre")).to_contain_text("--learners naive-bayes,one-r --folds 3 --repeats 2")
    walk.accessible()
    walk.shot("compare")
    page.get_by_label("NaiveBayes").first.uncheck()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_label("Compare with the previous comparison").check()
    expect(page.get_by_role("region", name="Ranking")).to_have_count(2)


@pytest.mark.slow
def test_after_a_comparison_the_other_screens_are_about_the_recommended_learner(walk):
    page = walk.page
    walk.open("/compare?dataset=iris&learners=naive-bayes&learners=one-r&folds=3&repeats=2")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("region", name="Ranking").wait_for()
    page.get_by_role("navigation").get_by_role("link", name="Model").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Model: naive-bayes")
    walk.sees("Learned from 150 rows")


@pytest.mark.slow
def test_journey_too_good_a_leak_is_ignored_and_both_rankings_stand_side_by_side(
    walk, folder: Path, request: Any
):
    path = folder / "loans.csv"
    rows = [f"{i % 13},{(i * 7) % 11},{i % 2},{'bad' if i % 2 else 'good'}" for i in range(120)]
    path.write_text("\n".join(["x,y,paid_back,class", *rows]) + "\n")
    request.addfinalizer(path.unlink)
    page = walk.page
    walk.open("/table?file=loans.csv&target=class")
    page.get_by_role("button", name="Ignore paid_back").wait_for()
    ask = "/compare?file=loans.csv&target=class&learners=decision-tree&folds=3&repeats=1"
    page.goto(f"{walk.studio.base}{ask}")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("region", name="Ranking").wait_for()
    page.get_by_role("link", name="Table", exact=True).click()
    page.get_by_role("button", name="Ignore paid_back").click()
    page.wait_for_url(re.compile("ignore=paid_back"))
    page.get_by_role("link", name="Compare", exact=True).click()  # which goes on as it was left: it compares
    page.get_by_label("Compare with the previous comparison").check()
    now, before = (page.get_by_role("region", name="Ranking").nth(i).inner_text() for i in range(2))
    assert now != before
    assert "--ignore paid_back" in walk.command()
    walk.accessible()
    walk.shot("leak")
