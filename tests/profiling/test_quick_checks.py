"""A glance says nothing that the card does not say, and misses little of what it is for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acumen
from acumen.profiling.card import warnings_of
from acumen.profiling.findings import Finding
from acumen.profiling.fit_warnings import quick_findings
from acumen.profiling.warning_lines import ROOM, warning_summary

CODES = ("constant", "id-like", "leak", "level-once")


def table(rows: int, seed: int) -> acumen.Table:
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], rows, p=[0.8, 0.2])
    noise = rng.normal(size=rows)
    columns = {
        "noise": noise,
        "rounded": noise.round(1),
        "same": 3.0,
        "gappy": np.where(rng.random(rows) < 0.3, np.nan, 1.0),
        "id": rng.permutation(rows) + 1000,
        "rising": np.arange(rows),
        "copy": np.where(y == "yes", 5.0, 2.0),
        "cut": np.where(y == "yes", 10 + rng.random(rows), rng.random(rows)),
        "absent": np.where(y == "yes", rng.random(rows), np.nan),
        "word": rng.choice(list("abc"), rows),
        "one": "x",
        "name": [f"n{i}" for i in range(rows)],
        "reason": np.where(y == "yes", rng.choice(["p", "q"], rows), "none"),
        "rare": ["once", *rng.choice(["u", "v"], rows - 1)],
    }
    return acumen.read((pd.DataFrame(columns), y))


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 400), st.integers(0, 99))
def test_it_says_nothing_that_the_card_does_not(rows: int, seed: int) -> None:
    made = table(rows, seed)
    card = {(each.code, each.column) for each in warnings_of(made)}
    assert {(each.code, each.column) for each in quick_findings(made)} <= card


@pytest.mark.parametrize("rows", [300, 6_000])
def test_it_finds_constants_identifiers_leaks_and_lonely_levels(rows: int) -> None:
    made = table(rows, 1)
    card = {(each.code, each.column) for each in warnings_of(made) if each.code in CODES}
    assert {(each.code, each.column) for each in quick_findings(made) if each.code in CODES} == card
    assert {code for code, _ in card} == set(CODES)


def test_large_tables_are_judged_by_a_sample_first() -> None:
    made = table(50_000, 2)
    found = {(each.code, each.column) for each in quick_findings(made)}
    assert {("leak", "copy"), ("leak", "cut"), ("leak", "reason"), ("id-like", "rising")} <= found
    assert not any(column in ("noise", "rounded", "word") for _, column in found)


def test_no_rows_and_one_row_are_nothing_to_look_at() -> None:
    assert quick_findings(table(10, 0).take([])) == [] and quick_findings(table(10, 0).take([1])) == []


def test_the_summary_names_columns_by_what_is_odd_and_stays_short() -> None:
    assert warning_summary([]) == ""
    many = [Finding("constant", "", column=f"c{i}") for i in range(9)]
    assert warning_summary(many) == "9 warnings: constant: c0, c1, c2 and 6 more"
    rows = [Finding("duplicate-rows", "", count=1), Finding("leak", "", column="x")]
    assert warning_summary(rows) == "2 warnings: determines the class on its own: x; 1 row duplicated"
    codes = (
        "leak",
        "id-like",
        "constant",
        "infinite",
        "mostly-missing",
        "level-once",
        "encoding",
        "footer",
        "zones",
    )
    wide = [Finding(code, "", column=f"a column of a long name, {i}") for code in codes for i in range(4)]
    assert len(warning_summary(wide)) < ROOM + 60 and warning_summary(wide).endswith("more")
    assert warning_summary([Finding("leak", "", column="a\x1b[31mb")]).isprintable()
