"""The promise: any arguments end in a documented exit code and a sentence. Long runs are by hand."""

from __future__ import annotations

import sys

import pytest

from fuzz.commands import TRIED, argument_lists, tried

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs alarms and limits of processes")


@pytest.mark.slow
def test_any_arguments_end_in_a_sentence() -> None:
    counts, failures = tried(50_000, 120)
    assert not failures, "\n".join(failures)
    assert counts["usage"] and counts["done"] and counts["bad data"]


def test_arguments_are_the_same_for_the_same_seed_and_reach_every_command() -> None:
    first, again = (list(argument_lists(7, 400)) for _ in range(2))
    assert first == again and first[100:] == list(argument_lists(107, 300))
    assert {words[0] for _, words in first} == set(TRIED)
