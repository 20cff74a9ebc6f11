"""The promise: any learner, of any parameters, answers of any table or says in a sentence why not."""

from __future__ import annotations

import pytest

from fuzz.learners import drawings, tried


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_any_learner_on_any_table_answers_or_says_why_not(seed: int) -> None:
    tally, failures = tried(seed, 130)
    assert not failures, "\n".join(failures)
    assert min(tally.values()) > 20, "both ends of the promise were tried"


def test_drawings_are_the_same_for_the_same_seed() -> None:
    first, again = ([(w, s, repr(t.schema), len(t)) for w, _, s, t in drawings(5, 60)] for _ in range(2))
    assert first == again
