"""The plain English check finds what it is for, and the text of the package gets better, never worse."""

from __future__ import annotations

from pathlib import Path

import pytest

import plain

#: Matches in all that users read, when this was last counted; lower it whenever the count falls.
MOST = 672


@pytest.mark.parametrize("pattern", plain.PATTERNS, ids=lambda pattern: pattern.name)
def test_each_pattern_finds_its_examples(pattern: plain.Pattern) -> None:
    for example in pattern.examples:
        assert pattern.regex.search(example), example


def test_prose_is_checked_and_code_is_not() -> None:
    page = (
        "Rows that lie apart.\n\n```python\nlie_apart = 'parts that lie apart'\n```\n\n| a | whoever asks |\n"
    )
    found = [(match.line, match.pattern) for match in plain.of_markdown(Path("page.md"), page)]
    assert found == [(1, "lie apart"), (7, "whoever")]


def test_messages_and_public_docstrings_are_checked_and_private_ones_are_not() -> None:
    source = (
        'def read(x):\n    """Whoever reads."""\n    raise ValueError(f"{x} lies apart")\n\n'
        'def _own():\n    """By heart."""\n'
    )
    found = {match.pattern for match in plain.of_python(Path("module.py"), source)}
    assert found == {"whoever", "lie apart"}


def test_long_sentences_are_found() -> None:
    words = " ".join(["word"] * (plain.LONGEST + 1))
    assert list(plain.long_sentences(f"Short. {words}.")) == [f"{words}."]
    assert not list(plain.long_sentences(" ".join(["word"] * plain.LONGEST) + "."))


def test_there_is_not_more_to_reword_than_before() -> None:
    matches = plain.check(plain.sources())
    assert len(matches) <= MOST, "\n".join(
        f"{m.path}:{m.line}: {m.pattern}: {m.text[:80]}" for m in matches[:40]
    )
