"""Rules: trained, read, edited by hand, and evaluated.

Run it with `python examples/rules.py`.
"""

from __future__ import annotations

import acumen


def main() -> None:
    iris = acumen.datasets.load("iris")
    ripper = acumen.Ripper(random_state=0).fit(iris)
    print(ripper.describe())

    print("\nwhy row 70 is what it is:")
    print(ripper.explain(iris.take([70])))

    print("\nwithout the second rule:")
    old = ripper.to_rules()
    new = old.without(1)
    print(new)
    print(acumen.effect(old, new, iris))

    print("\nhow far to trust each rule:")
    print(acumen.rule_report(ripper, iris, folds=5, random_state=0))

    print("\nrules written by hand, beside learned ones:")
    own = acumen.RuleList.parse(
        "if petal_length <= 2.5 then Iris-setosa; if petal_width > 1.7 then Iris-virginica; otherwise Iris-versicolor",
        iris.schema,
    )
    print(acumen.compare({"by hand": own, "CN2": acumen.CN2()}, iris, acumen.KFold(5), random_state=0))


if __name__ == "__main__":
    main()
