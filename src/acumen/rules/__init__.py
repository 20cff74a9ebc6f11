"""Learners of rules: lists that a person can read, check and change.

constraints             what the conditions of rules must and must not test, and in which direction
coded_table             a table as the kernels see it, every column as codes; tests as conditions again
models                  the models of these learners
ripper                  RIPPER: rules class by class, grown, pruned and optimised together
cn2                     CN2: rules by beam search, in order or voting
c45                     a tree's rules made fewer and shorter
learners                Ripper, CN2, C45Rules, RuleClassifier

examples                distinct rows with their classes, which add
hypothesis              what rows must be like to be positive, and how often that is right
hitting_sets            hypotheses as sets of literals: how many, the smallest, all
conjunction_spaces      version spaces of conjunctions
function_spaces         version spaces of disjunctions, and of any function
version_space           the model: examples under a language, and why a space is empty
questions               which row to label next, and what each language makes of the same examples
version_space_learner   VersionSpace

`RuleList` lives in `rulelist/`, `Rule` and `Condition` in `conditions/`.
"""
