"""A studio on a folder with a few tables, one for all tests of a process; a browser for each file of walks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from studio_served import Served, write_customers

if TYPE_CHECKING:
    from studio_walked import Walk


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("studio") / "tables"
    made.mkdir()
    write_customers(made / "customers.csv")
    outside = made.parent / "secret.csv"
    outside.write_text("a,b\n1,2\n3,4\n")
    (made / "out.csv").symlink_to(outside)
    (made / "below").mkdir()
    (made / "below" / "small.csv").write_text("x,class\n1,a\n2,b\n3,a\n4,b\n")
    (made / "leads").symlink_to(made.parent, target_is_directory=True)
    return made


@pytest.fixture(scope="session")
def studio(folder: Path) -> Iterator[Served]:
    pytest.importorskip("starlette", reason="the studio needs the extra `studio`")
    pytest.importorskip("uvicorn", reason="the studio needs the extra `studio`")
    made = Served(folder)
    yield made
    made.end(signal.SIGTERM)


# -- walks: playwright is imported where a browser is asked for, and not before ------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from studio_walked import CHROMIUM, sync_api

    with sync_api.sync_playwright() as driver:
        made = driver.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=["--headless=new", "--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:
    from studio_walked import PATIENCE

    made = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture
def walk(context: Any, studio: Served) -> Iterator[Walk]:
    from studio_walked import Walk

    made = Walk(context.new_page(), studio)
    yield made
    made.fine()
