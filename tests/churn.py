"""A table of customers as one is really handed over: 7,000 rows of 20 inputs, with every trouble a file can have.

    churn_lines(rows)     the lines of the file, header first, as a spreadsheet of that office would write them
    write_churn(path)     the file itself
    TROUBLES              which column has which trouble

What decides whether a customer leaves is known (`_leaves`): the kind of contract, months with the firm, the charge
and complaints. A few hundred customers are therefore beyond any learner; some 17 % is the least error there is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from acumen.types import Array, Bools, Floats

#: What is wrong with each column that has something wrong with it.
TROUBLES = {
    "customer_id": "an identifier in words, one for each row",
    "country": "constant",
    "cancel_reason": "a leak: known only once the customer has left, and 'none' of all who stay",
    "monthly_charge": "a currency sign and decimal commas: '63,10 €'",
    "total_paid": "a currency sign and thousands separators: '$1,234.50'",
    "discount": "per cent signs: '3 %'",
    "signed_on": "dates with the day first: 31.12.2023",
    "last_seen": "timestamps: 2023-12-31 14:05",
    "internet": "categories that look alike: 'Fibre optic', 'fiber optic', 'Fibre optic '",
    "payment": "missing values written as NULL, n/a, - and the empty string",
    "complaints": "missing values written as .",
    "plan_code": "digits that are no numbers, two of them seen once",
    "churn": "a rare third class, of five rows; some labels are missing",
}

_RARE = 5  # rows of the third class
_REPEATED = 40  # rows that repeat an earlier one exactly


def churn_lines(rows: int = 7_000, seed: int = 7) -> list[str]:
    """The lines of the file: header, then one for each row, separated by semicolons."""
    rng = np.random.default_rng(seed)
    months = rng.integers(0, 73, rows)
    contract = rng.choice(["month-to-month", "one year", "two years"], rows, p=[0.55, 0.22, 0.23])
    charge = np.round(rng.uniform(18, 119, rows), 2)
    complaints = rng.poisson(0.7, rows)
    senior = rng.random(rows) < 0.16
    left = _leaves(rng, months, contract, charge, complaints, senior)
    labels = np.where(left, "yes", "no").astype(object)
    labels[rng.choice(rows, _RARE, replace=False)] = "moved"
    labels[rng.choice(rows, rows // 500, replace=False)] = ""

    days = np.datetime64("2024-06-30") - 30 * months - rng.integers(0, 28, rows)
    seen = np.datetime64("2024-06-30T00:00") - rng.integers(0, 90 * 24 * 60, rows)
    internet = rng.choice(["Fibre optic", "fiber optic", "Fibre optic ", "DSL", "dsl", "none"], rows,
                          p=[0.35, 0.07, 0.03, 0.3, 0.05, 0.2])  # fmt: skip
    payment = rng.choice(["card", "bank transfer", "cheque", "NULL", "n/a", "-", ""], rows,
                         p=[0.4, 0.3, 0.22, 0.03, 0.02, 0.02, 0.01])  # fmt: skip
    plan = rng.choice(["01", "02", "07", "10"], rows).astype(object)
    plan[:2] = ["98", "99"]
    reason = np.where(labels == "yes", rng.choice(["price", "service", "competitor"], rows), "none")
    reason = np.where(labels == "moved", "moved house", reason)
    complained = np.where(rng.random(rows) < 0.03, ".", complaints.astype(str))
    columns: dict[str, Array] = {
        "customer_id": np.array([f"C{at:06d}" for at in rng.permutation(10 * rows)[:rows]]),
        "country": np.full(rows, "DE"),
        "gender": rng.choice(["f", "m"], rows),
        "senior": np.where(senior, "1", "0"),
        "partner": rng.choice(["yes", "no"], rows),
        "region": rng.choice([f"R{at:02d}" for at in range(1, 17)], rows),
        "months": months.astype(str),
        "contract": contract,
        "internet": internet,
        "payment": payment,
        "plan_code": plan,
        "monthly_charge": np.array([f"{value:.2f} €".replace(".", ",") for value in charge.tolist()]),
        "total_paid": np.array([f"${value:,.2f}" for value in (charge * months).tolist()]),
        "discount": np.array([f"{value} %" for value in rng.integers(0, 21, rows).tolist()]),
        "usage_gb": np.round(rng.gamma(2.0, 20.0, rows), 1).astype(str),
        "calls": rng.poisson(12, rows).astype(str),
        "complaints": complained,
        "signed_on": np.array([f"{d[8:]}.{d[5:7]}.{d[:4]}" for d in days.astype(str).tolist()]),
        "last_seen": np.array([text.replace("T", " ") for text in seen.astype(str).tolist()]),
        "cancel_reason": reason,
        "churn": labels,
    }
    written = [";".join(fields) for fields in zip(*(c.tolist() for c in columns.values()), strict=True)]
    for at in range(min(_REPEATED, rows // 10)):  # a row handed over twice
        written[rows - 1 - at] = written[at + 10]
    return [";".join(columns), *written]


def write_churn(path: Path | str, rows: int = 7_000, seed: int = 7) -> Path:
    """The file, in UTF-8."""
    file = Path(path)
    file.write_text("\n".join(churn_lines(rows, seed)) + "\n", encoding="utf-8")
    return file


def _leaves(
    rng: np.random.Generator, months: Array, contract: Array, charge: Floats, complaints: Array, senior: Bools
) -> Bools:
    monthly = contract == "month-to-month"
    score = -1.6 + 2.1 * monthly - 0.045 * months + 0.018 * (charge - 60) + 0.7 * complaints + 0.5 * senior
    made: Bools = rng.random(len(months)) < 1 / (1 + np.exp(-1.5 * score))
    return made
