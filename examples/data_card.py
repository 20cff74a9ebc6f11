"""Inspect a table before training."""

import tempfile
from pathlib import Path

import acumen

table = acumen.datasets.load("iris")
card = acumen.inspect(table)
print(card)

print("Rows that repeat an earlier one:", card.duplicates.rows)
for finding in card.findings:
    print(f"{finding.code}: {finding.text}")

# What says most about the class, and the two attributes that say most about each other.
for attribute in card.to_dict()["attributes"]:
    found = attribute["association"]
    print(f"{attribute['name']}: gain {found['gain_bits']:.3f} bits, p = {found['p']:.1e}")
print(card.to_dict()["between"][0])

# A page with pictures, to be looked at in a browser or mailed.
page = Path(tempfile.mkdtemp()) / "card.html"
card.to_html(page)
print(f"{page.stat().st_size:,} bytes in {page.name}")

# The same figures for a program, under stable keys.
figures = card.to_dict()
print({attribute["name"]: attribute["numeric"]["median"] for attribute in figures["attributes"]})
