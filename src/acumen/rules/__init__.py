"""Learners of rules: lists that a person can read, check and change.

constraints   what conditions of rules must and must not test, and in which direction
coded         a table as the kernels see it: every column as codes; tests as conditions again
ripper        RIPPER: rules class by class, grown, pruned and made better together
cn2           CN2: rules by beam search, in order or voting
c45           a tree's rules made fewer and shorter
given         rules that are given
learners      Ripper, CN2, C45Rules, RuleClassifier

`RuleList`, `Rule`, `Condition` and what can be done with them are in `base/`.
"""
