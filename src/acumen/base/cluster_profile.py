"""Describe clusters: their traits by size of effect, a name for each, and which differences are significant.

    Profile      clusters with their sizes, names and traits; prints itself, and draws itself as parallel lines
    profile_of   the profile of the clusters of a table's rows

Attributes used for clustering always differ between the clusters, even if the rows have no real clusters, because
clustering splits the rows where they differ. For these only the size of the difference is reported, no p-value. Other
columns of the table, including the target, are tested, and Benjamini and Hochberg's procedure controls the false
discovery rate of all these tests together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.base.cluster_traits import Trait, traits_of
from acumen.conditions.rule_statistics import benjamini_hochberg
from acumen.data.escape import printable
from acumen.data.forms import moment
from acumen.data.table import Table
from acumen.errors import DataError
from acumen.render.text import many, number, percent
from acumen.types import Codes, Floats

if TYPE_CHECKING:
    from acumen.render.profile_plot import ProfileFigure

#: Traits with a smaller effect are shown only in the full profile, and are not used in names.
TELLING = 0.5
#: Traits shown for each cluster.
_MOST_TRAITS = 6
#: Conditions in a name.
_NAME_LENGTH = 2


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The typical traits of each cluster.

    `names` suggests a name for each cluster from its strongest conditions; `sizes` is the weight of its rows, `outside`
    that of rows in no cluster; `traits` are sorted by cluster, largest effect first. Compare `q` of a trait with
    `false_discovery`.
    """

    names: tuple[str, ...]
    sizes: Floats
    outside: float
    traits: tuple[Trait, ...]
    false_discovery: float
    used: tuple[str, ...] = field(repr=False)
    untold: tuple[str, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    def of(self, group: int, *, full: bool = False) -> tuple[Trait, ...]:
        """The traits of one cluster, largest effect first: those that `tells` accepts, or with `full` all of them."""
        traits = (trait for trait in self.traits if trait.group == group)
        return tuple(trait for trait in traits if full or self.tells(trait))

    def tells(self, trait: Trait) -> bool:
        """Whether a trait is worth showing: a large enough effect, and significant if it was tested."""
        return abs(trait.effect) >= TELLING and (trait.used or trait.q <= self.false_discovery)

    def describe(self, *, full: bool = False) -> str:
        """The profile as text."""
        total = max(float(self.sizes.sum()) + self.outside, 1e-300)
        lines: list[str] = []
        for group, (name, size) in enumerate(zip(self.names, self.sizes.tolist(), strict=True)):
            share = percent(size / total)
            lines.append(f"cluster {group}, {printable(name)}: {_rows(size)} ({share})")
            traits = self.of(group, full=full)
            shown = traits if full else traits[:_MOST_TRAITS]
            lines += [f"    {trait_text(trait)}" for trait in shown] or ["    no distinctive traits"]
            if len(traits) > len(shown):
                lines.append(f"    and {many(len(traits) - len(shown), 'more trait')}")
        if self.outside:
            lines.append(f"in no cluster: {_rows(self.outside)} ({percent(self.outside / total)})")
        return "\n".join([*lines, "", *self.notes()])

    def notes(self) -> list[str]:
        """How to read the profile."""
        lines = [
            "Effects are in standard deviations (Cohen's h for proportions): 0.2 is small, 0.5 medium, 0.8 large. "
            "Attributes used for clustering always differ between clusters, so they have no p-value."
        ]
        if any(not trait.used for trait in self.traits):
            lines.append(
                "q is the adjusted p-value of columns not used for clustering: at most about "
                f"{percent(self.false_discovery)} of those shown are false."
            )
        if self.untold:
            lines.append(f"Text columns are not described: {', '.join(map(printable, self.untold))}.")
        return lines

    def __str__(self) -> str:
        return self.describe()

    def to_dicts(self) -> list[dict[str, Any]]:
        """A JSON-ready mapping for each cluster; unknown numbers are None."""
        return [
            {
                "group": group,
                "name": name,
                "rows": float(size),
                "traits": [_plain(trait) for trait in self.of(group, full=True)],
            }
            for group, (name, size) in enumerate(zip(self.names, self.sizes, strict=True))
        ]

    def to_figure(self, title: str = "What is typical of each group") -> ProfileFigure:
        """Draw parallel lines: one position for each attribute, and how far each cluster is from the others there."""
        from acumen.render.profile_plot import ProfileFigure

        largest: dict[tuple[str, str | None, bool], float] = {}
        for trait in self.traits:
            key = (trait.attribute, trait.level, trait.gap)
            largest[key] = max(largest.get(key, 0.0), abs(trait.effect))
        keys = list(largest)
        places = {key: at for at, key in enumerate(keys)}
        effects = np.full((len(self), len(keys)), np.nan)
        for trait in self.traits:
            effects[trait.group, places[trait.attribute, trait.level, trait.gap]] = trait.effect
        labels = [
            name if level is None else f"{name} {'missing' if gap else f'= {level}'}"
            for name, level, gap in keys
        ]
        groups = [f"{group}: {name}" for group, name in enumerate(self.names)]
        return ProfileFigure(labels, effects, groups, title=title)

    def _repr_html_(self) -> str:
        from acumen.data.escape import in_html

        return f"<pre>{in_html(self.describe())}</pre>"


def _rows(size: float) -> str:
    """A weight of rows with its noun."""
    return f"{number(size)} {'row' if size == 1 else 'rows'}"


def trait_text(trait: Trait) -> str:
    """One trait in words."""
    chance = "" if trait.used else f", q {trait.q:.2g}"
    effect = f"effect {trait.effect:+.2f}{chance}"
    name = printable(trait.attribute)
    if trait.level is None:
        inside, outside = (moment(trait.form, x) or number(x) for x in (trait.inside, trait.outside))
        return f"{name} {inside}, elsewhere {outside} ({effect})"
    what = "missing" if trait.gap else f"= {printable(trait.level)}"
    return f"{name} {what} in {percent(trait.inside)}, elsewhere in {percent(trait.outside)} ({effect})"


def _plain(trait: Trait) -> dict[str, Any]:
    record = {
        name: getattr(trait, name)
        for name in ("attribute", "level", "inside", "outside", "effect", "used", "p", "q")
    }
    record |= {"missing": trait.gap, "condition": trait.condition}
    if trait.gap:
        record["level"] = None
    return {name: None if value != value else value for name, value in record.items()}


def profile_of(
    rows: Table,
    groups: Codes,
    n_groups: int,
    used: Sequence[str],
    false_discovery: float = 0.05,
    others: Table | None = None,
) -> Profile:
    """Profile each group of rows, -1 for rows in none; `others` holds further columns of the same rows."""
    if not n_groups:
        raise DataError("profile: there are no clusters to describe.")
    weights = rows.row_weights
    inside = groups >= 0
    sizes = np.bincount(groups[inside], weights[inside], n_groups).astype(np.float64)
    untold = [attribute.name for attribute in rows.schema.text]
    traits = traits_of(rows, groups, n_groups, frozenset(used))
    if others is not None and others is not rows:
        more = frozenset(others.schema.names) - frozenset(used)
        traits += traits_of(others, groups, n_groups, frozenset(), only=more)
        untold += [attribute.name for attribute in others.schema.text if attribute.name in more]
    tested = [i for i, trait in enumerate(traits) if not trait.used]
    adjusted = benjamini_hochberg([traits[i].p for i in tested])
    for i, q in zip(tested, adjusted.tolist(), strict=True):
        traits[i] = replace(traits[i], q=q)
    order = sorted(range(len(traits)), key=lambda i: (traits[i].group, -abs(traits[i].effect), i))
    profile = Profile(
        ("",) * n_groups, sizes, float(weights[~inside].sum()), tuple(traits[i] for i in order), false_discovery,
        tuple(used), tuple(untold),
    )  # fmt: skip
    return replace(profile, names=_names(profile))


def _names(profile: Profile) -> tuple[str, ...]:
    """A name for each group: its strongest conditions, more of them if two groups would get the same name."""
    conditions = [_conditions(profile, group) for group in range(len(profile))]
    count = [min(_NAME_LENGTH, len(each)) for each in conditions]

    def name_of(group: int) -> str:
        used = conditions[group][: count[group]]
        return ", ".join(used) if used else "like the others"

    names = [name_of(group) for group in range(len(profile))]
    for group in range(len(names)):
        while names.count(names[group]) > 1 and count[group] < len(conditions[group]):
            count[group] += 1
            names[group] = name_of(group)
    return tuple(
        f"{name} ({names[:group].count(name) + 1})" if names.count(name) > 1 else name
        for group, name in enumerate(names)
    )


def _conditions(profile: Profile, group: int) -> list[str]:
    """The conditions of a group that are worth showing, the first of each attribute.

    Attributes used for clustering come before other columns, which new rows may not have; levels that are frequent in
    the group come before levels that are rare in it.
    """
    seen: dict[str, str] = {}
    traits = profile.of(group)
    for trait in sorted(
        traits, key=lambda t: (not t.used, t.level is not None and t.effect < 0, -abs(t.effect))
    ):
        seen.setdefault(trait.attribute, trait.condition)
    return list(seen.values())
