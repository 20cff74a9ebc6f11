"""Networks: attributes as nodes, and what depends on what as edges.

nodes       what a node is: a nominal attribute, or a numeric one cut into intervals
graph       directed and undirected graphs: orders, separation, moral graphs
potentials  tables over nodes: products, sums, elimination
junction    the junction tree: every marginal at once
network     a Bayesian network as a value: queries, samples, interventions
field       a Markov network as a value
scoring, search, trees, parameters, completion, learn    how Bayesian networks come of rows
bif         files of other programs
learners    the faces
"""
