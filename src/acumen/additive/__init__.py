"""Additive models: a sum of one shape for each attribute, to be read as it is."""
