"""Addresses of databases are shown without passwords, whatever is in them."""

from __future__ import annotations

import pytest

import acumen
from acumen.data.databases.address import is_malformed, mask_passwords, secrets_in
from acumen.errors import DataError


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
        ("mysql://u:secret@h/d", "mysql://u@h/d"),
        ("mysql://u:sec ret@h/d?a=b", "mysql://u@h/d"),
        ("mysql+pymysql://h/d?user=u&passwd=secret", "mysql+pymysql://h/d"),
        ("https://u:secret@h/t.csv", "https://u@h/t.csv"),
        ("https://h/t.csv?page=2", "https://h/t.csv?page=2"),
        ("sqlite://u:secret@h/d", "sqlite://u@h/d"),
        ("mysql://u:sec/ret@h/d", "mysql://..."),
        ("sqlite:///a@b.db", "sqlite:///a@b.db"),
        ("data.csv", "data.csv"),
    ],
)
def test_what_may_be_shown(address, shown):
    assert mask_passwords(address) == shown
    assert is_malformed(address) == shown.endswith("...")


def test_addresses_within_a_text_are_masked():
    assert (
        mask_passwords("no 'mysql://u:secret@h/d', nor odbc://a:b@c.")
        == "no 'mysql://u@h/d', nor odbc://a@c."
    )
    assert mask_passwords("sqlite:///a:b@c.db is fine") == "sqlite:///a:b@c.db is fine"


@pytest.mark.parametrize("scheme", ["mysql", "mssql+pyodbc", "https", "s3", "sqlite"])
@pytest.mark.parametrize("ask", [acumen.read, acumen.scan])
def test_an_address_nobody_reads_is_refused_without_its_password(scheme, ask):
    with pytest.raises(DataError) as error:
        ask(f"{scheme}://ann:hush@host/shop")
    assert "hush" not in str(error.value) and f"{scheme}://ann@host/shop" in str(error.value)
    assert "sqlite:///" in str(error.value)


def test_secrets_are_known_in_every_spelling():
    found = secrets_in("postgresql://u:a%2Fb@h/d?password=c%26d")
    assert {"a%2Fb", "a/b", "c&d", "c%26d"} <= set(found)
