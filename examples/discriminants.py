"""Discriminants, kernels, perceptron and least squares on the iris flowers.

Run it with `python examples/discriminants.py`.
"""

from __future__ import annotations

import acumen
from acumen.kernels import RBF, Polynomial, Sigmoid

iris = acumen.datasets.load("iris")

print("Where the species lie furthest apart:")
fisher = acumen.Fisher().fit(iris)
print(fisher)
print("\nWhy the first flower is what it is:")
print(fisher.explain(iris.take(slice(0, 1))))

print("\nThe projections are a table to learn from:")
plane = fisher.transform(iris)
print(plane.schema)
print(f"nearest mean among them: {acumen.NearestMean().fit(plane).score(plane):.3f}")
print(f"nearest mean among the attributes: {acumen.NearestMean().fit(iris).score(iris):.3f}")

print("\nIs it a kernel?")
flowers = iris.numeric.matrix() - iris.numeric.matrix().mean(axis=0)
for kernel in (RBF(sigma=1.0), RBF(sigma=1.0) + 2 * Polynomial(2), Sigmoid(1.0, -1.0)):
    print(f"  {kernel!r}: {kernel.is_psd(flowers)}")

print("\nThe discriminant among the features of a kernel:")
print(acumen.KernelFisher(kernel=RBF(sigma=1.5)).fit(iris))

print("\nA perceptron learns AND; the textbooks' three conventions:")
gate, answer = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
for settings in ({"init": "ones"}, {"extra": -1}, {"tie": "positive"}):
    model = acumen.Perceptron(order="given", **settings).fit(gate, answer)
    print(
        f"  {settings}: w = {model.weights_.tolist()}, {model.n_updates_} updates in {model.n_epochs_} epochs"
    )

print("\nJudged on rows they have not seen, all but the perceptron in one pass:")
learners = [acumen.Fisher(), acumen.NearestMean(), acumen.LeastSquares(), acumen.Perceptron(random_state=0)]
print(acumen.compare(learners, iris, acumen.KFold(10), random_state=0))
