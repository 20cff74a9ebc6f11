"""Version spaces against the listing of every hypothesis: sizes, boundaries, votes, questions, contradictions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.rules.hitting_sets import Bounds, Family, HittingSets
from acumen.rules.version_space import LANGUAGES
from reference import version_space as twin

#: Levels of three attributes, all with the same names, so that they can be equal.
LEVELS = ("p", "q", "r")


def table(sizes, rows, labels=None):
    attributes = tuple(Attribute(f"F{at}", "nominal", LEVELS[:size]) for at, size in enumerate(sizes))
    target = None if labels is None else Attribute("y", "nominal", ("no", "yes"))
    codes = np.array([[-1 if c is None else c for c in row] for row in rows], dtype=np.int32)
    return Table(
        Schema(attributes, target),
        len(rows),
        nominal=list(np.ascontiguousarray(codes.reshape(len(rows), len(sizes)).T)),
        labels=None if labels is None else np.array(labels, dtype=np.int32),
    )


@st.composite
def examples(draw, gaps=True, cells=27):
    sizes = draw(st.lists(st.integers(2, 3), min_size=2, max_size=3).filter(lambda s: np.prod(s) <= cells))
    one = st.tuples(*(st.sampled_from([*range(size), *([None] if gaps else [])]) for size in sizes))
    rows = draw(st.lists(one, min_size=1, max_size=5))
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return sizes, rows, labels


def parted(rows, labels):
    """The positive rows and the negative ones."""
    paired = list(zip(rows, labels, strict=True))
    return [row for row, label in paired if label], [row for row, label in paired if not label]


def covered(hypothesis, sizes, rows):
    """The rows that a hypothesis covers."""
    held = hypothesis.covers(table(sizes, rows))
    return frozenset(row for row, holds in zip(rows, held.tolist(), strict=True) if holds)


def check(language, sizes, rows, labels):
    positives, negatives = parted(rows, labels)
    found = twin.agreeing(language, sizes, positives, negatives)
    space = acumen.VersionSpace(positive="yes", language=language).fit(table(sizes, rows, labels))
    assert space.size_ == len(found)
    every = twin.complete(sizes) if language in ("dnf", "single-test-dnf", "cnf") else twin.with_gaps(sizes)
    made = [covered(h, sizes, every) for h in space.hypotheses_]
    assert len(set(made)) == len(made) and set(made) == found
    assert {covered(h, sizes, every) for h in space.specific_} == twin.most_specific(found)
    general = [covered(h, sizes, every) for h in space.general_]
    assert len(set(general)) == len(general) and set(general) == twin.most_general(found)
    votes = space.votes(table(sizes, every))
    for row, vote in zip(every, votes, strict=True):
        assert vote.covering == (sum(row in h for h in found),) * 2 and vote.of == (len(found),) * 2
        assert (
            vote.share == pytest.approx(vote.covering.low / len(found)) if found else vote.share != vote.share
        )
    asked = space.next_question(table(sizes, every))
    if found:
        away = [abs(vote.share - 0.5) for vote in votes]
        assert (asked is None) == (min(away) == 0.5)
        assert asked is None or abs(asked.vote.share - 0.5) == pytest.approx(min(away))
    else:
        explained(space, language, sizes, rows, labels)


def explained(space, language, sizes, rows, labels):
    """An empty space names positives and a negative that already empty it together, none of which can be spared."""
    assert space.contradictions_
    for each in space.contradictions_:
        assert all(labels[at] for at in each.positives) and not labels[each.negative]
        against = [rows[each.negative]]
        chosen = [rows[at] for at in each.positives]
        assert not twin.agreeing(language, sizes, chosen, against)
        for spared in range(len(chosen)):
            assert twin.agreeing(language, sizes, chosen[:spared] + chosen[spared + 1 :], against)


@pytest.mark.parametrize("language", ["conjunction", "internal-disjunction", "attribute-equality"])
def test_conjunctions_are_those_that_listing_finds(language):
    @settings(max_examples=40, deadline=None)
    @given(examples())
    def agrees(drawn):
        check(language, *drawn)

    agrees()


@pytest.mark.parametrize("language", ["dnf", "single-test-dnf"])
def test_disjunctions_are_those_that_listing_finds(language):
    @settings(max_examples=40, deadline=None)
    @given(examples(cells=12))
    def agrees(drawn):
        check(language, *drawn)

    agrees()


@settings(max_examples=25, deadline=None)
@given(examples(cells=9))
def test_functions_are_those_that_listing_finds(drawn):
    check("cnf", *drawn)


@pytest.mark.parametrize("language", LANGUAGES)
def test_rows_one_by_one_in_any_order_make_the_same_space(language):
    @settings(max_examples=15, deadline=None)
    @given(examples(cells=9), st.randoms(use_true_random=False))
    def agrees(drawn, random):
        sizes, rows, labels = drawn
        whole = table(sizes, rows, labels)
        at_once = acumen.VersionSpace(positive="yes", language=language).fit(whole)
        order = list(range(len(rows)))
        random.shuffle(order)
        by_one = acumen.VersionSpace(positive="yes", language=language)
        for at in order:
            by_one.partial_fit(whole.take(slice(at, at + 1)))
        assert by_one.size_ == at_once.size_
        every = twin.complete(sizes)
        assert {covered(h, sizes, every) for h in by_one.hypotheses_} == {
            covered(h, sizes, every) for h in at_once.hypotheses_
        }

    agrees()


@given(st.integers(1, 9), st.lists(st.integers(0, 511), max_size=7))
def test_bounds_hold_what_is_exact_between_them(width, passed):
    sets = HittingSets(Family(width), {mask & ((1 << width) - 1) for mask in passed})
    full = (1 << width) - 1
    for within in (full, full & 0b101010101):
        exact = sum(
            1
            for mask in range(full + 1)
            if mask & within == mask and all(mask & miss for miss in sets.sets_to_hit)
        )
        assert sets.count(within) == (exact, exact)
        if exact:
            low, high = sets._bounds(within)
            assert low <= exact <= high
        if len(sets.passed) <= 7:
            assert sets._by_negatives(within) == exact or not sets.passed


def test_sizes_are_exact_to_25_attributes_or_25_negatives_and_bounds_are_said_beyond():
    rng = np.random.default_rng(0)

    def space(attributes, negatives):
        rows = [["Y"] * attributes, *np.where(rng.random((negatives, attributes)) < 0.5, "Y", "N").tolist()]
        return acumen.VersionSpace().fit(rows, ["a"] + ["b"] * negatives)

    for attributes, negatives in ((25, 400), (60, 25)):
        made = space(attributes, negatives)
        assert isinstance(made.size_, int) and 0 < made.size_ < 2**attributes
    many = space(60, 3000).size_
    assert isinstance(many, Bounds) and 0 < many.low < many.high < 2**60 and "between" in str(many)


def test_the_question_of_each_language_halves_what_can_be_halved():
    sizes = (2, 2, 2)
    for rows in product(twin.complete(sizes), repeat=2):
        if rows[0] == rows[1]:
            continue
        space = acumen.VersionSpace(positive="yes", language="cnf").fit(table(sizes, rows, [1, 0]))
        assert (
            space.next_question().vote.share == 0.5
        )  # document 001: half of all functions cover any new row
