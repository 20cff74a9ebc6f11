"""Whatever goes wrong while a model file is read ends as ModelFileError, in a sentence that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fsdecode
from typing import TypeAlias

import numpy as np

from acumen.errors import AcumenError, ModelFileError

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
