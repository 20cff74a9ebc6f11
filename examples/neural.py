"""Neural networks: a mixed table, the loss over the epochs, a small network drawn, and one step by hand.

Run it with `python examples/neural.py`; it writes loss.svg and network.svg into the current folder.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import acumen

# -- a table with numbers, levels and gaps; two attributes act together -----------------------------

rng = np.random.default_rng(0)
n = 400
heat = rng.normal(20, 5, n)
damp = rng.normal(60, 15, n)
soil = rng.choice(["clay", "sand"], n)
grows = (heat > 20) == (damp > 60)
plants = pd.DataFrame({"heat": np.where(rng.random(n) < 0.05, np.nan, heat), "damp": damp, "soil": soil})
y = np.where(grows, "grows", "dies")

# -- learning, and what came of it ------------------------------------------------------------------

model = acumen.NeuralNetwork(hidden_layer_sizes=(32, 32), max_iter=80, batch_size=64, random_state=0)
model.fit(plants, y)
print(model)
print("share right:", round(model.score(plants, y), 2))
print(model.explain(plants.iloc[0]))
model.to_svg("loss.svg")

# -- a network small enough to be drawn and followed by hand ----------------------------------------

small = acumen.NeuralNetwork(
    hidden_layer_sizes=(3,), activation="tanh", solver="sgd", learning_rate=0.5, schedule="constant",
    last_layer_init="normal",
    learned_scale=False, max_iter=60, batch_size=64, random_state=0,
).fit(plants[["heat", "damp"]], y)  # fmt: skip
small.to_svg("network.svg", what="network")
print(small.trace_)
