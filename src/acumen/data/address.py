"""Addresses of databases as they may be shown: without passwords. Imports nothing heavy.

is_database        whether a text is such an address
without_password   the address as it may be shown
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
    user = who.partition(":")[0]
    return f"{scheme}://{user}@{where}" if user else f"{scheme}://{where}"


def secrets_in(address: str) -> list[str]:
    """The passwords in an address, as they stand there, unquoted and quoted; the longest first."""
    _, who, _, options = _cut(address)
    found = [who.partition(":")[2]]
    found += [value for key, value in parse_qsl(options, keep_blank_values=True) if "password" in key.lower()]
    spelled = {form for secret in found for form in (secret, unquote(secret), quote(secret, safe=""))}
    return sorted(filter(None, spelled), key=len, reverse=True)


def _cut(address: str) -> tuple[str, str, str, str]:
    """Scheme, user and password, host with all behind it but the options, options."""
    scheme, _, rest = address.partition("://")
    plain, _, options = rest.partition("?")
    place, slash, name = plain.partition("/")
    who, _, host = place.rpartition("@")
    if "@" in name:  # an unquoted slash in the password; all before the last @ is meant by it
        who, _, rest = plain.rpartition("@")
        return scheme, who, rest, options
    return scheme, who, f"{host}{slash}{name}", options
