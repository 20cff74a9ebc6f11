"""What is typical of groups, the rules that tell them, and their pictures."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact, mannwhitneyu

import acumen
from acumen.base.cluster_profile import profile_of
from acumen.base.cluster_rules import rules_of
from acumen.base.cluster_traits import rank_chances
from acumen.errors import DataError, ParameterError
from clusters.cluster_tables import IRIS


def mixed(seed=0, n=90):
    """Three groups in two columns; two more that have nothing to do with them, and one that has."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "size": 6.0 * group + rng.normal(size=n),
            "form": np.array(["round", "long", "flat"])[group],
            "noise": rng.normal(size=n),
            "coin": np.array(["heads", "tails"])[rng.integers(0, 2, n)],
            "follows": np.array(["no", "no", "yes"])[group],
        }
    )
    return frame, group


@pytest.fixture(scope="module")
def told():
    frame, group = mixed()
    model = acumen.KMedoids(3, random_state=0).fit(frame[["size", "form"]])
    return model, frame, group


def test_traits_are_means_and_shares_inside_and_outside_with_their_effects(told):
    model, frame, _ = told
    profile = model.profile(frame)
    labels = model.labels_
    for g in range(3):
        inside, outside = frame["size"][labels == g], frame["size"][labels != g]
        trait = next(t for t in profile.of(g, full=True) if t.attribute == "size")
        pooled = ((inside - inside.mean()) ** 2).sum() + ((outside - outside.mean()) ** 2).sum()
        assert trait.inside == pytest.approx(inside.mean()) and trait.outside == pytest.approx(outside.mean())
        assert trait.effect == pytest.approx(
            (inside.mean() - outside.mean()) / np.sqrt(pooled / (len(frame) - 2))
        )
        share = next(t for t in profile.of(g, full=True) if t.level == "round")
        a, b = (frame["form"][labels == g] == "round").mean(), (frame["form"][labels != g] == "round").mean()
        assert share.effect == pytest.approx(2 * np.arcsin(np.sqrt(a)) - 2 * np.arcsin(np.sqrt(b)))
        sizes = [abs(t.effect) for t in profile.of(g, full=True)]
        assert sizes == sorted(sizes, reverse=True)


def test_chances_are_scipys_and_only_of_columns_that_were_not_used(told):
    model, frame, _ = told
    profile = model.profile(frame)
    labels = model.labels_
    for trait in profile.traits:
        assert trait.used == (trait.attribute in ("size", "form"))
        assert np.isnan(trait.p) == trait.used and np.isnan(trait.q) == trait.used
    for g in range(3):
        own = {(t.attribute, t.level): t for t in profile.of(g, full=True)}
        ours = own["noise", None].p
        theirs = mannwhitneyu(
            frame["noise"][labels == g], frame["noise"][labels != g], method="asymptotic"
        ).pvalue
        assert ours == pytest.approx(theirs)
        heads = frame["coin"] == "heads"
        cells = [[(heads & (labels == g)).sum(), (~heads & (labels == g)).sum()],
                 [(heads & (labels != g)).sum(), (~heads & (labels != g)).sum()]]  # fmt: skip
        one_sided = min(fisher_exact(cells, "less").pvalue, fisher_exact(cells, "greater").pvalue)
        assert own["coin", "heads"].p == pytest.approx(min(1.0, 2 * one_sided))
    follows = [t for t in profile.traits if t.attribute == "follows"]
    assert min(t.q for t in follows) < 1e-6


def test_the_chance_of_ranks_with_ties_is_scipys():
    rng = np.random.default_rng(1)
    x, groups = np.round(rng.normal(size=80)), rng.integers(-1, 3, 80).astype(np.int32)
    found = rank_chances(x, np.ones(80), groups, 3)
    for g in range(3):
        assert found[g] == pytest.approx(
            mannwhitneyu(x[groups == g], x[groups != g], method="asymptotic").pvalue
        )


@pytest.mark.slow
def test_of_columns_without_any_meaning_few_are_ever_told():
    # No column of the twenty tells anything: the rate of false discoveries is that of any discovery at all.
    rng = np.random.default_rng(0)
    runs, false = 400, 0
    for _ in range(runs):
        groups = rng.integers(0, 3, 120).astype(np.int32)
        frame = pd.DataFrame({f"n{j}": rng.standard_cauchy(120) for j in range(12)})
        for j in range(8):
            frame[f"c{j}"] = np.array(["a", "b", "c"])[rng.integers(0, 3, 120)]
        rows = acumen.read(frame)
        profile = profile_of(rows, groups, 3, ())
        false += min(t.q for t in profile.traits) <= 0.05
    # 5 % of 400 are 20; more than 33 come of chance once in a thousand times.
    assert false <= 33
    assert false >= 3, "the control is not so strict that nothing could ever be told"


