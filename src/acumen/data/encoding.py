"""Bytes of any encoding as the UTF-8 the tokenizer takes.

find_encoding   the first bytes -> the encoding they show, or UTF-8 until something says otherwise
to_utf8         chunks in an encoding -> chunks in UTF-8, without a byte-order mark
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from acumen import messages
from acumen.errors import DataError, ParameterError

Chunk: TypeAlias = bytes | bytearray | memoryview


class NotUtf8(Exception):  # noqa: N818 - not an error: the source is read again as Latin-1
    """The text is not UTF-8; `line` is the first that is not."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


UTF8 = "utf-8"
#: Latin-1 as Windows writes it, with € and curly quotes where the standard has control characters, which no table
#: holds. It can mean every byte, and is not called as `checked` calls it: somebody who names cp1252 is told of bytes
#: that it lacks.
FALLBACK = "windows-1252"
_AS_IT_IS = "acumen.as-it-is"

_MARKS = (
    (codecs.BOM_UTF8, UTF8),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _as_it_is(error: UnicodeError) -> tuple[str, int]:
    """What Windows' table leaves open is what Latin-1 says."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_AS_IT_IS, _as_it_is)


def find_encoding(head: bytes) -> str:
    """What a byte-order mark says, or the NULs that UTF-16 puts between ASCII letters; else UTF-8."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    sample = head[:4096]
    pairs = len(sample) // 2
    if pairs:
        even, odd = sample[: 2 * pairs : 2].count(0), sample[1 : 2 * pairs : 2].count(0)
        if odd > 0.4 * pairs and even < 0.1 * pairs:
            return "utf-16-le"
        if even > 0.4 * pairs and odd < 0.1 * pairs:
            return "utf-16-be"
    return UTF8


def check_encoding(encoding: str) -> str:
    """A user's encoding by Python's own name for it; a sentence if Python knows none."""
    try:
        "".encode(encoding)
        name = codecs.lookup(encoding).name
        codecs.getincrementaldecoder(name)
        # Codecs for the names of hosts, and 'undefined', refuse whole texts whatever they are told to do with errors.
        b"a.-\xff".decode(name, "replace")
    except (LookupError, ValueError):  # ValueError: a NUL in the name, too
        raise ParameterError(
            f"Dialect: {encoding!r} is no encoding Python knows for texts; try 'utf-8', 'latin-1' or 'cp1252'."
        ) from None
    return UTF8 if name in ("utf-8", "utf-8-sig") else name


def to_utf8(chunks: Iterable[Chunk], encoding: str, name: str) -> Iterator[Chunk]:
    """The same text in UTF-8; bytes that `encoding` cannot mean are an error naming their line.

    UTF-8 itself passes unchecked: the tokenizer checks it, and knows the line.
    """
    if encoding == UTF8:
        yield from _without_mark(chunks)
        return
    decoder = codecs.getincrementaldecoder(encoding)(_AS_IT_IS if encoding == FALLBACK else "strict")
    lines, started, after_cr = 1, False, False
    for chunk, last in _with_last(chunks):
        try:
            text = decoder.decode(bytes(chunk), last)
        except UnicodeDecodeError as error:
            before = bytes(error.object[: error.start]).decode(encoding, "ignore")
            raise DataError(
                f"{name}: line {lines + _breaks(before)} holds bytes that are not {encoding}; "
                f"name the right one with {messages.dialect('encoding')}."
            ) from None
        except (
            UnicodeError
        ) as error:  # without a place: UTF-16 that nothing says the order of, or a codec for names
            orders = {"utf-16": "utf-16-le' or 'utf-16-be", "utf-32": "utf-32-le' or 'utf-32-be"}.get(
                encoding
            )
            what = (
                f"has no byte-order mark, so {encoding} cannot be told from its mirror; say '{orders}'"
                if orders is not None
                else f"is not {encoding} ({error}); name the right one"
            )
            raise DataError(f"{name} {what} with {messages.dialect('encoding')}.") from None
        if text and not started:
            started = True
            text = text.removeprefix("\ufeff")
        lines += _breaks(text) - (after_cr and text.startswith("\n"))
        after_cr = text.endswith("\r") if text else after_cr
        if text:
            yield text.encode("utf-8", "replace")


def _breaks(text: str) -> int:
    """Line breaks in a text: LF, CR and CRLF count one each."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _with_last(chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, bool]]:
    """Each chunk with False, then nothing with True: only then is a half character an error."""
    for chunk in chunks:
        yield chunk, False
    yield b"", True


def _without_mark(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """UTF-8 without its mark, however the first bytes were cut."""
    held: bytes | None = b""
    for chunk in chunks:
        if held is None:
            yield chunk
            continue
        held += bytes(chunk[:3])
        rest = chunk[3:]
        if len(held) < 3:
            continue
        first, held = held.removeprefix(codecs.BOM_UTF8), None
        if first:
            yield first
        if len(rest):
            yield rest
    if held:
        yield held
