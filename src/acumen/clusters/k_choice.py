"""The evidence for each number of clusters: a table, a figure, and a sentence that says so if none is clearly best.

Opinion   one measure over all k: its values, the k it is for, or that it is for none
ClusterCount   all opinions of one learner on one table, and what they come to
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.data.escape import in_html
from acumen.render.text import Heading, number, table
from acumen.types import Floats

if TYPE_CHECKING:
    from acumen.render.measures_plot import MeasuresFigure


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """One measure of every k. `k` is what it is for; None where it finds no groups at all."""

    measure: str
    values: Floats
    k: int | None
    least: bool  # whether less is better
    said: str  # why, in a few words
    low: Floats | None = field(default=None, repr=False)
    high: Floats | None = field(default=None, repr=False)
    #: What the same learner has on rows without groups, or with one group for all.
    nothing: Floats | None = field(default=None, repr=False)
    #: Whether it is still getting better at the last k, so that it has come to no number of its own.
    unended: bool = False
    #: The measure that says the same of every k, with which it has one voice.
    same_as: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCount:
    """What measures say of each number of groups.

    `n_clusters` is the number that more than half of the voices are for, and None where there is no such number: then
    nothing stands out, and `sentence` says so. `leading` is the number that most are for, whether that is enough or
    not. Measures that say the same have one voice (`mdl` and `bic` of groups taken as round). One that is still getting
    better at the last k that was tried would be for any last k: it is for that one only where another measure, which
    could have ended elsewhere, is for it.
    """

    learner: str
    ks: tuple[int, ...]
    opinions: tuple[Opinion, ...]
    models: dict[int, Any] = field(repr=False)
    left_out: tuple[str, ...] = ()

    @property
    def voices(self) -> tuple[Opinion, ...]:
        """The opinions, those that say the same once."""
        names = {opinion.measure for opinion in self.opinions}
        return tuple(opinion for opinion in self.opinions if opinion.same_as not in names)

    @property
    def votes(self) -> Counter[int | None]:
        """How many voices are for each k; None: for no groups. One that has not ended may be for none of either."""
        ended = Counter(voice.k for voice in self.voices if not voice.unended)
        last = Counter(voice.k for voice in self.voices if voice.unended and voice.k in ended)
        return ended + last

    @property
    def n_clusters(self) -> int | None:
        """The number of groups that stands out, if any does."""
        for k, count in self.votes.items():
            if k is not None and 2 * count > len(self.voices):
                return k
        return None

    @property
    def leading(self) -> int:
        """The number of groups most voices are for, the smallest of several.

        It is 1 where more than half find none or none is for any number, and the last that was tried where every
        measure is still getting better.
        """
        if 2 * self.votes[None] > len(self.voices):
            return 1
        votes = {k: count for k, count in self.votes.items() if k is not None}
        if not votes:
            return max(self.ks) if all(voice.unended for voice in self.voices) else 1
        most = max(votes.values())
        return min(k for k, count in votes.items() if count == most)

    @property
    def sentence(self) -> str:
        """What it comes to."""
        against = [opinion.measure for opinion in self.opinions if opinion.k is None]
        opinions = [
            f"{_join_words(names)} {_verb(what, len(names))}"
            for what, names in self._by_subject(self.opinions)
        ]
        chosen = self.n_clusters
        if chosen is not None:
            agree = [o.measure for o in self.opinions if o.k == chosen]
            others = self._by_subject([o for o in self.opinions if o.k != chosen])
            rest = "".join(f"; {_join_words(names)} {_verb(what, len(names))}" for what, names in others)
            if chosen == max(self.ks):
                rest += "; this is the largest k tried, so there may be more"
            verb = "agree" if len(agree) > 1 else "suggests them"
            return f"{chosen} clusters stand out: {_join_words(agree)} {verb}{rest}."
        if 2 * self.votes[None] > len(self.voices):
            others = self._by_subject([o for o in self.opinions if o.k is not None])
            rest = _join_words(
                [f"{_join_words(names)} {_verb(what, len(names))}" for what, names in others] or [""]
            )
            return (
                f"Nothing stands out: according to {_join_words(against)}, these rows have no clusters, or none that "
                f"{self.learner} can find{f' ({rest})' if rest else ''}."
            )
        return f"No number of clusters stands out clearly: {'; '.join(opinions)}."

    def _by_subject(self, opinions: Sequence[Opinion]) -> list[tuple[str, list[str]]]:
        """What is said, with the measures that say it, in the order of their first."""
        names: dict[str, list[str]] = {}
        for o in opinions:
            ended = not o.unended or self.votes[o.k] > 0
            what = "none" if o.k is None else f"{o.k}" if ended else f"beyond {o.k}"
            names.setdefault(what, []).append(o.measure)
        return list(names.items())

    def table(self) -> list[dict[str, Any]]:
        """A mapping for each k: the value of every measure."""
        return [
            {"k": k, **{o.measure: _plain(float(o.values[i])) for o in self.opinions}}
            for i, k in enumerate(self.ks)
        ]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "learner": self.learner,
            "k": self.n_clusters,
            "sentence": self.sentence,
            "table": self.table(),
            "for": {o.measure: o.k for o in self.opinions},
            "because": {o.measure: o.said for o in self.opinions},
            "unended": [o.measure for o in self.opinions if o.unended],
            "leading": self.leading,
            "left_out": list(self.left_out),
        }

    def to_figure(self) -> MeasuresFigure:
        """Every measure over k, the number it is for marked."""
        from acumen.render.measures_plot import MeasureCurve, MeasuresFigure

        return MeasuresFigure(
            np.array(self.ks, dtype=np.float64),
            [
                MeasureCurve(o.measure, o.values, self._marker(o), o.low, o.high, o.nothing,
                        "least" if o.least else "most")
                for o in self.opinions
            ],
            said=self.sentence,
        )  # fmt: skip

    def _marker(self, opinion: Opinion) -> int | None:
        """Where among the numbers its own is; one that has not ended has none."""
        return None if opinion.unended or opinion.k not in self.ks else self.ks.index(opinion.k)

    def _repr_html_(self) -> str:
        return f"<pre>{in_html(str(self))}</pre>{self.to_figure()._repr_svg_()}"

    def __str__(self) -> str:
        headings = [Heading("k", "right"), *(Heading(o.measure, "right") for o in self.opinions)]
        rows = [
            [
                str(k),
                *(
                    f"{number(float(o.values[i]))}{' *' if o.k == k and not o.unended else '  '}"
                    for o in self.opinions
                ),
            ]
            for i, k in enumerate(self.ks)
        ]
        notes = [f"  {o.measure}: {o.said}" for o in self.opinions]
        return "\n".join(
            [
                *table(headings, rows, 100),
                "",
                *notes,
                *(f"  {each}" for each in self.left_out),
                "",
                self.sentence,
            ]
        )


def _verb(what: str, count: int) -> str:
    if what == "none":
        return "find none" if count > 1 else "finds none"
    if what.startswith("beyond"):
        be = "are" if count > 1 else "is"
        return f"{be} still improving at {what.removeprefix('beyond ')}, the largest k tried"
    return f"{'suggest' if count > 1 else 'suggests'} {what}"


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else value


def _join_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
