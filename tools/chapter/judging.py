"""Printed, ours, exact: three numbers, and the mark that follows from them.

A printed figure is confirmed where the exact one, rounded to as many digits, is it. Where it is not, but the figure
that rounded intermediates lead to is, a chain of rounding made it. Otherwise it is wrong.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

from chapter.data import Value

_OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
#: What is said of 0/0.
UNDEFINED = "undefined"
_FUNCTIONS = {"sqrt": math.sqrt, "log": math.log, "log2": math.log2, "exp": math.exp}


@dataclass(frozen=True)
class Judged:
    """A line of the table with its numbers; `printed` is NaN where there is none."""

    value: Value
    ours: float
    printed: float
    exact: float
    low: float
    high: float
    mark: str

    @property
    def holds(self) -> bool:
        """Whether ours is the exact number, or in its range, or undefined where it should be."""
        if self.value.exact == UNDEFINED:
            return math.isnan(self.ours)
        return self.low <= self.ours <= self.high


def judge(value: Value, numbers: dict[str, Any], tolerance: float) -> Judged:
    """The line of a value, computed from the numbers of its page."""
    ours = looked_up(value.name, numbers)
    low, exact, high = bounds(value.exact, tolerance)
    printed, mark = math.nan, ""
    if value.printed.startswith("="):
        printed = looked_up(value.printed[1:], numbers)
        same = math.isclose(printed, exact, rel_tol=1e-9, abs_tol=1e-12)
        mark = "formula holds" if same else "formula wrong"
    elif value.printed:
        printed = number(value.printed)
        mark = _mark(value, numbers, printed, exact, low, high)
    return Judged(value, ours, printed, exact, low, high, mark)


def _mark(
    value: Value, numbers: dict[str, Any], printed: float, exact: float, low: float, high: float
) -> str:
    if ".." in value.exact:
        return "inside" if low <= printed <= high else "wrong"
    if agrees(value.printed, exact):
        return "confirmed"
    if value.how.startswith("±"):
        return "confirmed" if abs(printed - exact) <= float(value.how[1:]) else "wrong"
    if value.how and agrees(value.printed, looked_up(value.how, numbers)):
        return "rounding chain"
    return "wrong"


def looked_up(name: str, numbers: dict[str, Any]) -> float:
    """A number by its name; `w[0]` and `w[0][1]` are its parts."""
    return float(f"{{{name}!r}}".format_map(_Plain(numbers)))


class _Plain(dict):  # type: ignore[type-arg]
    """Numbers that write themselves so that `float` reads them."""

    def __getitem__(self, key: str) -> Any:
        return _plain(super().__getitem__(key))


def _plain(made: Any) -> Any:
    if hasattr(made, "tolist"):
        made = made.tolist()
    if isinstance(made, (list, tuple)):
        return [_plain(part) for part in made]
    return float(made) if isinstance(made, (int, float)) or hasattr(made, "numerator") else made


def number(said: str) -> float:
    """A printed figure; 1/3 and 60 % are figures too."""
    said = said.strip()
    if said.endswith("%"):
        return number(said[:-1]) / 100
    return calculated(said)


def agrees(printed: str, exact: float) -> bool:
    """Whether the exact number, rounded to as many digits as the printed one, is it."""
    percent = printed.strip().endswith("%")
    digits = printed.strip(" %")
    if not math.isfinite(exact):
        return False
    if not re.fullmatch(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", digits):
        return math.isclose(number(printed), exact, rel_tol=1e-12)
    wanted = Decimal(digits)
    unit = Decimal((0, (1,), wanted.as_tuple().exponent))  # type: ignore[arg-type]
    found = Decimal(repr(exact)) * (100 if percent else 1)
    # Twelve digits are what a computed number is good for: 0.165 must not become 0.164999... and round down.
    found = Decimal(f"{found:.12g}")
    return any(found.quantize(unit, how) == wanted for how in (ROUND_HALF_UP, ROUND_HALF_EVEN))


def bounds(exact: str, tolerance: float) -> tuple[float, float, float]:
    """The least, the exact and the greatest that ours may be."""
    if exact == UNDEFINED:
        return math.nan, math.nan, math.nan
    if not exact:
        return -math.inf, math.nan, math.inf
    if ".." in exact:
        low, high = (calculated(end) for end in exact.split(".."))
        slack = tolerance if tolerance > 1e-9 else 0.0
        return low - slack, math.nan, high + slack
    value = calculated(exact)
    slack = max(tolerance * abs(value), 1e-12)
    if re.fullmatch(r"[-+]?\d*\.\d+(e[-+]?\d+)?", exact.strip()):
        slack = max(slack, 0.51 * 10.0 ** int(Decimal(exact.strip()).as_tuple().exponent))
    if tolerance > 1e-9:
        slack = max(slack, tolerance)
    return value - slack, value, value + slack


def calculated(said: str) -> float:
    """An expression of numbers, + - * / **, sqrt, log, log2 and exp."""
    return float(_value(ast.parse(said.strip(), mode="eval").body))


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _FUNCTIONS[node.func.id](*map(_value, node.args))
    raise ValueError(f"not an expression of numbers: {ast.dump(node)}")
