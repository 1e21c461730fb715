# SPDX-License-Identifier: BSD-3-Clause
"""Order of the classes and unlabelled rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rung

X = np.arange(12.0)[:, None]
NUMBERS = np.repeat([1, 2, 3], 4)
WORDS = np.repeat(["low", "mid", "high"], 4)


def median(**params):
    return rung.MEDIAN(**params)


def labelled(y, **params):
    return median(**params).fit(X, y).describe()["labelled"]


def test_sorted_by_default():
    assert median().fit(X, NUMBERS[::-1]).classes_.tolist() == [1, 2, 3]
    with pytest.warns(rung.RungWarning, match=r"high < low < mid\); give order="):
        assert median().fit(X, WORDS).classes_.tolist() == ["high", "low", "mid"]


def test_order():
    with pytest.warns(rung.RungWarning, match="1 of the 4 classes has no labelled row .*: 'top'"):
        model = median(order=["low", "mid", "high", "top"]).fit(X, WORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.classes_.tolist() == ["low", "mid", "high", "top"]
        assert model.predict(X[:1]) == ["mid"] and model.predict_proba(X).shape == (12, 4)
        assert model.describe()["classes"] == ["low", "mid", "high", "top"]
        assert median(order=[3, 2, 1]).fit(X, NUMBERS).classes_.tolist() == [3, 2, 1]
    with pytest.raises(ValueError, match="label 'high' is not one of the classes low, mid"):
        median(order=["low", "mid"]).fit(X, WORDS)
    with pytest.raises(ValueError, match="distinct"):
        median(order=["low", "low"]).fit(X, WORDS)


def test_ordered_categorical():
    y = pd.Categorical(WORDS, categories=["low", "mid", "high"], ordered=True)
    y[0] = None
    for labels in (y, pd.Series(y, name="grade")):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = rung.KDLOR().fit(X, labels)
        assert model.classes_.tolist() == ["low", "mid", "high"] and model.describe()["labelled"] == 11
        np.testing.assert_array_equal(model.predict(X[-1:]), ["high"])
    with pytest.warns(rung.RungWarning, match="alphabetically"):
        rung.KDLOR().fit(X, pd.Series(WORDS).astype("category"))


@pytest.mark.parametrize("none", [None, np.nan, pd.NA])
def test_missing_labels(none):
    y = NUMBERS.astype(object)
    y[[0, 5]] = none
    model = median().fit(X, y)
    assert model.describe()["labelled"] == 10
    assert model.classes_.dtype.kind == "i"
    assert labelled(pd.Series(y)) == 10
    whole = pd.array(np.where(pd.isna(y), None, y), dtype="Int64")
    assert median().fit(X, whole).classes_.dtype.kind == "i" and labelled(pd.Series(whole)) == 10


def test_minus_one():
    y = NUMBERS.copy()
    y[[0, 5]] = -1
    assert labelled(y) == 10 and labelled(y.astype(float)) == 10
    assert labelled(y, unlabelled=None) == 12  # a class of its own
    assert labelled(y, unlabelled=-1) == 10
    assert labelled(y, order=[1, 2, 3]) == 10
    assert labelled(np.where(NUMBERS == 1, -1, 1)) == 12  # the two classes -1 and 1
    assert labelled(NUMBERS - 3) == 12  # -2, -1, 0
    assert labelled(NUMBERS, unlabelled=3) == 8
    with pytest.warns(rung.RungWarning, match="-1 are treated as unlabelled"):
        assert labelled(NUMBERS - 2) == 8  # -1, 0, 1
    assert labelled(NUMBERS - 2, unlabelled=None) == 12
    with pytest.raises(ValueError, match="all 12 rows are unlabelled"):
        median().fit(X, np.full(12, np.nan))


def test_labels_that_are_none():
    with pytest.raises(ValueError, match="Unknown label type"):
        median().fit(X, np.linspace(0, 1, 12))
    with pytest.raises(ValueError, match="infinity"):
        median().fit(X, np.where(NUMBERS == 1, np.inf, 2.0))
    with pytest.raises(ValueError, match="60 distinct numbers are too many"):
        median().fit(np.zeros((60, 1)), np.arange(60))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        median().fit(X, NUMBERS[:-1])


def test_class_names_in_the_model():
    assert median().fit(X, NUMBERS.astype(float)).describe()["classes"] == ["1", "2", "3"]
    assert median(order=[0.5, 2.0]).fit(X, np.repeat([0.5, 2], 6)).describe()["classes"] == ["0.5", "2"]


GRADES = pd.Categorical(WORDS, categories=["low", "mid", "high"], ordered=True)
ANSWERS = np.repeat(["low", "mid", "mid"], 4)  # one class off for a third of the rows


@pytest.mark.parametrize("truth", [GRADES, pd.Series(GRADES), pd.DataFrame({"grade": GRADES})], ids=type)
def test_metrics_have_the_order_of_a_categorical(truth):
    assert rung.metrics.mae(truth, ANSWERS) == rung.metrics.report(truth, ANSWERS)["mae"] == 1 / 3
    assert rung.metrics.mae(ANSWERS, truth) == 1 / 3  # on either side
    assert rung.metrics.mae(truth, GRADES) == 0
    proba = np.eye(3)[np.repeat([0, 1, 1], 4)]
    assert rung.metrics.rps(truth, proba) == pytest.approx(1 / 3 / 2)
    assert median().fit(X, truth).classes_.tolist() == ["low", "mid", "high"]


def test_metrics_have_the_order_of_an_enum():
    polars = pytest.importorskip("polars")
    truth = polars.Series(WORDS.tolist(), dtype=polars.Enum(["low", "mid", "high"]))
    assert rung.metrics.mae(truth, ANSWERS) == 1 / 3
    assert median().fit(X, truth).classes_.tolist() == ["low", "mid", "high"]
    with pytest.warns(rung.RungWarning, match="alphabetically"):
        median().fit(X, polars.Series(WORDS.tolist(), dtype=polars.Categorical))


def test_metrics_refuse_words_without_an_order():
    for truth in (WORDS, WORDS.tolist(), pd.Series(WORDS), pd.Series(WORDS).astype("category")):
        for metric in (rung.metrics.mae, rung.metrics.report, rung.metrics.qkappa, rung.metrics.off1):
            with pytest.raises(ValueError, match=r"text labels \(high, low, mid\) is not known: give order="):
                metric(truth, ANSWERS)
        assert rung.metrics.acc(truth, ANSWERS) == 2 / 3  # no order needed
    with pytest.raises(ValueError, match="is not known"):
        rung.metrics.rps(WORDS, np.eye(3)[NUMBERS - 1])
    with pytest.raises(ValueError, match="low < mid < high and the predicted ones high < low < mid; set order="):
        rung.metrics.mae(GRADES, pd.Categorical(WORDS, ordered=True))


def test_numbers_as_text_are_ordered_as_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = np.array(["10", "9", "8"])[NUMBERS - 1]
        assert median().fit(X, texts).classes_.tolist() == ["8", "9", "10"]
        assert rung.metrics.mae(texts, np.repeat("9", 12)) == 2 / 3


def test_metrics_leave_unlabelled_rows_out():
    y = np.where(np.arange(12) % 2, NUMBERS, -1)
    assert rung.metrics.report(y, NUMBERS)["n"] == 6 and rung.metrics.mae(y, NUMBERS) == 0
    assert rung.metrics.rps(y, np.eye(3)[NUMBERS - 1]) == 0
    assert rung.metrics.report(y, np.where(NUMBERS == 1, -1, NUMBERS))["n"] == 12  # -1 is predicted, so it is a class
    assert rung.metrics.report(y, NUMBERS, order=[-1, 1, 2, 3])["n"] == 12
    assert labelled(y, order=[-1, 1, 2, 3]) == 12


def test_metrics_refuse_what_cannot_be_compared():
    with pytest.raises(ValueError, match="label 1.5 is not an integer; round"):
        rung.metrics.mae(NUMBERS, np.repeat([1.5, 2, 3], 4))
    with pytest.raises(ValueError, match="true labels are numbers and the predicted ones text"):
        rung.metrics.mae(NUMBERS, WORDS)
    with pytest.raises(ValueError, match="row 3 has a true label but no predicted one"):
        rung.metrics.mae(NUMBERS, np.where(np.arange(12) == 3, np.nan, NUMBERS))


def test_scorers_know_the_order_of_estimators_alone(toy):
    X, _, truth = toy
    names = np.array(["", "e", "b", "d", "a", "c"])
    words = names[truth]
    ordered = pd.Series(pd.Categorical(words, categories=names[1:], ordered=True))
    scorer = rung.metrics.scorer("mae")
    expected = scorer(LogisticRegression().fit(X, truth), X, truth)
    theirs = LogisticRegression().fit(X, words)  # sorts its classes
    with pytest.raises(ValueError, match="is not known"):
        scorer(theirs, X, words)
    assert scorer(theirs, X, ordered) == rung.metrics.scorer("mae", order=names[1:])(theirs, X, words) == expected
    expected = rung.metrics.scorer("rps")(LogisticRegression().fit(X, truth), X, truth)
    assert rung.metrics.scorer("rps")(theirs, X, ordered) == pytest.approx(expected)
    ours = rung.SVORIM(order=names[1:].tolist())
    expected = scorer(rung.SVORIM().fit(X, truth), X, truth)
    assert scorer(ours.fit(X, words), X, words) == expected
    assert scorer(make_pipeline(StandardScaler(), ours).fit(X, words), X, words) == pytest.approx(expected)
    assert scorer(GridSearchCV(ours, {"C": [1]}, cv=2).fit(X, words), X, words) == expected


def test_scorers_count_a_class_that_was_not_learned(toy):
    X, _, truth = toy
    model = rung.SVORIM().fit(X[truth < 5], truth[truth < 5])
    assert rung.metrics.scorer("mae")(model, X, truth) == -rung.metrics.mae(truth, model.predict(X))


def test_intervals_as_classes():
    X = np.linspace(0, 1, 40)[:, None]
    y = pd.cut(X[:, 0], 3)
    model = rung.KDLOR().fit(X, y)
    assert model.classes_.tolist() == y.categories.tolist()
    assert model.score(X, y) == rung.metrics.acc(y, model.predict(X)) > 0.8


def test_score_counts_a_class_that_was_not_learned():
    assert median().fit(X, NUMBERS).score(X, np.repeat([1, 2, 9], 4)) == 1 / 3


def test_what_minus_one_means_is_known_from_the_fit():
    X, y = rung.generate("toy", rows=200)
    low = np.clip(y, 1, 4) - 3  # -2 to 1
    model = rung.POM().fit(X, low)
    part = low > -2  # -1, 0 and 1, which alone would make of -1 an unlabelled row
    declared = rung.POM(order=[-1, 0, 1]).fit(X[part], low[part])
    hidden = np.where(np.arange(200) % 3 == 0, -1, y)
    gaps = rung.POM().fit(X, hidden)
    first = y == 1  # 1 and -1, which alone would make of -1 a class
    with warnings.catch_warnings():
        warnings.simplefilter("error", rung.RungWarning)
        for fitted, rows, labels, counted in (
            (model, X[part], low[part], np.ones(part.sum(), bool)),
            (declared, X[part], low[part], np.ones(part.sum(), bool)),
            (gaps, X[first], hidden[first], hidden[first] > 0),
        ):
            off = np.abs(fitted.predict(rows) - labels)[counted]
            assert fitted.score(rows, labels) == np.mean(off == 0)
            assert -rung.metrics.scorers["mae"](fitted, rows, labels) == off.mean()
            assert rung.explain.importance(fitted, rows, labels, repeats=1)["error"]["mae"]["mean"] == off.mean()
    assert rung.metrics.mae([-1, 1, 1], [1, 1, 2]) == 0.5


def test_a_scorer_asks_the_estimator_inside_what_means_unlabelled():
    X, y = rung.generate("toy", rows=120)
    hidden = np.where(np.arange(120) % 3 == 0, 0, y)
    model = make_pipeline(StandardScaler(), rung.POM(unlabelled=0)).fit(X, hidden)
    expected = np.abs(model.predict(X) - y)[hidden > 0].mean()
    assert -rung.metrics.scorers["mae"](model, X, hidden) == expected


def test_masked_elements_are_missing():
    X, y = rung.generate("toy", rows=120)
    mask = np.arange(120) % 2 == 0
    hidden = np.ma.array(y, mask=mask)
    assert rung.POM().fit(X, hidden).describe()["labelled"] == 60
    assert rung.metrics.mae(hidden, np.where(mask, 9, y)) == 0
    holes = np.ma.array(np.where(mask[:, None], 1e6, X), mask=np.column_stack([mask, mask]))
    expected = rung.POM().fit(np.where(mask[:, None], np.nan, X), y)
    np.testing.assert_array_equal(rung.POM().fit(holes, y).predict_proba(holes), expected.predict_proba(holes))
    targets = np.ma.array(X[:, 0], mask=mask)
    assert rung.KRR().fit(X, targets).describe()["labelled"] == 60
    assert rung.KRR().fit(X, targets).score(X, targets) == rung.KRR().fit(X, targets).score(X[~mask], X[~mask, 0])
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        rung.POM().fit(X, y, np.ma.array(np.ones(120), mask=mask))


def test_labels_of_another_kind_are_not_simply_wrong(tmp_path):
    X, y = rung.generate("toy", rows=120)
    model = rung.POM().fit(X, y)
    with pytest.raises(ValueError, match="the labels are text and the classes numbers"):
        model.score(X, y.astype(str))
    truth = rung.POM().fit(X, y > 2)
    rung.save(truth, tmp_path / "m.rung")
    loaded = rung.load(tmp_path / "m.rung")
    assert loaded.classes_.tolist() == [False, True] and loaded.score(X, y > 2) == truth.score(X, y > 2)
