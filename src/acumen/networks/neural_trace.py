"""The first training step of a small network in full: every sum, answer, error, gradient and new weight.

TrainingStep    the numbers exactly as used in training; its `str` lists them layer by layer
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acumen.data.escape import printable
from acumen.types import Array, Floats

#: Networks with more weights are not traced: the output would be too long to follow.
MOST_WEIGHTS: Final = 1_000
_ROWS: Final = 4
_COLUMNS: Final = 8


@dataclass(frozen=True, eq=False)
class TrainingStep:
    """One step of backpropagation.

    Attributes
    ----------
    names : tuple of str
        The inputs' names.
    rows : array of int
        The positions of the batch's rows among the training rows.
    inputs : array
        The batch as the network sees it (scaled), one line per row.
    factors : array or None
        The learned factor of each input before the first layer, if there is one.
    targets : array
        The desired outputs: class probabilities (smoothed), or the standardised number.
    weights, biases : tuples of arrays
        Each layer's values before the step; weights have one line for each input of the layer.
    sums, answers : tuples of arrays
        Each layer's weighted sums with the bias, and their activations; the answers of the last layer are
        probabilities (softmax), or the sums themselves.
    deltas : tuples of arrays
        Each layer's derivatives of the batch's mean loss with respect to its sums.
    weight_gradients, bias_gradients : tuples of arrays
        Each layer's derivatives of the batch's mean loss with respect to its weights and biases.
    new_weights, new_biases : tuples of arrays
        Each layer's values after the step.
    factor_gradients, new_factors : arrays or None
        The same for the inputs' factors.
    rate : float
        The rate of this step.
    solver : str
        The solver used.
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
    """The first lines and columns, aligned."""
    block = values.reshape(-1, values.shape[-1])
    cut = block[:_ROWS, :_COLUMNS]
    dots = " ..." if block.shape[1] > _COLUMNS else ""
    lines = ["    " + " ".join(f"{value:>11.6f}" for value in line) + dots for line in cut.tolist()]
    if len(block) > _ROWS:
        lines.append(f"    ... and {len(block) - _ROWS} more lines")
    return lines
