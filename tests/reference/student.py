"""Predictive densities under priors on mean and variance, by numerical integration over both."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad


def _log_gamma(precision: float, shape: float, rate: float) -> float:
    return shape * math.log(rate) - math.lgamma(shape) + (shape - 1) * math.log(precision) - rate * precision


def _log_normal(values: np.ndarray, mean: float, precision: float) -> float:
    n = len(values)
    return 0.5 * n * math.log(precision / (2 * math.pi)) - 0.5 * precision * float(
        ((values - mean) ** 2).sum()
    )


def variance_predictive(values: np.ndarray, mean: float, x: float, shape: float, rate: float) -> float:
    """p(x | values) with the mean known: a ratio of two integrals over the precision."""

    def evidence(some: np.ndarray) -> float:
        def at(log_precision: float) -> float:
            p = math.exp(log_precision)
            return math.exp(_log_gamma(p, shape, rate) + _log_normal(some, mean, p) + log_precision)

        return quad(at, -14, 10, epsabs=0, epsrel=1e-10, limit=400)[0]

    return evidence(np.append(values, x)) / evidence(values)


def normal_gamma_predictive(
    values: np.ndarray, x: float, centre: float, strength: float, shape: float, rate: float
) -> float:
    """p(x | values) with both unknown, on a grid of the mean (trapezia) and of the log precision."""
    logs = np.linspace(-10.0, 8.0, 721)
    means = np.linspace(-40.0, 40.0, 8001)
    p = np.exp(logs)[:, None]

    def evidence(some: np.ndarray) -> float:
        prior = shape * math.log(rate) - math.lgamma(shape) + shape * logs - rate * np.exp(logs)
        inner = 0.5 * np.log(strength * p / (2 * math.pi)) - 0.5 * strength * p * (means - centre) ** 2
        for value in some:
            inner = inner + 0.5 * np.log(p / (2 * math.pi)) - 0.5 * p * (value - means) ** 2
        over_means = np.exp(inner + prior[:, None]).sum(axis=1) * (means[1] - means[0])
        return float(over_means.sum() * (logs[1] - logs[0]))

    return evidence(np.append(values, x)) / evidence(values)
