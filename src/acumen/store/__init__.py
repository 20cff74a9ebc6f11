"""Save, load and open model files; nothing in a file is executed or trusted."""

from __future__ import annotations

from acumen.store.file import ModelFileMissing, read_members, write_members
from acumen.store.model_file import load, manifest, open, save

__all__ = ["ModelFileMissing", "load", "manifest", "open", "read_members", "save", "write_members"]
