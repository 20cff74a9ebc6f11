"""The algebra: adding, leaving out, comparing, refusing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acumen.data.schema import Attribute, Schema
from acumen.errors import ParameterError, SchemaMismatch
from acumen.summaries import ClassMoments, LevelCounts, Summary, SummaryGroup, add_up, leave_each_out


@dataclass(frozen=True, slots=True, eq=False)
class Word(Summary):
    """Adds like a free monoid with visible brackets, so that the order of additions shows."""

    text: str

    def _difference(self, other: Word) -> str | None:
        return None

    def _merge(self, other: Word) -> Word:
        return Word(f"({self.text}{other.text})")


@dataclass(frozen=True, slots=True, eq=False)
class Compound(Summary):
    schema: Schema
    plan: np.ndarray
    counts: tuple[LevelCounts, ...]


def counts(*numbers: float) -> LevelCounts:
    return LevelCounts(np.array([numbers, numbers], dtype=float))


def test_add_up_adds_in_binary_counter_order() -> None:
    assert add_up(map(Word, "abcdefg")).text == "(((ab)(cd))((ef)g))"
    assert add_up(map(Word, "abcd")).text == "((ab)(cd))"
    assert add_up([Word("a")]).text == "a"


@given(st.integers(1, 70))
def test_add_up_keeps_every_summary_once_and_in_order(n: int) -> None:
    letters = [chr(0x4E00 + i) for i in range(n)]
    assert add_up(map(Word, letters)).text.replace("(", "").replace(")", "") == "".join(letters)


def test_add_up_of_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one summary"):
        add_up([])


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=12))
def test_leave_each_out_adds_all_the_others(numbers: list[int]) -> None:
    left = leave_each_out([counts(n, 1) for n in numbers])
    assert [int(s.table[0, 0]) for s in left] == [sum(numbers) - n for n in numbers]
    assert all(s.table[0, 1] == len(numbers) - 1 for s in left)


def test_leave_each_out_needs_two_parts() -> None:
    with pytest.raises(ParameterError, match="at least two parts; got 1"):
        leave_each_out([counts(1, 2)])


def test_leaving_out_a_wild_fold_loses_nothing() -> None:
    rng = np.random.default_rng(0)
    tame = [rng.normal(size=(200, 1)) for _ in range(4)]
    wild = rng.normal(size=(200, 1)) * 1e6
    labels = np.zeros(200, dtype=np.int32)
    parts = [ClassMoments.of(x, labels, None, 1) for x in (*tame, wild)]
    expected = np.concatenate(tame).var() * 800
    assert leave_each_out(parts)[-1].scatter[0, 0] == pytest.approx(expected, rel=1e-13)


def test_compound_summaries_add_field_by_field() -> None:
    schema = Schema((Attribute("a", "nominal", ("x",)),))
    one = Compound(schema, np.array([1.0]), (counts(1, 2), counts(3, 4)))
    both = one + Compound(schema, np.array([1.0]), (counts(10, 20), counts(30, 40)))
    assert both.counts[1] == counts(33, 44)
    assert list(both.arrays()) == ["plan", "counts.0.table", "counts.1.table"]


def test_compound_summaries_name_what_differs() -> None:
    schema = Schema((Attribute("a", "nominal", ("x",)),))
    other = Schema((Attribute("a", "nominal", ("x", "y")),))
    one = Compound(schema, np.array([1.0]), (counts(1, 2),))
    with pytest.raises(SchemaMismatch, match="attribute 'a' has other levels"):
        one + Compound(other, one.plan, one.counts)
    with pytest.raises(SchemaMismatch, match="plan is not the same"):
        one + Compound(schema, np.array([2.0]), one.counts)
    with pytest.raises(SchemaMismatch, match=r"in counts\[0\]: one has 1 levels, the other 2"):
        one + Compound(schema, one.plan, (counts(1, 2, 3),))
    with pytest.raises(SchemaMismatch, match="counts has 1 entries in one and 0"):
        one + Compound(schema, one.plan, ())


def test_parts_add_part_by_part() -> None:
    both = SummaryGroup((counts(1, 2), counts(3, 4))) + SummaryGroup((counts(1, 1), counts(2, 2)))
    assert both == SummaryGroup((counts(2, 3), counts(5, 6)))


def test_summaries_of_other_kinds_do_not_add() -> None:
    with pytest.raises(TypeError):
        counts(1, 2) + Word("a")


def test_summaries_cannot_be_written_and_leave_their_source_writeable() -> None:
    table = np.zeros((2, 2))
    made = LevelCounts(table)
    with pytest.raises(ValueError, match="read-only"):
        made.table[0, 0] = 1
    with pytest.raises(AttributeError):
        made.table = table  # type: ignore[misc]
    table[0, 0] = 1
