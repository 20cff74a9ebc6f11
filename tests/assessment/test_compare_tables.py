"""Learners over several tables: ranks, Friedman, Nemenyi, wins."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import acumen
from acumen.assessment.compare_tables import ComparisonOverTables
from acumen.assessment.statistics import over_tables
from acumen.errors import DataError, ParameterError
from acumen.resampling import KFold
from judged_tables import mixed

LEARNERS = [acumen.NaiveBayes(), acumen.OneR()]
TABLES = {f"t{i}": mixed(i, 45) for i in range(4)}


@pytest.fixture(scope="module")
def found():
    return acumen.compare(LEARNERS, TABLES, KFold(3), random_state=0)


def test_each_table_has_its_comparison_and_all_a_ranking(found):
    assert isinstance(found, ComparisonOverTables)
    assert list(found.comparisons) == list(TABLES) and found.names == ("NaiveBayes", "OneR", "Majority")
    assert found.values.shape == (4, 3)
    alone = acumen.compare(LEARNERS, TABLES["t2"], KFold(3), random_state=0)
    assert found.values[2].tolist() == [alone.assessments[name].mean for name in found.names]
    by_hand = over_tables(found.values, found.names)
    np.testing.assert_array_equal(found.ranking.ranks, by_hand.ranks)
    assert (found.ranking.friedman, found.ranking.difference) == (by_hand.friedman, by_hand.difference)


def test_wins_ties_and_losses_add_up(found):
    for row in found.table:
        assert row["won"] + row["tied"] + row["lost"] == 2 * 4
        assert list(row["means"]) == list(TABLES)
    assert [row["rank"] for row in found.table] == sorted(row["rank"] for row in found.table)


def test_larger_is_better_turns_the_ranks(found):
    turned = acumen.compare(LEARNERS, TABLES, KFold(3), "accuracy", random_state=0)
    np.testing.assert_allclose(turned.ranking.ranks, found.ranking.ranks)


def test_a_list_of_tables_is_numbered():
    made = acumen.compare(LEARNERS, [TABLES["t0"], TABLES["t1"]], KFold(3), random_state=0)
    assert list(made.comparisons) == ["table 1", "table 2"]


def test_a_baseline_reaches_every_table():
    made = acumen.compare(LEARNERS, TABLES, KFold(3), baseline="OneR", random_state=0)
    assert all(each.baseline == "OneR" for each in made.comparisons.values())
    with pytest.raises(ParameterError, match="baseline"):
        acumen.compare(LEARNERS, TABLES, KFold(3), baseline="nobody")


@pytest.mark.parametrize("odd", [[], [TABLES["t0"]], [TABLES["t0"], "iris"], "iris", None])
def test_what_is_no_table_ends_in_a_sentence(odd):
    with pytest.raises(DataError, match="give one Table, or two or more"):
        acumen.compare(LEARNERS, odd)


def test_text_json_and_diagram(found):
    assert "tables, 3 learners" in str(found)
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert made["critical_difference"] == pytest.approx(found.ranking.difference)
    assert "NaiveBayes" in "".join(ElementTree.fromstring(found._repr_svg_()).itertext())
    assert "<pre" in found._repr_html_() and "<svg" in found._repr_html_()


def test_ctrl_c_keeps_two_tables_or_more_that_are_finished():
    def stop_at(wanted):
        def stop(name, done):
            if name == wanted:
                raise KeyboardInterrupt

        return stop

    made = acumen.compare(LEARNERS, TABLES, KFold(3), random_state=0, progress=stop_at("t2: OneR"))
    assert list(made.comparisons) == ["t0", "t1"]
    assert made.notes == ("stopped before t2, t3 finished; left out",) and "stopped before" in str(made)
    for where in ("t1: OneR", "t0: Majority"):
        with pytest.raises(KeyboardInterrupt):
            acumen.compare(LEARNERS, TABLES, KFold(3), random_state=0, progress=stop_at(where))
