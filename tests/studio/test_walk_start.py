"""The first screen, and coming back to where one was."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pytest

from studio_served import Served, write_customers
from studio_walked import Walk, expect, needs_chromium

pytestmark = needs_chromium


@pytest.mark.slow
def test_a_dropped_file_is_opened(walk, tmp_path):
    page = walk.page
    walk.open()
    path = tmp_path / "dropped.csv"
    write_customers(path, 60)
    page.set_input_files("input[type=file]", path)
    walk.sees("60 rows, 6 columns")
    expect(page.locator("footer pre")).to_have_text(re.compile("^acumen inspect dropped.csv"))


@pytest.mark.slow
def test_state_comes_back_from_the_address_after_the_server_was_killed(context, folder):
    first = Served(folder)
    walk = Walk(context.new_page(), first)
    walk.open("/errors?file=customers.csv&target=churned&learner=naive-bayes&folds=3")
    walk.page.locator("[data-cell='leaves,stays']").click()
    url = walk.page.url
    first.process.kill()
    first.process.wait()
    first.process.stdout.close()
    second = Served(folder, "--port", str(first.port))
    try:
        walk.page.goto(url)
        walk.sees("This page needs its key")
        walk.page.get_by_label("Address or key").fill(second.address)
        walk.page.get_by_role("button", name="Open").click()
        walk.page.locator("[data-cell='leaves,stays'][aria-pressed=true]").wait_for()
        # Rows of groups that only the studio before had found: they are found again.
        cluster = {"table": {"source": {"dataset": "iris"}}, "learner": "k-means", "k": "3"}
        chosen = {"said": "in cluster 0", "rows": {"group": {"cluster": cluster, "group": 0}}}
        walk.page.goto(f"{second.base}/table?{urlencode({'dataset': 'iris', 'sel': json.dumps(chosen)})}")
        walk.sees("selected rows of 150")
        # A file that was dropped on the page before is gone, and so said; its number names no other file.
        walk.page.goto(f"{second.base}/table?upload=0&uploadName=dropped.csv")
        walk.sees("dropped.csv is not here")
        walk.sees("drop it again")
    finally:
        second.end()
