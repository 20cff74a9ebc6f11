"""The plain English check finds what it is for, and finds nothing in the text of the package."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import plain

ROOT = Path(__file__).resolve().parents[1]


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


# -- names in code -------------------------------------------------------------------------------------

#: Locals that say only that they exist.
VAGUE = frozenset({"made", "found", "said", "told", "own", "left", "given", "asked"})
#: Irregular participles that no function may be called.
IRREGULAR = frozenset(
    [
        "made",
        "found",
        "said",
        "told",
        "left",
        "given",
        "asked",
        "kept",
        "held",
        "seen",
        "shown",
        "taken",
        "known",
        "drawn",
        "written",
        "built",
        "sent",
        "met",
        "heard",
        "led",
        "lost",
        "meant",
        "paid",
        "ran",
        "spent",
        "stood",
        "taught",
        "thought",
        "understood",
        "begun",
        "broken",
        "chosen",
        "done",
        "driven",
        "felt",
        "forgotten",
        "gone",
        "grown",
        "hidden",
        "laid",
        "bound",
        "dealt",
        "bought",
        "brought",
        "caught",
    ]
)
#: Names that end like participles and are none.
NOUNS = frozenset({"need", "feed", "seed", "speed", "embed", "exceed", "proceed"})


def names_in_code() -> tuple[int, list[str], dict[str, int]]:
    """Assignments to vague locals, functions named by a bare participle, and class names of several modules."""
    vague, participles, classes = 0, [], Counter[str]()
    for path in sorted((ROOT / "src" / "acumen").rglob("*.py")):
        of_module = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                vague += node.id in VAGUE
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = node.name.strip("_")
                if name in IRREGULAR or (re.fullmatch(r"[a-z]+ed", name) and name not in NOUNS):
                    participles.append(f"{path.name}: {node.name}")
            elif isinstance(node, ast.ClassDef):
                of_module.add(node.name)
        classes.update(of_module)
    return vague, participles, {name: count for name, count in classes.items() if count > 1}


def test_names_say_what_they_hold() -> None:
    vague, participles, classes = names_in_code()
    assert vague < 150
    assert len(participles) < 30, participles
    assert len(classes) < 15, classes
