"""What the faces of all clusterers share: parameters that each of them has, and random numbers by restart.

    GroupFace   a Clusterer with `scale`, `max_iter`, `restarts`, `random_state` and `n_jobs`

A learner of this room is two files: the algorithm (numpy and kernels, a frozen `GroupModel` with `to_arrays` and a
checking `from_arrays`) and its face, which derives from `GroupFace`, gives `cluster(rows) -> Grouping`, and lists its
own parameters first:

    class KMedoids(GroupFace):
        kind: ClassVar[str] = "k-medoids"
        model_type = MedoidsModel

        @with_parameters_of(GroupFace, max_iter=100)
        def __init__(self, k: Annotated[int, AtLeast(1)], *, distance: DistanceLike = "auto", **others: Any) -> None:
            self.k = k
            self.distance = distance
            super().__init__(**others)

One that has no use for a parameter (an agglomeration draws nothing) derives from `Clusterer` and declares what it has:
no parameter is accepted and ignored. It is registered by a line in `models/kinds.py` (task GROUPS), one in
`acumen/__init__.py`, and one in CLUSTERERS of tests/checks/contract_forms.py, which then runs every law and
scikit-learn's checks over it. `acumen.base.clusterer` says what all clusterers keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

import numpy as np

from acumen.base.clusterer import Clusterer
from acumen.models.parameters import AtLeast
from acumen.resampling.plan import streams


class GroupFace(Clusterer):
    """What clusterers that search from several starts have in common."""

    restarts: int

    def __init__(
        self,
        *,
        scale: bool = True,
        max_iter: Annotated[int, AtLeast(1)] = 300,
        restarts: Annotated[int, AtLeast(1)] = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.scale = scale
        self.max_iter = max_iter
        self.restarts = restarts
        self.random_state = random_state
        self.n_jobs = n_jobs

    def starts(self) -> Iterator[np.random.Generator]:
        """A generator for each restart: the r-th depends on `random_state` and r alone."""
        return islice(streams(self.random_state, self._name), self.restarts)
