"""Each law is broken by some learner, and `check_learner` says which."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import pytest

import acumen
from acumen.base.transformer import as_coordinates
from acumen.bayes import naive
from acumen.bayes.majority import MajorityModel
from acumen.checks import LAWS, CheckFailed, check_learner, data, sentence
from acumen.data.align import by_position
from acumen.data.table import Table
from acumen.errors import ParameterError
from acumen.explain.explanation import Evidence
from acumen.models import kinds
from acumen.models.parameters import AtLeast
from acumen.rulelist.rule_list import RuleList
from base.toy_groups import TOYS, Gaps

Fit = Callable[..., Any]


def changed(base: type, **members: Any) -> type:
    """A learner that differs from an honest one in a few methods."""
    return type(f"Broken{base.__name__}", (base,), {"__module__": __name__, **members})


def fitting(how: Callable[[Any, Any, Any, Any], tuple[Any, Any, Any] | None]) -> Fit:
    """A `fit` that hands on other data; `how` may also raise, or give None to learn nothing new."""

    def fit(self: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        made = how(self, X, y, sample_weight)
        return self if made is None else super(type(self), self).fit(made[0], made[1], sample_weight=made[2])

    return fit


def dealing(which: Callable[[Table], Any]) -> type:
    """A learner that says it deals rows by what they hold, and leaves some rows out by how that is written."""
    fit = fitting(lambda self, X, y, w: (X.take(np.flatnonzero(which(X))), y, None))
    return changed(acumen.NaiveBayes, fit=fit, folds_by_content=property(lambda self: True))


def refusing(when: Callable[[Table], bool]) -> type:
    """A learner that crashes, rather than refuses, on some tables."""

    def fit(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
        if when(X if isinstance(X, Table) else acumen.read(np.asarray(X))):
            raise ZeroDivisionError("crash")
        return X, y, w

    return changed(acumen.NaiveBayes, fit=fitting(fit))


class Extra(acumen.Majority):
    def __init__(self, *, costs: Any = None, priors: Any = None, class_weight: Any = None) -> None:
        super().__init__(costs=costs, priors=priors, class_weight=class_weight)
        self.extra = 1


class WrongDefault(acumen.Majority):
    def __init__(self, *, alpha: Annotated[float, AtLeast(1)] = 0.5) -> None:
        self.alpha = alpha


class Deaf(acumen.NaiveBayes):
    """Costs, priors and class weights are accepted and ignored."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        kept = self.costs, self.priors, self.class_weight
        self.costs = self.priors = self.class_weight = None
        super().fit(X, y, sample_weight)
        self.costs, self.priors, self.class_weight = kept
        return self


class AddsAnything:
    """A summary that asks no questions."""

    def __add__(self, other: Any) -> Any:
        return self


