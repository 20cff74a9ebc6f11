"""One learner's page in Markdown: each in the same order; what was written by hand comes from docs/guide/*.toml."""

from __future__ import annotations

import inspect
import re

from acumen.checks.exceptions import SKLEARN_EXCEPTIONS
from acumen.models.task import CLASSES, NUMBERS
from acumen.registry import Entry
from acumen.registry.entries import plain
from handbook import tex
from handbook.tried import ABILITIES, tried
from handbook.written import LETTERS, Written, families, written

_NOUN = {"classification": "classes", "regression": "numbers", "clustering": "clusters"}


def page_of(entry: Entry, said: Written, caption: str, examples: list[tuple[str, str]]) -> str:
    """The whole page; `examples` are the worked examples of its method, each a title and an address."""
    parts = [
        f"# {entry.name}",
        f"*{entry.summary}*",
        _facts(entry, said),
        *_prose(entry),
        "## When to use it",
        said.use.strip(),
        "## Mathematics",
        tex.in_text(said.mathematics.strip()),
        "## Picture",
        f"![{entry.name}: {plain_text(caption)}](img/{entry.kind}.svg)",
        f"*{caption}*",
        "## Example",
        f"```pycon\n{said.code.replace('<BLANKLINE>', '')}\n```",
        "## What it can do",
        _abilities(entry, said),
        *_objections(entry, said),
        "## Cost",
        _cost(said),
        "## Parameters",
        _parameters(entry),
        *_exceptions(entry),
        "## See also",
        _links(entry, said, examples),
    ]
    return "\n\n".join(parts) + "\n"


def plain_text(said: str) -> str:
    return said.replace("[", "").replace("]", "")


def _facts(entry: Entry, said: Written) -> str:
    family = families()[said.family]
    learns = _NOUN.get(entry.task.name, entry.task.name)
    return (
        f"Predicts {learns} · `acumen.{entry.name}` in Python, `{entry.kind}` at the command line · "
        f"[{family.title}](index.md#{family.key})"
    )


def _prose(entry: Entry) -> list[str]:
    """The documentation between its first sentence and its parameters."""
    text = inspect.getdoc(entry.learner) or ""
    head = re.split(r"^(?:Parameters|Attributes|Examples|Notes)\n-+$", text, maxsplit=1, flags=re.MULTILINE)[
        0
    ]
    rest = head.strip().partition("\n")[2].strip()
    return [_linked(rest)] if rest else []


def _linked(text: str) -> str:
    """Learners named in code, linked to their pages."""
    from acumen.registry import entries

    kinds = {each.name: each.kind for each in entries()}

    def link(match: re.Match[str]) -> str:
        name = match[1]
        return f"[`{name}`]({kinds[name]}.md)" if name in kinds else match[0]

    return re.sub(r"`(?:acumen\.)?([A-Z]\w+)`", link, text)


def _abilities(entry: Entry, said: Written) -> str:
    lines = ["| ability | | |", "|---|---|---|"]
    for name, found in tried(entry, said.variants).items():
        note = ABILITIES[name]
        if found.by:
            note += f": with `{found.by}`"
        elif not found.done and found.said:
            note = _own_words(found.said, entry)
        lines.append(f"| {name} | {found.mark or '–'} | {_cell(note)} |")
    lines.append("")
    lines.append("✓ yes, ○ with other parameters, – no. Quoted sentences are acumen's own error messages.")
    return "\n".join(lines)


def _own_words(said: str, entry: Entry) -> str:
    said = re.sub(rf"^(?:{entry.name}|to_onnx|to_pmml): ", "", said)
    return f"“{said[0].upper()}{said[1:]}”"


