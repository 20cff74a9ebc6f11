"""One cluster of two workers for all: starting one takes longer than most of what is asked of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Two workers of one thread each, on this machine."""
    pytest.importorskip("distributed", reason="the engine dask needs the package distributed")
    from acumen.engines import Dask

    with Dask(workers=2, timeout=500) as made:
        made.client  # noqa: B018 - it starts when it is first asked for
        yield made
