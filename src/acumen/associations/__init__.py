"""What occurs together: itemsets, rules between items, and classification by association.

baskets       whatever holds items, as rows of item numbers
thresholds    supports as whole counts
itemsets      what was found, as flat arrays that look like a sequence
mine          frequent_itemsets
levelwise     Apriori, level by level, with its trace
family        closed and maximal sets of families that are not closed downwards
constraints   what sets and rules must and must not contain
taxonomy      items that are of kinds
rules         AssociationRules: rules between items with their statistics
cars          class association rules, counted for all folds at once
lists         the list a classifier makes of them (M1, and M2 repaired)
learners      CBA, CarMiner, StrongestRules, RuleFeatures
recommend     Recommender
streamed      baskets that do not fit in memory
"""
