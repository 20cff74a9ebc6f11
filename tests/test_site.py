"""The documentation as it is built: whole, self-contained, and working in a browser.

ACUMEN_SITE is the folder of a built site, as `.ci/run docs` makes it; without it these tests are skipped.
"""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest

SITE = Path(os.environ.get("ACUMEN_SITE", "") or "/nowhere")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="ACUMEN_SITE names no built documentation")
in_a_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium"
)
#: What a browser fetches by itself, by element; links that a person follows are not among them.
FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "object": "data"}


class Page(HTMLParser):
    """What a page fetches, where it leads, and the places in it that can be led to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if "id" in said:
            self.places.add(said["id"])
        if tag == "a" and "name" in said:
            self.places.add(said["name"])
        if tag == "a" and said.get("href"):
            self.leads.append(said["href"])
        if tag == "link" and said.get("rel") in ("canonical", "prev", "next"):
            return
        if said.get(FETCHED.get(tag, "")):
            self.fetched.append(said[FETCHED[tag]])


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(SITE.rglob("*.html"))}


def test_the_site_has_all_chapters(pages: dict[Path, Page]) -> None:
    names = {str(path.relative_to(SITE)) for path in pages}
    for chapter in (
        "examples/W000-05",
        "examples/coverage",
        "coming/weka",
        "gallery",
        "measured",
        "measured/bayes",
    ):
        assert {f"{chapter}/index.html", f"{chapter}.html"} & names, chapter
    assert sum(bool(re.search(r"examples/W\d{3}-\d\d", name)) for name in names) == 138


def test_pages_fetch_nothing_from_elsewhere(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        foreign = [address for address in page.fetched if urlsplit(address).netloc]
        assert not foreign, (path, foreign)
    for sheet in SITE.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?([^'\")]+)", sheet.read_text(encoding="utf-8")):
            assert not urlsplit(address).netloc, (sheet, address)


def target_of(path: Path, address: str) -> tuple[Path, str]:
    """The file and the place that a link of a page leads to."""
    split = urlsplit(urljoin(f"http://here/{path.relative_to(SITE)}", address))
    file = SITE / unquote(split.path).lstrip("/")
    return (file / "index.html" if file.is_dir() or split.path.endswith("/") else file), unquote(
        split.fragment
    )


def test_every_link_within_the_site_leads_somewhere(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        for address in {*page.leads, *page.fetched}:
            if urlsplit(address).scheme or urlsplit(address).netloc:
                continue
            file, place = target_of(path, address)
            assert file.is_file(), (path, address)
            if place and file in pages and not place.startswith("__"):
                assert place in pages[file].places, (path, address)


# -- in a browser --------------------------------------------------------------------------------------


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """The site, served to this machine alone."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Reader:
    """A person with a browser, and what their pages asked for."""

    def __init__(self, context: Any, base: str) -> None:
        self.base, self.asked, self.wrong = base, [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)

    def open(self, name: str) -> None:
        """A page by its name, however the builder spells addresses."""
        path = f"{name}/" if (SITE / name / "index.html").is_file() else f"{name}.html"
        self.page.goto(f"{self.base}/{path}", wait_until="load")

    def end(self) -> None:
        hosts = {
            urlsplit(address).netloc for address in self.asked if not address.startswith(("data:", "blob:"))
        }
        assert hosts == {urlsplit(self.base).netloc}
        assert self.wrong == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="this needs playwright")
    with sync_api.sync_playwright() as driver:
        made = driver.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--headless=new", "--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()


@pytest.fixture
def reader(browser: Any, base: str) -> Iterator[Reader]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    made = Reader(context, base)
    yield made
    made.end()
    context.close()


@in_a_browser
def test_search_works_without_any_other_host(reader: Reader) -> None:
    reader.open("examples")
    page = reader.page
    page.wait_for_timeout(1500)  # the page listens to its keys a moment after it is loaded
    page.keyboard.press("/")
    page.wait_for_timeout(500)
    page.keyboard.type("ripper compared")
    page.get_by_text(re.compile("RIPPER compared with JRip")).first.wait_for()


def ticks(reader: Reader, id: str) -> bool:
    """Whether the first link to a worked example has a tick behind it."""
    found = reader.page.locator(f"article a[href*='{id}']").first
    return bool(found.evaluate("link => (link.nextSibling?.textContent ?? '').startsWith(' ✓')"))


@in_a_browser
def test_examples_that_were_read_are_ticked_and_stay_so(reader: Reader) -> None:
    reader.open("examples/by-method")
    assert not ticks(reader, "W000-05") and not ticks(reader, "W001-06")
    reader.open("examples/W000-05")
    for index in ("by-method", "by-document", "coverage", "by-difficulty"):
        reader.open(f"examples/{index}")
        assert ticks(reader, "W000-05") and not ticks(reader, "W001-06"), index
    reader.open("examples/W001-06")
    reader.open("examples/coverage")
    reader.page.reload(wait_until="load")
    assert ticks(reader, "W000-05") and ticks(reader, "W001-06")


@in_a_browser
def test_the_afternoon_says_how_far_one_has_come(reader: Reader) -> None:
    reader.open("examples/afternoon")
    said = reader.page.locator("#examples-progress")
    assert said.inner_text() == "0 of 12 read so far."
    first = reader.page.locator("article ol a").first
    with reader.page.expect_navigation():
        first.click()
    reader.open("examples/afternoon")
    assert said.inner_text() == "1 of 12 read so far."
    reader.open("examples")
    assert said.inner_text() == "1 of 138 read so far."


@in_a_browser
def test_progress_without_storage_is_no_progress_and_no_error(browser: Any, base: str) -> None:
    context = browser.new_context()
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    )
    reader = Reader(context, base)
    reader.page.goto(f"{base}/examples/by-method/", wait_until="load")
    assert not ticks(reader, "W000-05")
    assert not [said for said in reader.wrong if "progress" in said]
    context.close()


@in_a_browser
def test_steps_are_folded_and_the_blank_is_hidden_until_it_is_asked_for(reader: Reader) -> None:
    reader.open("examples/W001-06")
    page = reader.page
    answer = page.locator("summary", has_text="Fill in the blank, then look").first
    assert not answer.is_visible()
    page.locator("summary", has_text="your turn").first.click()
    answer.click()
    assert page.locator("details details strong", has_text="13").first.is_visible()
    assert "9" in page.locator("article").inner_text()


@in_a_browser
def test_pictures_of_the_gallery_are_drawn_and_lead_to_their_code(reader: Reader) -> None:
    reader.open("gallery")
    page = reader.page
    pictures = page.locator(".gallery img")
    assert pictures.count() >= 25
    widths = pictures.evaluate_all("all => all.map(each => [each.naturalWidth, each.clientWidth])")
    assert all(natural > 0 and 0 < shown < 400 for natural, shown in widths)
    with page.expect_navigation():
        pictures.first.click()
    assert page.locator("h2", has_text="Code").is_visible()
