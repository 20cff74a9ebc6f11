"""Neighbours: rows are answered by the training rows nearest to them.

KNN, KNNRegressor      classes and numbers by the k nearest rows
Condense, Edit         the same with fewer rows kept
outlier_scores              rows whose neighbours are far, or of other classes
"""
