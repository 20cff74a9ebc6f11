"""Judging learners: how good is it, and is A really better than B.

inputs            labels, scores, probabilities and weights as users give them, checked
confusion         Confusion: predicted by true, and everything that follows from it
rates             the measures of one class against the others
roc, delong       ROC curve, area under it, its interval and the comparison of two
precision_recall  precision-recall curve and average precision
multiclass        one class against the rest, and Hand and Till's M
lift              lift bins and the profit of contacting the best of them
calibration       are probabilities what they say
losses            log loss, Brier, cost, row by row
outcome           all that measures need to know of a part's predictions; it adds
scores            the measures by name
runs              a learner tried on one split after another: one pass, closed forms, or refits
trial             one learner on its way through the splits
assess            how good one learner is
tested, replicates   the rows that were tested, each once; what a measure might have been on other rows
certainty         how exactly an estimate is known: the one interval of assess and compare
verdicts          what follows of two learners, and of all of them
clock, probing, schedule   time: what it is, what learners will take, and who works when
compare           which of several is really better; compare_tables over several tables
contestants       who takes part: learners by name, what they have to beat, who cannot be judged
comparison        what came of it; pair_tests has further tests, comparison_dict the form for JSON
answer            the best group, the simplest and the fastest of it, who is worse
statistics        intervals, tests, corrections, ranks
first_repeat      the test rows of an assessment together, for curves
figures           results as figure values, which `show` draws
report            a comparison as one HTML page
effect            what a change to a list of rules does to the rows of a table; held_out_effect on rows left out
rule_report       how far each rule of a list can be trusted
bias_variance     why a learner errs; decompose has the arithmetic
"""
