"""Addresses of databases as they may be shown: without passwords. Imports nothing heavy.

is_database        whether a text is such an address
without_password   the address as it may be shown
malformed          whether a password in it cannot be told from the rest
secrets_in         what must not be shown, in every spelling it may turn up in
"""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, unquote

SCHEMES = ("sqlite://", "postgresql://", "postgres://")


def is_database(text: str) -> bool:
    """Whether this is the address of a database."""
    return text.lower().startswith(SCHEMES)


def without_password(address: str) -> str:
    """The address without password and options; anything else as it is."""
    if not is_database(address) or address.lower().startswith("sqlite://"):
        return address
    scheme, who, where, _ = _cut(address)
    if malformed(address):
        return f"{scheme}://..."
    user = who.partition(":")[0]
    return f"{scheme}://{user}@{where}" if user else f"{scheme}://{where}"


def malformed(address: str) -> bool:
    """Whether it cannot be told where a password ends, so that nothing of the address may be shown."""
    if not is_database(address) or address.lower().startswith("sqlite://"):
        return False
    _, who, where, _ = _cut(address)
    host = where.partition("/")[0]
    port = host.rpartition("]")[2].rpartition(":")[2] if ":" in host else ""
    return any(mark in who for mark in "/?#@") or not all(each.isdigit() for each in port.split(",") if each)


def secrets_in(address: str) -> list[str]:
    """The passwords in an address, as they stand there, unquoted and quoted; the longest first."""
    _, who, _, options = _cut(address)
    found = [who.partition(":")[2]]
    found += [value for key, value in parse_qsl(options, keep_blank_values=True) if "password" in key.lower()]
    spelled = {form for secret in found for form in (secret, unquote(secret), quote(secret, safe=""))}
    return sorted(filter(None, spelled), key=len, reverse=True)


def _cut(address: str) -> tuple[str, str, str, str]:
    """Scheme, user and password (all before the last @), host with all behind it but the options, options."""
    scheme, _, rest = address.partition("://")
    who, _, place = rest.rpartition("@")
    where, _, options = place.partition("?")
    return scheme, who, where, options
