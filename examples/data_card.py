"""Look a table over before anything is learned from it."""

import acumen

table = acumen.datasets.load("iris")
card = acumen.inspect(table)
print(card)

print("Rows that repeat an earlier one:", card.duplicates.rows)
for finding in card.findings:
    print(f"{finding.code}: {finding.text}")

# The same figures for a program, under stable keys.
figures = card.to_dict()
print({attribute["name"]: attribute["numeric"]["median"] for attribute in figures["attributes"]})
