"""What is typical of each group: its traits by size of effect, a name, and which differences are more than chance.

    Profile      groups with their rows, names and traits; prints itself, and draws itself as parallel lines
    profile_of   the profile of the groups of a table's rows

An attribute that groups were made of differs between them whatever the rows are like: even rows without any groups are
cut where they differ. So no chance is told of those, only how large the difference is. Of other columns of the table,
the target among them, the chance is told, with the false discovery rate of all those tests together controlled by
Benjamini and Hochberg's procedure.
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

#: Traits of an effect below this are not told of a group, unless all are asked for, and name none.
TELLING = 0.5
#: Traits told of a group.
_TOLD = 6
#: Conditions that make a name.
_NAMED = 2


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What is typical of each group.

    `names` suggests one for each group from its most telling conditions; `sizes` is the weight of its rows, `outside`
    that of rows in no group; `traits` are sorted by group, the largest effect first. `false_discovery` is the rate that
    `q` is to be held against.
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
        """The traits of one group, the largest effect first: the telling ones, or all of them."""
        traits = (trait for trait in self.traits if trait.group == group)
        return tuple(trait for trait in traits if full or self.tells(trait))

    def tells(self, trait: Trait) -> bool:
        """Whether a trait is told: large enough, and more than chance where chance can be told."""
        return abs(trait.effect) >= TELLING and (trait.used or trait.q <= self.false_discovery)

    def describe(self, *, full: bool = False) -> str:
        """All of it in words."""
        total = max(float(self.sizes.sum()) + self.outside, 1e-300)
        lines: list[str] = []
        for group, (name, size) in enumerate(zip(self.names, self.sizes.tolist(), strict=True)):
            share = percent(size / total)
            lines.append(f"group {group}, {printable(name)}: {_rows(size)} ({share})")
            traits = self.of(group, full=full)
            shown = traits if full else traits[:_TOLD]
            lines += [f"    {trait_text(trait)}" for trait in shown] or ["    nothing sets it apart"]
            if len(traits) > len(shown):
                lines.append(f"    and {many(len(traits) - len(shown), 'more trait')}")
        if self.outside:
            lines.append(f"in no group: {_rows(self.outside)} ({percent(self.outside / total)})")
        return "\n".join([*lines, "", *self.notes()])

    def notes(self) -> list[str]:
        """What must be known to read it."""
        lines = [
            "Effects are in standard deviations (of shares: Cohen's h): 0.2 is small, 0.5 medium, 0.8 large. The "
            "clusters were computed from these attributes, so they differ in any case and have no p-value."
        ]
        if any(not trait.used for trait in self.traits):
            lines.append(
                "q is of columns that the groups were not made of: of those told, at most about "
                f"{percent(self.false_discovery)} are false."
            )
        if self.untold:
            lines.append(f"Text columns are not described: {', '.join(map(printable, self.untold))}.")
        return lines

    def __str__(self) -> str:
        return self.describe()

    def to_dicts(self) -> list[dict[str, Any]]:
        """A mapping for each group, for JSON: numbers that are not known are None."""
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
        """Parallel lines: a place for each attribute, how far each group is from the others there."""
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
    """What is typical of each group of rows, -1 for those in none; `others` holds further columns of the same rows."""
    if not n_groups:
        raise DataError("profile: there is no group, so nothing is typical of any.")
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
    """A name for each group: its most telling conditions, more of them where two groups would be called the same."""
    conditions = [_conditions(profile, group) for group in range(len(profile))]
    count = [min(_NAMED, len(each)) for each in conditions]

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
    """The telling conditions of a group, of each attribute the first.

    What it was made of comes before other columns, which new rows may not have; what it has before what it lacks.
    """
    seen: dict[str, str] = {}
    traits = profile.of(group)
    for trait in sorted(
        traits, key=lambda t: (not t.used, t.level is not None and t.effect < 0, -abs(t.effect))
    ):
        seen.setdefault(trait.attribute, trait.condition)
    return list(seen.values())
