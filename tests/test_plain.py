"""The plain English check finds what it is for, and finds nothing in the text of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import plain


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


def test_each_pattern_has_examples_and_advice() -> None:
    assert len({pattern.name for pattern in plain.PATTERNS}) == len(plain.PATTERNS)
    assert all(pattern.examples and pattern.instead for pattern in plain.PATTERNS)


def test_mathematics_and_indented_programs_are_no_sentences() -> None:
    words = " ".join(["word"] * (plain.LONGEST - 1))
    assert not list(plain.long_sentences(f"{words} $$x = a + b$$ {words}."))
    assert not list(plain.of_markdown(Path("page.md"), f"Run:\n\n    {words} {words}\n"))


def test_code_of_worked_examples_is_not_checked() -> None:
    source = 'story = "Whoever asks."\ncode = "whoever = 1"\nsteps = [["by heart", "why"]]\n'
    assert {match.pattern for match in plain.of_toml(Path("W.toml"), source)} == {
        "whoever",
        "learned by heart",
    }


def test_nothing_in_the_text_of_the_package_has_to_be_reworded() -> None:
    matches = plain.check(plain.sources())
    assert not matches, "\n".join(
        f"{m.path}:{m.line}: {m.pattern}: {m.text[:80]}; write {m.instead}" for m in matches[:40]
    )
