"""Neural networks as text and figures.

describe_network   the layers, the training, the temperature; for a small network the weights
loss_figure        the loss over the epochs
drawing            a small network with its weights
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from acumen.errors import ParameterError
from acumen.networks.neural_inputs import NeuralInputs
from acumen.networks.perceptrons import WeightLayout
from acumen.render.learning_plot import Band, LearningFigure
from acumen.render.perceptrons_plot import PerceptronsFigure
from acumen.render.text import many, number
from acumen.types import Array, Floats

if TYPE_CHECKING:
    from acumen.data.schema import Schema
    from acumen.networks.neural_model import _NeuralModel

#: Maximum units of a layer that can be drawn legibly.
MOST_DRAWN: Final = 24
#: Weights that `describe(full=True)` writes out.
_WRITTEN: Final = 400


def describe_network(model: _NeuralModel, schema: Schema, outputs: tuple[str, ...], full: bool) -> str:
    """Describe the network as text."""
    target = schema.target.name if schema.target else "value"
    if not model.flats:
        return f"Neural network for {target}: one class alone, and so no network"
    layout = model.layout
    chain = " - ".join(f"{size:,}" for size in layout.sizes)
    several = f"{len(model.flats)} networks, their outputs averaged; each " if len(model.flats) > 1 else ""
    lines = [
        f"Neural network for {target}: {several}{chain} units ({model.activation}), {many(layout.length, 'weight')}"
    ]
    lines.append(_training(model))
    if np.any(model.temperature != 1.0):
        heats = ", ".join(number(float(heat)) for heat in model.temperature[:8])
        lines.append(f"Outputs divided by a temperature of {heats} (by rows held out)")
    lines.append("Layers (first network): units, weights, root of their mean square:")
    parts = layout.parts(model.flats[0])
    for place, (weights, biases) in enumerate(zip(parts.weights, parts.biases, strict=True)):
        name = "outputs" if place == layout.layers - 1 else f"hidden {place + 1}"
        size = float(np.sqrt(np.mean(np.square(weights, dtype=np.float64)))) if weights.size else 0.0
        lines.append(f"  {name:<10} {len(biases):>6,} {weights.size + len(biases):>11,}  {number(size)}")
    if full and layout.length <= _WRITTEN:
        lines += _weights(layout, model.flats[0], model.inputs.view.names, outputs)
    return "\n".join(lines)


def _training(model: _NeuralModel) -> str:
    curve, epochs = model.curve, len(model.curve)
    best = ", ".join(map(str, model.best[:8])) + (", ..." if len(model.best) > 8 else "")
    if not epochs or not max(model.best):
        return "Training was interrupted before the first epoch was finished: these are the initial weights"
    at = max(min(model.best[0], epochs) - 1, 0)
    if not model.held:
        lost = number(float(curve[-1, 0]))
        return f"Trained for {many(epochs, 'epoch')}: training loss {lost}; no rows were held out"
    word = "Epochs" if len(model.best) > 1 else "Epoch"
    return (
        f"{word} {best} of {epochs} kept, by rows held out: their loss {number(float(curve[at, 1]))}, "
        f"training loss {number(float(curve[at, 0]))}"
    )


def _weights(
    layout: WeightLayout, flat: Array, names: tuple[str, ...], outputs: tuple[str, ...]
) -> list[str]:
    """Every unit as a weighted sum."""
    parts = layout.parts(flat)
    lines: list[str] = []
    if parts.scale is not None:
        lines.append("Factors of the inputs:")
        lines += [f"  {name}: {value:.5g}" for name, value in zip(names, parts.scale.tolist(), strict=True)]
    seen = names
    for place, (weights, biases) in enumerate(zip(parts.weights, parts.biases, strict=True)):
        last = place == layout.layers - 1
        units = outputs if last else tuple(f"h{place + 1}.{i + 1}" for i in range(len(biases)))
        lines.append("Outputs:" if last else f"Hidden layer {place + 1}:")
        for unit, (name, bias) in enumerate(zip(units, biases.tolist(), strict=True)):
            terms = " ".join(
                f"{w:+.4g} {seen_name}" for w, seen_name in zip(weights[:, unit].tolist(), seen, strict=True)
            )
            lines.append(f"  {name} = {bias:.4g} {terms}")
        seen = units
    return lines


def loss_figure(curve: Floats, best: tuple[int, ...], held: bool) -> LearningFigure:
    """The training loss over the epochs, and the loss on held-out rows with the best epoch."""
    if not len(curve):
        raise ParameterError("to_figure: no epoch was finished, so there is no loss curve.")
    bands = [Band("training rows", np.where(np.isfinite(curve[:, 0]), curve[:, 0], np.nan))]
    if held:
        bands.append(Band("rows held out", np.where(np.isfinite(curve[:, 1]), curve[:, 1], np.nan)))
    chosen = best[0] - 1 if held and len(best) == 1 and 0 < best[0] <= len(curve) else None
    return LearningFigure(
        np.arange(1.0, len(curve) + 1), bands, "epoch", "loss", chosen=chosen, title="Loss over the epochs"
    )


def drawing(
    layout: WeightLayout, flat: Array, inputs: NeuralInputs, outputs: tuple[str, ...]
) -> PerceptronsFigure:
    """Units and weights; the inputs' factors are multiplied in."""
    parts = layout.parts(flat.astype(np.float64))
    weights = [w.copy() for w in parts.weights]
    if parts.scale is not None:
        weights[0] *= parts.scale[:, None]
    return PerceptronsFigure(inputs.view.names, outputs, weights, parts.biases)
