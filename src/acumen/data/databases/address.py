"""Addresses of databases, shown without passwords. Imports nothing heavy.

is_database      whether a text is the address of a supported database
is_address       whether it is an address of any kind
sqlite_file      the path in the address of an SQLite file
mask_passwords   an address, or a text that contains addresses, without passwords
is_malformed     whether it is unclear where the password of an address ends
secrets_in       the passwords of an address in every spelling, for removal from messages
Database         the interface of each kind of database
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
    """Whether this looks like an address of any kind, supported or not."""
    return _WHOLE.fullmatch(text) is not None


def sqlite_file(address: str) -> str | None:
    """The path in `sqlite:///path`; None in any other address."""
    match = re.fullmatch(r"sqlite:///(.+)", address, re.IGNORECASE | re.DOTALL)
    return None if match is None else match[1]


def mask_passwords(text: str) -> str:
    """Remove password and options from an address, or from all addresses in a text.

    Inside a text an address ends at the next blank or quote, so mask an address before you put it in a sentence.
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
    """Whether it is unclear where the password of an address ends, so that no part of the address may be shown."""
    if not is_address(address) or _PATH.match(address):
        return False
    _, who, where, _ = _cut(address)
    host = where.partition("/")[0]
    port = host.rpartition("]")[2].rpartition(":")[2] if ":" in host else ""
    return any(mark in who for mark in "/?#@") or not all(each.isdigit() for each in port.split(",") if each)


def secrets_in(address: str) -> list[str]:
    """The passwords in an address, as written, unquoted and quoted; longest first."""
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
    """Split an address: scheme, user and password (all before the last @), host and path, options."""
    scheme, _, rest = address.partition("://")
    who, _, place = rest.rpartition("@")
    where, _, options = place.partition("?")
    return scheme, who, where, options


# -- databases ---------------------------------------------------------------------------------------


#: The type of a column that is written to a database.
SqlType: TypeAlias = Literal["integer", "number", "text"]

ONLY_READS = "a query may only read; write SELECT, VALUES or WITH ... SELECT. Nothing was run."


class Database(Protocol):
    """The interface of each kind of database."""

    name: str  # for messages: without password

    def whole(self, query: str | None, params: Sequence[Any], report: Report) -> RawTable:
        """Read all rows at once."""

    def spool_rows(
        self, query: str | None, params: Sequence[Any], report: Report
    ) -> tuple[tuple[str, ...], Batches]:
        """Fetch the rows into temporary storage; the column names, and the batches."""

    def place(self, filling: Filling) -> Located | None:
        """The location of the stored rows, for workers that read some of them; None if they cannot."""

    def store(
        self, table: str, columns: Sequence[tuple[str, SqlType]], rows: Iterable[Sequence[Any]], replace: bool
    ) -> int:
        """Create a table with all of these rows or none, and return their number."""


def only_table(names: Sequence[str], where: str) -> str:
    """The only table of a database; raises an error that lists the tables if there are several."""
    if len(names) == 1:
        return names[0]
    if not names:
        raise DataError(f"{where} holds no table.")
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    raise DataError(
        f"{where} holds {len(names)} tables: {shown}. Select the rows you want, for example with "
        f"{messages.option('query', f'SELECT * FROM {quote_name(names[0])}')}."
    )


def only_reads(where: str) -> str:
    """The message for a query that does more than read."""
    return f"{where}: {ONLY_READS}"


def quote_name(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'
