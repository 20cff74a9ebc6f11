"""Train one network: epochs of small batches, keeping the best epoch.

    TrainingSettings   the parameters of a training
    Member             a trained network: its weights, the loss over the epochs, the best epoch
    held_out           which rows are held out
    train              rows -> one member
    temperature_of     the temperature that fits held-out rows best
    divide_outputs     divide a member's outputs by it

Some rows are held out; after each epoch the network is evaluated on them, and the weights of the epoch of least loss
are kept. Ctrl-C ends the training and keeps the best epoch so far.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from acumen.networks.neural_activations import ACTIVATIONS
from acumen.networks.neural_solvers import RATES, Solver, schedule
from acumen.networks.neural_trace import MOST_WEIGHTS, TrainingStep
from acumen.networks.perceptrons import (
    CrossEntropyLoss,
    ForwardPass,
    Loss,
    SquaredErrorLoss,
    WeightLayout,
    backward,
    cross_entropy,
    forward,
)
from acumen.types import Array, Bools, Floats

#: With fewer rows none are held out: they would be too few to compare epochs.
FEWEST: Final = 10
_SLICE: Final = 2_048
_HOTTEST: Final = 5.0

Teller = Callable[[int, int, float], None]


@dataclass(frozen=True)
class TrainingSettings:
    """The parameters of a training; a `rate` of 0 means the solver's default."""

    hidden: tuple[int, ...]
    activation: str = "selu"
    solver: str = "adam"
    epochs: int = 256
    batch: int = 256
    rate: float = 0.0
    schedule: str = "coslog4"
    weight_decay: float = 0.0
    label_smoothing: float = 0.1
    validation: float = 0.2  # 0: no rows are held out
    patience: int | None = None
    learned_scale: bool = True
    last: str = "zero"
    temperature: bool = True


@dataclass(frozen=True, eq=False)
class Member:
    """A trained network."""

    flat: Array
    curve: Floats  # epochs x (training loss, loss on held-out rows or NaN)
    best: int  # the epoch kept, from 1; 0 if none was finished
    temperature: float
    ended: str  # "", "interrupted" or "diverged"
    trace: TrainingStep | None = None


def held_out(key: Array, share: float, rng: np.random.Generator) -> Bools:
    """Which rows are held out: a fraction, stratified by class (or by the order of numbers)."""
    n = len(key)
    if share <= 0 or n < FEWEST:
        return np.zeros(n, dtype=np.bool_)
    order = np.lexsort((rng.random(n), key))
    steps = np.floor((np.arange(n + 1) + rng.random() / share) * share)
    held = np.zeros(n, dtype=np.bool_)
    held[order] = np.diff(steps) > 0
    return keep_every_class(held, key)


def keep_every_class(held: Bools, key: Array) -> Bools:
    """The mask without the rows of classes that would have no training row."""
    if key.dtype.kind != "i":
        return held
    training_rows = np.bincount(key[~held], minlength=int(key.max()) + 1)
    return held & (training_rows[key] > 0)


class _BestEpoch:
    """The best weights so far, by held-out rows; without any, the last weights."""

    def __init__(self, flat: Array) -> None:
        self.flat, self.epoch, self.loss = flat.copy(), 0, np.inf

    def see(self, flat: Array, epoch: int, loss: float) -> None:
        if loss < self.loss or loss != loss:
            # Copy first, then assign: Ctrl-C in between leaves the previous best.
            kept = flat.copy()
            self.flat, self.epoch, self.loss = kept, epoch, loss if loss == loss else np.inf


def layout_of(X: Array, loss: Loss, settings: TrainingSettings) -> WeightLayout:
    """The layers of a network for these rows."""
    outputs = loss.k if isinstance(loss, CrossEntropyLoss) else 1
    return WeightLayout((X.shape[1], *settings.hidden, outputs), settings.learned_scale)


def train(
    X: Array,
    loss: Loss,
    held: Bools,
    settings: TrainingSettings,
    rng: np.random.Generator,
    stop: threading.Event,
    tell: Teller | None = None,
    names: tuple[str, ...] | None = None,
    *,
    until: int | None = None,
    seen: list[Array] | None = None,
) -> Member:
    """Train one network. `X` is in single precision; pass the inputs' `names` to record the first step.

    `until` ends training after that many epochs, with the rates of the full schedule; the outputs for held-out rows
    after each epoch are appended to `seen`.
    """
    layout = layout_of(X, loss, settings)
    activation = ACTIVATIONS[settings.activation]
    flat, gradient = layout.initial_weights(rng, settings.last), np.empty(layout.length, dtype=np.float32)
    parts, slopes = layout.parts(flat), layout.parts(gradient)
    solver = Solver(settings.solver, layout, settings.rate or RATES[settings.solver], settings.weight_decay)
    rows, judges = np.flatnonzero(~held), np.flatnonzero(held)
    batches = max(1, round(len(rows) / settings.batch))
    ends = np.linspace(0, len(rows), batches + 1).astype(np.intp)
    every = settings.epochs * batches
    judged, curve, ended = _BestEpoch(flat), [], ""
    total = float(loss.weights[rows].sum(dtype=np.float64))
    trace: TrainingStep | None = None
    try:
        for epoch in range(settings.epochs if until is None else until):
            order, lost = rows[rng.permutation(len(rows))], 0.0
            for place in range(batches):
                if stop.is_set():
                    raise KeyboardInterrupt
                some = order[ends[place] : ends[place + 1]]
                batch = X[some]
                way = forward(parts, batch, activation)
                errors, cost = loss.errors(way.outputs, some)
                deltas = backward(parts, batch, way, errors, activation, slopes)
                lost += cost
                # The half step keeps the rate of the first and last steps above 0.
                share = schedule(settings.schedule, (epoch * batches + place + 0.5) / every)
                if names is None or epoch or place or layout.length > MOST_WEIGHTS:
                    solver.step(flat, gradient, share)
                    continue
                before, slope = flat.copy(), gradient.copy()
                solver.step(flat, gradient, share)
                trace = _step(
                    layout, names, some, batch, way, deltas, before, slope, flat, loss, solver, share, cost
                )
            beside = _judge(layout, flat, X, loss, judges, settings.activation)
            curve.append((lost / total, beside))
            if not np.isfinite(lost) or not np.isfinite(flat).all() or np.isinf(beside):
                ended = "diverged"
                break
            judged.see(flat, epoch + 1, beside)
            if seen is not None:
                seen.append(_outputs(layout, flat, X, judges, settings.activation))
            if tell is not None:
                tell(epoch + 1, settings.epochs, beside if len(judges) else lost / total)
            if len(judges) and settings.patience and epoch + 1 - judged.epoch >= settings.patience:
                break
    except KeyboardInterrupt:
        ended = "interrupted"
    kept = judged.flat
    heat = 1.0
    if isinstance(loss, CrossEntropyLoss) and settings.temperature and len(judges) and judged.epoch:
        heat = temperature_of(_outputs(layout, kept, X, judges, settings.activation), loss, judges)
        divide_outputs(layout, kept, heat)
    return Member(kept, np.array(curve, dtype=np.float64).reshape(-1, 2), judged.epoch, heat, ended, trace)


