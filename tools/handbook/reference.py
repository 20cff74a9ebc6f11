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
        "Read, describe and inspect tables.",
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
        "Evaluation",
        "How good a learner is, with confidence intervals, and which of several is better.",
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
        "Splits into training and test rows.",
        ("KFold", "LeaveOneOut", "Bootstrap", "Holdout", "ThreeWay", "Subsample", "TimeSlice"),
    ),
    "choosing": (
        "Tuning and selection",
        "Tune parameters, select attributes, choose rows to label, fill missing values.",
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
        "Itemsets and rules",
        "Frequent itemsets, association rules, and rules as objects.",
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
        "Estimation",
        "Estimate probabilities, means and variances; outliers; analysis of variance.",
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
        "Model files and exports",
        "Save and load models; export them to other formats.",
        ("save", "load", "to_onnx", "to_pmml", "store", "ModelFileError"),
    ),
    "parts": (
        "Tables in many parts",
        "Train on parts stored in several places; engines; predictions in parts.",
        ("parts", "engine", "engines", "predict_parts"),
    ),
    "measuring": (
        "Distances, kernels, cluster measures",
        "Distances and kernels for learners, and measures of clusters.",
        ("distances", "kernels", "clustering"),
    ),
    "contract": (
        "The contract",
        "Base classes for your own learners; the methods that all learners share.",
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
    "(scale_sensitive|constant_sensitive|requires_ordered_classes|streams|adds|plan|summarise|solve|memory|"
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
                f"{family.said} For the methods of all learners see [the contract](contract.md).",
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
        "Every public name of `import acumen`, by purpose. Names that are not listed here may change.",
    ]
    for key, (title, said, names) in GROUPS.items():
        parts.append(f"**[{title}]({key}.md)**: {said}")
        parts.append(", ".join(f"[`{name}`]({key}.md#acumen.{name})" for name in names))
    for family in families().values():
        names = [entry_of(each.kind).name for each in written().values() if each.family == family.key]
        parts.append(f"**[{family.title}]({family.key}.md)**: {family.said}")
        parts.append(", ".join(f"[`{name}`]({family.key}.md#acumen.{name})" for name in names))
    return "\n\n".join(parts) + "\n"
