"""The page on the contract lists what the code holds."""

from __future__ import annotations

import contract_page
from acumen.checks import LAWS, SKLEARN_EXCEPTIONS
from checks.contract_forms import AS_BUILT


def test_the_page_has_the_tables_that_the_tool_writes() -> None:
    text = contract_page.PAGE.read_text(encoding="utf-8")
    assert contract_page.written(text) == text
    listed = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert all(listed.count(law) == 1 for law in LAWS)


def test_exceptions_are_of_learners_that_are_checked() -> None:
    assert set(SKLEARN_EXCEPTIONS) <= set(AS_BUILT)
