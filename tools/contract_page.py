"""Write the tables of docs/contract.md: the laws, and the checks of scikit-learn that a learner fails on purpose.

    PYTHONPATH=src python tools/contract_page.py           run scikit-learn's checks on every learner, then write
    PYTHONPATH=src python tools/contract_page.py --no-run  write what `acumen.checks` lists

The run takes minutes. It ends with an error where a learner fails a check that `acumen.checks.exceptions` does not list
or passes one that it lists.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "contract.md"


def written(text: str) -> str:
    """The page with both tables as the code has them."""
    from acumen.checks import LAWS, SKLEARN_EXCEPTIONS, sentence

    laws = [f"| `{law}` | {sentence(law)} |" for law in LAWS]
    exceptions = [
        f"| `{learner}` | `{check}` | {why} |"
        for learner, checks in sorted(SKLEARN_EXCEPTIONS.items())
        for check, why in sorted(checks.items())
    ]
    text = _with_table(text, "| law | meaning |", laws)
    return _with_table(text, "| learner | check | why |", exceptions)


def _with_table(text: str, head: str, lines: list[str]) -> str:
    """The text with other lines below the head of a table and its rule."""
    before, found, after = text.partition(f"\n{head}\n")
    if not found:
        raise SystemExit(f"docs/contract.md has no table {head!r}")
    rule, *rest = after.split("\n")
    end = next((i for i, line in enumerate(rest) if not line.startswith("|")), len(rest))
    return before + found + "\n".join([rule, *lines, *rest[end:]])


def disagreements() -> list[str]:
    """Where a run of scikit-learn's checks on every learner as built differs from the list."""
    sys.path.insert(0, str(ROOT / "tests"))
    from sklearn.utils.estimator_checks import check_estimator

    from acumen.checks import sklearn_exceptions
    from checks.contract_forms import AS_BUILT

    different = []
    for name, build in AS_BUILT.items():
        learner = build()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(learner, on_skip=None, on_fail=None)
        failed = {each["check_name"]: each["exception"] for each in results if each["status"] == "failed"}
        listed = sklearn_exceptions(learner)
        different += [f"{name} fails {c}: {why}" for c, why in failed.items() if c not in listed]
        different += [f"{name} passes {check}, which is listed" for check in listed if check not in failed]
        print(f"{name}: {len(failed)} of {len(results)} checks fail", flush=True)
    return different


if __name__ == "__main__":
    if "--no-run" not in sys.argv[1:]:
        problems = disagreements()
        if problems:
            raise SystemExit("\n".join(problems))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
