"""An HTML page about clusters: how many and why, what is typical of each, rules and pictures.

page_of   clusterer, table, and what was found out of them -> ReportPage
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from acumen.base.cluster_profile import Profile, trait_text
from acumen.clusters.k_choice import ClusterCount
from acumen.clusters.pictures import picture
from acumen.data.table import Table
from acumen.errors import AcumenError
from acumen.render.report import (
    Code,
    Drawing,
    Drawings,
    Paragraph,
    PointsPanel,
    ReportPage,
    ReportTable,
    Section,
)
from acumen.render.text import many, number, percent

if TYPE_CHECKING:
    from acumen.base.cluster_rules import GroupRules
    from acumen.render.report import Piece


def page_of(
    model: Any,
    table: Table,
    profile: Profile | None,
    rules: GroupRules | None,
    choice: ClusterCount | None = None,
    *,
    source: str = "",
    command: str = "",
) -> ReportPage:
    """The whole page; what cannot be told or drawn of these groups is left out."""
    name = type(model).__name__
    lead = f"{name} found {many(model.n_clusters_, 'cluster')} in {many(len(table), 'row')}."
    if choice is not None:
        lead += f" {choice.sentence}"
    sections = [_groups(profile)] if profile is not None else []
    if choice is not None:
        sections.append(_how_many(choice))
    pictures = _pictures(model, table)
    if pictures:
        sections.append(Section("Pictures", [Drawings(pictures)]))
    if rules is not None:
        sections.append(_rules(rules))
    sections.append(Section("The model", [Code(model.describe())]))
    footer = f"Created by acumen{f': {command}' if command else '.'}"
    return ReportPage(
        f"Clusters of {source or 'rows'}", sections, lead, f"{name}, parameters as below", footer
    )


def _groups(profile: Profile) -> Section:
    total = max(float(profile.sizes.sum()) + profile.outside, 1e-300)
    rows = [
        [str(group), name, number(size), percent(size / total)]
        for group, (name, size) in enumerate(zip(profile.names, profile.sizes.tolist(), strict=True))
    ]
    if profile.outside:
        rows.append(["–", "in no cluster", number(profile.outside), percent(profile.outside / total)])
    pieces: list[Piece] = [
        ReportTable(["group", "name suggested", "rows", "share"], rows, ["left", "left", "right", "right"])
    ]
    for group, name in enumerate(profile.names):
        attributes = profile.of(group)[:8]
        pieces.append(Paragraph(f"Cluster {group}, {name}:"))
        pieces.append(PointsPanel([trait_text(trait) for trait in attributes] or ["nothing sets it apart"]))
    pieces += [Paragraph(note) for note in profile.notes()]
    pieces.append(Drawing(profile.to_figure()._repr_svg_()))
    return Section("The clusters", pieces)


def _how_many(choice: ClusterCount) -> Section:
    headings = ["k", *(opinion.measure for opinion in choice.opinions)]
    rows = [
        [str(k), *(number(float(o.values[i])) + (" *" if o.k == k else "") for o in choice.opinions)]
        for i, k in enumerate(choice.ks)
    ]
    sides: list[Any] = ["right"] * len(headings)
    pieces: list[Piece] = [
        Paragraph(choice.sentence),
        ReportTable(headings, rows, sides, "* the number a measure recommends"),
        PointsPanel([f"{o.measure}: {o.said}" for o in choice.opinions]),
        Drawing(choice.to_figure()._repr_svg_()),
    ]
    return Section("Number of clusters", pieces)


def _rules(rules: GroupRules) -> Section:
    rows = [
        [group, percent(float(recall)), percent(float(right))]
        for group, recall, right in zip(rules.groups, rules.recall, rules.precision, strict=True)
    ]
    sentence = f"The rules predict the cluster of {percent(rules.fidelity)} of the rows"
    if rules.held_out == rules.held_out:
        sentence += f", {percent(rules.held_out)} of held-out rows"
    pieces: list[Piece] = [
        Code(str(rules.rules)),
        Paragraph(f"{sentence}."),
        ReportTable(["cluster", "recall", "precision"], rows, ["left", "right", "right"]),
    ]
    return Section("As rules", pieces)


def _pictures(model: Any, table: Table) -> list[Drawing]:
    sections = []
    for kind in ("components", "silhouette"):
        try:
            sections.append(Drawing(picture(model, table, kind)._repr_svg_()))
        except AcumenError:
            continue  # words have no components, one group no silhouettes
    if hasattr(model, "to_figure"):
        with suppress(AcumenError):  # a reach that was given has no curve
            sections.append(Drawing(model.to_figure()._repr_svg_()))
    return sections
