"""The reference: every public name on a page of its group, from its docstring by mkdocstrings.

GROUPS      title, words and names of each page that is not about learners
pages()     address -> text, of all pages; learners stand by family
"""

from __future__ import annotations

import acumen
from handbook.written import entry_of, families, written

#: The pages besides those of learners: key -> title, what is said, public names.
GROUPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "tables": (
        "Tables",
        "Reading, describing and looking at tables.",
        (
            "read",
            "scan",
            "inspect",
            "Table",
            "Schema",
            "Attribute",
            "Dialect",
            "datasets",
            "drop_uninformative",
        ),
    ),
    "judging": (
        "Judging",
        "How good a learner is, how sure that is, and which one is better.",
        (
            "assess",
            "Assessment",
            "compare",
            "Comparison",
            "confusion",
            "Confusion",
            "roc",
            "precision_recall",
            "lift",
            "calibration",
            "one_vs_rest",
            "hand_till",
            "log_loss",
            "brier",
            "bias_variance",
            "stability",
            "regions",
            "effect",
            "held_out_effect",
            "decide",
            "rule_report",
        ),
    ),
    "resampling": (
        "Resampling",
        "Which rows are learned from and which are held back.",
        ("KFold", "LeaveOneOut", "Bootstrap", "Holdout", "ThreeWay", "Subsample", "TimeSlice"),
    ),
    "choosing": (
        "Choosing",
        "Parameters, attributes, rows to be labelled, gaps to be filled; learners around learners.",
        (
            "Tuned",
            "Wrapper",
            "SelfTraining",
            "ActiveLearner",
            "rank_attributes",
            "learning_curve",
            "sweep",
            "complete",
            "choose_n_clusters",
            "suitable_learners",
        ),
    ),
    "baskets": (
        "Baskets and rules",
        "Itemsets, association rules, and rules as values.",
        (
            "frequent_itemsets",
            "rows_containing",
            "AssociationRules",
            "CarMiner",
            "Recommender",
            "Rule",
            "RuleList",
            "Condition",
            "Explanation",
        ),
    ),
    "estimates": (
        "Estimates",
        "Probabilities, means and variances without a table; rows that stand alone; analysis of variance.",
        (
            "estimate",
            "estimate_normal",
            "estimate_normal_mean",
            "estimate_normal_variance",
            "outlier_scores",
            "anova",
        ),
    ),
    "files": (
        "Files and other programs",
        "Models kept, and turned into what other programs read.",
        ("save", "load", "to_onnx", "to_pmml", "store", "ModelFileError"),
    ),
    "parts": (
        "Beyond one machine",
        "Parts that lie apart: a plan, sums, a model; engines.",
        ("parts", "engine", "engines", "predict_parts"),
    ),
    "measuring": (
        "Distances, kernels, groups",
        "What learners measure by, and what groups are judged by.",
        ("distances", "kernels", "clustering"),
    ),
    "contract": (
        "The contract",
        "What learners are made of, for those who write one; every method that learners share.",
        (
            "Classifier",
            "Regressor",
            "Clusterer",
            "Transformer",
            "Task",
            "Training",
            "contract",
            "checks",
            "errors",
            "preprocessing",
            "summaries",
            "optimise",
            "render",
        ),
    ),
}

#: Whose inherited methods are shown: they are those of all learners.
_WHOLE = ("Classifier", "Regressor", "Clusterer", "Transformer")
#: Modules that are shown by what they hold; of the others only what they say of themselves.
_LISTED = ("datasets", "distances", "kernels", "clustering", "engines", "parts", "store")
#: Of a learner what it adds to its base, but not what the base asks it by, which stands at the contract.
_ASKED = (
    "(scale_sensitive|constant_sensitive|requires_ordered_classes|streams|adds|spreads|plan|summarise|solve|memory|"
    "reason_to_skip|interpretable|keeps_sparse|draws_numbers)$"
)
_OWN = f'["!^_", "!^({_ASKED})"]'


def pages() -> dict[str, str]:
    """Every page of the reference, by its address below docs/api."""
    made = {"index.md": _index()}
    for key, (title, said, names) in GROUPS.items():
        made[f"{key}.md"] = "\n\n".join([f"# {title}", said, *(_entry(name) for name in names)]) + "\n"
    for family in families().values():
        names = [entry_of(each.kind) for each in written().values() if each.family == family.key]
        made[f"{family.key}.md"] = "\n\n".join(
            [
                f"# {family.title}",
                f"{family.said} What all learners can do stands at [the contract](contract.md).",
                *(f"{_entry(each.name)}\n\n[Guide to {each.name}](../guide/{each.kind}.md)" for each in names),
            ]
        ) + "\n"  # fmt: skip
    return made


def places() -> dict[str, str]:
    """Where each public name stands, below docs/api."""
    made = {name: f"{key}.md#acumen.{name}" for key, (_, _, names) in GROUPS.items() for name in names}
    for each in written().values():
        name = entry_of(each.kind).name
        made[name] = f"{each.family}.md#acumen.{name}"
    return made


def covered() -> list[str]:
    """The public names that have a place in the reference, each as often as it has one."""
    learners = [entry_of(each.kind).name for each in written().values()]
    return [*learners, *(name for _, _, names in GROUPS.values() for name in names)]


def _entry(name: str) -> str:
    options = [f"      heading: {name}", f"      toc_label: {name}"]
    if name in {entry_of(each.kind).name for each in written().values()}:
        options.append(f"      filters: {_OWN}")
    if acumen._HOMES[name] is None:
        options += [] if name in _LISTED else ["      members: false"]
    elif name in _WHOLE:
        options.append("      inherited_members: true")
    return "\n".join([f"::: acumen.{name}", "    options:", *options])


def _index() -> str:
    parts = [
        "# Reference",
        "Every public name of `import acumen`, by what it is for; what is not here may change.",
    ]
    for key, (title, said, names) in GROUPS.items():
        parts.append(f"**[{title}]({key}.md)**: {said}")
        parts.append(", ".join(f"[`{name}`]({key}.md#acumen.{name})" for name in names))
    for family in families().values():
        names = [entry_of(each.kind).name for each in written().values() if each.family == family.key]
        parts.append(f"**[{family.title}]({family.key}.md)**: {family.said}")
        parts.append(", ".join(f"[`{name}`]({family.key}.md#acumen.{name})" for name in names))
    return "\n\n".join(parts) + "\n"