class Careless(acumen.NaiveBayes):
    """Its summaries add whatever they were made under."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        self.summary_ = AddsAnything()
        return self


class Weightless(MajorityModel):
    probabilistic = False


class Silent(acumen.Majority):
    """No probabilities, and no objection to costs."""

    model_type = Weightless

    def object_to(self, schema: Any) -> None:
        pass


class Forgetful(acumen.NaiveBayes):
    """Knows the last chunk and the first part alone."""

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Any:
        return self.fit(X, y, sample_weight)

    def fit_stream(self, parts: Any) -> Any:
        return self.fit(next(iter(parts)))


class Hoarder(acumen.OneR):
    """Gathers a stream instead of refusing it."""

    def fit_stream(self, parts: Any) -> Any:
        return super().fit_stream(list(parts))


class Moody(acumen.NaiveBayes):
    """Answers differently each time."""

    def predict_proba(self, X: Any) -> Any:
        self.calls = getattr(self, "calls", 0) + 1
        return np.roll(super().predict_proba(X), self.calls % 2, axis=1)


class Clumsy(acumen.NaiveBayes):
    """Its columns are known by position alone, whatever their names."""

    def _query(self, X: Any) -> Table:
        table = X if isinstance(X, Table) else acumen.read(X)
        return by_position(table, self.schema_, "Clumsy")


def proba(change: Callable[[Any, Any, Any], Any]) -> type:
    """A learner whose probabilities are tampered with: change(learner, X, honest probabilities)."""

    def predict_proba(self: Any, X: Any) -> Any:
        return change(self, X, super(type(self), self).predict_proba(X))

    return changed(acumen.NaiveBayes, predict_proba=predict_proba)


def strict(when: Callable[[Table], bool]) -> type:
    """A learner that cannot predict some tables."""

    def _query(self: Any, X: Any) -> Table:
        table: Table = super(type(self), self)._query(X)
        if when(table):
            raise ValueError("cannot")
        return table

    return changed(acumen.NaiveBayes, _query=_query)


def favouring(self: Any, X: Any, honest: Any) -> Any:
    return (honest + np.eye(honest.shape[1])[0]) / 2


def scribbling(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    if isinstance(X, Table):
        X.numeric.columns[0][0] = 0.125
    return X, y, w


def relabelling(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    if isinstance(X, Table) and X.labels is not None:
        X = Table(X.schema, len(X), numeric=X.numeric, nominal=X.nominal, text=X.text,
                  labels=np.maximum(X.labels, 0), weights=X.weights)  # fmt: skip
    return X, y, w


SEEDS = itertools.count()  # another one each time


def noisy(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    return X, y, np.random.default_rng(next(SEEDS)).random(len(X)) + 0.5


def half(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    weights = np.ones(len(X)) if w is None else w
    return X, y, weights * (1 + np.arange(len(X)))


def one_more(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    return X, y, None if w is None else np.asarray(w) + np.eye(len(X))[0]


def cutting(self: Any, X: Any, y: Any, w: Any) -> tuple[Any, Any, Any]:
    return (X[: len(y)], y, None) if y is not None else (X, y, None)


def explaining(change: Callable[[Any], Any]) -> type:
    def explain(self: Any, row: Any) -> Any:
        return change(super(type(self), self).explain(row))

    return changed(acumen.NaiveBayes, explain=explain)


def state_without_model(self: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(self).items() if name != "predictor_"}


class Rounded(MajorityModel):
    def to_arrays(self) -> Any:
        return {"weight": self.weight + np.arange(len(self.weight))}


def rounded_solve(summary: Any) -> Any:
    return Rounded(summary.class_totals)


def numeric_equal(table: Table) -> bool:
    return all(np.all(column == column[0]) for column in table.numeric.columns)


def turning(change: Callable[[Any, Any, Any], Any]) -> type:
    """A transformer whose columns are tampered with: change(learner, X, honest columns)."""

    def transform(self: Any, X: Any) -> Any:
        return change(self, X, super(type(self), self).transform(X))

    return changed(acumen.PrincipalComponents, transform=transform)


def shaken(self: Any, X: Any, made: Any) -> Any:
    """Columns about the mean of the rows they come with."""
    if not isinstance(made, Table):
        return made - made.mean(axis=0)
    columns = np.column_stack(list(made.numeric.columns))
    return as_coordinates(made, columns - columns.mean(axis=0), made.schema.names)


def leaking(self: Any, X: Any, made: Any) -> Any:
    """Columns that tell the classes of the rows they come with."""
    if not isinstance(made, Table) or made.labels is None:
        return made
    columns = np.column_stack(list(made.numeric.columns))
    return as_coordinates(made, columns + made.labels[:, None], made.schema.names)


class Broken(Gaps):
    """A clusterer whose groups are tampered with once they are found."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        super().fit(X, y, sample_weight)
        self.tamper(X if isinstance(X, Table) else acumen.read(X), y, sample_weight)
        return self

    def tamper(self, rows: Table, y: Any, weights: Any) -> None:
        pass

    def renumber(self, labels: Any) -> None:
        self.labels_ = np.asarray(labels, dtype=np.int32)


def grouped(change: Callable[[Any, Table, Any, Any], None]) -> type:
    """Such a clusterer: change(learner, rows, y, weights)."""
    return changed(Broken, tamper=change)


