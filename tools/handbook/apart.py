"""For the reference: parameters that share a line of a docstring, each on a line of its own.

`costs, priors : As for NaiveBayes` says nothing of types, and the reader of docstrings would give both the type and the
default of the first; apart, each has those of its own in the signature.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_SHARED = re.compile(r"^(\w+(?:, \w+)+)( :.*)?\n((?:    .*\n|\n(?=    ))*)", re.MULTILINE)


def apart(text: str) -> str:
    """The docstring with a line of its own for each of several parameters that share one, without their shared type.

    >>> print(apart("Parameters\\n----------\\na, b : int\\n    Sizes.\\n"), end="")
    Parameters
    ----------
    a
        Sizes.
    b
        Sizes.
    """
    head, mark, section = text.partition("Parameters\n----------\n")
    if not mark:
        return text
    end = re.search(r"^\S.*\n-{3,}$", section, re.MULTILINE)
    own, rest = (section, "") if end is None else (section[: end.start()], section[end.start() :])
    return head + mark + _SHARED.sub(_each, own) + rest


def _each(match: re.Match[str]) -> str:
    said = match[3].rstrip("\n")
    return "".join(f"{name}\n{said}\n" for name in match[1].split(", ")) + (
        "\n" if match[3].endswith("\n\n") else ""
    )


class Apart(griffe.Extension):
    """Puts parameters apart in whatever is loaded."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None and not obj.is_alias:
            obj.docstring.value = apart(f"{obj.docstring.value}\n").rstrip("\n")
