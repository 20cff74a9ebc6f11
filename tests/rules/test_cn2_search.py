"""CN2 against Orange, and its first rules against every rule there is, judged by the published measures."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import acumen
from oracles import orange_cn2

SIZES = orange_cn2.SIZES


def covered_by(rule, codes) -> np.ndarray:
    covered = np.ones(len(codes), dtype=bool)
    for condition in rule.conditions:
        covered &= codes[:, int(condition.attribute[1:])] == int(str(condition.value)[1:])
    return covered


def quality(measure, counts, totals, label) -> float:
    """How good a rule is, larger being better: for its most frequent class where `label` is None."""
    n, k, prior = counts.sum(), len(totals), totals / totals.sum()
    if measure in ("entropy", "likelihood-ratio") and label is not None:
        counts, prior = (np.array([x[label], x.sum() - x[label]]) for x in (counts, prior))
    if measure == "entropy":
        return sum(c / n * math.log2(c / n) for c in counts if c > 0)
    if measure == "likelihood-ratio":
        return 2 * sum(c * math.log(c / (n * p)) for c, p in zip(counts, prior, strict=True) if c > 0)
    each = {
        "laplace": (counts + 1) / (n + k),
        "m-estimate": (counts + 2.0 * prior) / (n + 2.0),
        "wracc": n / totals.sum() * (counts / n - prior),
    }[measure]
    return float(each.max() if label is None else each[label])


@pytest.mark.parametrize("oracle", orange_cn2.FOUND, ids=lambda oracle: str(oracle.seed))
def test_first_rules_are_as_good_as_oranges_and_lists_fit_as_many_rows(oracle):
    table, codes, labels = orange_cn2.rows_of(oracle.seed)
    totals = np.bincount(labels)
    ordered = acumen.CN2(beam_width=60, significance=None, min_covered=1).fit(table)
    assert np.count_nonzero(table.label_values() == ordered.predict(table)) == oracle.right
    first = covered_by(ordered.to_rules()[0], codes)
    counts = np.bincount(labels[first], minlength=len(totals))
    assert -quality("entropy", counts, totals, None) == oracle.entropy
    rules = acumen.CN2(
        ordered=False, measure="laplace", beam_width=60, significance=None, min_covered=1, max_conditions=3
    ).fit(table)
    for label, expected in enumerate(oracle.laplace):
        rule = next(rule for rule in rules.to_rules() if rule.label == f"c{label}")
        counts = np.bincount(labels[covered_by(rule, codes)], minlength=len(totals))
        assert quality("laplace", counts, totals, label) >= expected - 1e-15


@pytest.mark.parametrize("measure", ["entropy", "laplace", "m-estimate", "likelihood-ratio", "wracc"])
@pytest.mark.parametrize("ordered", [True, False])
def test_the_first_rule_of_a_wide_beam_is_the_best_there_is(measure, ordered):
    for seed in range(4):
        table, codes, labels = orange_cn2.rows_of(seed)
        totals = np.bincount(labels)
        model = acumen.CN2(
            ordered=ordered,
            beam_width=5000,
            measure=measure,
            significance=None,
            min_covered=3,
            max_conditions=3,
        ).fit(table)
        every = [
            np.bincount(labels[inside], minlength=len(totals))
            for size in (1, 2, 3)
            for columns in itertools.combinations(range(len(SIZES)), size)
            for values in itertools.product(*(range(SIZES[j]) for j in columns))
            if (inside := (codes[:, columns] == values).all(axis=1)).sum() >= 3
        ]
        for label in [None] if ordered else range(len(totals)):
            # Pure or surprising rows of the other classes are no rule for this one.
            able = [
                counts
                for counts in every
                if label is None or counts[label] * totals.sum() >= totals[label] * counts.sum()
            ]
            best = max(quality(measure, counts, totals, label) for counts in able)
            rule = next(r for r in model.to_rules() if label is None or r.label == f"c{label}")
            counts = np.bincount(labels[covered_by(rule, codes)], minlength=len(totals))
            assert quality(measure, counts, totals, label) == pytest.approx(best, abs=1e-12)


def test_rules_for_each_class_vote_with_the_classes_of_all_rows_they_cover():
    table, codes, labels = orange_cn2.rows_of(1)
    model = acumen.CN2(ordered=False, measure="laplace", significance=None).fit(table)
    votes = np.zeros((len(table), 3))
    for rule in model.to_rules():
        covered = covered_by(rule, codes)
        votes[covered] += np.bincount(labels[covered], minlength=3)
    answers = np.array([int(label[1:]) for label in model.predict(table).tolist()])
    assert votes.any(axis=1).sum() > 50
    voted = votes.any(axis=1)
    assert (votes[np.arange(60), answers] == votes.max(axis=1))[voted].all()
    assert (answers[~voted] == np.bincount(labels).argmax()).all()
