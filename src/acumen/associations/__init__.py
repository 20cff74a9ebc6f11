"""What occurs together: itemsets, rules between items, and classification by association.

baskets                 anything that holds items, as rows of item numbers
basket_sources          baskets in memory, or read in parts
parted_mining           baskets that do not fit in memory
itemsets                the itemsets found, as flat arrays that look like a sequence
mining                  frequent_itemsets
apriori                 Apriori, level by level, with its trace
constraints             what sets and rules must and must not contain
taxonomy                items that belong to kinds
rules                   AssociationRules: rules between items with their statistics
rule_search             sets split into rules, with their p-values
rule_table              the rules found, as flat arrays that look like a sequence
quantitative            intervals of a rule's numbers, trimmed and widened
class_rules             class association rules, counted for all folds at once
cba_model               the list that a classifier makes of them (M1, and M2 repaired)
strongest_rules_model   rules that vote without being a list
learners                CarMiner, CBA, StrongestRules
rule_features           RuleFeatures; rule_columns has the columns it makes
miner                   the base class of miners
recommender             Recommender
"""
