"""Frequent itemsets: by trying everything, by the known counts of real baskets, and whatever form the baskets have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.associations import apriori
from acumen.associations.apriori import join_sets
from acumen.associations.baskets import Baskets
from acumen.associations.constraints import ItemConstraints
from acumen.associations.miner import least_count
from acumen.associations.mining import TooManySets, frequent_itemsets
from acumen.engines.memory import limited_memory
from acumen.errors import AcumenWarning, DataError, ParameterError
from associations import brute
from ctrl_c_pressed import pressed_after

ROWS = st.lists(st.sets(st.sampled_from("abcdefg")), min_size=1, max_size=24)
SUPPORT = st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.5, 1.0])


def family(found):
    made = {frozenset(one.items): one.count for one in found}
    assert len(made) == len(found)
    return made


@given(
    ROWS, SUPPORT, st.sampled_from([None, 1, 2, 3]), st.sampled_from(["auto", "apriori"]), st.integers(1, 2)
)
def test_all_sets_are_those_of_trying_everything(rows, support, most, algorithm, jobs):
    found = frequent_itemsets(
        [list(r) for r in rows], min_support=support, max_size=most, algorithm=algorithm, n_jobs=jobs
    )
    assert family(found) == brute.frequent(rows, support, most)
    assert [one.support for one in found] == [one.count / len(rows) for one in found]


@given(
    ROWS,
    SUPPORT,
    st.sampled_from(["closed", "maximal"]),
    st.sampled_from(["auto", "apriori"]),
    st.integers(1, 2),
)
def test_closed_and_maximal_are_so_by_definition(rows, support, kind, algorithm, jobs):
    found = frequent_itemsets(
        [list(r) for r in rows], min_support=support, kind=kind, algorithm=algorithm, n_jobs=jobs
    )
    assert family(found) == getattr(brute, kind)(brute.frequent(rows, support))


@settings(max_examples=40, deadline=None)
@given(ROWS, st.lists(SUPPORT, min_size=1, max_size=4), st.sampled_from(["auto", "apriori"]))
def test_a_support_for_each_size(rows, supports, algorithm):
    found = frequent_itemsets([list(r) for r in rows], min_support=supports, algorithm=algorithm)
    assert family(found) == brute.frequent(rows, supports)


@given(
    ROWS, SUPPORT, st.dictionaries(st.sampled_from("abc"), SUPPORT, max_size=3),
    st.sampled_from([None, 0.0, 0.1, 0.3]), st.sampled_from(["auto", "apriori"]),
    st.sampled_from(["all", "closed", "maximal"]),
)  # fmt: skip
def test_items_with_supports_of_their_own(rows, support, own, difference, algorithm, kind):
    own = {k: v for k, v in own.items() if any(k in row for row in rows)}
    found = frequent_itemsets(
        [list(r) for r in rows], min_support=support, item_supports=own, support_difference=difference,
        algorithm=algorithm, kind=kind,
    )  # fmt: skip
    expected = brute.several_supports(rows, support, own, difference)
    assert family(found) == (expected if kind == "all" else getattr(brute, kind)(expected))


def test_a_set_may_be_frequent_though_a_part_of_it_is_not():
    rows = [["b", "c", "r"]] * 3 + [["b", "c"]] * 3 + [["b"]] * 20 + [["c"]] * 20 + [[]] * 54
    for algorithm in ("auto", "apriori"):
        found = frequent_itemsets(rows, min_support=0.1, item_supports={"r": 0.02}, algorithm=algorithm)
        assert ("b", "c", "r") in found and ("b", "c") not in found


@settings(max_examples=40, deadline=None)
@given(
    ROWS, SUPPORT, st.lists(st.sets(st.sampled_from("abc")), max_size=3), st.sampled_from(["auto", "apriori"])
)
def test_constraints_are_filters(rows, support, some, algorithm):
    names = {i for row in rows for i in row}
    kinds = ["contains", "any_of", "excludes"]
    wish = {k: tuple(sorted(s & names)) for k, s in zip(kinds, some, strict=False)}
    rules = ItemConstraints(**wish)
    found = frequent_itemsets(
        [list(r) for r in rows], min_support=support, constraints=rules, algorithm=algorithm
    )
    everything = brute.frequent(rows, support)
    assert family(found) == {s: c for s, c in everything.items() if rules.lets_set(tuple(s))}


@settings(max_examples=30, deadline=None)
@given(ROWS, st.integers(1, 12))
def test_the_most_frequent_are_taken_from_all(rows, top):
    found = frequent_itemsets([list(r) for r in rows], top=top)
    everything = sorted(brute.all_counts(rows).values(), reverse=True)
    assert [one.count for one in found] == everything[:top]


@settings(max_examples=30, deadline=None)
@given(ROWS, SUPPORT, st.integers(1, 5), st.sampled_from(["all", "closed", "maximal"]))
def test_two_passes_over_parts_give_what_one_search_gives(rows, support, parts, kind):
    names = sorted({i for row in rows for i in row} | {"a"})
    bits = np.array([[float(i in row) for i in names] for row in rows])
    table = acumen.read(pd.DataFrame(bits, columns=names))
    pieces = [table.take(part) for part in np.array_split(np.arange(len(rows)), min(parts, len(rows)))]
    found = frequent_itemsets(pieces, min_support=support, kind=kind)
    whole = brute.frequent(rows, support)
    assert family(found) == (whole if kind == "all" else getattr(brute, kind)(whole))


def test_w001_29_two_sets_join_where_they_share_all_but_one_item():
    """Errata W001-29: an overlap of n - 1 is printed, of which there is none; n - 2 gives the four sets of three."""
    pairs = {(i, j): 0 for i in range(4) for j in range(i + 1, 4)}
    assert join_sets(pairs, 3) == ([(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)], 0)
    del pairs[0, 1]
    assert join_sets(pairs, 3) == ([(0, 2, 3), (1, 2, 3)], 2)


def test_apriori_tells_what_it_did():
    found = frequent_itemsets([["a", "b", "c"]] * 2 + [["a"], ["d"]], min_support=0.5, algorithm="apriori")
    assert [(lv.size, lv.candidates, lv.pruned, lv.survivors) for lv in found.trace] == [
        (1, 4, 0, 3), (2, 3, 0, 3), (3, 1, 0, 1),
    ]  # fmt: skip


def test_a_support_is_never_rounded_up():
    assert [least_count(0.07, 100), least_count(0.14, 50), least_count(0.55, 100)] == [7, 7, 55]
    for n in range(1, 200):
        for c in range(1, n + 1):
            assert least_count(c / n, n) == c


def test_empty_baskets_are_baskets():
    found = frequent_itemsets([["a"], [], [], []], min_support=0.25)
    assert found.n == 4 and found[0].support == 0.25
    assert len(frequent_itemsets([[], []], min_support=0.1)) == 0


@pytest.mark.parametrize("form", ["frame", "bool", "array", "sparse", "table"])
def test_the_form_of_baskets_is_irrelevant(form):
    from scipy.sparse import csr_matrix

    frame = pd.DataFrame({"a": [1, 1, 0, 1], "b": [1, 0, 0, 1], "c": [0, 0, 0, 1]})
    data = {
        "frame": frame, "bool": frame.astype(bool), "array": frame.to_numpy(), "sparse": csr_matrix(frame.to_numpy()),
        "table": acumen.read(frame),
    }[form]  # fmt: skip
    found = frequent_itemsets(data, min_support=0.5)
    assert [one.count for one in found] == [3, 2, 2] and len(found[2].items) == 2


def test_items_of_a_table_are_levels_and_missing_is_none(tmp_path):
    table = acumen.read(
        pd.DataFrame({"Age": ["young", None, "old"], "Job": ["yes", "yes", "no"]}), target="Job"
    )
    found = frequent_itemsets(table, min_support=0.3)
    assert {one.items for one in found} >= {("Age=young",), ("Job=yes",), ("Age=young", "Job=yes")}
    assert found.count_of(["Job=yes"]) == 2
    with pytest.raises(DataError, match="say how to cut"):
        frequent_itemsets(acumen.datasets.load("iris"))
    assert len(frequent_itemsets(acumen.datasets.load("iris"), discretise="equal-frequency")) > 10


def test_a_ragged_csv_is_taken_for_baskets(tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text("milk,bread\nbread\nmilk,bread,jam,tea\njam\nmilk,tea,bread\n" * 4)
    assert frequent_itemsets(path, min_support=0.5)[0].items == ("bread",)


def test_a_weight_of_two_is_two_baskets():
    frame = pd.DataFrame({"a": [1, 0], "b": [1, 1], "w": [2.0, 1.0]})
    assert frequent_itemsets(acumen.read(frame, weight="w"), min_support=0.5).count_of("ab") == 2


def test_more_sets_than_the_limit_are_estimated_and_refused():
    rows = [list("abcdefghijkl")] * 3 + [list("abcdefghijk")] * 3
    with pytest.raises(TooManySets, match=r"about 4\.1 thousand sets, more than limit=1,000") as error:
        frequent_itemsets(rows, min_support=0.1, limit=1000)
    assert error.value.estimate == pytest.approx(4095, rel=0.05)
    assert len(frequent_itemsets(rows, min_support=0.1, limit=5000)) == 4095


def test_ctrl_c_keeps_what_is_found(ctrl_c):
    random = np.random.default_rng(0)
    rows = [np.flatnonzero(random.random(60) < 0.5).tolist() for _ in range(400)]
    for seconds in (0.5, 2.5, 12.0, 60.0):  # where a busy machine had not begun, there is nothing to be kept
        try:
            with (
                pytest.warns(AcumenWarning, match="stopped early"),
                limited_memory("64GB"),
                pressed_after(seconds),
            ):
                found = frequent_itemsets(rows, min_support=0.002, limit=300_000_000, max_size=9)
        except KeyboardInterrupt:
            continue
        if len(found):
            break
    assert not found.complete and 0 < len(found) < 300_000_000


def test_a_taxonomy_mixes_levels_and_holds_no_item_beside_its_kind():
    kinds = {"milk": "dairy", "cheese": "dairy", "bread": "bakery"}
    rows = [["milk", "bread"], ["cheese", "bread"], ["milk"], ["cheese"]]
    found = frequent_itemsets(rows, min_support=0.25, taxonomy=kinds)
    assert found.count_of(["dairy"]) == 4 and found.count_of(["dairy", "bread"]) == 2
    assert ("dairy", "milk") not in found
    deep = frequent_itemsets(rows, taxonomy=kinds, level_supports=[0.9, 0.5])
    assert {one.items for one in deep} >= {("dairy",), ("milk",)} and ("bakery",) not in deep
    with pytest.raises(ParameterError, match="is of itself"):
        frequent_itemsets(rows, taxonomy={"a": "b", "b": "a"})


def test_itemsets_are_a_sequence_and_a_frame():
    found = frequent_itemsets([["a", "b"], ["a"], ["b"], ["a", "b"]], min_support=0.5)
    assert len(found) == 3 and found[-1].items == ("a", "b") and found[1:][0].items == ("b",)
    assert found.to_pandas()["items"].tolist() == [("a",), ("b",), ("a", "b")]
    assert (
        found.sort("size")[0].items == ("a", "b") and found.filter(contains=["a"], min_size=2)[0].count == 2
    )
    assert "3 itemsets of 4 baskets" in str(found) and "\x1b" not in str(frequent_itemsets([["\x1b[31m"]]))
    with pytest.raises(IndexError):
        found[3]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"min_support": 0}, "above 0"), ({"kind": "open"}, "'closed'"), ({"top": 0}, "at least 1"),
     ({"constraints": {"must": ["a"]}}, "have no 'must'"), ({"constraints": {"contains": ["z"]}}, "no item is called"),
     ({"level_supports": [0.1]}, "of a taxonomy"), ({"algorithm": "fast"}, "'apriori'"),
     ({"support_difference": 2}, "from 0 to 1")],
)  # fmt: skip
def test_what_cannot_be_is_said(wrong, said):
    with pytest.raises(ParameterError, match=said):
        frequent_itemsets([["a", "b"], ["a"]], **wrong)


@pytest.mark.shared_data
def test_the_known_counts_of_real_baskets(shared_data):
    mushroom = Baskets.of(shared_data / "baskets" / "mushroom.dat")
    expected = {0.4: (565, 140, 41), 0.3: (2735, 427, 63), 0.2: (53583, 1197, 158), 0.1: (574431, 4885, 547)}
    for support, counts in expected.items():
        found = (
            len(frequent_itemsets(mushroom, min_support=support, kind=k))
            for k in ("all", "closed", "maximal")
        )
        assert tuple(found) == counts
    tenth = frequent_itemsets(mushroom, min_support=0.1)
    assert list(tenth.by_size().values()) == [
        56, 763, 4593, 16150, 38800, 69835, 98846, 111786, 100660, 71342, 39171, 16292, 4956, 1039, 134, 8,
    ]  # fmt: skip
    assert (
        frequent_itemsets(mushroom, min_support=0.3).count_of(["34", "39", "59", "63", "85", "86", "90"])
        == 2504
    )
    groceries = Baskets.of(shared_data / "baskets" / "groceries.csv")
    for support, counts in {0.01: (333, 333, 243), 0.001: (13492, 13464, 7794)}.items():
        found = (
            len(frequent_itemsets(groceries, min_support=support, kind=k))
            for k in ("all", "closed", "maximal")
        )
        assert tuple(found) == counts


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("a,b,c\na\nb,c,a,d\na,b\n", {"a": 4, "b": 3, "c": 2, "d": 1}),
        ("a,a,b\nb,b\na,b,a\n", {"a": 2, "b": 3}),
    ],
)
def test_short_lists_of_items_are_taken_for_baskets_though_they_nearly_are_a_table(text, counts, tmp_path):
    path = tmp_path / "shop.csv"
    path.write_text(text)
    found = acumen.frequent_itemsets(path, min_support=0.01, max_size=1)
    assert {each.items[0]: each.count for each in found} == counts


def test_a_table_with_a_broken_row_is_not_taken_for_baskets(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "a,b\n" * 20 + "a\n")
    with pytest.raises(DataError, match="does not have the table"):
        acumen.frequent_itemsets(path)


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("kind", ["closed", "maximal"])
def test_closed_and_maximal_sets_of_few_items_are_those_of_all(kind, most):
    rng = np.random.default_rng(most)
    rows = [[name for name in "abcdefg" if rng.random() < 0.5] for _ in range(200)]
    every = acumen.frequent_itemsets(rows, min_support=0.05, kind=kind)
    few = acumen.frequent_itemsets(rows, min_support=0.05, kind=kind, max_size=most)
    expected = {tuple(one.items): one.count for one in every if len(one.items) <= most}
    assert {tuple(one.items): one.count for one in few} == expected


def test_apriori_keeps_the_limit_and_estimates_as_the_projection_does():
    rows = [list("abcdefghijkl")] * 3 + [list("abcdefghijk")] * 3
    with pytest.raises(TooManySets, match=r"about 4\.1 thousand sets, more than limit=1,000"):
        frequent_itemsets(rows, min_support=0.1, limit=1000, algorithm="apriori")
    assert len(frequent_itemsets(rows, min_support=0.1, limit=4095, algorithm="apriori")) == 4095
    # Candidates are no sets: few items of which no two come together are few sets.
    alone = [[f"i{j}"] for j in range(60)]
    assert len(frequent_itemsets(alone, min_support=0.01, limit=60, algorithm="apriori")) == 60


def test_apriori_refuses_more_candidates_than_there_is_memory_for():
    alone = [[f"i{j}"] for j in range(300)]
    with (
        limited_memory("4MB"),
        pytest.raises(TooManySets, match="would have to count 44,850 candidates of 2 items"),
    ):
        frequent_itemsets(alone, min_support=0.001, algorithm="apriori")


def test_without_a_limit_no_more_sets_are_kept_than_there_is_memory_for():
    rows = [[f"i{j}" for j in range(25)]] * 2
    with limited_memory("1MB"), pytest.raises(TooManySets, match="about 34 million sets"):
        frequent_itemsets(rows, min_support=0.5, limit=None)


def test_ctrl_c_keeps_what_apriori_has_found(monkeypatch):
    random = np.random.default_rng(0)
    rows = [np.flatnonzero(random.random(12) < 0.6).tolist() for _ in range(50)]
    counted, calls = apriori._count, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return counted(*given)

    monkeypatch.setattr(apriori, "_count", interrupted)
    with pytest.warns(AcumenWarning, match="stopped early"):
        found = frequent_itemsets(rows, min_support=0.02, algorithm="apriori")
    whole = frequent_itemsets(rows, min_support=0.02, max_size=3)
    assert not found.complete
    assert list(found) == list(whole)


@pytest.mark.parametrize("kind", ["closed", "maximal"])
def test_a_constraint_that_lets_everything_through_changes_no_condensed_sets(kind):
    rows = [list("abcd")] * 3 + [list("ab")] * 2 + [list("cd")]
    for most in (1, 2, 3, 4):
        plain = frequent_itemsets(rows, min_support=0.3, kind=kind, max_size=most)
        for more in ({"support_difference": 1.0}, {"item_supports": {"a": 0.3}}, {"min_support": [0.3, 0.3]}):
            asked = {"min_support": 0.3, **more}
            assert list(frequent_itemsets(rows, kind=kind, max_size=most, **asked)) == list(plain)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"item_supports": [1]}, "item_supports must be a mapping"),
        ({"taxonomy": {"a": "k"}, "level_supports": []}, "a number for each level"),
        ({"n_jobs": "x"}, "n_jobs must be a whole number"),
        ({"n_jobs": True}, "n_jobs must be a whole number"),
        ({"discretise": "nope"}, "nope"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(wrong, said):
    with pytest.raises(ParameterError, match=said):
        frequent_itemsets([["a", "b"], ["a"]], **wrong)


@pytest.mark.parametrize(
    ("data", "said"), [(["ab", "c"], "holds 'ab' at 0"), ([["a"], [1.5]], "holds .1.5. at 1")]
)
def test_lists_that_are_no_baskets_are_shown(data, said):
    with pytest.raises(DataError, match=said):
        frequent_itemsets(data)
