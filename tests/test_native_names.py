"""Every function that the compiled kernels offer is named by a test, so that none goes without one of its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
STUB = TESTS.parent / "src" / "acumen" / "_native.pyi"


def test_every_bound_function_is_named_by_a_test() -> None:
    stub = ast.parse(STUB.read_text(encoding="utf-8"))
    bound = {each.name for each in stub.body if isinstance(each, ast.FunctionDef)}
    named: set[str] = set()
    for path in TESTS.rglob("*.py"):
        named.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    assert len(bound) > 100
    assert bound - named == set()
