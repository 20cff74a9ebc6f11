"""Fixtures every room's tests may use."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import fixed_chance
from warm_python import WarmPython, warm_python

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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Where CI is set, what draws without a seed draws the same each time, too."""
    if os.environ.get("CI"):
        fixed_chance.begin(item.nodeid)


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
