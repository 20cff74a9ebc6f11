"""Customers of a telephone company, as an office would hand them over: python make_customers.py [rows] > customers.csv

Semicolons, decimal commas, a currency sign, missing values written in three ways, an identifier, a constant column, and
one column that gives the answer away. Whether a customer leaves depends on contract, months, complaints and luck.
"""

import random
import sys

HEADER = "customer;country;contract;months;charge;complaints;payment;reason;churn"


def lines(rows: int, seed: int = 1) -> list[str]:
    """The header, and a line for each customer."""
    draw = random.Random(seed)
    made = [HEADER]
    for number in range(rows):
        contract = draw.choices(["monthly", "one year", "two years"], [55, 25, 20])[0]
        months = draw.randint(0, 72)
        charge = draw.uniform(15, 110)
        complaints = min(draw.randint(0, 5), draw.randint(0, 5))
        risk = {"monthly": 0.45, "one year": 0.12, "two years": 0.04}[contract]
        risk += 0.12 * complaints - 0.006 * months + 0.002 * charge
        leaves = draw.random() < min(max(risk, 0.02), 0.95)
        paid = draw.choice(["card", "card", "bank", "bank", "cheque", "n/a", ""])
        told = "." if draw.random() < 0.04 else str(complaints)
        reason = draw.choice(["price", "service"]) if leaves else "none"
        price = f"{charge:.2f} €".replace(".", ",")
        fields = [f"K{number * 37 % 100_000:05d}", "DE", contract, str(months), price, told, paid, reason]
        made.append(";".join([*fields, "yes" if leaves else "no"]))
    return made


if __name__ == "__main__":
    print("\n".join(lines(int(sys.argv[1]) if len(sys.argv) > 1 else 900)))
