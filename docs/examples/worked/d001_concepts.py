"""Text 1, lines 120 to 580: rules, version spaces, impurities and a first use of Bayes' rule."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import acumen
from acumen.preprocessing.discretise.intervals import Intervals
from acumen.render.bars_plot import Bar, BarsFigure
from acumen.render.class_histogram import LevelsFigure
from acumen.render.learning_plot import Band, LearningFigure
from acumen.rules.version_space_learner import VersionSpace
from acumen.trees.measures import MEASURES, split_info
from worked.hand import entropy, gini


def W001_01(seen: Any) -> dict[str, Any]:
    found = [seen.space.performance(rule, seen.rows) for rule in seen.rules]
    more = seen.space.performance(
        {"october": "yes", "stand_normal": "yes", "precip_gt_norm": "yes"}, seen.rows
    )
    made: dict[str, Any] = {}
    for i, each in enumerate([*found, more], start=1):
        made |= {f"p{i}": each.positive, f"c{i}": each.covered, f"s{i}": each.positive / each.covered}
    return made


def W001_02(seen: Any) -> dict[str, Any]:
    spaces = [VersionSpace(positive="+").fit(seen.rows.take(np.arange(at + 1))) for at in range(4)]
    equal = VersionSpace(positive="+", language="attribute-equality").fit(seen.rows)
    return {
        "sizes": seen.sizes,
        "left": " and ".join(str(h) for h in spaces[1].hypotheses_),
        "equal": equal.size_,
        "picture": spaces[0].to_figure(),
    }


def W001_03(seen: Any) -> dict[str, Any]:
    shares = {"".join(h): seen.space.performance(h, seen.rows).share for h in product("YN?", repeat=3)}
    best = max(shares.values())
    names = [f"({', '.join(h)})" for h, share in shares.items() if share == best]
    ranked = sorted(shares.items(), key=lambda item: -item[1])[:12]
    three = seen.rows.take(np.arange(3))
    return {
        "share": shares["??N"],
        "n": len(shares),
        "best": best,
        "names": ", ".join(names),
        "ties": len(names),
        "without": VersionSpace(positive="+").fit(three).performance(("?", "?", "?"), three).share,
        "picture": BarsFigure(
            [Bar(f"({', '.join(h)})", 4 * s) for h, s in ranked], "rows of 4", "Conjunctions"
        ),
    }


def conjunction(rows: Any, said: str) -> Any:
    """Which rows a conjunction covers."""
    names = [attribute.name for attribute in rows.schema.attributes]
    return np.all([(rows.column(n) == v) | (v == "?") for n, v in zip(names, said, strict=True)], axis=0)


def W001_04(seen: Any) -> dict[str, Any]:
    rows, positive = seen.rows, seen.rows.label_values() == "+"
    frame = rows.to_pandas().astype(str)
    frame.loc[2, frame.columns[2]] = "O"
    other = acumen.read(frame, target="class")
    several = VersionSpace(positive="+", language="internal-disjunction").fit(other)
    found = {
        "neg": 4 * np.mean(~conjunction(rows, "YN?") == positive),
        "either": 4 * np.mean((conjunction(rows, "YY?") | conjunction(rows, "NN?")) == positive),
        "same": 4 * max(seen.equal.performance(h, rows).share for h in seen.equal.hypotheses_),
        "several": 4 * several.performance(("?", "?", {"N", "O"}), other).share,
    }
    labels = {
        "neg": "not (Y, N, ?)",
        "either": "(Y, Y, ?) or (N, N, ?)",
        "same": "F1 = F2",
        "several": "(?, ?, N or O)",
    }
    bars = [Bar(labels[key], float(value)) for key, value in found.items()]
    bars.append(Bar("the best conjunction", 3.0, False))
    return found | {
        "conjunctions": VersionSpace(positive="+").fit(rows).size_,
        "equalities": seen.equal.size_,
        "picture": BarsFigure(bars, "rows of 4", "Five languages"),
    }


def W001_05(seen: Any) -> dict[str, Any]:
    vote, other = seen.space.vote(list("NYN")), seen.space.vote(list("NYY"))
    return {
        "left": " and ".join(str(h) for h in seen.space.hypotheses_),
        "covering": vote.covering.low,
        "of": vote.of.low,
        "other": other.covering.low,
        "picture": seen.space.to_figure(),
    }


def W001_06(seen: Any) -> dict[str, Any]:
    spaces = {
        name: VersionSpace(positive="+", language=name).fit(seen.rows)
        for name in ("single-test-dnf", "dnf", "cnf")
    }
    votes = {name: space.vote(list("NYN")) for name, space in spaces.items()}
    row = seen.rows.take(np.arange(1))
    thirteen = list(spaces["single-test-dnf"].hypotheses_)
    frame = row.to_pandas().astype(str)
    frame.iloc[0, :3] = list("NYN")
    asked = acumen.read(frame, target="class")
    rest = [str(h) for h in thirteen if not h.covers(asked)[0]]
    # The sixteen pairs, counted anew: which of the eight rows of three places each pair covers.
    every = list(product("YN", repeat=3))

    def covers(said: str) -> tuple[bool, ...]:
        return tuple(all(v in ("?", w) for v, w in zip(said, each, strict=True)) for each in every)

    pairs = list(product(("YYN", "Y??", "?Y?", "??N"), ("NNN", "N??", "?N?", "??N")))
    unlike = {tuple(a or b for a, b in zip(covers(one), covers(two), strict=True)) for one, two in pairs}
    assert len(unlike) == len(thirteen) == spaces["single-test-dnf"].size_
    return {
        "pairs": len(pairs),
        "n13": len(thirteen),
        "c13": votes["single-test-dnf"].covering.low,
        "rest4": len(rest),
        "rest": "; ".join(rest),
        "n24": spaces["dnf"].size_,
        "c24": votes["dnf"].covering.low,
        "n64": spaces["cnf"].size_,
        "c64": votes["cnf"].covering.low,
        "half": votes["cnf"].share,
        "other": spaces["single-test-dnf"].vote(list("YNY")).covering.low,
        "other64": spaces["cnf"].vote(list("YNY")).share,
        "picture": spaces["single-test-dnf"].to_figure(),
    }


def W001_07(seen: Any) -> dict[str, Any]:
    q, p = seen.model.predict_proba([[0.0]])[0]
    counts = seen.rows["party"].astype(str).value_counts()
    H = split_info(counts.to_numpy(dtype=float))
    wrong = entropy([169, 268])
    return {
        "rep": counts["republican"],
        "dem": counts["democrat"],
        "n": len(seen.rows),
        "p": p,
        "q": q,
        "H": H,
        "H_printed": wrong,
        "diff": abs(wrong - H),
    }


def W001_08(seen: Any) -> dict[str, Any]:
    table = seen.rows.groupby(["F17", "F22"]).size().to_numpy(dtype=float).reshape(2, 2)
    share = table / table.sum()
    return {
        "s00": share[0, 0],
        "s01": share[0, 1],
        "s10": share[1, 0],
        "s11": share[1, 1],
        "pos": table[:, 1].sum(),
        "neg": table[:, 0].sum(),
        "zero": table[0].sum(),
        "zero80": share[0].sum(),
        "given": seen.model.predict_proba(seen.rows[["F17"]][-1:])[0, 0],
        "H": entropy(table.sum(axis=0)),
        "even": entropy([40, 40]),
        "picture": LevelsFigure(["F17 = 0", "F17 = 1"], table.T, ["F22 = 0", "F22 = 1"], "80 scans"),
    }


def W001_09(seen: Any) -> dict[str, Any]:
    p = np.array([0.2, 0.3, 0.5])
    other = np.array([0.4, 0.3, 0.3])
    x = np.linspace(0.001, 0.999, 81)
    bands = [
        Band("entropy", [entropy([q, 1 - q]) for q in x]),
        Band("Gini", [2 * gini([q, 1 - q]) for q in x]),
        Band("least error", 2 * np.minimum(x, 1 - x)),
    ]
    return {
        "gini": MEASURES["gini"].gain(seen.parted),
        "gini_hand": 1 - (p**2).sum(),
        "err": MEASURES["error"].gain(seen.parted),
        "arg": float(np.argmin(1 - p) + 1),
        "H": MEASURES["gain"].gain(seen.parted),
        "H_hand": entropy(p),
        "top": np.log2(3),
        "g2": MEASURES["gini"].gain(np.diag(other)),
        "e2": MEASURES["error"].gain(np.diag(other)),
        "picture": LearningFigure(
            x, bands, "share of one class", "impurity, of its largest", title="Three impurities"
        ),
    }


def W001_10(seen: Any) -> dict[str, Any]:
    v = np.array([-1, 1, 2.9, 3, 5])
    return {
        "n": len(seen.cut),
        "n_hand": 3 + 1,
        "codes": seen.cut.transform(v).tolist(),
        "right": Intervals("v", np.array([1.0, 3.0, 5.0])).transform(v).tolist(),
    }


def W001_11(seen: Any) -> dict[str, Any]:
    def worth(name: str) -> tuple[float, float]:
        counts = seen.loan.groupby([name, "Class"], observed=False).size().unstack().to_numpy(dtype=float)
        gain = MEASURES["gain"].gain(counts)
        return gain, gain / split_info(counts.sum(axis=1))

    names = ["Own_house", "Has_Job", "Credit_Rating", "Age"]
    found = {name: worth(name) for name in names}
    H, info = entropy([9, 6]), split_info(seen.counts.sum(axis=1))
    gain, ratio = found["Own_house"]
    sides = seen.counts.sum(axis=1)
    return {
        "H": H,
        "rest": H - gain,
        "gain": gain,
        "info": info,
        "ratio": ratio,
        "literal": H + (H - gain) / (sides / 15 @ np.log2(sides)),
        "age_gain": found["Age"][0],
        "age_ratio": found["Age"][1],
        "all_gain": H,
        "all_ratio": H / np.log2(15),
        "picture": BarsFigure([Bar(name, found[name][1]) for name in names], "gain ratio", "The loan table"),
    }


def W001_12(seen: Any) -> dict[str, Any]:
    rules = acumen.RuleList(tuple(seen.rules), "no", ordered=False)
    said = rules.predict(seen.coins)
    both = ["".join(pair) for pair in product("HT", repeat=2)]
    return {
        "said": ", ".join(o for o, yes in zip(both, said, strict=True) if yes == "yes"),
        "n": int((said == "yes").sum()),
        "p": float(np.mean(said == "yes")),
        "three": sum("H" in o for o in product("HT", repeat=3)),
    }


def W001_13(seen: Any) -> dict[str, Any]:
    at = list(seen.model.classes_).index("sick")

    def after(prior: float, sure: float = 0.99, wrong: float = 0.005) -> float:
        return prior * sure / (prior * sure + (1 - prior) * wrong)

    p = seen.model.predict_proba(seen.X[:1])[0, at]
    x = np.geomspace(1e-4, 0.5, 60)
    curve = [after(float(q)) for q in x]
    return {
        "sick": seen.w[0],
        "healthy": seen.w[2],
        "p": p,
        "rare": after(0.001),
        "twice": after(p),
        "picture": LearningFigure(
            x,
            [Band("P(sick | +)", curve)],
            "share of the sick",
            "probability",
            log=True,
            title="What a positive test means",
        ),
    }
