"""Addresses of databases are shown without passwords, whatever is in them."""

from __future__ import annotations

import pytest

from acumen.data.address import malformed, secrets_in, without_password


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://u:secret@h:5432/d?sslmode=require", "postgresql://u@h:5432/d"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("postgresql:///d", "postgresql:///d"),
        ("postgresql://h", "postgresql://h"),
        ("postgresql://u:secret@[::1]:5432/d", "postgresql://u@[::1]:5432/d"),
        ("postgresql://u:secret@a:1,b:2/d", "postgresql://u@a:1,b:2/d"),
        ("postgresql://u:sec/ret@h/d", "postgresql://..."),
        ("postgresql://u:sec@ret@h/d", "postgresql://..."),
        ("postgresql://u:sec?ret@h/d", "postgresql://..."),
        ("postgresql://u:secret/d", "postgresql://..."),
        ("sqlite:///a@b.db", "sqlite:///a@b.db"),
        ("data.csv", "data.csv"),
    ],
)
def test_what_may_be_shown(address, shown):
    assert without_password(address) == shown
    assert malformed(address) == shown.endswith("...")


def test_secrets_are_known_in_every_spelling():
    found = secrets_in("postgresql://u:a%2Fb@h/d?password=c%26d")
    assert {"a%2Fb", "a/b", "c&d", "c%26d"} <= set(found)
