"""Find sentences that a native reader would stumble over, in docs and in text that users see.

    python tools/plain.py               report every match and exit with 1 if there is any
    python tools/plain.py PATH ...      only these files
    python tools/plain.py --count       only how many matches each pattern has

It checks the prose of Markdown pages, the text fields of the TOML sources of the guide and the worked examples, and the
string literals and public docstrings of `src/acumen`; not code blocks, program output or comments. Each pattern has
examples that it must find, which `tests/test_plain.py` checks.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[1]
#: Words of a sentence in prose; longer ones are reported.
LONGEST = 35
#: Fields of the TOML sources that hold code, numbers or citations.
CODE_FIELDS = (
    "changed",
    "code",
    "data",
    "example",
    "method",
    "picture",
    "sources",
    "table",
    "values",
    "variants",
)


@dataclass(frozen=True)
class Pattern:
    """Wording to avoid, what to write instead, and sentences that must be found."""

    name: str
    regex: re.Pattern[str]
    instead: str
    examples: tuple[str, ...]


def _pattern(name: str, regex: str, instead: str, *examples: str) -> Pattern:
    return Pattern(name, re.compile(regex, re.IGNORECASE), instead, examples)


PATTERNS: Final = (
    _pattern(
        "inverted opening",
        r"(?:^|[.:;!?]\s+)(?:told|noticed|said|given|written|kept|shown|found|read|taken|counted|drawn)"
        r" (?:is|are|was|were) ",
        "start with who does it: 'acumen reports ...'",
        "Told are the classes.",
        "It reads the file. Noticed is what is odd.",
        "Said is the threshold of least cost",
    ),
    _pattern(
        "not to be had",
        r"\b(?:is|are|be) (?:not |no )?to be (?:had|expected)\b|\bnot to be had\b",
        "'cannot be exported to ...', 'is not available'",
        "a tree is not to be had as SQL",
    ),
    _pattern(
        "cannot tell",
        r"\b(?:cannot|can't) tell\b|\bnot told apart\b|\bis told apart\b|\btell(?:s|ing)? (?:them |it )?apart\b",
        "'no significant difference', 'distinguish'",
        "these splits cannot tell",
        "The best, not told apart: SVM",
        "telling irises apart is telling them apart",
    ),
    _pattern(
        "unless given",
        r"\bunless (?:given|told|said|stated)\b|\bunless (?:somebody|one) says\b",
        "'[default: ...]'",
        "all cores unless given",
        "ours unless told otherwise",
    ),
    _pattern(
        "whoever",
        r"\bwhoever\b|\bnobody (?:knows|has said|encodes|believes)\b",
        "'you', 'users'",
        "whoever asks",
        "levels nobody knows",
    ),
    _pattern("likelier", r"\blikelier\b|\blikeliest\b", "'more likely', 'most likely'", "the likelier class"),
    _pattern("lie apart", r"\b(?:lie|lies|lay) apart\b", "'stored in several parts'", "parts that lie apart"),
    _pattern(
        "learned by heart",
        r"\blearn(?:ed|t|s)? by heart\b|\bby heart\b",
        "'memorise'",
        "it would be learned by heart",
    ),
    _pattern(
        "by the clock", r"\bby the (?:clock|processor)\b", "'wall time', 'CPU time'", "21 times by the clock"
    ),
    _pattern("mended", r"\bmend(?:s|ed|ing)\b", "'fix'", "which versions are mended"),
    _pattern("dear", r"\bdear(?:er|est)?\b", "'expensive'", "the dearest step"),
    _pattern(
        "gone on with",
        r"\bgone on with\b|\bgoes on with\b|\bbegun anew\b|\banew\b",
        "'resume', 'again'",
        "one that is there is gone on with",
        "begun anew",
    ),
    _pattern(
        "kept apart",
        r"\brows? (?:that were |it has )?(?:kept apart|held back|not seen)\b|\brows it has not seen\b",
        "'held-out rows', 'test set'",
        "30 % of the rows kept apart",
        "rows it has not seen",
    ),
    _pattern(
        "without a target",
        r"\bwithout a target\b(?! (?:value|column))",
        "'unlabelled', 'without a target column' if that is meant",
        "clusters without a target",
    ),
    _pattern(
        "so many",
        r"\b(?:so|as) many (?:rows|columns|values|classes|levels)\b|\bof so many\b",
        "'n', 'the number of', 'the same number of'",
        "of so many rows each",
    ),
    _pattern(
        "learned from",
        r"\brows (?:that (?:are|were) |it (?:was|is) |they (?:were|are) )?learned from\b",
        "'training rows'",
        "rows that were learned from",
    ),
    _pattern(
        "when asked",
        r"\bwhat (?:it|one|somebody|a person) (?:is told|was told|said|says)\b|\bsomebody\b",
        "'you', or the thing itself",
        "what it is told",
        "if somebody looks",
    ),
    _pattern(
        "room for words",
        r"\bis said (?:in|of|to|as)\b|\bare said (?:in|of|to|as)\b|\bit is said\b|\bis told (?:in|of|as)\b",
        "'acumen reports ...'",
        "where it is said in a sentence",
    ),
    _pattern("hold for", r"\bstands? for (?:a )?missing\b", "'means missing'", "999 stands for missing"),
    _pattern(
        "beside",
        r"\bbeside (?:the|that|those|this|it|its|another|other|[A-Z]\w+)\b",
        "'compared with', 'next to', 'versus'",
        "18.5 % beside the peer's 18.2 %",
        "acumen beside Weka",
    ),
    _pattern(
        "share of rows",
        r"\bshares? of (?:the )?(?:\w+ )?(?:rows|values|customers|cells|trees)\b",
        "'fraction', 'proportion', 'percentage'",
        "the share of the training rows",
        "shares of rows",
    ),
    _pattern(
        "as if absent",
        r"\bas if (?:absent|they were not there|it were not there)\b",
        "'are ignored'",
        "rows of weight 0 are as if absent",
    ),
    _pattern(
        "what was done",
        r"\bwhat was (?:done|learned|found|decided|seen|noticed|said|told|left out)\b",
        "name the thing: 'the model', 'the decisions', 'warnings'",
        "says what was learned",
        "what was odd and what was decided",
    ),
    _pattern(
        "reckoned",
        r"\breckon(?:ed|s|ing)?\b|\bflatters?\b",
        "'computed', 'estimated', 'is optimistic'",
        "too large to be reckoned",
        "its own figure flatters it",
    ),
    _pattern(
        "play no part",
        r"\bplays? no part\b|\btakes? no part\b",
        "'is ignored', 'has no effect'",
        "the target plays no part",
    ),
)


@dataclass(frozen=True)
class Match:
    """One place to reword."""

    path: str
    line: int
    pattern: str
    text: str
    instead: str


def find(text: str) -> Iterator[tuple[Pattern, str]]:
    """The patterns that a piece of prose matches, each with the words that match."""
    for pattern in PATTERNS:
        for match in pattern.regex.finditer(text):
            yield pattern, match[0].strip()


def long_sentences(paragraph: str) -> Iterator[str]:
    """Sentences of more than `LONGEST` words."""
    plain = re.sub(r"`[^`]*`", "x", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph))
    plain = re.sub(r"\$\$.*?\$\$", "x. ", plain, flags=re.DOTALL)
    plain = re.sub(r"\$[^$]*\$", "x", plain)
    for sentence in re.split(r"(?<=[.!?:;])\s+", plain):
        if len(re.findall(r"[A-Za-z][\w'-]*", sentence)) > LONGEST:
            yield sentence.strip()


def paragraphs(markdown: str) -> Iterator[tuple[int, str]]:
    """The prose of a page: first line and text of each paragraph or item, without code, tables' rules and headings."""
    fenced, start, lines = False, 0, list[str]()
    for number, line in enumerate([*markdown.splitlines(), ""], start=1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced, bare = not fenced, ""
        else:
            bare = "" if fenced or (line.startswith("    ") and not lines) else line.strip()
        if not bare or re.match(r"([*+-]|\d+\.|>|#|\||!\[|<|=== )", bare):
            if lines:
                yield start, " ".join(lines)
            lines = []
        if bare and not re.fullmatch(r"[|:\s-]+", bare):
            if not lines:
                start = number
            lines.append(re.sub(r"^([*+-]|\d+\.|>|#+)\s+", "", bare))


def of_markdown(path: Path, text: str) -> Iterator[Match]:
    """Matches in a Markdown page."""
    for line, paragraph in paragraphs(text):
        for part in paragraph.split("|") if paragraph.startswith("|") else [paragraph]:
            spoken = re.sub(r"`[^`]*`", "`x`", part)
            for pattern, words in find(spoken):
                yield Match(str(path), line, pattern.name, words, pattern.instead)
            for sentence in long_sentences(part):
                yield Match(str(path), line, "long sentence", sentence, f"at most {LONGEST} words")


def of_python(path: Path, text: str) -> Iterator[Match]:
    """Matches in the string literals of a module: messages, help, docstrings of public names."""
    tree = ast.parse(text)
    private = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = getattr(node, "name", "_")  # a module's own docstring is a map for developers
            if name.startswith("_") and node.body and isinstance(node.body[0], ast.Expr):
                private.add(id(node.body[0].value))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            whole = "".join(v.value if isinstance(v, ast.Constant) else "x" for v in node.values)
            private.update(id(v) for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in private:
            whole = node.value
        else:
            continue
        if " " in whole:
            for pattern, words in find(" ".join(whole.split())):
                yield Match(str(path), node.lineno, pattern.name, words, pattern.instead)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in CODE_FIELDS:
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def of_toml(path: Path, text: str) -> Iterator[Match]:
    """Matches in the prose of a page's TOML source."""
    for string in _strings(tomllib.loads(text)):
        place = text.find(string[:40])
        line = text.count("\n", 0, max(place, 0)) + 1
        for found in of_markdown(path, string):
            yield Match(found.path, line + found.line - 1, found.pattern, found.text, found.instead)


READERS: Final = {".md": of_markdown, ".py": of_python, ".toml": of_toml}


def sources() -> list[Path]:
    """All files that are checked."""
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    pages += [ROOT / "benchmarks" / name for name in ("README.md", "RESULTS.md")]
    pages += sorted((ROOT / "benchmarks" / "results").glob("*.md"))
    pages += sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs" / "coming").glob("*.md"))
    pages += sorted((ROOT / "docs" / "guide").glob("*.toml")) + sorted(
        (ROOT / "docs" / "examples").glob("*.toml")
    )
    return pages + sorted((ROOT / "src" / "acumen").rglob("*.py"))


def check(paths: Sequence[Path]) -> list[Match]:
    """All matches in these files."""
    return [
        match
        for path in paths
        if path.exists()
        for match in READERS[path.suffix](path.relative_to(ROOT), path.read_text(encoding="utf-8"))
    ]


def main(arguments: Sequence[str]) -> int:
    """Run as a command."""
    names = [Path(name).resolve() for name in arguments if not name.startswith("-")]
    matches = check(names or sources())
    if "--count" in arguments:
        for name, count in Counter(match.pattern for match in matches).most_common():
            print(f"{count:5} {name}")
    else:
        for match in matches:
            print(f"{match.path}:{match.line}: {match.pattern}: {match.text[:120]!r}; write {match.instead}")
    print(f"{len(matches)} matches in {len(names or sources())} files", file=sys.stderr)
    return 1 if matches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
