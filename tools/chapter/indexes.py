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

{len(pages)} worked examples of five texts on classification, each on a page of its own: the story and its table, the
question, the way by hand with a blank to fill, a few lines of acumen that were run when the page was made, a picture,
and what the text prints beside what is exact. Where a text is wrong, find the mistake before the page tells it.

* [An afternoon](afternoon.md): twelve pages that lead from counting to support vectors
* [By method](by-method.md) · [by document](by-document.md) · [by difficulty](by-difficulty.md)
* [Errata](errata.md): the pages on which a text is wrong
* [Coverage](coverage.md): all of them with their marks, and what cannot be decided

Every number on a page is computed when the page is made, but for those that a text prints. Every page is a test.

{progress(page.id for page in pages)}

## An afternoon in pictures

<div class="gallery" markdown="1">

{_pictures()}

</div>

## All of them

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
        "What the texts are, and where their techniques went: [the table](../documents.md).",
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
        "Pages on which a text is not what its own data or formula give. Look for the mistake yourself first.",
    ]
    for status in ("wrong", "formula wrong"):
        mine = [page for page in pages if page.status == status]
        said = "\n".join(f"* {link(page.id)}, {lines_of(page)} of text {int(page.document)}" for page in mine)
        parts += [f"## {STATUSES[status].capitalize()}", said]
    return "\n\n".join(parts) + "\n"


def _afternoon() -> str:
    lines = [f"{i}. {link(id)}: {why}" for i, (id, why) in enumerate(data.path_of_twelve(), start=1)]
    return (
        "# An afternoon\n\nTwelve pages, in this order; each takes a quarter of an hour with paper and pencil.\n\n"
        + ("\n".join(lines) + "\n\n" + progress(id for id, _ in data.path_of_twelve()) + "\n")
    )


def progress(ids: Iterable[str]) -> str:
    """Where docs/examples/progress.js writes how many of these pages were read; empty without it."""
    return f'<p id="examples-progress" data-ids="{" ".join(ids)}"></p>'


def _coverage(pages: list[Page]) -> str:
    counts = Counter(page.status for page in pages)
    lines = ["| mark | meaning | pages |", "|---|---|---|"]
    lines += [f"| {status} | {said} | {counts[status]} |" for status, said in STATUSES.items()]
    lines.append(f"| **together** | | **{len(pages)} of {EXAMPLES}** |")
    table = ["| example | method | mark |", "|---|---|---|"]
    table += [f"| {link(page.id)} | {data.methods()[page.method].title} | {page.status} |" for page in pages]
    open_ones = [f"* {link(page.id)}: {page.missing}" for page in pages if page.missing]
    return (
        "\n\n".join(
            [
                "# Coverage",
                f"**{len(pages)} of {EXAMPLES}** worked examples have a page, a function and a test of their name.",
                "\n".join(lines),
                "## What is underdetermined, and what is missing",
                "\n".join(open_ones),
                "## All of them",
                "\n".join(table),
            ]
        )
        + "\n"
    )
