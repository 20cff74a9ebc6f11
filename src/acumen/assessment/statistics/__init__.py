"""Statistics of comparisons: values in, results out; they know neither learners nor tables.

intervals     of a mean over splits, of an error rate on one test set
areas         of the area under a ROC curve
paired        t-tests of two learners: plain, corrected for resampling, 5x2cv
signed        Wilcoxon's signed-rank test, the sign test
rowwise       two learners by the rows they were tested on, whatever the splits: what `compare` decides by
mcnemar       two models on one test set
bayesian    how probable is it that one is better, or that it does not matter
tails       distributions, and corrections of p-values of many tests: Holm's, Bonferroni's
several     learners over several tables: ranks, wins; friedman has the tests, Cochran's Q and Nemenyi's
power       about how many rows would make a difference significant
bootstrap   the .632 and .632+ estimates, AIC and BIC
"""

from __future__ import annotations

from acumen.assessment.statistics.areas import area_interval
from acumen.assessment.statistics.bayesian import Posterior, bayesian_t
from acumen.assessment.statistics.bootstrap import (
    aic,
    bic,
    bootstrap_632,
    bootstrap_632_plus,
    no_information_rate,
    overfitting_rate,
)
from acumen.assessment.statistics.friedman import (
    cliques,
    cochran_q,
    critical_difference,
    friedman,
    iman_davenport,
    nemenyi,
    nemenyi_quantile,
)
from acumen.assessment.statistics.intervals import (
    Interval,
    error_interval,
    interval,
    mean,
    score_interval,
    variance,
)
from acumen.assessment.statistics.mcnemar import mcnemar, mcnemar_counts
from acumen.assessment.statistics.paired import corrected_t, five_by_two_f, five_by_two_t, paired_t
from acumen.assessment.statistics.power import RowsNeeded, rows_to_settle
from acumen.assessment.statistics.result import TestResult
from acumen.assessment.statistics.rowwise import row_test
from acumen.assessment.statistics.several import Ranking, over_tables
from acumen.assessment.statistics.signed import average_ranks, rank_table, sign_test, wilcoxon, win_tie_loss
from acumen.assessment.statistics.tails import bonferroni, holm

__all__ = [
    "Interval",
    "Posterior",
    "Ranking",
    "RowsNeeded",
    "TestResult",
    "aic",
    "area_interval",
    "average_ranks",
    "bayesian_t",
    "bic",
    "bonferroni",
    "bootstrap_632",
    "bootstrap_632_plus",
    "cliques",
    "cochran_q",
    "corrected_t",
    "critical_difference",
    "error_interval",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "holm",
    "iman_davenport",
    "interval",
    "mcnemar",
    "mcnemar_counts",
    "mean",
    "nemenyi",
    "nemenyi_quantile",
    "no_information_rate",
    "over_tables",
    "overfitting_rate",
    "paired_t",
    "rank_table",
    "row_test",
    "rows_to_settle",
    "score_interval",
    "sign_test",
    "variance",
    "wilcoxon",
    "win_tie_loss",
]
