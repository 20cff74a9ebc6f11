"""The data card: what a table holds, and what in it would mislead a classifier.

inspect        `acumen.inspect`, in memory or on a cluster
card           the card itself; card_page and card_notebook show it
figures        the values a card is made of
numeric        the figures of a numeric column
levels         the figures of a nominal column, of text and of the classes
duplicates     rows that occur twice, or contradict each other
leaks          attributes that alone determine the class
contingency    two columns cross-tabulated
association    how strongly each attribute is associated with the target, and attributes with each other
pictures       histograms by class, and a map of missing values
findings       what to check before training, as sentences
fit_warnings   the same at a glance, for `fit`
block_sums, sorted_slices, row_keys   the same statistics for tables stored in several parts
"""
