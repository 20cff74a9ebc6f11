"""The base classes and helpers for writing your own learner; see docs/contract.md.

faces       Learner, Classifier, Regressor, Clusterer, Transformer, Modeller
models      AnyModel, Model, RegressionModel, GroupModel, ColumnModel, JointModel
values      Task and its instances, Training, Summary
parameters  AtLeast, MoreThan, Between, Described, Costs, Priors, ClassWeight
files       stored_array, stored_floats, stored_codes, require, restored_summary, empty_table: arrays read without trust
"""

from __future__ import annotations

from acumen.base.classifier import Classifier
from acumen.base.clusterer import Clusterer
from acumen.base.learner import Learner
from acumen.base.modeller import Modeller
from acumen.base.regressor import Regressor
from acumen.base.training import Training
from acumen.base.transformer import Transformer
from acumen.models.model import AnyModel, ColumnModel, GroupModel, JointModel, Model, RegressionModel
from acumen.models.parameters import AtLeast, Between, ClassWeight, Costs, Described, MoreThan, Priors
from acumen.models.summary_arrays import empty_table, restored_summary
from acumen.models.task import CLASS_COLUMNS, CLASSES, COLUMNS, GROUPS, ITEMSETS, JOINT, NUMBERS, TASKS, Task
from acumen.preprocessing.stored_arrays import require, stored_array, stored_codes, stored_floats
from acumen.summaries.algebra import Summary

__all__ = [
    "CLASSES",
    "CLASS_COLUMNS",
    "COLUMNS",
    "GROUPS",
    "ITEMSETS",
    "JOINT",
    "NUMBERS",
    "TASKS",
    "AnyModel",
    "AtLeast",
    "Between",
    "ClassWeight",
    "Classifier",
    "Clusterer",
    "ColumnModel",
    "Costs",
    "Described",
    "GroupModel",
    "JointModel",
    "Learner",
    "Model",
    "Modeller",
    "MoreThan",
    "Priors",
    "RegressionModel",
    "Regressor",
    "Summary",
    "Task",
    "Training",
    "Transformer",
    "empty_table",
    "require",
    "restored_summary",
    "stored_array",
    "stored_codes",
    "stored_floats",
]  # fmt: skip
