"""Train all networks of an ensemble, or the only one.

    train_all         rows -> members; larger tables hold a fraction of their rows out once
    is_small          whether rows are held out in turn instead
    held_out_folds    masks of held-out rows, each row in one of them
    train_small       rows -> one member

Members train in threads, but each matrix product runs on a single BLAS thread: the bytes are the same for any number
of threads.

A fifth of a hundred rows says little about when to stop, and the network could use it for training. So for a small
table, one network is trained without each fifth. The rows of all fifths, each judged by the network that has not seen
it, choose the best epoch and the temperature; a last network is then trained on all rows up to that epoch.

A network trained on few rows must not become very confident. If labels are smoothed at all, they are smoothed by at
least one more row of each class (Laplace), and a temperature that makes the network more confident needs stronger
evidence.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Final

import numpy as np

from acumen.engines.cores import blas_threads, cores
from acumen.networks.neural_training import (
    Member,
    Teller,
    TrainingSettings,
    divide_outputs,
    held_out,
    keep_every_class,
    layout_of,
    temperature_of,
    train,
)
from acumen.networks.perceptrons import CrossEntropyLoss, Loss
from acumen.types import Array, Bools

#: Maximum rows of a small table, and maximum steps of an epoch: six trainings of many small steps would take minutes.
FEW: Final = 200
_STEPS: Final = 8
#: Maximum weights of a network, for the same reason.
_WEIGHTS: Final = 4_000_000
#: The penalty on temperatures below 1 doubles at this number of rows, and grows with fewer.
_DOUBT: Final = 100.0


def is_small(rows: int, settings: TrainingSettings, weights: int) -> bool:
    """Whether the table has few enough rows, and the network few enough weights, to hold rows out in turn."""
    few = rows <= min(FEW, _STEPS * settings.batch) and weights <= _WEIGHTS
    return settings.validation > 0 and few


def held_out_folds(key: Array, share: float, rng: np.random.Generator) -> list[Bools]:
    """Masks of held-out rows, each row in one of them, stratified by class (or by the order of numbers)."""
    n = len(key)
    parts = min(n, max(2, round(1 / share)))
    order = np.lexsort((rng.random(n), key))
    part = np.empty(n, dtype=np.intp)
    part[order] = (np.arange(n) + rng.integers(parts)) % parts
    return [keep_every_class(part == each, key) for each in range(parts)]


def train_small(
    X: Array,
    loss: Loss,
    settings: TrainingSettings,
    rng: np.random.Generator,
    stop: threading.Event,
    tell: Teller | None = None,
    names: tuple[str, ...] | None = None,
) -> Member:
    """Train one network on few rows; Ctrl-C keeps the best epoch of the network being trained."""
    if isinstance(loss, CrossEntropyLoss) and loss.smoothing:
        loss = replace(loss, smoothing=max(loss.smoothing, loss.k / (len(X) + loss.k)))
    nobody = np.zeros(len(X), dtype=np.bool_)
    heavy = loss.weights > 0
    turns = [
        held
        for held in held_out_folds(loss.key, settings.validation, rng)
        if heavy[held].any() and heavy[~held].any()
    ]
    if not turns:
        return train(X, loss, nobody, settings, rng, stop, tell, names)
    whole = (len(turns) + 1) * settings.epochs
    apart: list[Array] = []
    curves: list[Array] = []
    ends: list[str] = []
    kept: Member | None = None  # the last that was trained to its end
    for turn, held in enumerate(turns):
        seen: list[Array] = []
        member = train(
            X, loss, held, settings, rng, stop, _later(tell, turn * settings.epochs, whole), seen=seen
        )
        if member.ended == "interrupted" or not seen:
            return replace(kept, ended=member.ended) if kept is not None and not member.best else member
        kept = member
        apart.append(np.array(seen))
        curves.append(member.curve)
        ends.append(member.ended)
    epochs = min(len(each) for each in apart)  # patience, or weights that grew beyond all numbers, ended some
    outputs = np.concatenate([each[:epochs] for each in apart], axis=1)
    judges = np.concatenate([np.flatnonzero(held) for held in turns])
    lost = np.array([loss.mean(each, judges) for each in outputs])
    best = int(np.argmin(lost))
    last = train(
        X,
        loss,
        nobody,
        settings,
        rng,
        stop,
        _later(tell, whole - settings.epochs, whole),
        names,
        until=best + 1,
    )
    if not last.best:  # the final training was interrupted; keep a network trained without some rows
        return replace(member, ended=last.ended)
    heat = 1.0
    if isinstance(loss, CrossEntropyLoss) and settings.temperature:
        heat = temperature_of(outputs[best], loss, judges, 1 + _DOUBT / len(judges))
        divide_outputs(layout_of(X, loss, settings), last.flat, heat)
    trained = np.mean([curve[:epochs, 0] for curve in curves], axis=0)
    ended = last.ended or next((each for each in ends if each), "")
    return replace(last, curve=np.column_stack((trained, lost)), temperature=heat, ended=ended)


def _later(tell: Teller | None, before: int, whole: int) -> Teller | None:
    """Shift progress reports by the epochs of the earlier trainings."""
    if tell is None:
        return None
    return lambda done, _, loss: tell(before + done, whole, loss)


def train_all(
    X: Array,
    loss: Loss,
    settings: TrainingSettings,
    streams: list[np.random.Generator],
    tell: Teller | None,
    names: tuple[str, ...],
) -> list[Member]:
    """Train all members, each from its own random stream."""
    stop = threading.Event()
    weights = layout_of(X, loss, settings).length

    def one(place: int) -> Member:
        rng, first = streams[place], place == 0
        reporting = tell if first else None, names if first else None
        with np.errstate(all="ignore"):  # which belongs to a thread
            if is_small(len(X), settings, weights):
                return train_small(X, loss, settings, rng, stop, *reporting)
            return train(
                X, loss, held_out(loss.key, settings.validation, rng), settings, rng, stop, *reporting
            )

    with blas_threads(1):
        threads = min(len(streams), cores())
        if threads <= 1:
            members = []
            for place in range(len(streams)):
                members.append(one(place))
                if members[-1].ended == "interrupted":
                    break
            return members
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(one, place) for place in range(len(streams))]
            try:
                wait(futures)
            except KeyboardInterrupt:
                stop.set()
                for future in futures:
                    future.cancel()
            return [future.result() for future in futures if not future.cancelled()]
