"""Databases, found by their address: SQLite through the standard library, PostgreSQL through ADBC."""
