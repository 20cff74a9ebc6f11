"""A network of a small table: rows are held out in turn, and then it learns from all of them.

    in_turn         whether rows are to be held out so
    held_in_turn    masks of rows held out, each row in one of them
    train_in_turn   rows -> one member

A fifth of a hundred rows says little of when to stop, and is missed by the network. So one network is trained without
each fifth; the rows of all fifths, each judged by the network that has not seen it, say which epoch was best and how
sure the outputs may be; and a last one is trained with all rows till that epoch.

Of few rows nobody may become very sure. Where labels are smoothed at all they are smoothed by as much as one more row
of each class would do (Laplace), and temperatures that make the network surer must be earned by more rows than these.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Final

import numpy as np

from acumen.networks.neural_training import (
    Member,
    Settings,
    Teller,
    cooled,
    given_back,
    layout_of,
    temperature_of,
    train,
)
from acumen.networks.perceptrons import Classes, Loss
from acumen.types import Array, Bools

#: Rows of a table at most, and steps of an epoch: six trainings of many small steps would take minutes.
FEW: Final = 200
_STEPS: Final = 8
#: Weights of a network at most, for the same reason.
_WEIGHTS: Final = 4_000_000
#: So many rows double the doubt in a temperature below 1.
_DOUBT: Final = 100.0


def in_turn(rows: int, settings: Settings, weights: int) -> bool:
    """Whether a table has few enough rows, and a network few enough weights."""
    few = rows <= min(FEW, _STEPS * settings.batch) and weights <= _WEIGHTS
    return settings.validation > 0 and few


def held_in_turn(key: Array, share: float, rng: np.random.Generator) -> list[Bools]:
    """Masks of rows held out, each row in one of them; classes (or the order of numbers) are spread evenly."""
    n = len(key)
    parts = min(n, max(2, round(1 / share)))
    order = np.lexsort((rng.random(n), key))
    part = np.empty(n, dtype=np.intp)
    part[order] = (np.arange(n) + rng.integers(parts)) % parts
    return [given_back(part == each, key) for each in range(parts)]


def train_in_turn(
    X: Array,
    loss: Loss,
    settings: Settings,
    rng: np.random.Generator,
    stop: threading.Event,
    tell: Teller | None = None,
    names: tuple[str, ...] | None = None,
) -> Member:
    """One network of few rows; Ctrl-C keeps the best epoch of the one that is being trained."""
    if isinstance(loss, Classes) and loss.smoothing:
        loss = replace(loss, smoothing=max(loss.smoothing, loss.k / (len(X) + loss.k)))
    nobody = np.zeros(len(X), dtype=np.bool_)
    heavy = loss.weights > 0
    turns = [
        held
        for held in held_in_turn(loss.key, settings.validation, rng)
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
    if not last.best:  # nothing was learned from all rows; what was learned without some of them is kept
        return replace(member, ended=last.ended)
    heat = 1.0
    if isinstance(loss, Classes) and settings.temperature:
        heat = temperature_of(outputs[best], loss, judges, 1 + _DOUBT / len(judges))
        cooled(layout_of(X, loss, settings), last.flat, heat)
    trained = np.mean([curve[:epochs, 0] for curve in curves], axis=0)
    ended = last.ended or next((each for each in ends if each), "")
    return replace(last, curve=np.column_stack((trained, lost)), temperature=heat, ended=ended)


def _later(tell: Teller | None, before: int, whole: int) -> Teller | None:
    """The same, of one training of several: so many epochs were before it, so many there are."""
    if tell is None:
        return None
    return lambda done, _, loss: tell(before + done, whole, loss)
