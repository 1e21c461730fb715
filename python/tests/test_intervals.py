# SPDX-License-Identifier: BSD-3-Clause
"""Labels that are intervals: as text and as two arrays."""

import numpy as np
import pytest

import rung
from rung import _labels


def sample(n=60):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    y = 1 + np.digitize(X @ [1, 0.5, 0] + 0.2 * rng.normal(size=n), [-0.8, 0, 0.8])
    low, high = y.copy(), y.copy()
    low[20:] = np.maximum(low[20:] - rng.integers(0, 2, n - 20), 1)
    high[20:] = np.minimum(high[20:] + rng.integers(0, 2, n - 20), 4)
    return X, y, low, high


def text(low, high):
    return [int(a) if a == b else f"{a}..{b}" for a, b in zip(low, high, strict=True)]


def test_ranks():
    classes, ranks, upper = _labels.rank([1, "2..3", "<=2", ">=3", None, 4])
    assert classes.tolist() == [1, 2, 3, 4]
    assert ranks.tolist() == [1, 2, 1, 3, 0, 4]
    assert upper.tolist() == [1, 3, 2, 4, 0, 4]
    classes, ranks, upper = _labels.rank(np.array(["1", "2", "2..3", "10"]))
    assert classes.tolist() == ["1", "2", "3", "10"]
    assert ranks.tolist() == [1, 2, 2, 4] and upper.tolist() == [1, 2, 3, 4]
    classes, ranks, upper = _labels.rank(["low", "low..mid", ">=mid"], order=["low", "mid", "high"])
    assert ranks.tolist() == [1, 1, 2] and upper.tolist() == [1, 2, 3]
    classes, ranks, upper = _labels.rank(([1, 2, np.nan, 2, np.nan], [1, 3, np.nan, np.nan, 2]))
    assert classes.tolist() == [1, 2, 3]
    assert ranks.tolist() == [1, 2, 0, 2, 1] and upper.tolist() == [1, 3, 0, 3, 2]
    assert _labels.rank(([1, 2], [1, 2]))[2] is None
    assert _labels.rank(["<=50K", ">50K"], order=["<=50K", ">50K"])[2] is None
    with pytest.warns(UserWarning, match="alphabetically"):  # a class that only looks like an interval
        assert _labels.rank(["<=50K", ">50K", ">50K"])[0].tolist() == ["<=50K", ">50K"]


@pytest.mark.parametrize("bad", ["3..2", "..", "2..", "x..3", ">="])
def test_no_intervals(bad):
    with pytest.raises(ValueError, match="interval"):
        _labels.rank([1, 2, 3, bad])


def test_text_and_arrays_are_the_same():
    X, _, low, high = sample()
    frame = rung.POM().fit(X, text(low, high))
    pair = rung.POM().fit(X, (low, high))
    columns = rung.POM().fit(X, np.column_stack([low, high]))
    assert np.array_equal(frame.predict_proba(X), pair.predict_proba(X))
    assert np.array_equal(columns.predict_proba(X), pair.predict_proba(X))
    assert frame.classes_.tolist() == pair.classes_.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["POM", "OGP", "GPOR", "BOOST", "AutoOrdinal", "MEDIAN"])
def test_one_class_and_all_classes(name):
    X, y, _, _ = sample(30)
    make = getattr(rung, name)
    plain, same = make().fit(X, y), make().fit(X, [f"{k}..{k}" if i % 3 else int(k) for i, k in enumerate(y)])
    assert np.array_equal(plain.predict_proba(X), same.predict_proba(X))
    missing = [None if i % 5 == 0 else int(k) for i, k in enumerate(y)]
    anything = ["1..4" if k is None else k for k in missing]
    assert np.array_equal(make().fit(X, missing).predict_proba(X), make().fit(X, anything).predict_proba(X))


def test_others_refuse():
    X, _, low, high = sample()
    with pytest.raises(ValueError, match="kdlor cannot learn from interval labels.*auto can"):
        rung.KDLOR().fit(X, (low, high))


def test_pandas():
    pandas = pytest.importorskip("pandas")
    X, _, low, high = sample()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    one = rung.POM().fit(frame, pandas.Series(text(low, high), name="grade"))
    two = rung.POM().fit(frame, pandas.DataFrame({"low": low, "high": high}))
    assert np.array_equal(one.predict_proba(frame), two.predict_proba(frame))
    assert one.score(frame, text(low, high)) == np.mean(
        (low <= one.predict(frame)) & (one.predict(frame) <= high)
    )


def test_metrics():
    truth, answers = ["1..2", 3, ">=3", None, 4], [3, 3, 1, 1, 4]
    report = rung.metrics.report(truth, answers, order=[1, 2, 3, 4])
    assert report["n"] == 4 and report["intervals"] > 0 and report["mae"] == 0.75 and report["acc"] == 0.5
    assert rung.metrics.mae(([1, 3], [2, 3]), [3, 3], order=[1, 2, 3, 4]) == 0.5
    proba = [[0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25]]
    expected = ((0.3 - 1) ** 2 + (0.6 - 1) ** 2 + 0.25**2 + 0.5**2) / 3 / 2  # without the thresholds inside
    assert rung.metrics.rps(["1..2", "3..4"], proba, order=[1, 2, 3, 4]) == pytest.approx(expected)


def test_scorer_and_search():
    from sklearn.model_selection import cross_val_score

    X, _, low, high = sample()
    y = np.array(text(low, high), dtype=object)
    assert cross_val_score(rung.POM(), X, y, scoring=rung.metrics.scorers["mae"],
                           cv=rung.SemiSupervisedKFold(3)).min() > -1
    found = rung.OrdinalSearch("pom", folds=3, repeats=1).fit(X, y)
    assert found.classes_.tolist() == [1, 2, 3, 4]


def test_transduction_stays_inside():
    X, _, low, high = sample(40)
    said = rung.AutoOrdinal(effort="quick").fit(X, (low, high)).transduction_
    assert np.all((low <= said) & (said <= high))


@pytest.mark.parametrize(
    "labels, order",
    [
        (["a..b", "c", "a..b..c", "a..b", "c"], ["a..b", "c"]),
        (["low..", "low", "mid..low..", "mid"], ["mid", "low..", "low"]),
        (["1.0", "2", "1..2.0", "3.00", "<= 2"], None),
        (["<=50K", ">50K", "<=50K", ">50K"], ["<=50K", ">50K"]),
        (["a", "b", "a .. b", ">= b", "c"], ["a", "b", "c"]),
        (["2..2", "2", "3", "1..3", "1"], None),
    ],
)
def test_labels_mean_what_they_mean_to_the_command(tmp_path, labels, order):
    labels = labels * 6
    X = np.random.default_rng(1).normal(size=(len(labels), 2))
    rows = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), labels, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    model = rung.fit_files(tmp_path / "d.csv", rung.POM(order=order))
    own = rung.POM(order=order).fit(X, labels)
    assert [str(c) for c in own.classes_] == [str(c) for c in model.classes_] or order is None
    assert len(own.classes_) == len(model.classes_)
    assert np.array_equal(own.predict_proba(X), model.predict_proba(X))
