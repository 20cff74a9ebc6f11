"""Addresses as they may be shown: without passwords, of whatever scheme. Imports nothing heavy.

is_database   whether a text is the address of a database that can be read
is_address    whether it is an address of any kind
sqlite_file   the path in the address of an SQLite file
masked        an address, or a text with addresses in it, as it may be shown
malformed     whether a password in an address cannot be told from the rest
secrets_in    what must not be shown, in every spelling it may turn up in
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import parse_qsl, quote, unquote

from acumen import messages
from acumen.data.batches.batched import Batches, Filling
from acumen.data.located import Located
from acumen.data.raw_table import RawTable
from acumen.data.report import Report
from acumen.errors import DataError

SCHEMES = ("sqlite://", "postgresql://", "postgres://")

_WHOLE = re.compile(r"[a-z][a-z0-9+.-]+://.*", re.IGNORECASE | re.DOTALL)
_WITHIN = re.compile(r"[a-z][a-z0-9+.-]+://[^\s'\"]*", re.IGNORECASE)
_PATH = re.compile(r"(?:sqlite|file):///", re.IGNORECASE)  # behind it there is a path, and no password


def is_database(text: str) -> bool:
    """Whether this is the address of a database."""
    return text.lower().startswith(SCHEMES)


def is_address(text: str) -> bool:
    """Whether this looks like an address, whether or not anybody here can read it."""
    return _WHOLE.fullmatch(text) is not None


def sqlite_file(address: str) -> str | None:
    """The path in `sqlite:///path`; None in any other address."""
    match = re.fullmatch(r"sqlite:///(.+)", address, re.IGNORECASE | re.DOTALL)
    return None if match is None else match[1]


def mask_passwords(text: str) -> str:
    """An address without password and options; of any other text the same with all addresses in it.

    Inside a text an address ends at the next blank or quote; so mask an address before it is put in a sentence.
    """
    if is_address(text):
        return _mask_address(text)
    return _WITHIN.sub(lambda match: _mask_address(match[0]), text)


def _mask_address(address: str) -> str:
    if _PATH.match(address):
        return address
    scheme, who, where, options = _cut(address)
    if is_malformed(address):
        return f"{scheme}://..."
    if (
        not who
        and not any("pass" in key or "pwd" in key for key in _keys(options))
        and not is_database(address)
    ):
        return address  # nothing secret in it
    user = who.partition(":")[0]
    return f"{scheme}://{user}@{where}" if user else f"{scheme}://{where}"


def is_malformed(address: str) -> bool:
    """Whether it cannot be told where a password ends, so that nothing of the address may be shown."""
    if not is_address(address) or _PATH.match(address):
        return False
    _, who, where, _ = _cut(address)
    host = where.partition("/")[0]
    port = host.rpartition("]")[2].rpartition(":")[2] if ":" in host else ""
    return any(mark in who for mark in "/?#@") or not all(each.isdigit() for each in port.split(",") if each)


def secrets_in(address: str) -> list[str]:
    """The passwords in an address, as they stand there, unquoted and quoted; the longest first."""
    _, who, _, options = _cut(address)
    secrets = [who.partition(":")[2]]
    secrets += [
        value for key, value in parse_qsl(options, keep_blank_values=True) if "password" in key.lower()
    ]
    spelled = {form for secret in secrets for form in (secret, unquote(secret), quote(secret, safe=""))}
    return sorted(filter(None, spelled), key=len, reverse=True)


def _keys(options: str) -> list[str]:
    return [key.lower() for key, _ in parse_qsl(options, keep_blank_values=True)]


def _cut(address: str) -> tuple[str, str, str, str]:
    """Scheme, user and password (all before the last @), host with all behind it but the options, options."""
    scheme, _, rest = address.partition("://")
    who, _, place = rest.rpartition("@")
    where, _, options = place.partition("?")
    return scheme, who, where, options


# -- What each kind of database offers, and what their code shares ---------------------------------


#: What a column written back holds.
SqlType: TypeAlias = Literal["integer", "number", "text"]

ONLY_READS = "a query may only read; write SELECT, VALUES or WITH ... SELECT. Nothing was run."


class Database(Protocol):
    """What each kind of database offers."""

    name: str  # for people: holds no password

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> RawTable:
        """All rows at once."""

    def spool_rows(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """The columns, and the rows in batches that were put by."""

    def place(self, filling: Filling) -> Located | None:
        """Where the rows that were put by can be fetched by others; None where they cannot."""

    def store(
        self, table: str, columns: Sequence[tuple[str, SqlType]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Make a table of these rows, all or none; how many they were."""


def only_table(names: Sequence[str], where: str) -> str:
    """The one table of a database, or a sentence that lists them."""
    if len(names) == 1:
        return names[0]
    if not names:
        raise DataError(f"{where} holds no table.")
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    raise DataError(
        f"{where} holds {len(names)} tables, so say which rows you want, as in "
        f"{messages.option('query', f'SELECT * FROM {quote_name(names[0])}')}; the tables are {shown}."
    )


def only_reads(where: str) -> str:
    """The sentence for a query that would do more than read."""
    return f"{where}: {ONLY_READS}"


def quote_name(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
