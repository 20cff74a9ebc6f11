"""Every function that the compiled kernels offer is named by a test, so that none goes without one of its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
STUB = TESTS.parent / "src" / "acumen" / "_native.pyi"

#: Tested through the learners and readers above them alone. This set may shrink and never grows.
THROUGH_LEARNERS = {
    "boost_stumps", "forest_contributions", "forest_kept", "forest_leaves", "forest_permuted", "forest_values",
    "grow_forest",
}  # fmt: skip


def test_every_bound_function_is_named_by_a_test() -> None:
    stub = ast.parse(STUB.read_text(encoding="utf-8"))
    bound = {each.name for each in stub.body if isinstance(each, ast.FunctionDef)}
    named: set[str] = set()
    for path in TESTS.rglob("*.py"):
        if path != Path(__file__).resolve():
            named.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    assert bound - named == THROUGH_LEARNERS
