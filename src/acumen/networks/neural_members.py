"""All networks of an ensemble, or the one there is.

Members learn in threads, but each product within one on a single thread of BLAS: the bytes are the same for any number
of threads. Small tables hold their rows out in turn, larger ones a share of them once.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from acumen.engines.blas import blas_threads
from acumen.engines.cores import cores
from acumen.networks.neural_in_turn import in_turn, train_in_turn
from acumen.networks.neural_training import Member, Settings, Teller, held_out, layout_of, train
from acumen.networks.perceptrons import Loss
from acumen.types import Array


def train_all(
    X: Array,
    loss: Loss,
    settings: Settings,
    streams: list[np.random.Generator],
    tell: Teller | None,
    names: tuple[str, ...],
) -> list[Member]:
    """All members, each from a random stream of its own."""
    stop = threading.Event()
    weights = layout_of(X, loss, settings).length

    def one(place: int) -> Member:
        rng, first = streams[place], place == 0
        told = tell if first else None, names if first else None
        with np.errstate(all="ignore"):  # which belongs to a thread
            if in_turn(len(X), settings, weights):
                return train_in_turn(X, loss, settings, rng, stop, *told)
            return train(X, loss, held_out(loss.key, settings.validation, rng), settings, rng, stop, *told)

    with blas_threads(1):
        threads = min(len(streams), cores())
        if threads <= 1:
            made = []
            for place in range(len(streams)):
                made.append(one(place))
                if made[-1].ended == "interrupted":
                    break
            return made
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(one, place) for place in range(len(streams))]
            try:
                wait(futures)
            except KeyboardInterrupt:
                stop.set()
                for future in futures:
                    future.cancel()
            return [future.result() for future in futures if not future.cancelled()]
