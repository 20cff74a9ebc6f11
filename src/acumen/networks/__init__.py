"""Networks: attributes as nodes, and what depends on what as edges.

nodes             what a node is: a nominal attribute, or a numeric one cut into intervals
graph             directed and undirected graphs: orders, separation, moral graphs
potentials        tables over nodes: products, sums, elimination
junction_tree     the junction tree: every marginal at once
network           a Bayesian network as a value: queries, samples, interventions
markov_field      a Markov network as a value
structure_learning    Bayesian networks from rows, with scoring, structure_search, tree_structures and structural_em
pseudo_likelihood     Markov networks learned from rows
bif               reading and writing BIF files
neural_*          neural networks, on the layers of perceptrons
learners, markov_learners, neural_learners    the public classes
"""
