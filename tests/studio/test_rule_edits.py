"""Rules as a person wants them, said by the changes that one command makes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import acumen
from acumen.cli.rules import _edit_rules
from acumen.errors import ParameterError
from acumen.studio.model_edits import MOST_RULES, RuleEdits, WantedRules

SCHEMA = acumen.datasets.load("loan").schema
TEXTS = ("if Age = old then Yes", "if Has_Job = true then No", "if Credit_Rating = fair then No")


@st.composite
def wanted(draw):
    """So many rules, and what is wanted of them: some left out, some rewritten, some added, in any order."""
    n = draw(st.integers(1, 8))
    kept = draw(st.lists(st.integers(1, n), unique=True, min_size=1))
    items = [(each, draw(st.sampled_from(TEXTS))) if draw(st.booleans()) else each for each in kept]
    for _ in range(draw(st.integers(0, 3))):
        items.insert(draw(st.integers(0, len(items))), draw(st.sampled_from(TEXTS)))
    return n, items


def list_of(n: int) -> acumen.RuleList:
    """Rules that can be told apart."""
    rows = [
        f"if Age = young and Has_Job = {'true' if i % 2 else 'false'} then {'Yes' if i % 3 else 'No'}"
        for i in range(n)
    ]
    return acumen.RuleList.parse("; ".join(rows), SCHEMA)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(wanted())
def test_the_changes_lead_to_the_list_that_is_wanted_by_command_and_by_python(case):
    n, items = case
    schema = SCHEMA
    old = list_of(n)
    # Counts tell rules apart that say the same.
    old = acumen.RuleList(
        [acumen.Rule(r.body, r.head, {"Yes": i + 1.0}) for i, r in enumerate(old)], "No", ordered=False
    )
    edits = RuleEdits.leading_to(items, n)

    def rule(item):
        if isinstance(item, int):
            return old[item - 1]
        return acumen.RuleList.parse(item if isinstance(item, str) else item[1], schema)[0]

    expected = [rule(item) for item in items]
    if not edits:
        assert expected == list(old)
        return
    got = _edit_rules(old, schema, edits.without, edits.move, edits.replace, edits.insert, False)
    assert list(got) == expected

    class Model:
        def to_rules(self):
            return old

        class predictor_:  # noqa: N801
            pass

    Model.predictor_.schema = schema
    space = {"acumen": acumen, "model": Model()}
    exec(edits.python(), space)
    assert list(space["rules"]) == expected


@given(st.permutations(range(1, 8)))
def test_one_rule_that_was_moved_is_one_move(order):
    rng = list(range(1, 8))
    moved = rng.pop(order[0] - 1)
    rng.insert(order[1] - 1, moved)
    assert len(RuleEdits.leading_to(rng, 7).move) <= 1


def test_rules_beyond_those_shown_stay_where_they_are():
    n = MOST_RULES + 5
    made = RuleEdits.leading_to([*range(2, MOST_RULES + 1), "if Age = old then Yes"], n)
    assert (made.without, made.move) == ((1,), ())
    assert made.insert == ((MOST_RULES + 1, "if Age = old then Yes"),)


@pytest.mark.parametrize(
    "given",
    [
        None, [], {"of": 3}, {"of": True, "items": []}, {"of": 3, "items": [1, 1]}, {"of": 3, "items": [4]},
        {"of": 3, "items": [0]}, {"of": 3, "items": [True]}, {"of": 3, "items": [""]}, {"of": 3, "items": [[1]]},
        {"of": 3, "items": [["1", "x"]]}, {"of": 3, "items": [1], "simplify": "yes"},
        {"of": 3, "items": [1], "more": 1}, {"of": -1, "items": []}, {"of": 3, "items": ["x" * 20_000]},
        {"of": 10**9, "items": []}, {"of": 3, "items": [1] * 1000},
    ],
)  # fmt: skip
def test_what_is_no_list_of_rules_is_refused(given):
    with pytest.raises(ParameterError):
        WantedRules.parse(given)
