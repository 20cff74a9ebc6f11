"""Decision trees.

inputs            the columns a tree may test: attributes, words of texts, constructed pairs (`candidate_inputs`)
node_tests        the tests of nodes as flat arrays: cuts of numbers, branches of levels
tree              a grown tree as flat arrays; everything else reads it
options           how a node is split, in words; `measures` scores splits
grow              exact growing; `levels` grows from histograms (`binning`, `level_rows`, `level_nodes`)
prune             grows and prunes: `error_pruning`, `cost_complexity`, `split_worth`; `subtree` makes smaller trees
risk              the cost of wrong answers; `sample` holds rows as trees see them
model             a tree that predicts; `learners` has the estimators, `fitted_tree` what a fitted one can do
reading           trees as text, rules, paths, drawings, SQL and Python; `decision_list` is C4.5rules
"""
