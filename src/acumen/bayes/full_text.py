"""Full Bayes in words: priors, means, and the surfaces between classes as formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acumen.bayes.factors.factor import table_lines
from acumen.data.schema import Schema
from acumen.types import Floats, Label

if TYPE_CHECKING:
    from acumen.bayes.full import FullBayesModel


def describe(model: FullBayesModel, schema: Schema, full: bool) -> str:
    """Priors, means, separating surfaces and the size of the joint table."""
    classes = schema.classes
    target = schema.target.name if schema.target else "class"
    shares = ", ".join(f"{c}: {p:.4f}" for c, p in zip(classes, np.exp(model.log_prior), strict=True))
    lines = [f"Full Bayes for {target}, from {model.weight.sum():g} rows", f"P({target})  {shares}"]
    if schema.nominal:
        size = float(np.exp(min(model.joint.log_size.sum(), 700.0)))
        lines.append(
            f"Joint table of {len(schema.nominal)} nominal attributes: {len(model.joint.keys)} of {size:.6g} "
            f"combinations occur; pseudo-count {model.joint.alpha:g}"
        )
    if not schema.numeric:
        return "\n".join(lines)
    rows = [(a.name, [f"{m:.6g}" for m in model.mean[:, j]]) for j, a in enumerate(schema.numeric)]
    lines += table_lines("mean", [str(c) for c in classes], rows)
    names = [a.name for a in schema.numeric]
    kind = "one covariance for all classes" if model.has_shared_covariance else "a covariance for each class"
    lines.append(f"Surfaces where two classes are equally likely ({kind}); above 0 the first is more likely:")
    for a, b in class_pairs(classes):
        matrix, w, w0 = model.surface(a, b)
        lines.append(f"  {classes[a]} | {classes[b]}:  {formula(matrix, w, w0, names, full)} = 0")
    if full:
        for c, matrix in enumerate(model.covariance):
            whose = "all classes" if model.has_shared_covariance else str(classes[c])
            cells = [(n, [f"{v:.6g}" for v in row]) for n, row in zip(names, matrix, strict=True)]
            lines += table_lines(f"covariance of {whose}", names, cells)
    return "\n".join(lines)


def class_pairs(classes: tuple[Label, ...]) -> list[tuple[int, int]]:
    """The pairs of classes whose surface is worth printing: all while there are few, else neighbours."""
    k = len(classes)
    if k <= 4:
        return [(a, b) for a in range(k) for b in range(a + 1, k)]
    return [(a, a + 1) for a in range(k - 1)]


def formula(matrix: Floats | None, w: Floats, w0: float, names: list[str], full: bool) -> str:
    """x'Ax + w'x + w0 written out; the longest terms are left out unless `full`."""
    terms: list[tuple[float, str]] = []
    if matrix is not None:
        for i, one in enumerate(names):
            if matrix[i, i]:
                terms.append((float(matrix[i, i]), f"{one}²"))
            terms += [
                (2.0 * float(matrix[i, j]), f"{one}·{names[j]}")
                for j in range(i + 1, len(names))
                if matrix[i, j]
            ]
    terms += [(float(v), name) for v, name in zip(w, names, strict=True)]
    limit = len(terms) if full else 15
    text = " ".join(f"{'-' if v < 0 else '+'} {abs(v):.5g} {name}" for v, name in terms[:limit])
    more = f" ... ({len(terms) - limit} more terms)" if len(terms) > limit else ""
    return f"{text}{more} {'-' if w0 < 0 else '+'} {abs(w0):.5g}".removeprefix("+ ")
