"""Look through a built site for what a reader's browser would fetch from elsewhere; links are not fetched.

python tools/foreign.py build/site    ends with 1 and the places where there is something
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

#: Elements and attributes by which a page fetches things when it is opened.
_FETCHED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "link": ("href",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
    "input": ("src",),
}
#: Kinds of <link> that fetch nothing.
_NAMES = {"canonical", "next", "prev", "alternate", "author", "license", "me"}
_ELSEWHERE = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])\s*((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "link" and set(given.get("rel", "").split()) <= _NAMES:
            return
        for name in _FETCHED.get(tag, ()):
            if any(_ELSEWHERE.match(each) for each in given.get(name, "").split(",")):
                self.found.append(f"<{tag} {name}={given[name]!r}>")
        self.found += _IN_STYLE.findall(given.get("style", ""))


def foreign(folder: Path) -> list[str]:
    """What the pages and style sheets of a site would fetch from elsewhere, each with its file."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".html":
            page = _Page()
            page.feed(path.read_text(encoding="utf-8"))
            found += [f"{path.relative_to(folder)}: {each}" for each in page.found]
        elif path.suffix in (".css", ".svg"):
            text = path.read_text(encoding="utf-8")
            found += [f"{path.relative_to(folder)}: {each}" for each in _IN_STYLE.findall(text)]
            if path.suffix == ".svg":
                drawing = _Page()
                drawing.feed(text)
                found += [f"{path.relative_to(folder)}: {each}" for each in drawing.found]
    return found


if __name__ == "__main__":
    places = foreign(Path(sys.argv[1]))
    print(*places, sep="\n", file=sys.stderr)
    print(f"{len(places)} foreign requests in {sys.argv[1]}")
    sys.exit(1 if places else 0)
