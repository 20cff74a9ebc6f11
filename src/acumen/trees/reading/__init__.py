"""A grown tree read by people and by programs. Everything here reads a Tree; nothing grows one.

branches      what a branch asks for, as a Condition; the shares of rows that no branch fits
where         which way rows go, one node at a time
words         conditions, counts and classes as people write them
text          the tree as indented lines
path          the way of one row in words, and as evidence
rules         every leaf as a rule, conditions merged along the way
importances   how much each attribute lessened the impurity
decide        which class each leaf stands for, under costs and priors
sql           the tree as a SELECT
source        the tree as Python that needs nothing
figure        the tree as a figure value of `acumen.render.tree`
face          what the learners of this family offer of all that
"""
