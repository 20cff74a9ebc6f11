"""The test-only kind of model, known to the table of kinds while a test runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.models import kinds
from store.toy_kind import TOY, Toy, mixed_table


@pytest.fixture(autouse=True)
def toy_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "KINDS", {**kinds.KINDS, **TOY})


@pytest.fixture
def toy() -> Toy:
    """A fitted learner of the test-only kind, with costs and priors."""
    return Toy(costs={("a", "b"): 5.0}, priors="uniform").fit(mixed_table())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test may write its model."""
    return tmp_path / "m.acm"
