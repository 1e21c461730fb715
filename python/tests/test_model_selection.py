# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import rung


def test_unlabelled_rows_stay_in_training(toy):
    X, y, _ = toy
    splits = list(rung.SemiSupervisedKFold(4).split(X, y))
    assert len(splits) == 4
    for train, test in splits:
        assert (y[test] > 0).all() and set(np.flatnonzero(y < 0)) <= set(train)
        assert not set(train) & set(test) and len(train) + len(test) == 300
        assert set(y[test]) == {1, 2, 3, 4, 5}  # stratified
    tested = np.concatenate([test for _, test in splits])
    assert sorted(tested) == list(np.flatnonzero(y > 0))
    again = list(rung.SemiSupervisedKFold(4).split(X, y))
    assert all((a[1] == b[1]).all() for a, b in zip(splits, again))


def test_every_kind_of_missing_label(toy):
    X, y, _ = toy
    expected = [test.tolist() for _, test in rung.SemiSupervisedKFold(3).split(X, y)]
    for none in (None, np.nan):
        labels = y.astype(object)
        labels[y < 0] = none
        assert [test.tolist() for _, test in rung.SemiSupervisedKFold(3).split(X, labels)] == expected


def test_groups(toy):
    X, y, _ = toy
    groups = np.arange(300) // 10
    for train, test in rung.SemiSupervisedKFold(3).split(X, y, groups):
        labelled = train[y[train] > 0]
        assert not set(groups[labelled]) & set(groups[test])


def test_few_labels():
    y = np.array([1, 2, 3, -1, -1, -1])
    parts = [test.tolist() for _, test in rung.SemiSupervisedKFold(3, shuffle=False).split(np.zeros((6, 1)), y)]
    assert parts == [[0], [1], [2]]
    with pytest.raises(ValueError, match="5 folds need as many labelled rows, but there are 3"):
        next(rung.SemiSupervisedKFold(5).split(np.zeros((6, 1)), y))


def test_search(toy):
    X, y, truth = toy
    search = GridSearchCV(
        rung.SDL(),
        {"gamma": [0.1, 1.0], "mu": [0.0, 0.1]},
        cv=rung.SemiSupervisedKFold(3),
        scoring=rung.metrics.scorers["mae"],
    )
    search.fit(X, y)
    assert -1 < search.best_score_ < 0 and rung.metrics.mae(truth, search.predict(X)) < 1
    scores = cross_val_score(rung.KDLOR(), X, np.where(y < 0, np.nan, y), cv=rung.SemiSupervisedKFold(3))
    assert scores.shape == (3,) and (scores > 0.2).all()
    parallel = cross_val_score(rung.KDLOR(), X, y, cv=rung.SemiSupervisedKFold(3), n_jobs=2)
    np.testing.assert_array_equal(parallel, scores)


def test_labels_of_every_form_are_divided():
    X, y = rung.generate("toy", rows=90)
    expected = [test.tolist() for _, test in rung.SemiSupervisedKFold(3).split(X, y)]
    for labels in (pd.DataFrame({"y": y}), (y, y), np.column_stack([y, y])):
        assert [test.tolist() for _, test in rung.SemiSupervisedKFold(3).split(X, labels)] == expected
    wide = np.minimum(y + (np.arange(90) % 2), 5)
    assert sum(len(test) for _, test in rung.SemiSupervisedKFold(3).split(X, (y, wide))) == 90
