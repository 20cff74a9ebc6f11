"""The promise of clusterers: of any table groups that keep their laws, or a sentence."""

from __future__ import annotations

import pytest

from fuzz.clusters import tried


def test_clusterers_on_spoiled_tables_keep_their_laws_or_say_why_not() -> None:
    tally, failures = tried(7, 160)
    assert not failures, "\n".join(failures)
    assert min(tally.values()) > 20, "both ends of the promise were tried"


@pytest.mark.slow
def test_many_more_spoiled_tables() -> None:
    tally, failures = tried(8, 2_000)
    assert not failures, "\n".join(failures)
    assert min(tally.values()) > 300
