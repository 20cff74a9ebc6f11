"""Names for the arrays that walk through the house."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.int32]
Indices: TypeAlias = npt.NDArray[np.intp]
Bools: TypeAlias = npt.NDArray[np.bool_]
Objects: TypeAlias = npt.NDArray[np.object_]
#: Cells as a file has them: codes over their distinct texts, -1 where one is missing.
Written: TypeAlias = tuple[Codes, tuple[str, ...]]
Array: TypeAlias = npt.NDArray[Any]

#: A level or class label, of the type its source had.
Label: TypeAlias = str | int | float | bool

Kind: TypeAlias = Literal["numeric", "nominal", "ordinal", "text", "ignored"]

#: Codes below zero: the value is missing; the value is a level the schema does not know.
MISSING = -1
UNKNOWN = -2
