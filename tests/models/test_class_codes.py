"""Code matrices: how many problems, what they mend, and how rows are decoded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.errors import ParameterError
from acumen.models.class_codes import (
    DECODINGS,
    ambiguous,
    decode_scores,
    exhaustive,
    one_vs_one,
    one_vs_rest,
    random_code,
    separation,
)


@pytest.mark.parametrize(("k", "rest", "pairs"), [(3, 2, 3), (4, 3, 6), (10, 9, 45)])
def test_w004_07_numbers_of_classifiers(k, rest, pairs):
    """One against the rest: K - 1 as printed (the last class is what is left), K in common use."""
    assert one_vs_rest(k, all_classes=False).shape == (k, rest)
    assert one_vs_rest(k).shape == (k, k)
    assert one_vs_one(k).shape == (k, pairs)


@given(st.integers(2, 7), st.integers(0, 99))
def test_every_problem_has_two_sides_and_none_is_there_twice(k, seed):
    codes = [one_vs_rest(k), one_vs_one(k), exhaustive(k), random_code(k, 12, np.random.default_rng(seed), 5)]
    for code in codes:
        assert (code.max(axis=0) == 1).all() and (code.min(axis=0) == -1).all()
        columns = {tuple(c * np.sign(c[np.flatnonzero(c)[0]])) for c in code.T}
        assert len(columns) == code.shape[1]
    assert exhaustive(k).shape[1] == 2 ** (k - 1) - 1
    assert separation(exhaustive(k)) == 2 ** (k - 2)


@given(st.integers(2, 6), st.sampled_from(DECODINGS), st.integers(0, 99))
def test_a_class_whose_every_problem_is_won_is_chosen(k, how, seed):
    rng = np.random.default_rng(seed)
    for code in (one_vs_rest(k), one_vs_one(k), exhaustive(k)):
        sizes = rng.random((k, code.shape[1])) + 0.5
        scores = np.where(code == 0, rng.standard_normal(code.shape) * 0.1, code * sizes)
        assert decode_scores(code, scores, how).argmax(axis=1).tolist() == list(range(k))


def test_errors_are_mended_up_to_the_codes_distance():
    code = exhaustive(5)
    assert separation(code) == 8
    rng = np.random.default_rng(0)
    for c in range(5):
        for _ in range(20):
            scores = code[c].copy()
            scores[rng.choice(15, 3, replace=False)] *= -1
            assert decode_scores(code, scores[None], "hamming").argmax() == c


def test_ambiguous_rows_are_those_with_no_claim_several_or_a_tie():
    rest, pairs = one_vs_rest(3), one_vs_one(3)
    claims = np.array([[1.0, -1, -1], [-1, -1, -1], [1, 1, -1]])
    assert ambiguous(rest, claims).tolist() == [False, True, True]
    # 0 against 1, 0 against 2, 1 against 2: a circle has no winner.
    assert ambiguous(pairs, np.array([[-1.0, -1, -1], [-1, 1, -1]])).tolist() == [False, True]


def test_votes_are_counted_before_scores():
    code = one_vs_one(3)
    scores = np.array([[-0.1, -0.1, 1e6]])  # class 0 wins both of its own narrowly, class 2 one by far
    assert decode_scores(code, scores, "vote").argmax() == 0
    assert decode_scores(code, scores, "score").argmax() == 2
    tied = np.array([[-2.0, 1.0, -1.0]])
    assert decode_scores(code, tied, "vote").argmax() == 0


def test_too_many_classes_for_every_split_are_refused():
    with pytest.raises(ParameterError, match="Use a random code"):
        exhaustive(9)