def by_place(self: Any, rows: Table, y: Any, weights: Any) -> None:
    """Groups that follow from where a row stands."""
    self.renumber(np.minimum(np.arange(len(rows)) // 20, self.n_clusters_ - 1))


class FirstPart(Gaps):
    """Learns from the first part alone."""

    streams = True

    def fit_stream(self, parts: Any) -> Any:
        return self.fit(next(iter(parts)))


BROKEN: dict[str, type] = {
    "every_row_has_its_cluster": grouped(lambda self, rows, y, w: self.renumber(self.labels_[1:])),
    "clusters_are_numbered_by_their_first_row": grouped(
        lambda self, rows, y, w: self.renumber(1 - self.labels_)
    ),
    "clusterers_ignore_the_target": grouped(
        lambda self, rows, y, w: None if rows.labels is None else self.renumber(rows.labels)
    ),
    "the_order_of_rows_only_renames_clusters": grouped(by_place),
    "a_weight_of_two_is_a_repeated_row_in_clusters": grouped(
        lambda self, rows, y, w: None if w is None else self.renumber(self.labels_ * 0)
    ),
    "shifted_numbers_change_no_cluster": grouped(
        lambda self, rows, y, w: (
            self.renumber(self.labels_ * 0) if np.nanmax(rows.numeric.columns[0]) > 1e7 else None
        )
    ),
    "parts_give_the_clusters_of_one_fit": FirstPart,
    "parameters_are_only_stored": Extra,
    "defaults_are_allowed": WrongDefault,
    "wrong_parameters_are_refused_by_fit": changed(acumen.NaiveBayes, check_parameters=lambda self: None),
    "unknown_decisions_are_refused_by_fit": Deaf,
    "clones_have_the_same_parameters": changed(acumen.Majority, __sklearn_clone__=copy.deepcopy),
    "fit_returns_self": changed(
        acumen.Majority, fit=lambda self, X, y=None, sample_weight=None: acumen.Majority().fit(X, y)
    ),
    "a_second_fit_forgets_the_first": changed(
        acumen.Majority, fit=fitting(lambda self, X, y, w: None if hasattr(self, "summary_") else (X, y, w))
    ),
    "ignored_attributes_change_nothing": changed(
        acumen.KNN, _how=lambda self: {**acumen.KNN._how(self), "attribute_weights": None}
    ),
    "unfitted_learners_raise_an_error": changed(
        acumen.Majority, _require_fitted=lambda self: self.predictor_
    ),
    "tables_frames_and_arrays_agree": proba(lambda self, X, p: p if isinstance(X, Table) else p[:, ::-1]),
    "columns_are_matched_by_name": Clumsy,
    "a_missing_column_is_named": Clumsy,
    "arrays_are_matched_by_position": changed(
        acumen.NaiveBayes,
        predict=lambda self, X: super(acumen.NaiveBayes, self).predict(np.resize(X, (len(X), 3))),
    ),
    "classes_are_sorted_for_arrays_and_declared_for_tables": changed(
        acumen.Majority,
        fit=lambda self, X, y=None, sample_weight=None: acumen.Majority.fit(
            self, X, X.label_values().astype(str) if y is None else y
        ),
    ),
    "labels_keep_their_type": changed(
        acumen.Majority, predict=lambda self, X: acumen.Majority.predict(self, X).astype(str)
    ),
    "missing_values_are_accepted": strict(
        lambda table: len(table) > 0 and any(np.isnan(column).all() for column in table.numeric.columns)
    ),
    "unseen_levels_are_accepted": strict(
        lambda table: any(column.min(initial=0) == -2 for column in table.nominal.columns)
    ),
    "data_are_left_untouched": changed(acumen.NaiveBayes, fit=fitting(scribbling)),
    "rows_without_label_are_ignored": changed(acumen.NaiveBayes, fit=fitting(relabelling)),
    "a_weight_of_two_is_a_repeated_row": changed(
        acumen.NaiveBayes, fit=fitting(lambda self, X, y, w: (X, y, None))
    ),
    "heavy_rows_attract_the_predictions_of_random_learners": changed(
        acumen.RandomTree, fit=fitting(lambda self, X, y, w: (X, y, None))
    ),
    "a_weight_of_zero_is_an_absent_row": changed(
        acumen.NaiveBayes, fit=fitting(lambda self, X, y, w: (X, y, None))
    ),
    "all_weights_one_are_no_weights": changed(acumen.NaiveBayes, fit=fitting(one_more)),
    "the_unit_of_weights_is_irrelevant": changed(
        acumen.NaiveBayes, fit=fitting(lambda self, X, y, w: (X, y, None if w is None else w + 0.25))
    ),
    "a_constant_weight_changes_nothing": changed(
        acumen.NaiveBayes,
        fit=fitting(
            lambda self, X, y, w: (X, y, None if w is None else np.where(np.arange(len(w)) % 2, w, 1.0))
        ),
    ),
    "units_of_numbers_do_not_move_folds": dealing(lambda rows: rows.numeric.columns[0] > 1.0),
    "names_of_levels_do_not_move_folds": dealing(lambda rows: rows.nominal.columns[0] == 0),
    "the_order_of_columns_does_not_move_folds": dealing(
        lambda rows: rows.numeric.columns[0] > np.median(rows.numeric.columns[0])
    ),
    "class_weights_multiply_row_weights": Deaf,
    "class_weights_that_leave_no_row_are_refused": Deaf,
    "the_order_of_rows_is_irrelevant": changed(acumen.NaiveBayes, fit=fitting(half)),
    "relabelling_classes_permutes_the_answers": proba(favouring),
    "probabilities_are_finite_and_sum_to_one": proba(lambda self, X, p: 2 * p),
    "the_most_probable_class_is_predicted": proba(lambda self, X, p: p[:, ::-1]),
    "a_class_without_rows_has_probability_zero": proba(favouring),
    "costs_choose_the_lowest_expected_cost": Deaf,
    "priors_shift_the_probabilities": Deaf,
    "learners_without_probabilities_refuse_costs_and_priors": Silent,
    "likelihood_and_parameters_are_counted": changed(acumen.Majority, n_parameters_=2.5),
    "one_class_alone": refusing(lambda table: table.schema.n_classes == 1),
    "one_row_alone": refusing(lambda table: len(table) == 1),
    "no_rows_are_refused": refusing(lambda table: len(table) == 0),
    "a_column_without_values": refusing(
        lambda table: any(np.isnan(column).all() for column in table.numeric.columns)
    ),
    "constant_columns": refusing(lambda table: len(table) > 20 and numeric_equal(table)),
    "a_constant_column_changes_nothing": changed(
        acumen.HistogramBayes, constant_sensitive=property(lambda self: False)
    ),
    "huge_and_infinite_numbers": refusing(
        lambda table: any(np.nanmax(column) > 1e200 for column in table.numeric.columns)
    ),
    "repeated_rows": refusing(lambda table: len(table) == 12),
    "mismatched_lengths_are_refused": changed(acumen.NaiveBayes, fit=fitting(cutting)),
    "descriptions_fit_a_screen": changed(acumen.Majority, describe=lambda self, full=False: "line\n" * 50),
    "control_characters_are_escaped": changed(
        acumen.Majority,
        describe=lambda self, full=False: f"the class {self.schema_.target.name}",
    ),
    "explanations_name_the_prediction": explaining(
        lambda why: replace(why, label=why.rival, rival=why.label)
    ),
    "evidence_adds_up": explaining(
        lambda why: replace(why, evidence=(*why.evidence, Evidence(None, "hearsay", 0.5)))
    ),
    "contributions_add_up": changed(
        acumen.LinearRegression,
        explain=lambda self, row: replace(acumen.LinearRegression.explain(self, row), start=1e3),
    ),
    "explanations_start_at_the_training_average": explaining(lambda why: replace(why, base_rate=0.99)),
    "rules_predict_what_the_model_predicts": changed(
        acumen.OneR, to_rules=lambda self: RuleList((), "no", ("no", "yes", "maybe"))
    ),
    "programs_predict_what_the_model_predicts": changed(
        acumen.OneR, to_python=lambda self: "def predict(row):\n    return 'no'\n"
    ),
    "chunks_equal_one_fit": Forgetful,
    "later_chunks_may_add_categories": Forgetful,
    "streams_equal_one_fit": Forgetful,
    "one_shot_iterators_are_refused_if_rows_are_read_twice": Hoarder,
    "partial_fit_continues_after_fit": Forgetful,
    "parts_in_one_pass_equal_parts_alone": changed(
        acumen.NaiveBayes,
        summarise_parts=staticmethod(
            lambda rows, plan, parts, n: naive.summarise_parts(rows, plan, parts * 0, n)
        ),
    ),
    "summaries_of_different_plans_do_not_add": Careless,
    "pickles_predict_the_same": changed(acumen.Majority, __getstate__=state_without_model),
    "copies_are_independent": changed(acumen.NaiveBayes, __deepcopy__=lambda self, memo: self),
    "fitting_is_reproducible": changed(acumen.NaiveBayes, fit=fitting(noisy)),
    "models_are_restored_from_their_arrays": changed(acumen.Majority, solve=staticmethod(rounded_solve)),
    "absent_members_raise_attribute_errors": changed(acumen.Majority, gain_=property(lambda self: 1 / 0)),
    "threads_may_share_a_learner": Moody,
    "predicting_changes_nothing": Moody,
    "fit_transform_is_fit_and_transform": changed(
        acumen.PrincipalComponents,
        fit_transform=lambda self, X, y=None: (
            acumen.PrincipalComponents.fit(self, X).transform(X[::-1])
            if not isinstance(X, Table)
            else acumen.PrincipalComponents.fit(self, X).transform(X)
        ),
    ),
    "every_column_has_a_name": changed(
        acumen.PrincipalComponents, get_feature_names_out=lambda self, X=None: np.array(["PC1"], dtype=object)
    ),
    "targets_and_weights_are_kept": changed(
        acumen.PrincipalComponents,
        as_table=lambda self, rows, made: as_coordinates(data.without_target(rows), made, ("PC1", "PC2")),
    ),
    "columns_of_a_row_are_its_own": turning(shaken),
    "columns_do_not_depend_on_the_target": turning(leaking),
    "missing_values_do_not_spread": changed(
        acumen.PrincipalComponents,
        made_columns=lambda self, rows: acumen.PrincipalComponents.made_columns(self, rows) * np.nan,
    ),
}


@pytest.mark.parametrize("law", BROKEN)
def test_a_broken_learner_breaks_the_law(law: str) -> None:
    cls = BROKEN[law]
    globals()[cls.__name__] = cls  # pickle finds a class by its name in its module
    with pytest.raises(CheckFailed, match=law) as caught:
        check_learner(cls(), only=law)
    assert caught.value.law == law
    assert sentence(law) in str(caught.value)


def test_a_file_that_changes_the_learner_breaks_the_law(monkeypatch: pytest.MonkeyPatch) -> None:
    from acumen.store import model_file

    other = acumen.NaiveBayes(alpha=50).fit
    monkeypatch.setattr(model_file, "load", lambda path: other(acumen.checks.Subject(acumen.OneR()).table()))
    with pytest.raises(CheckFailed, match="saved_learners_predict_the_same"):
        check_learner(acumen.NaiveBayes(), only="saved_learners_predict_the_same")
    with pytest.raises(CheckFailed, match="models_of_unusual_rows_can_be_saved"):
        check_learner(acumen.NaiveBayes(), only="models_of_unusual_rows_can_be_saved")
    monkeypatch.setattr(kinds, "KINDS", {**kinds.KINDS, **TOYS})
    three = Gaps(3).fit(acumen.checks.Subject(Gaps()).table())
    monkeypatch.setattr(model_file, "load", lambda path: three)
    with pytest.raises(CheckFailed, match="saved_clusters_are_the_same"):
        check_learner(Gaps(), only="saved_clusters_are_the_same")


def test_every_law_is_known_to_be_breakable() -> None:
    of_files = {
        "saved_learners_predict_the_same",
        "models_of_unusual_rows_can_be_saved",
        "saved_clusters_are_the_same",
    }
    assert {*BROKEN} | of_files == set(LAWS)


def test_laws_can_be_chosen_and_left_out() -> None:
    some = check_learner(acumen.Majority(), only=["one_row_alone", "fit_returns_self"], skip="one_row_alone")
    assert some.passed == ("fit_returns_self",)
    assert str(some).startswith("Majority() passes 1 laws")
    with pytest.raises(ParameterError, match="Did you mean 'one_row_alone'"):
        check_learner(acumen.Majority(), skip=["one_row_alonee"])


def test_every_law_has_a_sentence() -> None:
    for law in LAWS:
        assert sentence(law).endswith("."), law


def test_the_learner_handed_in_is_left_alone() -> None:
    learner = acumen.Majority()
    check_learner(learner, only="fit_returns_self")
    assert not hasattr(learner, "classes_")
