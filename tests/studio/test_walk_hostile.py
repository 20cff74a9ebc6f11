"""Pages and programs that would misuse a studio, as a browser meets them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from studio_served import Served
from studio_walked import CHROMIUM, Walk, needs_chromium

pytestmark = [needs_chromium, pytest.mark.slow]


class _Page(BaseHTTPRequestHandler):
    """Somebody else's page: it holds nothing but what the test makes it do."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><p>elsewhere</p>")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def rebound(browser: Any) -> Iterator[Any]:
    """A browser to which a name of somebody else's has come to mean this machine."""
    words = ["--headless=new", "--no-sandbox", "--disable-gpu"]
    made = browser.browser_type.launch(
        executable_path=CHROMIUM,
        headless=True,
        args=[*words, "--host-resolver-rules=MAP evil.example 127.0.0.1"],
    )
    yield made
    made.close()


@pytest.mark.parametrize("path", ["/", "/static/studio.js", "/api/start"])
def test_a_name_that_was_rebound_to_this_machine_is_served_nothing(rebound, studio: Served, path: str):
    page = rebound.new_page()
    answer = page.goto(f"http://evil.example:{studio.port}{path}")
    assert answer.status == 421
    assert "studio.js" not in page.content() and "customers" not in page.content()
    page.close()


TRIED = """async ([base, key]) => {
  const said = [];
  for (const [method, path, headers] of [
      ['GET', '/api/start', {}], ['GET', '/api/start', {Authorization: 'Bearer ' + key}],
      ['POST', '/api/jobs', {'Content-Type': 'text/plain'}],
      ['POST', '/api/jobs', {'Content-Type': 'application/json', Authorization: 'Bearer ' + key}],
      ['PUT', '/api/upload', {Authorization: 'Bearer ' + key}], ['GET', '/static/studio.js', {}]])
    for (const mode of ['cors', 'no-cors'])
      try {
        const body = method === 'GET' ? null : '{"job": "keep"}';
        const answer = await fetch(base + path, {method, mode, headers, body});
        said.push(answer.type === 'opaque' ? 'opaque' : await answer.text());
      } catch { said.push('refused'); }
  return said; }"""


def test_a_page_of_another_origin_reads_nothing_and_begins_nothing_even_with_the_key(
    context, studio: Served, elsewhere: str
):
    begun = studio.begin("learn", model={"table": {"source": {"dataset": "iris"}}, "learner": "majority"})
    page = context.new_page()
    page.goto(elsewhere)
    said = page.evaluate(TRIED, [studio.base, studio.key])
    assert set(said) <= {"refused", "opaque"}, said
    after = studio.begin("learn", model={"table": {"source": {"dataset": "iris"}}, "learner": "majority"})
    assert after == begun + 1, "no job was begun in between"


def test_no_page_frames_the_studio_or_keeps_a_hand_on_its_window(context, studio: Served, elsewhere: str):
    page = context.new_page()
    page.goto(elsewhere)
    page.evaluate(
        """base => new Promise(done => { const f = document.createElement('iframe'); f.src = base; f.onload = done;
        document.body.append(f); })""",
        studio.base,
    )
    assert all(frame.locator("#studio").count() == 0 for frame in page.frames[1:])
    with context.expect_page() as opened:
        page.evaluate("base => { window.other = window.open(base); }", studio.base)
    opened.value.get_by_text("This page needs its key").wait_for()
    assert page.evaluate("other.closed"), "what opened it has no hand on it"


def test_a_job_that_is_killed_is_told_on_the_page_which_goes_on(walk: Walk):
    page, studio = walk.page, walk.studio
    walk.open("/compare?dataset=iris&learners=random-forest(n_estimators%3D300)&folds=10&repeats=900")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator("circle.mean").first.wait_for()
    found = subprocess.run(["ps", "-ww", "-o", "pid=,args=", "--ppid", str(studio.process.pid)],
                           capture_output=True, text=True, check=True).stdout.splitlines()  # fmt: skip
    for line in found:
        pid, _, words = line.strip().partition(" ")
        if "spawn_main" in words:
            os.kill(int(pid), signal.SIGKILL)
    walk.sees("ended from outside")
    page.get_by_role("link", name="Model", exact=True).click()
    page.get_by_label("Learner").select_option("naive-bayes")
    walk.sees("Naive Bayes for class")
    walk.wrong = [said for said in walk.wrong if "503" not in said]  # asked again by the page itself


def test_ten_thousand_columns_are_a_page_that_can_be_used(context, folder, studio: Served, request: Any):
    path = folder / "wide.csv"
    rows = [",".join("12"[(i + j) % 2] for j in range(10_000)) + "," + "ab"[i % 2] for i in range(40)]
    path.write_text("\n".join([",".join(f"c{i}" for i in range(10_000)) + ",class", *rows]) + "\n")
    request.addfinalizer(path.unlink)
    walk = Walk(context.new_page(), studio)
    walk.open("/table?file=wide.csv&target=class")
    walk.sees("40 rows, 10,001 columns")
    walk.page.get_by_role("region", name="Table of rows").wait_for()
    walk.sees("more columns not shown")
    # Once it stands: while findings come in, what is replaced may still be there beside what replaces it.
    walk.page.wait_for_function("document.querySelectorAll('*').length < 40000")
    walk.page.get_by_label("Find").fill("c9999")
    walk.page.get_by_label("Choose c9999").click()
    walk.page.get_by_role("button", name="nominal", exact=True).click()
    walk.page.wait_for_url(re.compile("c9999%3Anominal"))
    walk.fine()
