# SPDX-License-Identifier: BSD-3-Clause
"""Order of the classes and unlabelled rows."""

import warnings

import numpy as np
import pandas as pd
import pytest

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
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = median(order=["low", "mid", "high", "top"]).fit(X, WORDS)
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
    with pytest.warns(rung.RungWarning, match="alphabetical"):
        rung.KDLOR().fit(X, pd.Series(WORDS).astype("category"))


@pytest.mark.parametrize("none", [None, np.nan, pd.NA])
def test_missing_labels(none):
    y = NUMBERS.astype(object)
    y[[0, 5]] = none
    model = median().fit(X, y)
    assert model.describe()["labelled"] == 10
    assert model.classes_.dtype.kind == "i"
    assert labelled(pd.Series(y)) == 10


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
    with pytest.warns(rung.RungWarning, match="-1 are taken as unlabelled"):
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
