"""Decision trees.

inputs      what a tree may test: attributes as they are, words of texts, constructed pairs (`construct`)
tests       the tests of nodes as flat arrays: cuts of numbers, branches of levels
tree        a grown tree as flat arrays; everything else reads it
options     how a node is split, in words; `measures` has what makes a split good
grow        exact growing; `levels` grows from histograms (`bins`, `level_rows`, `level_nodes`), `streamed` from parts
stopping    splits not made (`stop` has the formulae)
prune       all prunings: `pessimistic`, `reduced`, `weakest`, `message`, `significant`; `cut` makes smaller trees
risk        what wrong answers cost; `sample` has rows as trees see them
model       a tree that predicts; `learners` the faces, `prunable` what they can be turned into
reading     trees as text, rules, ways, drawings, SQL and Python; `decision_list` is C4.5rules
"""
