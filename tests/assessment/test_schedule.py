"""Comparisons within a time: turns by repeats, whole repeats only, time alone decides, what is expected comes true."""

from __future__ import annotations

import json
import signal
import time
from contextlib import suppress

import numpy as np
import pytest

import acumen
from acumen.assessment import probing
from acumen.assessment.compare import TEN_TIMES_TEN_FOLDS
from acumen.assessment.probing import TimeUp, seconds, time_limit
from acumen.errors import AcumenError, DataError, ParameterError
from acumen.resampling import KFold
from judged_tables import mixed

TABLE = mixed(3, 400)
METHOD = KFold(5, n_repeats=4)


class Watch:
    """A clock that goes on only when work is done, and what was said of it."""

    def __init__(self) -> None:
        self.time = 0.0
        self.turns: list[tuple[str, int]] = []
        self.expected: list[tuple[float, float | None]] = []

    def __call__(self, name: str, done: int) -> None:
        self.turns.append((name, done))

    def expects(self, name, left, waiting) -> None:
        self.expected.append((self.time, left))
        assert waiting


@pytest.fixture
def watch(monkeypatch):
    made = Watch()
    monkeypatch.setattr(probing, "now", lambda: made.time)
    monkeypatch.setattr(probing, "can_interrupt", lambda: False)
    return made


def dear(watch, cost, power=1.0, parent=acumen.DecisionTree):
    """A learner of which a fit on 400 rows takes so long."""

    class Dear(parent):
        def learn(self, table):
            watch.time += cost * (len(table) / 320) ** power
            return super().learn(table)

    return Dear()


def compared(watch, allowed, costs, method=METHOD, table=TABLE, **more):
    learners = {f"{name}": dear(watch, *given) for name, given in costs.items()}
    return acumen.compare(
        {**learners, "NaiveBayes": acumen.NaiveBayes()}, table, method, random_state=0,
        time_limit=allowed, progress=watch,
        **more,
    )  # fmt: skip


# -- who works when -------------------------------------------------------------------------------


def test_learners_take_turns_by_repeats_the_cheapest_first(watch):
    found = compared(watch, 1000, {"dear": (2.0,), "cheap": (0.5,)})
    firsts = [name for name, done in watch.turns if done % 5 == 1]
    assert firsts == ["Majority", "NaiveBayes", "cheap", "dear"] * 4
    assert set(found.repeats.values()) == {4} and not found.unjudged and found.notes == ()


def test_without_a_time_turns_are_in_the_order_given(watch):
    compared(watch, None, {"dear": (2.0,), "cheap": (0.5,)})
    firsts = [name for name, done in watch.turns if done % 5 == 1]
    assert firsts == ["Majority", "dear", "cheap", "NaiveBayes"] * 4


def test_the_ranking_is_of_the_repeats_that_all_have_and_a_pair_of_those_that_both_have(watch):
    found = compared(watch, 40, {"dear": (4.0,), "cheap": (0.1,)})
    assert found.repeats == {"NaiveBayes": 4, "Majority": 4, "cheap": 4, "dear": 1}
    assert found.method == KFold(5) and found.asked == METHOD
    learners = {
        "dear": acumen.DecisionTree(),
        "cheap": acumen.DecisionTree(),
        "NaiveBayes": acumen.NaiveBayes(),
    }
    one, four = (acumen.compare(learners, TABLE, KFold(5, n_repeats=r), random_state=0) for r in (1, 4))
    assert [row["error"] for row in found.table] == [row["error"] for row in one.table]
    for name in found.names:
        assert found.assessments[name].interval_of("error") == one.assessments[name].interval_of("error")
    of_four = {(p.a, p.b): p for p in four.pairs} | {(p.b, p.a): p for p in four.pairs}
    of_one = {(p.a, p.b): p for p in one.pairs} | {(p.b, p.a): p for p in one.pairs}
    for pair in found.pairs:
        same = (of_one if "dear" in pair[:2] else of_four)[pair.a, pair.b]
        assert abs(pair.difference) == pytest.approx(abs(same.difference)) and pair.p == pytest.approx(same.p)
    assert "fewer than 4 repeats were finished in 40 s: 1 by dear" in found.notes
    made = json.loads(json.dumps(found.to_dict()))
    assert (
        made["splits"]["repeats"] == 1 and made["splits"]["by_learner"]["cheap"] == 4 and made["time"] == 40
    )


