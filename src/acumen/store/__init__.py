"""The model file: learners saved, loaded and opened without running or trusting anything in the file."""

from __future__ import annotations

from acumen.store.file import ModelFileMissing, read_members, write_members
from acumen.store.model_file import load, manifest, open, save

__all__ = ["ModelFileMissing", "load", "manifest", "open", "read_members", "save", "write_members"]
