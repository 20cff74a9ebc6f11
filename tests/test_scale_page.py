"""The page on scale says what is so: its figures are the formula's, its list of learners those that add."""

from __future__ import annotations

import re
from pathlib import Path

from acumen.engines.cost import ClusterSpeed, PassWork, cost
from acumen.registry import entries

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "scale.md").read_text(encoding="utf-8")


def test_the_table_of_costs_is_what_the_formula_gives():
    for power in (6, 9, 12):
        for workers in (1, 10, 100, 1_000):
            found = cost(PassWork(10**power), ClusterSpeed(workers))
            cells = [
                f"10^{power}", f"{workers:,}", f"{found.level}", f"{found.runs:,}", f"{found.tasks:,}",
                f"{found.evenly:.3g}", f"{found.scheduling:.3g}", f"{found.seconds:.3g}", f"{found.moved / 1e6:.3g}",
            ]  # fmt: skip
            assert f"| {' | '.join(cells)} |\n" in PAGE


def test_figures_in_words_are_those_of_the_formula():
    coarse, fine = (cost(PassWork(10**12), ClusterSpeed(100), level) for level in (10, 6))
    assert f"{fine.runs:,} runs and {fine.scheduling:.0f} s of scheduler" in PAGE
    assert f"with 2^10, {coarse.runs:,} runs and {coarse.scheduling:.0f} s" in PAGE
    some, many = (cost(PassWork(rows), ClusterSpeed(100)).moved / rows for rows in (10**9, 10**12))
    assert f"{some:.1g} at 10^9 rows, {many:.5f} at 10^12" in PAGE
    assert "(65,536 rows of 160 bytes: 21 MB)" in PAGE and round(2 * 65_536 * 160 / 1e6) == 21


def test_every_learner_that_adds_is_named_and_no_other():
    section = PAGE.partition("### Supported learners")[2].partition("All others")[0]
    named = set(re.findall(r"`(\w+)`", section))
    assert named == {entry.name for entry in entries() if getattr(entry.learner(), "adds", False)}


def test_what_was_measured_lies_on_the_formula():
    rows, one, measured = 10_000_000, 4.23, 2.30  # one core's and two workers' seconds
    rate = round(rows * 165.6 / one / 1e6)
    formula = cost(PassWork(rows, row_bytes=165.6, summary_bytes=20_000), ClusterSpeed(2, rate=rate * 1e6), 4)
    assert formula.least <= measured <= 1.1 * formula.seconds
    assert (
        f"on {rows:,} rows of 166 bytes in Parquet in {one} s, a rate of {rate} MB per second. At this rate the "
        f"formula gives {formula.least:.2f} to {formula.seconds:.2f} s for two workers; measured were {measured:.2f} s"
    ) in " ".join(PAGE.split())
