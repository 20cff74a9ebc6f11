"""Version spaces: the hypotheses that agree with examples, the next question, and why a space may be empty.

Run it with `python examples/version_spaces.py`.
"""

from __future__ import annotations

import acumen

ROWS = [(list("YYN"), "C1"), (list("NNN"), "C1"), (list("YYY"), "C1"), (list("YNY"), "C2")]


def main() -> None:
    space = acumen.VersionSpace()
    for values, label in ROWS:
        space.partial_fit([values], [label])
        said = ", ".join(map(str, space.hypotheses_)) or "nothing is left"
        print(f"after {''.join(values)} ({label}): {space.size_} of the language: {said}")
    print(space.contradictions_[0])

    print("\nthe first two rows under every language:")
    two = acumen.VersionSpace().fit([values for values, _ in ROWS[:2]], ["C1", "C1"])
    print(two.languages())

    print("\nthe next question after YYY and YNN:")
    print(acumen.VersionSpace().fit([list("YYY"), list("YNN")], ["C1", "C1"]).next_question())

    loan = acumen.datasets.load("loan")
    approved = acumen.VersionSpace(positive="Yes", language="internal-disjunction").fit(loan)
    print("\nloans:", approved.performance({"Own_house": "true"}))
    print(approved.describe())


if __name__ == "__main__":
    main()
