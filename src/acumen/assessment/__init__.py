"""Judge learners: how good one is, and whether one is really better than another.

inputs            labels, scores, probabilities and weights that users pass, checked
confusion         confusion matrix and everything computed from it
rates             the measures of one class against the others
roc               ROC curve, its area with interval and the comparison of two areas; precision-recall curve
lift              lift bins and the profit of contacting the best of them
calibration       reliability of probabilities
losses            log loss, Brier score and cost row by row; areas for more than two classes
outcome           all that measures need to know of a part's predictions (labels or numbers); outcomes add
scores            the measures by name
runs              a learner tried on one split after another: in one pass, by closed forms, or by refits
trial             one learner on its way through the splits
assess            how good one learner is
replicates        the tested rows, each once; what a measure might have been on other rows
certainty         how exactly an estimate is known: the one interval of assess and compare
verdicts          the verdict on two learners, and on all pairs
probing, schedule   time: a limit, what learners will take, and which one works when
compare           which of several learners is really better; compare_tables over several tables
contestants       who takes part: learners by name, what they have to beat, who cannot be judged
comparison        the result; pair_tests has further tests, comparison_dict the form for JSON
answer            the best group, the simplest and the fastest of it, what to expect of it, who is worse
statistics        intervals, tests, corrections, ranks
first_repeat      the test rows of an assessment together, for curves
figures           results as figure values, which `render` draws
report            a comparison as one HTML page
effect            what a change to a list of rules does to the rows of a table; held_out_effect on held-out rows
rule_report       how far each rule of a list can be trusted
bias_variance     why a learner errs; decompose has the arithmetic
"""
