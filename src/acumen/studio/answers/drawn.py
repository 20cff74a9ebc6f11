"""Drawings as trees of plain values: the page builds elements of them and never reads markup."""

from __future__ import annotations

import re
from typing import Any, Final
from xml.etree import ElementTree

#: All that `show` draws with; style sheets stay behind, the page has its own.
ELEMENTS: Final = frozenset(
    {"svg", "g", "title", "desc", "text", "tspan", "rect", "line", "path", "circle", "ellipse", "polygon", "polyline",
     "image", "defs", "clipPath"}
)  # fmt: skip
_ATTRIBUTE: Final = re.compile(r"^(?!on)[A-Za-z][A-Za-z0-9-]*$")
_LEFT_OUT: Final = frozenset({"style", "href"})

Drawn = list[Any]


def svg_tree(svg: str | None) -> Drawn | None:
    """[name, attributes, children] of a drawing of ours; children are such lists, or texts."""
    return None if svg is None else _tree(ElementTree.fromstring(svg))


def _tree(element: Any) -> Drawn:
    children: list[Any] = [element.text] if element.text else []
    for child in element:
        if _name(child) in ELEMENTS:
            children.append(_tree(child))
        if child.tail:
            children.append(child.tail)
    attributes = {}
    for key, value in element.attrib.items():
        plain = key.rpartition("}")[2]
        picture = plain == "href" and value.startswith("data:image/png;base64,")
        if picture or (_ATTRIBUTE.match(plain) and plain not in _LEFT_OUT and "url(" not in value):
            attributes[plain] = value
    return [_name(element), attributes, children]


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
