"""Lists as people write them down.

listed("one-r, svm(C=10, kernel=linear)")    the texts of several
"""

from __future__ import annotations

from acumen.errors import ParameterError

_PAIRS = {"(": ")", "[": "]", "{": "}"}


def listed(text: str) -> list[str]:
    """What commas separate, but for commas within parentheses, brackets and quotation marks."""
    made, closing, start, quote = [], [], 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _PAIRS:
            closing.append(_PAIRS[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif sign == "," and not closing:
            made.append(text[start:at])
            start = at + 1
    if closing or quote:
        raise ParameterError(f"{text!r} ends before its {closing[-1] if closing else quote} does.")
    return [part.strip() for part in (*made, text[start:]) if part.strip()]
