"""The model of a mixture: proportions, means and covariances, and the probability of each component for a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from acumen.clusters.centre_tables import centre_profile, centre_tables
from acumen.clusters.mixture import Covariance, MixtureParameters
from acumen.clusters.mixture_search import most_probable, n_parameters
from acumen.clusters.space import PointSpace
from acumen.data.schema import Schema
from acumen.data.table import Table
from acumen.errors import ModelFileError
from acumen.models.model import GroupModel
from acumen.preprocessing.coded import coded_columns
from acumen.preprocessing.stored_arrays import require, stored_codes, stored_floats
from acumen.render.profile_plot import ProfileFigure
from acumen.render.report import ReportTable
from acumen.render.text import many, percent
from acumen.types import Array, Bools, Codes, Floats

_KINDS: tuple[Covariance, ...] = ("full", "shared", "diagonal", "spherical")
#: Attributes told of a component in a description.
_TOLD = 4


@dataclass(frozen=True, slots=True, eq=False)
class MixtureModel(GroupModel):
    """Normal densities of the attributes that vary; a row belongs to its most probable component."""

    kind: ClassVar[str] = "gaussian-mixture"

    space: PointSpace
    active: Bools  # the columns that vary
    mixture: MixtureParameters
    flat: Bools  # which components are degenerate
    weight: float  # of all rows
    likelihood: float  # the log-likelihood of all rows, in the units of the columns
    path: Floats  # the penalised log-likelihood after each step, likewise
    lengths: (
        Floats  # where k was chosen: what by, for k = 1, 2, ...; infinite where a component was degenerate
    )

    @property
    def n_groups(self) -> int:
        return len(self.mixture)

    @property
    def objective(self) -> float:
        return -self.likelihood

    @property
    def n_parameters(self) -> int:
        k, d = self.mixture.means.shape
        each, common = n_parameters(self.mixture.covariance, k, d)
        return each * k + common

    @property
    def bic(self) -> float:
        """-2 log-likelihood + p ln n: the smaller the better."""
        return float(-2 * self.likelihood + self.n_parameters * np.log(max(self.weight, 2.0)))

    def logs(self, rows: Table) -> tuple[Floats, Floats, Bools]:
        """log share + log density in the units of the space, the logs of units, whether anything is known."""
        points = self.space.write(rows)
        active_points = np.ascontiguousarray(points[:, self.active])
        units = np.where(np.isnan(active_points), 0.0, np.log(self.space.factor[self.active])).sum(axis=1)
        values = (
            active_points if active_points.shape[1] else points
        )  # where nothing varies, any value will do
        known = np.asarray(~np.isnan(values).all(axis=1), dtype=np.bool_)
        return self.mixture.logs(active_points), np.asarray(units, dtype=np.float64), known

    def groups(self, rows: Table) -> Codes:
        logs, _, known = self.logs(rows)
        return np.where(known, most_probable(logs), -1).astype(np.int32)

    def memberships(self, rows: Table) -> Floats:
        """How likely each component is of each row; the shares where nothing is known."""
        logs, _, _ = self.logs(rows)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        memberships: Floats = chances / chances.sum(axis=1, keepdims=True)
        return memberships

    def log_density(self, rows: Table) -> Floats:
        """The log density of each row over what it knows, in the units of the columns; 0 where nothing is known."""
        logs, units, _ = self.logs(rows)
        most = logs.max(axis=1)
        log_density: Floats = most + np.log(np.exp(logs - most[:, None]).sum(axis=1)) + units
        return log_density

    def means(self) -> Floats:
        """In the units of the columns; those that never vary at their one value."""
        points = np.zeros((self.n_groups, self.space.width))
        points[:, self.active] = self.mixture.means
        return self.space.values(points)

    def covariances(self) -> Floats:
        """Matrices in the units of the columns, zero where one never varies."""
        k, d = self.n_groups, self.space.width
        covariances = self.mixture.covariances
        if self.mixture.diagonal:
            covariances = covariances[:, :, None] * np.eye(covariances.shape[1])
        unit = 1.0 / self.space.factor[self.active]
        full = np.zeros((k, d, d))
        at = np.flatnonzero(self.active)
        full[:, at[:, None], at[None, :]] = covariances * np.outer(unit, unit)
        return full

    def to_arrays(self) -> dict[str, Array]:
        return {
            **self.space.to_arrays(),
            "active": self.active.astype(np.int32),
            "covariance": np.array([_KINDS.index(self.mixture.covariance)], dtype=np.int32),
            "shares": self.mixture.shares,
            "means": self.mixture.means,
            "covariances": self.mixture.covariances,
            "flat": self.flat.astype(np.int32),
            "about": np.array([self.weight, self.likelihood]),
            "path": self.path,
            "lengths": self.lengths,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], schema: Schema) -> Self:
        space = PointSpace.from_arrays(arrays, schema)
        active = stored_codes(arrays, "active", (space.width,), low=0, below=2).astype(np.bool_)
        require(np.all(space.factor[active] > 0), "a varying column has no unit")
        kind = _KINDS[int(stored_codes(arrays, "covariance", (1,), low=0, below=len(_KINDS))[0])]
        shares = stored_floats(arrays, "shares", (None,), low=0, high=1)
        k, d = len(shares), int(active.sum())
        require(k > 0 and abs(shares.sum() - 1) < 1e-6, "shares do not add up to 1")
        means = stored_floats(arrays, "means", (k, d))
        diagonal = kind in ("diagonal", "spherical")
        covariances = stored_floats(arrays, "covariances", (k, d) if diagonal else (k, d, d))
        if diagonal:
            require(np.all(covariances > 0), "a variance is not positive")
        else:
            require(
                np.allclose(covariances, np.swapaxes(covariances, 1, 2), rtol=1e-9),
                "a covariance is not symmetric",
            )
        try:
            mixture = MixtureParameters.of(kind, shares, means, covariances)
        except np.linalg.LinAlgError:
            raise ModelFileError(
                "the model file is damaged or forged: a covariance is not positive definite."
            ) from None
        weight, likelihood = stored_floats(arrays, "about", (2,)).tolist()
        flat = stored_codes(arrays, "flat", (k,), low=0, below=2).astype(np.bool_)
        path = stored_floats(arrays, "path", (None,))
        lengths = stored_floats(arrays, "lengths", (None,), finite=False)
        return cls(space, active, mixture, flat, weight, likelihood, path, lengths)

    def why(self, row: Table, schema: Schema, group: int) -> str:
        if group < 0:
            return "All its values are missing, so it belongs to no cluster."
        chances = self.memberships(row)[0]
        if self.n_groups == 1:
            return "It is in cluster 0, the only one."
        rival = int(np.argmax(np.where(np.arange(self.n_groups) == group, -1.0, chances)))
        return (
            f"It belongs to cluster {group} with a probability of {percent(float(chances[group]))}, and to cluster "
            f"{rival} with {percent(float(chances[rival]))}."
        )

    def to_tables(self, schema: Schema) -> tuple[ReportTable, ...]:
        """The means in the columns' own units."""
        names = [column.name for column in coded_columns(schema)]
        return centre_tables(names, self.means(), np.asarray(self.mixture.shares))

    def to_profile(self, schema: Schema) -> ProfileFigure | None:
        """How far the means are from the middle of all rows, as lines."""
        points = np.zeros_like(self.means())
        points[:, self.active] = self.mixture.means
        return centre_profile([column.name for column in coded_columns(schema)], points)

    def describe(self, schema: Schema, *, full: bool = False) -> str:
        lines = [
            f"{many(self.n_groups, 'component')} of a normal mixture, {self.mixture.covariance} covariance",
            f"log-likelihood {self.likelihood:.6f}, {many(self.n_parameters, 'parameter')}, BIC {self.bic:.6g} "
            "(-2 LL + p ln n; smaller is better)",
        ]
        if self.lengths.size:
            lines.append(f"k = {self.n_groups} was chosen from 1 to {len(self.lengths)}")
        lines.append("")
        names = [column.name for column in coded_columns(schema)]
        means, deviations = self.means(), np.sqrt(np.diagonal(self.covariances(), axis1=1, axis2=2))
        points = np.zeros_like(means)
        points[:, self.active] = self.mixture.means
        for c in range(self.n_groups):
            doubt = "; degenerate: it does not describe a cloud of rows" if self.flat[c] else ""
            lines.append(f"cluster {c}: share {percent(float(self.mixture.shares[c]))}{doubt}")
            order = np.argsort(-np.abs(points[c]), kind="stable")
            listed = order if full else order[:_TOLD]
            phrases = [f"{names[j]} {means[c, j]:.4g} (sd {deviations[c, j]:.3g})" for j in listed.tolist()]
            lines += [f"    {each}" for each in phrases] if full else [f"    {'; '.join(phrases)}"]
        return "\n".join(lines)
