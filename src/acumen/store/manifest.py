"""The manifest as JSON: written in one way, read without trust.

dump    dict  -> indented UTF-8 with sorted keys, the same bytes for the same values
parse   bytes -> dict; depth, containers and numbers are bounded, doubled keys and NaN refused
digest  dict  -> sha256 of its compact form
guarded whatever goes wrong while a model file is read ends as ModelFileError, in a sentence that names the file
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fsdecode
from typing import Any, Final, TypeAlias

import numpy as np

from acumen.errors import AcumenError, ModelFileError
from acumen.preprocessing.stored_arrays import require

Path: TypeAlias = str | PathLike[str]


class ModelFileMissing(ModelFileError, FileNotFoundError):  # noqa: N818 - as errors.MissingExtra
    """There is no file of that name."""


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Turn any exception inside into a ModelFileError; hostile numbers must not warn either."""
    where = fsdecode(path)
    try:
        with np.errstate(all="ignore"):
            yield
    except AcumenError as error:
        raise ModelFileError(f"{where}: {error}") from error
    except FileNotFoundError as error:
        raise ModelFileMissing(f"{where}: there is no such file.") from error
    except OSError as error:
        raise ModelFileError(f"{where}: the file cannot be read ({error.strerror or error}).") from error
    except ImportError as error:
        # What is missing is no fault of the file.
        missing = (error.name or "").partition(".")[0]
        what = f"{missing}, which is not installed" if missing else "a library that cannot be imported"
        raise ModelFileError(
            f"{where}: this model needs {what} ({str(error)[:200]}); install it, or open the file where it is."
        ) from error
    except MemoryError as error:
        raise ModelFileError(f"{where}: the model needs more memory than there is.") from error
    except Exception as error:
        # No bare `raise` on purpose: hostile values may break an assumption anywhere below.
        raise ModelFileError(
            f"{where}: the model file is damaged or forged ({type(error).__name__}: {str(error)[:200]})."
        ) from error


FORMAT: Final = 1
MAX_MANIFEST: Final = 16 * 2**20
MAX_DEPTH: Final = 64
#: A Python list or dict takes many times the two bytes of `[]`, so their number is bounded as well.
MAX_CONTAINERS: Final = 2**20

# Possessive, and with an optional end quote: one pass whatever the text, since every quote starts a match.
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def dump(manifest: dict[str, Any]) -> bytes:
    """The bytes of manifest.json."""
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1, sort_keys=True)
    # A lone surrogate (bytes that were no UTF-8 when read) becomes \udcXX, which is JSON's own escape.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def digest(value: dict[str, Any]) -> str:
    """sha256 of a JSON value in its compact ASCII form with sorted keys."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def parse(text: bytes) -> dict[str, Any]:
    """The manifest a file holds."""
    require(len(text) <= MAX_MANIFEST, f"its manifest is longer than {MAX_MANIFEST} bytes")
    _require_shallow(text)
    manifest = json.loads(
        text.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
    )
    require(isinstance(manifest, dict), "its manifest is not a JSON object")
    return manifest


def _require_shallow(text: bytes) -> None:
    """Bound depth and number of containers before a parser recurses into them."""
    outside = np.frombuffer(_STRING.sub(b"", text), dtype=np.uint8)
    opens = (outside == ord("[")) | (outside == ord("{"))
    closes = (outside == ord("]")) | (outside == ord("}"))
    require(np.count_nonzero(opens) <= MAX_CONTAINERS, "its manifest has too many lists and objects")
    depth = np.cumsum(opens.astype(np.int8) - closes.astype(np.int8), dtype=np.int32)
    require(not depth.size or depth.max() <= MAX_DEPTH, f"its manifest nests deeper than {MAX_DEPTH}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    require(len(entries) == len(pairs), "its manifest gives a key twice")
    return entries


def _constant(word: str) -> Any:
    require(False, f"its manifest holds {word}, which is no JSON number")


def _float(text: str) -> float:
    value = float(text)
    require(abs(value) != float("inf"), f"its manifest holds the number {text[:40]}, which is too large")
    return value
