"""Text in columns: found out over the whole source, then read; see `reader`."""
