"""The rows behind errors: in a cell of the confusion matrix, where two learners disagree, in a node of a tree.

The same can be clicked at in `acumen studio iris`.
"""

import acumen

iris = acumen.datasets.load("iris")
learners = [acumen.NaiveBayes(), acumen.DecisionTree()]
found = acumen.compare(learners, iris, acumen.KFold(10, n_repeats=1), measure="brier", random_state=0)

bayes = found.assessments["NaiveBayes"]
wrong = bayes.rows(truth="Iris-virginica", predicted="Iris-versicolor")
print(f"virginica taken for versicolor: rows {(wrong + 1).tolist()}")
bold = bayes.rows(
    truth="Iris-versicolor", predicted="Iris-virginica", threshold=0.1, positive="Iris-virginica"
)
print(f"versicolor called virginica from a probability of 0.1 on: {len(bold)} rows")

apart = found.disagree("NaiveBayes", "DecisionTree")
print(apart)

tree = acumen.DecisionTree().fit(iris)
print(f"rows at node 2 of the tree: {len(tree.rows_at(2, iris))}")
print(sorted(tree.figure().to_dict()))
