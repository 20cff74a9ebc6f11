"""Numeric attributes cut into intervals.

    GivenEdges        at the edges one says
    EqualWidth        intervals of one width over the training range
    EqualFrequency    intervals of about the same weight of training rows
    KMeansBins        between the clusters of k-means, the best there are
    EntropyMDL        where the class changes, as far as a shorter description is gained (Fayyad and Irani)
    ChiMerge          where the classes on both sides differ by the chi-square test (Kerber)

One file a discretiser. A discretiser is its parameters; `fit(table)` gives a Binning, which holds the
intervals and applies them. `fit` is `solve(summarise(table))`, and summaries of parts add, so that the
intervals of a fold's training rows come from the other folds' summaries and look at no row of the fold.
"""
