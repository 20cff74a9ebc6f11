"""A browser that walks through a studio: the page, what a person sees of it, and what went wrong on it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from studio_served import Served

sync_api = pytest.importorskip("playwright.sync_api", reason="the walks need playwright")
expect = sync_api.expect
#: Milliseconds that anything is waited for: long, since others may use the machine.
PATIENCE = int(os.environ.get("ACUMEN_STUDIO_PATIENCE", "300000"))
expect.set_options(timeout=PATIENCE)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium here: apt-get install chromium"
)
AXE = Path(__file__).resolve().parents[1] / "studio-ui" / "node_modules" / "axe-core" / "axe.min.js"
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not here: npm ci in studio-ui")
SHOTS = os.environ.get("ACUMEN_STUDIO_SHOTS")


class Walk:
    """A page, and what went wrong on it."""

    def __init__(self, page: Any, studio: Served) -> None:
        self.page, self.studio = page, studio
        self.wrong: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda m: self.wrong.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: self.wrong.append(str(e)))
        page.on("dialog", lambda d: (self.wrong.append(f"dialog {d.message}"), d.dismiss()))
        page.on("request", lambda r: self.asked.append(r.url))

    def open(self, path: str = "/") -> None:
        self.page.goto(f"{self.studio.base}{path}#key={self.studio.key}")

    @property
    def questions(self) -> list[str]:
        """What the page asked the server; browsers fetch its icon again whenever its address changes."""
        return [url for url in self.asked if "/api/" in url]

    def sees(self, text: str) -> Any:
        found = self.page.get_by_text(text).first
        found.wait_for()
        return found

    def shot(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=f"{SHOTS}/{name}.png", full_page=False)

    def command(self) -> str:
        return str(self.page.locator("footer pre").inner_text())

    def accessible(self) -> None:
        """axe-core finds nothing to object to. A script from beside the policy: it is the test's, not the page's."""
        if not AXE.is_file():
            return
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate(
            "async () => (await axe.run()).violations.map(v => v.id + ': ' + v.nodes[0].html)"
        )
        assert found == [], found

    def fine(self) -> None:
        assert self.wrong == [], self.wrong
        outside = [url for url in self.asked if urlsplit(url).netloc != f"127.0.0.1:{self.studio.port}"
                   and not url.startswith(("data:", "blob:"))]  # fmt: skip
        assert outside == [], outside
        assert not [url for url in self.asked if self.studio.key in url]


def row_of(page: Any, table: str, name: str) -> Any:
    return page.get_by_role("region", name=table).get_by_role("row").filter(has_text=name)
