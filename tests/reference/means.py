"""Lloyd's passes as anybody would write them."""

from __future__ import annotations

import numpy as np


def naive_lloyd(points, weights, start, passes):
    centres = start.copy()
    for _ in range(passes):
        labels = assigned(points, centres)
        means = centres.copy()
        empty = []
        for c in range(len(centres)):
            own = labels == c
            if not own.any():
                empty.append(c)
                continue
            known = ~np.isnan(points[own])
            heavy = weights[own][:, None] * known
            total = (heavy * np.nan_to_num(points[own])).sum(axis=0)
            means[c] = np.divide(
                total, heavy.sum(axis=0), out=np.zeros(points.shape[1]), where=heavy.any(axis=0)
            )
        placed = [centres[c] for c in range(len(centres)) if c not in empty]
        for c in empty:
            away = apart(points, np.array(placed)).min(axis=1)
            if away.max() <= 0:
                break
            means[c] = np.nan_to_num(points[int(np.argmax(away))])
            placed.append(means[c])
        still = (means == centres).all()
        centres = means
        if still:
            break
    labels = assigned(points, centres)
    own = apart(points, centres)[np.arange(len(points)), np.maximum(labels, 0)]
    return centres, labels, float((weights * np.where(labels >= 0, own, 0.0)).sum())


def apart(points, centres):
    return np.nansum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)


def assigned(points, centres):
    labels = apart(points, centres).argmin(axis=1)
    labels[np.isnan(points).all(axis=1)] = -1
    return labels
