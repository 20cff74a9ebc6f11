"""Databases by their address: SQLite by its own library, PostgreSQL by ADBC."""
