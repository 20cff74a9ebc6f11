"""The slow twin of the word kernel: one character after the other, by Unicode's own properties."""

from __future__ import annotations

import unicodedata


def tokens(text: str) -> list[str]:
    """Maximal runs of letters, digits, underscores and marks of the lower-cased, composed text."""
    words, word = [], ""
    for character in unicodedata.normalize("NFC", text.lower()):
        if character.isalnum() or character == "_" or unicodedata.category(character).startswith("M"):
            word += character
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def totals(texts: list[str | None], weights: list[float]) -> dict[str, float]:
    """The summed weight of every word's occurrences."""
    found: dict[str, float] = {}
    for text, weight in zip(texts, weights, strict=True):
        for word in tokens(text or "") if weight else []:
            found[word] = found.get(word, 0.0) + weight
    return found