def test_groups_cut_out_of_noise_differ_in_what_they_were_cut_by_and_no_chance_is_told():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "other"])
    profile = acumen.KMeans(3, random_state=0).fit(frame[["a", "b"]]).profile(frame)
    used = [t for t in profile.traits if t.used]
    assert max(abs(t.effect) for t in used) > 1.0 and all(np.isnan(t.q) for t in used)
    assert all(t.q > 0.05 for t in profile.traits if not t.used)
    assert "always differ between clusters" in str(profile)


def test_names_are_of_telling_conditions_and_all_differ(told):
    model, frame, _ = told
    names = model.profile(frame).names
    assert len(set(names)) == 3
    for g, name in enumerate(names):
        form = frame["form"][model.labels_ == g].mode()[0]
        assert f"form = {form}" in name
    iris = acumen.KMeans(3, random_state=0).fit(IRIS).profile(IRIS)
    assert iris.names[0] == "petal_length very low, petal_width very low"
    assert not any("class" in name for name in iris.names), "new rows have no class to be named by"
    equal = profile_of(
        acumen.read(np.zeros((6, 1))), np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), 3, ("x0",)
    )
    assert len(set(equal.names)) == 3


def test_the_target_is_told_of_though_it_played_no_part():
    profile = acumen.KMeans(3, random_state=0).fit(IRIS).profile(IRIS)
    setosa = next(t for t in profile.of(0) if t.level == "Iris-setosa")
    assert setosa.inside == 1.0 and setosa.outside == 0.0 and setosa.q < 1e-20 and not setosa.used


def test_missing_values_are_left_out_and_are_a_trait_themselves():
    x = np.r_[np.zeros(20), np.full(20, 9.0)]
    y = np.where(np.arange(40) < 15, np.nan, 1.0)
    frame = pd.DataFrame({"x": x, "y": y})
    profile = acumen.KMeans(2, random_state=0).fit(frame[["x"]]).profile(frame)
    gap = next(t for t in profile.of(0) if t.gap)
    assert gap.inside == 0.75 and gap.outside == 0.0 and gap.condition == "y missing" and gap.q < 1e-3


def test_a_weight_of_two_is_a_repeated_row_in_profiles_and_rules():
    frame, _ = mixed(3, 60)
    table = acumen.read(frame)
    groups = np.array([i % 3 for i in range(60)], dtype=np.int32)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    heavy = acumen.Table(
        table.schema, 60, numeric=table.numeric, nominal=table.nominal, weights=weights.astype(float)
    )
    often = np.repeat(np.arange(60), weights)
    one = profile_of(heavy, groups, 3, ())
    other = profile_of(table.take(often), groups[often], 3, ())
    assert one.names == other.names
    for a, b in zip(one.traits, other.traits, strict=True):
        assert (a.group, a.attribute, a.level) == (b.group, b.attribute, b.level)
        assert [a.inside, a.effect, a.p, a.q] == pytest.approx([b.inside, b.effect, b.p, b.q])
    assert rules_of(heavy, groups, 3).fidelity == pytest.approx(
        rules_of(table.take(often), groups[often], 3).fidelity
    )


def test_moving_and_scaling_numbers_changes_no_effect():
    rng = np.random.default_rng(0)
    x, groups = rng.normal(size=(50, 1)), rng.integers(0, 2, 50).astype(np.int32)
    plain = profile_of(acumen.read(x), groups, 2, ())
    for made in (x * 1e300, x * 1e-300, x + 1e8):
        other = profile_of(acumen.read(made), groups, 2, ())
        assert [t.effect for t in other.traits] == pytest.approx([t.effect for t in plain.traits], rel=1e-6)
        assert [t.p for t in other.traits] == pytest.approx([t.p for t in plain.traits], rel=1e-6)


def test_rules_tell_the_groups_and_their_fidelity_is_what_they_say(told):
    model, frame, _ = told
    rules = model.to_rules(frame)
    said = rules.tree.predict(frame)
    assert rules.fidelity == np.mean(said == [f"cluster {g}" for g in model.labels_]) == 1.0
    assert 0.9 < rules.held_out <= 1.0
    assert len(rules) <= 6 and (rules.recall == 1).all() and (rules.precision == 1).all()
    assert "fidelity: the rules predict the cluster of 100 % of the rows" in str(rules)
    json.dumps(rules.to_dict())
    assert len(model.to_rules(frame, max_rules=3)) <= 3


