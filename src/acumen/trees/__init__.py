"""Decision trees.

inputs      what a tree may test: attributes as they are, words of texts, constructed pairs
tests       the tests of nodes as flat arrays: cuts of numbers, branches of levels
tree        a grown tree as flat arrays; everything else reads it
"""
