"""Clustering: find clusters of rows, judge them, and describe them in words."""
