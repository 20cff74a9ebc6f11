"""The pages that lead to pages: by method, by document, by difficulty, errata, an afternoon's path, coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from chapter import data
from chapter.data import DOCUMENTS, LEVELS, STATUSES, Page
from chapter.template import lines_of, link

#: How many worked examples the five texts hold.
EXAMPLES = 138


def indexes() -> dict[str, str]:
    """Every index by the name of its file."""
    pages = list(data.pages().values())
    return {
        "index.md": _home(pages),
        "by-method.md": _by_method(pages),
        "by-document.md": _by_document(pages),
        "by-difficulty.md": _by_difficulty(pages),
        "errata.md": _errata(pages),
        "afternoon.md": _afternoon(),
        "coverage.md": _coverage(pages),
    }


def _home(pages: list[Page]) -> str:
    return f"""# Learn by example

{len(pages)} worked examples from five texts on classification, one per page. Each has the story and its table, the
question, the solution by hand with a blank to fill in, a few lines of acumen with their output, a picture, and a
comparison of the printed with the exact numbers. If a text is wrong, you can look for the mistake before the page
shows it.

* [An afternoon](afternoon.md): twelve pages from counting to support vectors
* [By method](by-method.md) · [by document](by-document.md) · [by difficulty](by-difficulty.md)
* [Errata](errata.md): the mistakes in the texts
* [Coverage](coverage.md): all examples with their verdicts, and what the texts leave open

Every number on a page, except those quoted from a text, is computed when the page is generated. Every page is also a
test.

{progress(page.id for page in pages)}

## An afternoon in pictures

<div class="gallery" markdown="1">

{_pictures()}

</div>

## All examples

{_all(pages)}
"""


def _pictures() -> str:
    """The pictures of the path of twelve, each of which leads to its page."""
    titles = {id: data.pages()[id].title for id, _ in data.path_of_twelve()}
    return "\n".join(f"[![{title}](img/{id}.svg)]({id}.md)" for id, title in titles.items())


def _all(pages: list[Page]) -> str:
    """Every page, text by text."""
    texts = []
    for number, title in DOCUMENTS.items():
        mine = " · ".join(link(page.id) for page in pages if page.document == number)
        texts.append(f"**{title}**: {mine}")
    return "\n\n".join(texts)


def _lines(pages: Iterable[Page]) -> str:
    return "\n".join(f"* {link(page.id)} ({LEVELS[page.level]}, {page.status})" for page in pages)


def _by_method(pages: list[Page]) -> str:
    parts = ["# Examples by method"]
    for method in data.methods().values():
        mine = [page for page in pages if page.method == method.key]
        if mine:
            parts += [
                f'<a id="{method.key}"></a>',
                f"## {method.title}",
                f"The guide: [{method.title}](../{method.guide}).",
                _lines(mine),
            ]
    return "\n\n".join(parts) + "\n"


def _by_document(pages: list[Page]) -> str:
    parts = [
        "# Examples by document",
        "The texts, and where to find their techniques in acumen: [the table](../documents.md).",
    ]
    for number, title in DOCUMENTS.items():
        mine = [page for page in pages if page.document == number]
        said = "\n".join(f"* {link(page.id)}, {lines_of(page)} ({page.status})" for page in mine)
        parts += [f"## {int(number)}: {title}", said]
    return "\n\n".join(parts) + "\n"


def _by_difficulty(pages: list[Page]) -> str:
    parts = ["# Examples by difficulty"]
    for level, name in LEVELS.items():
        parts += [f"## {name.capitalize()}", _lines(page for page in pages if page.level == level)]
    return "\n\n".join(parts) + "\n"


def _errata(pages: list[Page]) -> str:
    parts = [
        "# Errata",
        "Pages on which a text contradicts its own data or formula. Look for the mistake yourself first.",
    ]
    for status in ("wrong", "formula wrong"):
        mine = [page for page in pages if page.status == status]
        said = "\n".join(f"* {link(page.id)}, {lines_of(page)} of text {int(page.document)}" for page in mine)
        parts += [f"## {STATUSES[status].capitalize()}", said]
    return "\n\n".join(parts) + "\n"


def _afternoon() -> str:
    lines = [f"{i}. {link(id)}: {why}" for i, (id, why) in enumerate(data.path_of_twelve(), start=1)]
    return (
        "# An afternoon\n\nTwelve pages, in this order. Each takes about 15 minutes with paper and pencil.\n\n"
        + ("\n".join(lines) + "\n\n" + progress(id for id, _ in data.path_of_twelve()) + "\n")
    )


def progress(ids: Iterable[str]) -> str:
    """Where docs/examples/progress.js writes how many of these pages were read; empty without it."""
    return f'<p id="examples-progress" data-ids="{" ".join(ids)}"></p>'


def _coverage(pages: list[Page]) -> str:
    counts = Counter(page.status for page in pages)
    lines = ["| verdict | meaning | pages |", "|---|---|---|"]
    lines += [f"| {status} | {said} | {counts[status]} |" for status, said in STATUSES.items()]
    lines.append(f"| **together** | | **{len(pages)} of {EXAMPLES}** |")
    table = ["| example | method | verdict |", "|---|---|---|"]
    table += [f"| {link(page.id)} | {data.methods()[page.method].title} | {page.status} |" for page in pages]
    open_ones = [f"* {link(page.id)}: {page.missing}" for page in pages if page.missing]
    return (
        "\n\n".join(
            [
                "# Coverage",
                f"**{len(pages)} of {EXAMPLES}** worked examples have a page, a function and a test.",
                "\n".join(lines),
                "## What the texts leave open",
                "\n".join(open_ones),
                "## All examples",
                "\n".join(table),
            ]
        )
        + "\n"
    )