def test_rules_of_groups_that_mean_nothing_say_so_by_rows_held_back():
    rng = np.random.default_rng(0)
    rows = acumen.read(rng.normal(size=(200, 4)))
    rules = rules_of(rows, rng.integers(0, 3, 200).astype(np.int32), 3)
    assert rules.held_out < 0.5


def test_rows_in_no_group_are_told_too():
    model = acumen.DBSCAN(eps=0.6).fit(IRIS)
    rules = model.to_rules(IRIS)
    assert rules.groups[0] == "no cluster"
    profile = model.profile(IRIS)
    assert profile.outside == (model.labels_ < 0).sum() and "in no cluster" in str(profile)


def test_telling_warns_of_nothing_and_objects_in_sentences():
    model = acumen.KMeans(2, random_state=0).fit(IRIS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.to_rules(IRIS)
        json.dumps(model.profile(IRIS).to_dicts(), allow_nan=False)
    with pytest.raises(ParameterError, match=r"max_rules must be"):
        model.to_rules(IRIS, max_rules=1)
    with pytest.raises(ParameterError, match=r"false_discovery must be"):
        model.profile(IRIS, false_discovery=0)
    with pytest.raises(DataError, match="nothing to distinguish"):
        acumen.KMeans(1).fit(IRIS).to_rules(IRIS)
    with pytest.raises(DataError, match="there are no clusters"):
        acumen.DBSCAN(eps=1e-9).fit(IRIS).profile(IRIS)


def test_names_that_act_on_terminals_or_pages_are_made_harmless():
    frame = pd.DataFrame({"\x1b[31mx": np.r_[np.zeros(10), np.ones(10)], "c": ["<script>"] * 10 + ["b"] * 10})
    model = acumen.KMedoids(2, random_state=0).fit(frame)
    profile = model.profile(frame)
    assert "\x1b" not in str(profile) and "<script>" not in profile._repr_html_()
    assert "<script>" not in profile.to_figure()._repr_svg_()


def test_pictures_show_rows_in_the_plane_of_their_largest_variance(told):
    model = acumen.KMedoids(3, random_state=0).fit(IRIS)
    figure = acumen.clustering.picture(model, IRIS)
    x = np.column_stack([c for _, c in IRIS.numeric_columns()])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    _, values, turn = np.linalg.svd(x, full_matrices=False)
    for j in range(2):
        assert np.abs(figure.points[:, j]) == pytest.approx(np.abs(x @ turn[j]))
    assert f"{100 * values[0] ** 2 / (values**2).sum():.1f} %" in figure.x_label
    assert figure.middles == pytest.approx(figure.points[model.medoids_])
    centres = acumen.clustering.picture(acumen.KMeans(3, random_state=0).fit(IRIS), IRIS)
    assert centres.middle == "centre"
    for g in range(3):
        assert centres.middles[g] == pytest.approx(centres.points[centres.labels == g].mean(axis=0))
    mixed_model, frame, _ = told
    assert len(acumen.clustering.picture(mixed_model, frame).points) == len(frame)


def test_pictures_of_silhouettes_are_by_the_models_distance_and_leave_out_noise():
    model = acumen.DBSCAN(eps=0.6).fit(IRIS)
    figure = acumen.clustering.picture(model, IRIS, "silhouette")
    assert len(figure.values) == (model.labels_ >= 0).sum()
    assert figure.mean == pytest.approx(acumen.clustering.silhouette(IRIS, model.labels_).mean)
    with pytest.raises(ParameterError, match="kind must be"):
        acumen.clustering.picture(model, IRIS, "pie")


def test_one_row_is_one_row():
    rows = acumen.read([[0.0], [0.1], [0.2], [9.0]])
    said = str(acumen.KMeans(2, random_state=0).fit(rows).profile(rows))
    assert ": 1 row (25.0 %)" in said and ": 3 rows (75.0 %)" in said


def test_dates_are_told_as_dates_and_are_early_or_late(tmp_path):
    path = tmp_path / "visits.csv"
    days = [f"2023-01-{d:02}" for d in range(1, 12)] + [f"2024-06-{d:02}" for d in range(1, 12)]
    path.write_text("seen,size\n" + "".join(f"{day},{i % 3}\n" for i, day in enumerate(days)))
    table = acumen.read(path)
    said = acumen.KMeans(2, random_state=0).fit(table).profile(table).describe()
    assert "seen 2023-01-06, elsewhere 2024-06-06" in said
    assert "seen very early" in said and "seen very late" in said
