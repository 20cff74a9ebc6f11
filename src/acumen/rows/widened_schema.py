"""Later rows may bring levels that earlier ones did not have: one schema that holds both."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.data.schema import Attribute, Schema
from acumen.data.table import Table
from acumen.errors import DataError, SchemaMismatch


def joined_schema(old: Schema, new: Schema) -> Schema:
    """The old schema with the levels that only the new one has put behind its own."""
    attributes = tuple(_join_levels(attribute, new) for attribute in old.attributes)
    if old.target is not None and new.target is not None:
        strangers = [level for level in new.target.levels if level not in set(old.target.levels)]
        if strangers:
            raise SchemaMismatch(
                f"the target has the class {strangers[0]!r}, which the first rows did not declare; "
                "classes must all be known from the start."
            )
    return Schema(attributes, old.target)


def _join_levels(attribute: Attribute, new: Schema) -> Attribute:
    if attribute.name not in new or not attribute.is_nominal:
        return attribute
    other = new[attribute.name]
    known = set(attribute.levels)
    extra = tuple(level for level in other.levels if level not in known)
    return attribute.with_levels(attribute.levels + extra) if extra else attribute


def rename_columns(table: Table, names: Sequence[str], who: str) -> Table:
    """A table that came by position, under the names it was fitted with."""
    if len(names) != len(table.schema):
        raise DataError(
            f"X has {len(table.schema)} features, but {who} is expecting {len(names)} features as input."
        )
    attributes = tuple(
        Attribute(name, attribute.kind, attribute.levels)
        for name, attribute in zip(names, table.schema.attributes, strict=True)
    )
    new_names = dict(zip(table.schema.names, names, strict=True))
    written = {new_names[name]: cells for name, cells in table.written.items()}
    return table.replace(schema=Schema(attributes, table.schema.target), ignored=(), written=written)


def rename_target(target: Attribute, name: str) -> Attribute:
    """The target under another name."""
    return target if target.name == name else Attribute(name, target.kind, target.levels)
