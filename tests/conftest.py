"""Fixtures every room's tests may use."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import covered

#: Where ACUMEN_COVERAGE names a folder: what notes which lines and kernels the tests reach, before acumen is imported.
COVERAGE = covered.Coverage(folder) if (folder := os.environ.get("ACUMEN_COVERAGE")) else None

import fixed_chance  # noqa: E402
from warm_python import WarmPython, warm_python  # noqa: E402

# A law is not a timing: a slow machine must not fail it. Every run draws other examples (but where CI is set, as by
# .ci/run, which judges a change by what it changed), so many runs try many; `--hypothesis-profile=thorough` tries many
# at once.
ALIKE: dict[str, Any] = {
    "deadline": None,
    "derandomize": bool(os.environ.get("CI")),
    "suppress_health_check": [HealthCheck.too_slow],
}
settings.register_profile("acumen", max_examples=30, **ALIKE)
settings.register_profile("thorough", max_examples=1000, **ALIKE)
settings.load_profile("acumen")

if os.environ.get("CI"):
    fixed_chance.install()


def pytest_configure(config: pytest.Config) -> None:
    if COVERAGE is not None:
        config.pluginmanager.register(COVERAGE)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Where CI is set, what draws without a seed draws the same each time, too."""
    if os.environ.get("CI"):
        fixed_chance.begin(item.nodeid)


#: Tests that start, stop or kill processes, drive a browser or fill memory, by a fixture or a file. They are marked
#: `serial`: .ci/run runs them one at a time, so that no other test takes the machine from them.
SERIAL_FIXTURES = {"cluster", "ctrl_c", "studio", "browser"}
SERIAL_FILES = {
    "base/test_memory_budget.py",
    "cli/test_cli_completion.py",
    "cli/test_cli_files.py",
    "cli/test_cli_stopped.py",
    "engines/test_dask_faults.py",
    "fuzz/test_kills.py",
    "store/test_atomic.py",
    "studio/test_hostile.py",
    "test_readme.py",  # a comparison under a limit of time
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark serial tests, before `-m` chooses."""
    for item in items:
        file = item.path.relative_to(Path(__file__).parent).as_posix()
        if file in SERIAL_FILES or SERIAL_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("serial")


def pytest_collection_finish() -> None:
    """Keep the tests themselves out of every later garbage collection."""
    gc.collect()
    gc.freeze()


SHARED = Path(os.environ.get("ACUMEN_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets; a test that needs it is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the shared data sets are not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmPython]:
    """Runs programs, each in a process of its own that need not import the libraries first."""
    if not hasattr(os, "fork"):
        pytest.skip("this needs processes that fork")
    with warm_python() as made:
        yield made


@pytest.fixture
def ctrl_c():
    """Python's own answer to Ctrl-C, which processes started in the background are told to ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