def test_what_can_be_foreseen_to_take_too_long_is_not_begun(watch):
    found = compared(watch, 60, {"dear": (20.0,), "cheap": (0.1,)})
    assert found.unjudged["dear"].startswith("not begun: ") and "dear" not in found.names
    assert found.standing("dear") == "" and " -  dear: not begun: " in str(found)
    assert watch.time < 66 and not any(name == "dear" for name, _ in watch.turns)


def test_a_cost_that_grows_with_a_power_of_the_rows_is_foreseen(watch):
    table = mixed(3, 8000)
    # On 1,000 rows it takes a second; on all of them 60 s by the square, and 8 s if it were linear.
    found = compared(
        watch, 60, {"steep": (0.1, 2.0)}, method=KFold(5, n_repeats=2), table=table, sample="all"
    )
    assert "steep" in found.unjudged and "a repeat is expected to take" in found.unjudged["steep"]
    expected = 5 * 0.1 * (6400 / 320) ** 2
    assert watch.time < 66 < expected


def test_what_takes_longer_than_foreseen_is_stopped_after_the_fold(watch):
    class Sly(acumen.DecisionTree):
        def learn(self, table):
            watch.time += 0.01 if not any(name == "Sly" for name, _ in watch.turns) else 30.0
            return super().learn(table)

    found = acumen.compare(
        {"Sly": Sly(), "NaiveBayes": acumen.NaiveBayes()},
        TABLE,
        METHOD,
        random_state=0,
        time_limit=40,
        progress=watch,
    )
    assert found.unjudged["Sly"] == "stopped after 3 of 5 splits, when time was over"
    assert found.repeats == {"NaiveBayes": 1, "Majority": 1}


def test_how_far_it_goes_depends_on_time_alone(watch):
    rng = np.random.default_rng(0)
    costs = {"dear": (1.0,), "cheap": (0.2,)}
    far = []
    for shuffled in (False, True):
        labels = rng.permutation(TABLE.labels) if shuffled else TABLE.labels
        columns = {"numeric": TABLE.numeric, "nominal": TABLE.nominal}
        table = acumen.Table(TABLE.schema, len(TABLE), **columns, labels=labels)
        watch.time = 0.0
        far.append(compared(watch, 17, costs, table=table).repeats)
    assert sorted(far[0].items()) == sorted(far[1].items()) and min(far[0].values()) < 4


def test_the_time_that_is_said_to_be_left_is_right_within_a_factor_of_two(watch):
    compared(watch, 1000, {"dear": (2.0,), "cheap": (0.5,)}, table=mixed(3, 3000))
    end = watch.time
    told = [(at, left) for at, left in watch.expected if left is not None and end - at > 1]
    assert len(told) > 50
    for at, left in told:
        assert (end - at) / 2 <= left <= 2 * (end - at)


def costs_of(monkeypatch, learner, allowed):
    """What a comparison within a time expects a learner to cost."""
    from acumen.assessment import schedule

    seen = {}

    def probed(trial, *given):
        seen[type(trial.learner).__name__] = cost = probe(trial, *given)
        return cost

    probe = schedule.probe
    monkeypatch.setattr(schedule, "probe", probed)
    table = mixed(3, 20_000)
    acumen.compare([learner], table, KFold(2), random_state=0, time_limit=allowed)
    return seen[type(learner).__name__]


def test_a_cost_that_is_the_same_for_any_rows_is_not_taken_to_grow_with_them(watch, monkeypatch):
    class Even(acumen.Majority):
        def learn(self, table):
            watch.time += 0.03
            return super().learn(table)

        def can_add_folds(self, schema):
            return False

    found = costs_of(monkeypatch, Even(), 2)
    assert 0.029 <= found.split_seconds(20_000) < 0.6  # in proportion to the rows it would be more than 2 s


def test_a_learner_that_takes_long_to_load_is_tried_again(watch, monkeypatch):
    loaded = []

    class Late(acumen.Majority):
        def learn(self, table):
            if not loaded:
                loaded.append(True)
                watch.time += 0.1
                raise TimeUp  # as the alarm does
            watch.time += 0.001
            return super().learn(table)

        def can_add_folds(self, schema):
            return False

    found = costs_of(monkeypatch, Late(), 2)
    assert found.split_seconds(20_000) < 0.01 and not found.at_least


