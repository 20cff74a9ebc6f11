"""Learners of rules: lists that a person can read, check and change.

constraints   what conditions of rules must and must not test, and in which direction
coded         a table as the kernels see it: every column as codes; tests as conditions again
ripper        RIPPER: rules class by class, grown, pruned and made better together
cn2           CN2: rules by beam search, in order or voting
c45           a tree's rules made fewer and shorter
given         rules that are given
learners      Ripper, CN2, C45Rules, RuleClassifier

examples          distinct rows with their classes, which add
hypothesis        what rows must be like to be positive, and how often that is right
hitting           hypotheses as sets of literals: counted, the smallest of them, all of them
spaces            version spaces of conjunctions
function_spaces   version spaces of disjunctions, and of any function
version_space     the model: examples under a language, and why a space is empty
questions         what to ask next, and what each language makes of the same examples
space_face        VersionSpace

`RuleList`, `Rule`, `Condition` and what can be done with them are in `base/`.
"""
