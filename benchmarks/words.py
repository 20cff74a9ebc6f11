"""How fast texts are counted, beside scikit-learn's CountVectorizer.

    python benchmarks/words.py [FILE]

FILE holds a text a line; without it sentences of a made-up vocabulary are counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from clock import best

from acumen.preprocessing import Vocabulary, WordCounts


def made_up(lines: int = 100_000) -> list[str]:
    """Lines of 20 words, frequent and rare ones as in real texts (Zipf)."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(50_000)])
    drawn = np.minimum(rng.zipf(1.3, size=(lines, 20)), len(words)) - 1
    return [" ".join(line) for line in words[drawn]]


def main() -> None:
    texts = Path(sys.argv[1]).read_text(encoding="utf-8").split("\n") if len(sys.argv) > 1 else made_up()
    size = sum(len(text.encode()) for text in texts) / 1e6
    vocabulary = Vocabulary.of(WordCounts.of(texts), max_words=1000)
    from sklearn.feature_extraction.text import CountVectorizer

    theirs = CountVectorizer(token_pattern=r"\w+", max_features=1000)
    print(f"{size:.1f} MB of text in {len(texts)} lines")
    for name, what in (
        ("count words", lambda: WordCounts.of(texts)),
        ("count rows, 1,000 words", lambda: vocabulary.transform(texts)),
        ("both by CountVectorizer", lambda: theirs.fit_transform(texts)),
    ):
        seconds = best(what)
        print(f"{name:28s}{seconds:8.3f} s {size / seconds:8.1f} MB/s")


if __name__ == "__main__":
    main()