def test_ctrl_c_is_not_said_to_have_come_when_time_was_over(watch):
    def stop(name, done):
        if done == 7:
            raise KeyboardInterrupt

    found = acumen.compare([acumen.NaiveBayes()], TABLE, METHOD, random_state=0, time_limit=40, progress=stop)
    assert not found.complete
    assert "fewer than 4 repeats were finished: 1 by Majority and NaiveBayes" in found.notes


# -- folds ----------------------------------------------------------------------------------------


def test_there_are_fewer_folds_where_ten_would_leave_somebody_without_a_repeat(watch):
    found = compared(watch, 60, {"dear": (10.0,)}, method=TEN_TIMES_TEN_FOLDS)
    assert found.method.n_splits in (2, 3) and "dear" in found.names
    assert (
        f"{found.method.n_splits} folds instead of 10, so that more learners have time for a repeat"
        in found.notes
    )
    watch.time = 0.0
    told = compared(watch, 60, {"dear": (10.0,)}, method=KFold(10, n_repeats=10))
    assert told.method.n_splits == 10 and "dear" in told.unjudged  # it was asked for


# -- a sample -------------------------------------------------------------------------------------


LARGE = mixed(3, 12_000)
#: Of all rows a fit takes 50 s, and one for the first two folds half of it.
COSTS = {"dear": (1.5,), "cheap": (0.001,)}


@pytest.fixture
def judged_on_some(watch):
    return compared(watch, 60, COSTS, method=TEN_TIMES_TEN_FOLDS, table=LARGE)


def test_all_learners_are_judged_on_the_same_sample_where_all_rows_take_too_long(watch, judged_on_some):
    found = judged_on_some
    assert not found.unjudged and watch.time <= 66
    assert 5_000 <= found.sample < 12_000 == found.n_rows and found.method.n_splits == 2
    tested = [
        np.sort(np.concatenate([run.test for run in each.first(1).runs])) for each in found.finished.values()
    ]
    rows = tested[0]
    assert len(rows) == found.sample == len(np.unique(rows)) and rows.max() > found.sample
    assert all((each == rows).all() for each in tested)
    shares = np.bincount(LARGE.labels[rows]) / len(rows)
    assert shares == pytest.approx(np.bincount(LARGE.labels) / 12_000, abs=2 / len(rows))
    said = f"judged on {found.sample:,} of 12,000 rows"
    assert said in str(found).split("\n")[0] and any(note.startswith(said) for note in found.notes)
    assert found.to_dict()["splits"]["rows"] == found.sample and found.record()["of_rows"] == 12_000
    assert found.fit("NaiveBayes").training_["rows"] == 12_000


def test_the_same_ranking_comes_of_the_sample_that_is_named(watch, judged_on_some):
    from acumen.assessment.reproduce import python_of

    found = judged_on_some
    again = compared(watch, None, COSTS, method=found.method, sample=found.sample, table=LARGE)
    keys = ("learner", "error", "low", "high", "verdict")
    assert [[row[key] for key in keys] for row in again.table] == [
        [row[key] for key in keys] for row in found.table
    ]
    assert again.sample == found.sample and "so that" not in "".join(again.notes)
    assert f"sample={found.sample}" in python_of(found, "page.html")


def test_all_rows_are_judged_on_where_somebody_says_so_or_they_are_few(watch):
    forbidden = compared(watch, 60, COSTS, sample="all", table=LARGE)
    assert forbidden.sample is None and "dear" in forbidden.unjudged
    watch.time = 0.0
    assert compared(watch, 60, {"dear": (10.0,)}).sample is None
    assert acumen.compare([acumen.NaiveBayes()], TABLE, KFold(2), sample=5000, random_state=0).sample is None


def test_who_could_hardly_learn_from_all_rows_has_no_say_in_the_sample(watch, judged_on_some):
    watch.time = 0.0
    costs = COSTS | {"steep": (0.03, 3.0)}  # of all rows 19 min; of a thousand half a second
    found = compared(watch, 60, costs, method=TEN_TIMES_TEN_FOLDS, table=LARGE)
    assert found.sample > 0.8 * judged_on_some.sample and "dear" in found.names and "steep" in found.unjudged


def test_a_sample_has_every_class_and_the_rows_of_the_seed():
    from acumen.assessment.runs import ground
    from acumen.assessment.sample import sample_ground

    labels = np.repeat([0, 1, 2], [380, 17, 3])
    table = acumen.read((np.arange(400.0)[:, None], labels))
    base = ground(acumen.NaiveBayes(), table, None)
    one, same, other = (sample_ground(base, 50, seed) for seed in (1, 1, 2))
    assert set(one.rows.labels) == {0, 1, 2} and len(one.rows) == 50
    assert (one.kept == same.kept).all() and (one.kept != other.kept).any()
    assert (table.labels[one.kept] == one.rows.labels).all()


