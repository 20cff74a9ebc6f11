"""The screen of groups and baskets."""

from __future__ import annotations

import re

import pytest

from studio_walked import expect, needs_chromium

pytestmark = needs_chromium


@pytest.mark.slow
def test_journey_groups_and_baskets_select_rows_as_everything_does(walk):
    page = walk.page
    strip = page.get_by_role("region", name="Selection")
    walk.open("/groups?dataset=iris")
    page.get_by_role("button", name="Find groups").click()
    places = page.get_by_role("region", name="How many groups")
    places.locator("[data-k='3']").wait_for(timeout=240_000)  # nine numbers of groups, and rows without any
    walk.accessible()
    walk.shot("groups-choose")
    places.locator("[data-k='3']").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('data-k')") == "4"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("k=3"))
    page.get_by_role("button", name=re.compile("^Group 2: ")).wait_for()
    assert "--n-clusters 3" in walk.command()
    page.get_by_role("button", name=re.compile("^Group 0")).first.click()
    strip.get_by_text("in cluster 0").wait_for()
    sizes = page.get_by_role("button", name=re.compile("^Group 0: ")).inner_text()
    strip.get_by_text(re.search(r"\d+ rows", sizes)[0]).first.wait_for()
    page.locator("[data-group='1']").press("Enter")
    strip.get_by_text("in cluster 1").wait_for()
    walk.shot("groups")
    page.goto(f"{walk.studio.base}/groups?dataset=loan")
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_role("region", name="Found").wait_for()
    expect(page.locator("footer pre")).to_contain_text("acumen mine loan")
    page.wait_for_url(re.compile("mine=rules"))
    page.get_by_role("button", name="confidence").click()
    page.get_by_role("button", name="right: with Class=No, Own_house=false").first.click()
    strip.get_by_text("6 rows").wait_for()
    walk.accessible()
    walk.shot("baskets")
    page.get_by_role("button", name="wrong").first.wait_for()
    page.get_by_label("Show those with").fill("credit")
    page.get_by_label("Lift at least").fill("1.2")
    assert re.search(
        r"\d+ of \d+ rules", page.get_by_role("region", name="What occurs together").inner_text()
    )
    page.get_by_role("link", name="Table").click()
    walk.sees("6 selected rows of 15")
    page.go_back()
    page.get_by_role("region", name="Found").wait_for()
