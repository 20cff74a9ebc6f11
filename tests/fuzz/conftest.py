"""The test-only kind of model takes part where model files are spoiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.models import kinds
from store.toy_kind import TOY


@pytest.fixture(autouse=True)
def toy_is_known(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.path.stem == "test_models":
        monkeypatch.setattr(kinds, "KINDS", {**kinds.KINDS, **TOY})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test may write its model."""
    return tmp_path / "m.acm"
