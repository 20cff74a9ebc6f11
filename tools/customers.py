"""Writes examples/customers.csv: customers who leave or stay, with the troubles that such a file has.

    python tools/customers.py          writes the file
    customers(rows)                    its lines, header first

Who leaves is drawn by months with the firm, calls for help and the fee. The rest is trouble: an identifier, fees with a
currency sign, one plan spelled in two ways, ages of 999, gaps, and the reason for leaving, which is known too late.
"""

from __future__ import annotations

import datetime
import math
import random
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "examples" / "customers.csv"
NAMES = "customer_id,signed_up,plan,monthly_fee,region,months,calls,age,cancel_reason,churned"
FEES = {"basic": 9.9, "Basic": 9.9, "plus": 19.9, "family": 34.9}


def customers(rows: int = 1200) -> list[str]:
    """The lines of the file; the same on every machine."""
    chance = random.Random(7)
    lines = [NAMES]
    for row in range(rows):
        months, calls = 1 + int(chance.expovariate(1 / 22)), int(chance.expovariate(1 / 2))
        plan = chance.choices(list(FEES), (5, 1, 5, 4))[0]
        fee = FEES[plan] + chance.choice((0, 0, 2.5, 5))
        leaves = chance.random() < 1 / (1 + math.exp(2.2 + 0.1 * months - 1.0 * calls - 0.05 * fee))
        age = chance.choices((str(chance.randint(18, 84)), "", "999"), (90, 6, 4))[0]
        reason = chance.choice(("price", "service", "moved")) if leaves and chance.random() < 0.97 else ""
        day = datetime.date(2026, 6, 30) - datetime.timedelta(days=30 * months + chance.randint(0, 29))
        region = chance.choice(("north", "south", "east", "west"))
        answer = "yes" if leaves else "no"
        lines.append(
            f"C{10_000 + row},{day},{plan},${fee:.2f},{region},{months},{calls},{age},{reason},{answer}"
        )
    return lines


def main() -> None:
    FILE.write_text("\n".join(customers()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