def _objections(entry: Entry, said: Written) -> list[str]:
    """What it objects to before anything is learned."""
    from acumen.data.schema import Attribute, Schema

    number, level, text = Attribute("x"), Attribute("x", "nominal", ("p", "q")), Attribute("x", "text")
    target = {
        CLASSES: Attribute("y", "nominal", ("a", "b", "c")),
        NUMBERS: Attribute("y"),
    }.get(entry.task)
    tables = {
        "only numeric attributes": Schema((number,), target),
        "only nominal attributes": Schema((level,), target),
        "only text attributes": Schema((text,), target),
        "no attributes": Schema((), target),
    }
    if entry.task is CLASSES:
        tables["a numeric target"] = Schema((number,), Attribute("y"))
        tables["classes without an order"] = tables.pop("only numeric attributes")
    if entry.task is NUMBERS:
        tables["a nominal target"] = Schema((number,), Attribute("y", "nominal", ("a", "b")))
    learner = entry.make()
    found: dict[str, list[str]] = {}
    for name, schema in tables.items():
        sentence = learner.objection(schema)
        if sentence is not None:
            found.setdefault(sentence, []).append(name)
    if not found:
        return []
    lines = [
        f"* {' and '.join(names)}: “{sentence[0].upper()}{sentence[1:]}”" for sentence, names in found.items()
    ]
    return ["### Tables it refuses", "\n".join(lines)]


def _cost(said: Written) -> str:
    used = [
        f"*{letter}*: {meaning}"
        for letter, meaning in LETTERS.items()
        if re.search(rf"(?<![A-Za-z]){letter}(?![A-Za-z])", f"{said.cost} {said.answer}")
    ]
    lines = [
        "| | grows with |",
        "|---|---|",
        f"| training | {_cell(said.cost)} |",
        f"| predicting one row | {_cell(said.answer)} |",
    ]
    return "\n".join(lines) + (f"\n\n{'; '.join(used)}." if used else "")


def _parameters(entry: Entry) -> str:
    if not entry.parameters:
        return "None."
    said = entry.documentation()
    lines = ["| parameter | default | allowed values | meaning |", "|---|---|---|---|"]
    for spec in entry.parameters:
        default = "required" if spec.default is inspect.Parameter.empty else f"`{plain(spec.default)!r}`"
        cells = (f"`{spec.name}`", default, spec.requirement(), said.get(spec.name, ""))
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines)


def _exceptions(entry: Entry) -> list[str]:
    apart = SKLEARN_EXCEPTIONS.get(entry.name, {})
    if not apart:
        return []
    reasons: dict[str, list[str]] = {}
    for check, why in apart.items():
        reasons.setdefault(why, []).append(f"`{check}`")
    lines = [f"* {', '.join(checks)}: {why}" for why, checks in reasons.items()]
    return ["## Differences from scikit-learn's conventions", "\n".join(lines)]


def _links(entry: Entry, said: Written, examples: list[tuple[str, str]]) -> str:
    family = families()[said.family]
    kin = [each for each in written().values() if each.family == said.family and each.kind != entry.kind]
    lines = [f"* about the family: [{family.title}](../{family.page})"]
    if kin:
        from handbook.written import entry_of

        lines.append("* " + ", ".join(f"[{entry_of(each.kind).name}]({each.kind}.md)" for each in kin))
    lines.append(
        f"* every method and attribute: [`acumen.{entry.name}`](../api/{said.family}.md#acumen.{entry.name})"
    )
    lines += [f"* worked example: [{title}]({address})" for title, address in examples]
    lines.append("* all learners compared: [the table](../learners.md)")
    return (
        "\n".join(lines)
        + "\n\n**Sources.** "
        + " ".join(source if source.endswith(".") else f"{source}." for source in said.sources)
    )


def _cell(text: str) -> str:
    """A text that cannot end its cell or become markup."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def index() -> str:
    """The page of all learners by family."""
    from handbook.written import entry_of

    parts = [
        "# Learner by learner",
        "Every learner has a page: when to use it, the mathematics, a picture, an example, its abilities and cost, and "
        "all parameters. [One table](../learners.md) compares them.",
    ]
    for family in families().values():
        members = [each for each in written().values() if each.family == family.key]
        lines = [
            f"* [{entry_of(each.kind).name}]({each.kind}.md): {entry_of(each.kind).summary}"
            for each in members
        ]
        parts += [
            f'## <a id="{family.key}"></a>{family.title}',
            f"{family.said} See [the page about all of them](../{family.page}).",
            "\n".join(lines),
        ]
    return "\n\n".join(parts) + "\n"