def divide_outputs(layout: WeightLayout, flat: Array, heat: float) -> None:
    """Divide a network's outputs by a temperature, by scaling its last layer's weights."""
    last = layout.parts(flat)
    last.weights[-1][:] *= np.float32(1 / heat)
    last.biases[-1][:] *= np.float32(1 / heat)


def _outputs(layout: WeightLayout, flat: Array, X: Array, rows: Array, activation: str) -> Array:
    parts, chosen = layout.parts(flat), ACTIVATIONS[activation]
    return np.concatenate(
        [forward(parts, X[rows[top : top + _SLICE]], chosen).outputs for top in range(0, len(rows), _SLICE)]
    )


def _judge(layout: WeightLayout, flat: Array, X: Array, loss: Loss, rows: Array, activation: str) -> float:
    """The mean loss on held-out rows; NaN if there are none."""
    if not len(rows):
        return float("nan")
    mean_loss = loss.mean(_outputs(layout, flat, X, rows, activation), rows)
    return mean_loss if np.isfinite(mean_loss) else float("inf")


def temperature_of(outputs: Array, loss: CrossEntropyLoss, rows: Array, doubt: float = 1.0) -> float:
    """The temperature that minimises the loss on held-out rows.

    Smoothed labels make a network underconfident, long training overconfident. A penalty, the squared logarithm of the
    temperature, limits the influence of few rows: thirty correct rows do not make a prediction certain. It is `doubt`
    times as large for temperatures below 1, which make the network more confident.
    """
    z, labels = outputs.astype(np.float64), loss.labels[rows]
    weights = loss.weights[rows].astype(np.float64)
    total = float(weights.sum())

    def cost(log: float) -> float:
        return (
            total * cross_entropy(z * np.exp(-log), labels, weights) + (doubt if log < 0 else 1.0) * log * log
        )

    low, high = -np.log(_HOTTEST), np.log(_HOTTEST)
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    lower, upper = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = cost(lower), cost(upper)
    for _ in range(24):
        if at_left <= at_right:
            high, upper, at_right = upper, lower, at_left
            lower = high - golden * (high - low)
            at_left = cost(lower)
        else:
            low, lower, at_left = lower, upper, at_right
            upper = low + golden * (high - low)
            at_right = cost(upper)
    return float(np.exp((low + high) / 2))


def _step(
    layout: WeightLayout,
    names: tuple[str, ...],
    rows: Array,
    batch: Array,
    way: ForwardPass,
    deltas: list[Array],
    before: Array,
    slope: Array,
    after: Array,
    loss: Loss,
    solver: Solver,
    share: float,
    cost: float,
) -> TrainingStep:
    """The first step as a value, in double precision."""

    def doubles(arrays: Iterable[Array]) -> tuple[Floats, ...]:
        return tuple(np.array(a, dtype=np.float64) for a in arrays)

    def double(array: Array | None) -> Floats | None:
        return None if array is None else np.array(array, dtype=np.float64)

    old, down, new = (layout.parts(flat) for flat in (before, slope, after))
    last = way.outputs.astype(np.float64)
    if isinstance(loss, CrossEntropyLoss):
        odds = np.exp(last - last.max(axis=1, keepdims=True))
        last = odds / odds.sum(axis=1, keepdims=True)
        targets = np.full(last.shape, loss.smoothing / loss.k)
        targets[np.arange(len(rows)), loss.labels[rows]] += 1 - loss.smoothing
    else:
        assert isinstance(loss, SquaredErrorLoss)
        targets = loss.response[rows].astype(np.float64)[:, None]
    return TrainingStep(
        names=names,
        rows=rows.copy(),
        inputs=batch.astype(np.float64),
        factors=double(old.scale),
        targets=targets,
        weights=doubles(old.weights),
        biases=doubles(old.biases),
        sums=doubles(way.sums),
        answers=(*doubles(way.answers), last),
        deltas=doubles(deltas),
        weight_gradients=doubles(down.weights),
        bias_gradients=doubles(down.biases),
        new_weights=doubles(new.weights),
        new_biases=doubles(new.biases),
        factor_gradients=double(down.scale),
        new_factors=double(new.scale),
        rate=solver.rate * share,
        solver=solver.name,
        loss=cost / max(float(loss.weights[rows].sum()), 1e-30),
    )
