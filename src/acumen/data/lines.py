"""A text as whole lines, a block at a time, whatever its encoding; no line longer than memory should hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acumen import messages
from acumen.data.encoding import Chunk, check_encoding, find_encoding, to_utf8
from acumen.data.files import CHUNK, Source
from acumen.data.request import Request
from acumen.errors import DataError

#: The most bytes one line may have.
LONGEST = 1 << 28


def utf8_of(source: Source, request: Request, chunk: int = CHUNK) -> Iterator[Chunk]:
    """The text as UTF-8 in pieces of any size, from the encoding stated or found."""
    return to_utf8(source.chunks(chunk), _encoding(source, request), source.name)


def first_lines(source: Source, request: Request, size: int) -> list[str]:
    """The whole lines among the first bytes, for finding out how a file is laid out; blank ones left out."""
    head, complete = source.head(size)
    lines = head.decode(_encoding(source, request), "replace").removeprefix("\ufeff").splitlines()
    return [line for line in (lines if complete or len(lines) < 2 else lines[:-1]) if line.strip()]


def _encoding(source: Source, request: Request) -> str:
    stated = request.dialect.encoding
    if source.decoded:
        return "utf-8"
    return check_encoding(stated) if stated is not None else find_encoding(source.head(4096)[0])


def line_blocks(pieces: Iterable[Chunk], name: str) -> Iterator[tuple[int, bytes]]:
    """Blocks that end where a line does, each with the number of its first line, from 1."""
    held: list[bytes] = []
    size, line = 0, 1
    for piece in pieces:
        more = bytes(piece)
        end = more.rfind(b"\n") + 1
        if not end:
            held.append(more)
            size += len(more)
            if size > LONGEST:
                raise too_long(name, line)
            continue
        block = b"".join([*held, more[:end]])
        held, size = [more[end:]], len(more) - end
        yield line, block
        line += block.count(b"\n")
    rest = b"".join(held)
    if rest:
        yield line, rest


def too_long(name: str, line: int) -> DataError:
    """What to say of a line without end."""
    return DataError(f"{name}: line {line} is longer than {LONGEST >> 20} MB; this is no table of lines.")


def no_text(name: str, line: int) -> DataError:
    """What to say of bytes that are no UTF-8."""
    return DataError(
        f"{name}: line {line} holds bytes that are not UTF-8; name the encoding with {messages.dialect('encoding')}."
    )
