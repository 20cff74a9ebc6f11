"""Models and representations chosen by what the data say.

tuned        Tuned: a learner whose parameters are chosen on the training rows
curves       learning_curve, sweep: training and test measure by size and by complexity
ranking      rank_attributes: what each attribute says by itself (worth, relief, nearest_information)
filter       Filter: the best of them kept; its model in filter_model
wrapper      Wrapper: attributes chosen by how well a learner does (subsets, subset_values, restricted, selection)
completion   complete: gaps filled, errors measured (completion_*, low_rank); completer: Completer
curve        what both of these give
grid         which settings a search tries, from the simplest on
trials       one pass over the data for all settings that only `solve` knows
search       every setting valued, by validation or by a criterion
judge        one measure, applied to fitted learners
results      what a search found, as a table
"""

from __future__ import annotations
