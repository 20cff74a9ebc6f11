"""What fitted views need to be kept in a model file: plain arrays out, checked arrays in.

    packed / unpacked            names and options as JSON in an array of bytes
    pack_words / unpack_words    many words as bytes and the end of each

A model file may be damaged or hostile, so everything read is checked, and only ModelFileError is raised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from acumen.data.schema import Schema
from acumen.errors import DataError, ModelFileError
from acumen.preprocessing.stored_arrays import stored_array
from acumen.types import Array

Arrays = Mapping[str, Array]


def pack_json(about: Mapping[str, Any]) -> npt.NDArray[np.uint8]:
    """Names and options as JSON in bytes; ASCII, as a name may hold half of a surrogate pair."""
    return np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)


def unpack_json(who: str, arrays: Arrays, **kinds: type) -> dict[str, Any]:
    """Read the array `about` that `packed` made; `kinds` says of which type each entry must be."""
    raw = stored_array(arrays, "about", np.uint8, (None,))
    try:
        about = json.loads(raw.tobytes().decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ModelFileError(
            f"{who}: the stored names and options are not JSON; the file is damaged."
        ) from None
    if not isinstance(about, dict):
        raise ModelFileError(f"{who}: the stored names and options must be a JSON object.")
    for name, kind in kinds.items():
        if not isinstance(about.get(name), kind):
            raise ModelFileError(f"{who}: the stored entry {name!r} must be a {kind.__name__}.")
    return about


def stored_schema(who: str, made: Mapping[str, Any]) -> Schema:
    """The schema of a stored view."""
    try:
        return Schema.from_dict(made)
    except (DataError, TypeError) as error:
        raise ModelFileError(f"{who}: the stored schema cannot be used: {error}") from None


def stored_names(who: str, names: Sequence[Any]) -> tuple[str, ...]:
    """A list of different names, as stored."""
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ModelFileError(f"{who}: stored names must be text and differ from each other.")
    return tuple(names)


def pack_words(words: Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The words' UTF-8 end to end, and where each ends."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    ends = np.cumsum([len(word) for word in encoded], dtype=np.int64)
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), ends


def unpack_words(who: str, arrays: Arrays, name: str) -> tuple[str, ...]:
    """Read `<name>` and `<name>_ends` as `pack_words` made them."""
    raw = stored_array(arrays, name, np.uint8, (None,)).tobytes()
    ends = stored_array(arrays, f"{name}_ends", np.int64, (None,))
    starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
    if len(raw) != (ends[-1] if len(ends) else 0) or np.any(starts < 0) or np.any(ends <= starts):
        raise ModelFileError(f"{who}: the stored words {name!r} do not fit their ends; the file is damaged.")
    try:
        words = [
            raw[a:b].decode("utf-8", "surrogatepass")
            for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
    except UnicodeDecodeError:
        raise ModelFileError(
            f"{who}: the stored words {name!r} are not UTF-8; the file is damaged."
        ) from None
    return stored_names(who, words)
