"""The first step of a small network, written out: every sum, answer, error, gradient and new weight.

Step    the numbers, as the training itself had them; its `str` goes through them layer by layer
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acumen.render.escape import printable
from acumen.types import Array, Floats

#: Networks of more weights are not traced: nobody would follow.
MOST_WEIGHTS: Final = 1_000
_ROWS: Final = 4
_COLUMNS: Final = 8


@dataclass(frozen=True, eq=False)
class Step:
    """One step of backpropagation.

    Attributes
    ----------
    names : tuple of str
        The inputs' names.
    rows : array of int
        Which training rows the batch holds, by their places among the rows learned from.
    inputs : array
        The batch, one line a row, as the network sees it (scaled).
    factors : array or None
        What each input is multiplied by before the first layer, where that is learned.
    targets : array
        What the outputs should be: shares of the classes (smoothed), or the number in units of its deviation.
    weights, biases : tuples of arrays
        Of each layer before the step; weights have one line for each input of the layer.
    sums, answers : tuples of arrays
        Of each layer: weighted sums with the bias, and what the activation makes of them; of the last layer the
        answers are probabilities (softmax), or the sums themselves.
    deltas : tuples of arrays
        Of each layer the derivatives of the batch's mean loss by its sums.
    weight_gradients, bias_gradients : tuples of arrays
        Of each layer the derivatives of the batch's mean loss by its weights and biases.
    new_weights, new_biases : tuples of arrays
        Of each layer after the step.
    factor_gradients, new_factors : arrays or None
        The same of the inputs' factors.
    rate : float
        The rate of this step.
    solver : str
        Which solver made it.
    loss : float
        The batch's mean loss before the step, without smoothing.
    """

    names: tuple[str, ...]
    rows: Array
    inputs: Floats
    factors: Floats | None
    targets: Floats
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]
    sums: tuple[Floats, ...]
    answers: tuple[Floats, ...]
    deltas: tuple[Floats, ...]
    weight_gradients: tuple[Floats, ...]
    bias_gradients: tuple[Floats, ...]
    new_weights: tuple[Floats, ...]
    new_biases: tuple[Floats, ...]
    factor_gradients: Floats | None
    new_factors: Floats | None
    rate: float
    solver: str
    loss: float

    def __str__(self) -> str:
        count = len(self.inputs)
        lines = [
            f"First step: a batch of {count} rows, mean loss {self.loss:.6g}, {self.solver} with rate {self.rate:.6g}",
            f"Inputs: {', '.join(printable(name) for name in self.names[:_COLUMNS])}",
            *_table(self.inputs),
        ]
        if self.factors is not None:
            lines += ["Times the inputs' factors", *_table(self.factors)]
        for place in range(len(self.weights)):
            lines += [
                f"Layer {place + 1}: weights, then biases",
                *_table(self.weights[place]),
                *_table(self.biases[place]),
                "  sums = inputs x weights + biases",
                *_table(self.sums[place]),
                "  answers",
                *_table(self.answers[place]),
            ]
        lines += ["Targets", *_table(self.targets), "Back from the last layer:"]
        for place in range(len(self.weights) - 1, -1, -1):
            last = place == len(self.weights) - 1
            rule = "(answers - targets) x row weight / rows" if last else "(deltas x weights') x slope"
            lines += [
                f"Layer {place + 1}: deltas = {rule}",
                *_table(self.deltas[place]),
                "  gradients = inputs' x deltas, and of the biases their sum",
                *_table(self.weight_gradients[place]),
                *_table(self.bias_gradients[place]),
                "  new weights and biases",
                *_table(self.new_weights[place]),
                *_table(self.new_biases[place]),
            ]
        if self.factor_gradients is not None and self.new_factors is not None:
            lines += ["Inputs' factors: gradients, then new ones", *_table(self.factor_gradients)]
            lines += _table(self.new_factors)
        return "\n".join(lines)


def _table(values: Floats) -> list[str]:
    """The first lines and columns, in line."""
    block = values.reshape(-1, values.shape[-1])
    cut = block[:_ROWS, :_COLUMNS]
    dots = " ..." if block.shape[1] > _COLUMNS else ""
    lines = ["    " + " ".join(f"{value:>11.6f}" for value in line) + dots for line in cut.tolist()]
    if len(block) > _ROWS:
        lines.append(f"    ... and {len(block) - _ROWS} more lines")
    return lines
