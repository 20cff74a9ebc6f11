"""Read a grown tree, for people and programs. Everything here reads a Tree; nothing grows one.

branches      a branch as a Condition, fractions of rows that fit no branch, leaves as rules
phrases       conditions, counts and classes in words
text          the tree as indented lines
path          which way rows go; the path of one row in words, and as evidence
decide        the class of each leaf under costs and priors
sql           the tree as a SELECT
source        the tree as Python without dependencies
figure        the tree as a figure value of `acumen.render.tree`
face          the reading methods of the learners of this family, and feature importances
steps         how the tree was grown, node by node
"""
