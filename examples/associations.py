"""Baskets: frequent itemsets, rules with p-values, recommendations, and a classifier of rules.

Run it with `python examples/associations.py`.
"""

from __future__ import annotations

import acumen

BASKETS = [
    ["bread", "butter", "milk"],
    ["bread", "butter"],
    ["bread", "jam", "butter"],
    ["tea", "milk"],
    ["tea", "milk", "sugar"],
    ["tea", "sugar"],
    ["bread", "butter", "jam"],
    [],
]


def main() -> None:
    print(acumen.frequent_itemsets(BASKETS, min_support=0.25, kind="closed"))

    rules = acumen.AssociationRules(min_support=0.25, min_confidence=0.7).fit(BASKETS).rules_
    for at in range(len(rules)):
        print(f"{', '.join(rules.body(at))} -> {rules.head(at)[0]}: p = {rules['p'][at]:.3f}")

    shop = acumen.Recommender(n=2).fit(BASKETS)
    for one in shop.recommend(["bread"]):
        print(one)

    loan = acumen.datasets.load("loan")
    print(acumen.CBA(min_support=0.1).fit(loan).to_rules())
    print(acumen.assess(acumen.CBA(min_support=0.1), loan, acumen.KFold(5), random_state=0))


if __name__ == "__main__":
    main()
