"""A picture of few colours as a PNG file, for grids too fine to be drawn as shapes.

PNG (Portable Network Graphics) Specification, second edition, W3C 2003; colour type 3, 8 bits.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]


def indexed_png(pixels: Bytes, colours: Bytes) -> bytes:
    """The picture of `pixels` (height x width), which are places in `colours` (at most 256 x RGBA)."""
    height, width = pixels.shape
    if not (0 < len(colours) <= 256 and colours.shape[1:] == (4,)):
        raise ValueError(f"a picture has 1 to 256 colours of red, green, blue, alpha; got {colours.shape}")
    if not pixels.size or int(pixels.max()) >= len(colours):
        raise ValueError("a picture has pixels, and each is the place of a colour")
    # Filter 0 (none) before each line: long runs of one colour are what zlib does best.
    lines = np.zeros((height, width + 1), dtype=np.uint8)
    lines[:, 1:] = pixels
    return b"".join(
        [
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", colours[:, :3].tobytes()),
            _chunk(b"tRNS", colours[:, 3].tobytes()),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        ]
    )


def data_uri(picture: bytes) -> str:
    """The file as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
