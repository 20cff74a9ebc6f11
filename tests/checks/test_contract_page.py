"""The page on the contract lists what the code holds."""

from __future__ import annotations

from pathlib import Path

from acumen.checks import LAWS, SKLEARN_EXCEPTIONS, sentence

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contract.md"


def test_the_page_lists_every_law_with_its_sentence() -> None:
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    laws = [line for line in listed if line.split("`")[1] in LAWS]
    assert laws == [f"| `{law}` | {sentence(law)} |" for law in LAWS]


def test_the_page_lists_every_exception_with_its_reason() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for learner, checks in SKLEARN_EXCEPTIONS.items():
        for check, why in checks.items():
            assert f"| `{learner}` | `{check}` | {why} |" in text
    assert ("| (none) | | |" in text) == (not SKLEARN_EXCEPTIONS)
