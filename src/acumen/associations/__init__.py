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
cutting       sets cut into rules, and what chance says of each
found_rules   rules that were found, as flat arrays that look like a sequence
supports      how often any set occurs
sources       baskets that are held, or gone through in parts
quantitative  intervals of a rule's numbers, trimmed and widened
cars          class association rules, counted for all folds at once
lists         the list a classifier makes of them (M1, and M2 repaired)
votes         rules that vote without being a list
learners      CarMiner, CBA, StrongestRules
features      RuleFeatures; feature_model the columns it makes
miner         parameters of what is no estimator
recommend     Recommender
streamed      baskets that do not fit in memory
"""
