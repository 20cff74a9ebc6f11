"""Judging learners: measures, resampled assessment, comparison, and the statistics behind them."""