@pytest.mark.parametrize("given", [1, 0, -5, 2.5, "some", True])
def test_what_is_no_number_of_rows_is_refused(given):
    with pytest.raises(ParameterError, match="sample must be a number of rows"):
        acumen.compare([acumen.NaiveBayes()], TABLE, KFold(2), sample=given)


# -- one that fails -------------------------------------------------------------------------------


class Broken(acumen.DecisionTree):
    """Fails on any rows but a few."""

    def learn(self, table):
        if len(table) > 100:
            raise MemoryError("4 GiB")
        return super().learn(table)


def test_a_failure_is_a_line_and_the_others_are_compared():
    found = acumen.compare([Broken(), acumen.NaiveBayes()], TABLE, KFold(3), random_state=0)
    assert found.complete
    assert "there is not enough memory for a fit on" in found.unjudged["Broken"]
    assert set(found.names) == {"NaiveBayes", "Majority"}
    with pytest.raises(MemoryError):
        acumen.compare([Broken()], TABLE, KFold(3), random_state=0)


# -- the real clock -------------------------------------------------------------------------------


@pytest.mark.serial
def test_work_is_stopped_wherever_it_is():
    with pytest.raises(TimeUp), time_limit(0.05):
        while True:
            time.sleep(0.01)
    with pytest.raises(TimeUp), time_limit(0.05), time_limit(30):  # what comes first, rings first
        time.sleep(5)
    with time_limit(300):
        with pytest.raises(TimeUp), time_limit(0.05):
            time.sleep(5)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 300
    with time_limit(None):
        pass


class Endless(acumen.DecisionTree):
    """Never comes to an end of more than a few rows."""

    def learn(self, table):
        while len(table) > 300:
            time.sleep(0.01)
        return super().learn(table)


def in_time(learners):
    """A comparison by the real clock; where a machine is so busy that nobody has time enough, with more of it."""
    for allowed in (2, 12, 72):
        with suppress(AcumenError):
            found = acumen.compare(learners, TABLE, KFold(5), random_state=0, time_limit=allowed)
            if "NaiveBayes" in found.names:
                return found
    raise AssertionError("NaiveBayes was not judged")


def test_a_fold_that_never_ends_is_stopped_within_it():
    assert "Endless" in in_time([Endless(), acumen.NaiveBayes()]).unjudged


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, None), ("none", None), ("90s", 90), ("5m", 300), ("1.5h", 5400), (2, 2), ("7", 7)],
)
def test_times_are_written_as_people_write_them(given, expected):
    assert seconds(given, "time") == expected


@pytest.mark.parametrize("given", ["5 parsecs", "", "-3", 0, -1.0, float("nan"), True, "s"])
def test_what_is_no_time_is_refused(given):
    with pytest.raises(ParameterError, match="time_limit must be a number of seconds"):
        acumen.compare([acumen.NaiveBayes()], TABLE, KFold(2), time_limit=given)


def test_over_several_tables_all_must_be_judged(watch):
    tables = {"one": mixed(1, 60), "two": mixed(2, 60, kinds="numeric text")}
    with pytest.raises(DataError, match="FullBayes was not judged on two"):
        acumen.compare([acumen.FullBayes(), acumen.NaiveBayes()], tables, KFold(2), random_state=0)


def test_few_rows_have_fewer_folds_unless_they_are_asked_for():
    table = mixed(1, 6)
    assert acumen.compare([acumen.NaiveBayes()], table, random_state=0).method.n_splits == 6
    with pytest.raises(ParameterError, match="at least 10 rows"):
        acumen.compare([acumen.NaiveBayes()], table, KFold(10), random_state=0)


def test_who_takes_nobody_knows_how_long_has_a_share_and_the_others_theirs():
    found = in_time({"first": Endless(), "second": Endless(), "NaiveBayes": acumen.NaiveBayes()})
    assert set(found.unjudged) == {"first", "second"}
    # On a machine that is busy with other things the second may find no time left.
    assert all(
        why.startswith(("stopped after 0 of 5 splits, when ", "not begun: "))
        for why in found.unjudged.values()
    )
