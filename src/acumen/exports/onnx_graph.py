"""An ONNX graph while it is made.

    Graph   nodes, constants and inputs; `add` gives the name of a node's one output

Run-times fuse a MatMul with a product or quotient by a single number before or behind it, and then hold that number in
single precision: between the two there is always a node that they know nothing to do with.

Tensors of rows are (rows, columns), numbers double throughout. Opsets are those of `OPSETS`: ai.onnx.ml 5 is the first
with trees in double precision that know sets of levels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from acumen.errors import MissingExtra
from acumen.types import Array

#: The versions of operators a graph asks for, and of the file's form: what onnxruntime 1.20 and later read.
OPSETS: Final = (("", 18), ("ai.onnx.ml", 5))
IR_VERSION: Final = 9
ML: Final = "ai.onnx.ml"


def onnx_package() -> Any:
    """The package `onnx`; MissingExtra in a sentence where it is not installed."""
    try:
        import onnx
    except ImportError:
        raise MissingExtra(
            "to_onnx needs the package onnx, which is not installed: pip install 'acumen-learn[onnx]'"
        ) from None
    return onnx


@dataclass(slots=True)
class OnnxGraph:
    """Nodes in the order they were added."""

    package: Any  # onnx
    prefix: str = "acumen/"  # of the graph's own names; no input begins so
    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    constants: dict[tuple[Any, ...], str] = field(default_factory=dict)
    tensors: list[Any] = field(default_factory=list)
    singles: set[str] = field(default_factory=set)  # constants of one number
    fusible: dict[str, str] = field(
        default_factory=dict
    )  # results of a MatMul, or of a product by a single number

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        """A constant, kept once."""
        array = np.asarray(values, dtype=dtype)
        raw = tuple(array.ravel().tolist()) if array.dtype == object else array.tobytes()
        key = (str(array.dtype), array.shape, raw)
        if key not in self.constants:
            name = f"{self.prefix}c{len(self.constants)}"
            self.constants[key] = name
            if array.size == 1:
                self.singles.add(name)
            self.tensors.append(self.package.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return self.constants[key]

    def whole(self, values: Any) -> str:
        """A constant of whole numbers."""
        return self.constant(values, np.int64)

    def add(self, kind: str, *inputs: str, domain: str = "", **how: Any) -> str:
        """A node; the name of what comes out of it."""
        scales = kind in ("Mul", "Div") and not self.singles.isdisjoint(inputs)
        if scales or kind == "MatMul":
            inputs = tuple(self._held_apart(one, "MatMul" if scales else "scale") for one in inputs)
        name = f"{self.prefix}n{len(self.nodes)}"
        self.nodes.append(self.package.helper.make_node(kind, list(inputs), [name], domain=domain, **how))
        if scales or kind == "MatMul":
            self.fusible[name] = "scale" if scales else "MatMul"
        return name

    def _held_apart(self, tensor: str, kind: str) -> str:
        """The same numbers, behind a node that is not fused with what comes next, where `kind` would be."""
        return (
            self.add("Max", tensor, self.constant([[-np.inf]]))
            if self.fusible.get(tensor) == kind
            else tensor
        )

    def name_output(self, name: str, tensor: str) -> None:
        """A result under a name that is read outside."""
        self.nodes.append(self.package.helper.make_node("Identity", [tensor], [name]))

    def tensor(self, values: Array) -> Any:
        """An attribute that is a tensor."""
        return self.package.numpy_helper.from_array(np.ascontiguousarray(values))

    # -- what is often needed ---------------------------------------------------------------------

    def choose(self, where: str, one: str, other: str) -> str:
        return self.add("Where", where, one, other)

    def negate(self, truth: str) -> str:
        return self.add("Not", truth)

    def number(self, tensor: str) -> str:
        """Truth values or whole numbers as doubles."""
        return self.add("Cast", tensor, to=self.package.TensorProto.DOUBLE)

    def place(self, tensor: str) -> str:
        """Truth values or doubles as whole numbers."""
        return self.add("Cast", tensor, to=self.package.TensorProto.INT64)

    def beside(self, *columns: str) -> str:
        """Columns side by side."""
        return columns[0] if len(columns) == 1 else self.add("Concat", *columns, axis=1)

    def total(self, *parts: str) -> str:
        """Sums of tensors, in order."""
        total = parts[0]
        for part in parts[1:]:
            total = self.add("Add", total, part)
        return total

    def over_columns(self, kind: str, tensor: str) -> str:
        """ReduceSum or ReduceMax of each row, as a column."""
        return self.add(kind, tensor, self.whole([1]), keepdims=1)

    def looked_up(self, table: str, at: str) -> str:
        """The line of a table for each row; `at` is a column of whole numbers."""
        flat = self.add("Reshape", at, self.whole([-1]))
        return self.add("Gather", table, flat, axis=0)
