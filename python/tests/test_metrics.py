# SPDX-License-Identifier: BSD-3-Clause
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as theirs
from sklearn.model_selection import cross_val_score

import rung
from rung import metrics

RNG = np.random.default_rng(2)
TRUTH = RNG.integers(1, 5, 60)
PREDICTED = np.clip(TRUTH + RNG.integers(-1, 2, 60), 1, 4)


def test_against_scikit_learn():
    assert metrics.mae(TRUTH, PREDICTED) == pytest.approx(theirs.mean_absolute_error(TRUTH, PREDICTED))
    assert metrics.mse(TRUTH, PREDICTED) == pytest.approx(theirs.mean_squared_error(TRUTH, PREDICTED))
    assert metrics.acc(TRUTH, PREDICTED) == pytest.approx(theirs.accuracy_score(TRUTH, PREDICTED))
    assert metrics.mze(TRUTH, PREDICTED) == pytest.approx(1 - theirs.accuracy_score(TRUTH, PREDICTED))
    for name, weights in (("kappa", "linear"), ("qkappa", "quadratic")):
        expected = theirs.cohen_kappa_score(TRUTH, PREDICTED, weights=weights)
        assert getattr(metrics, name)(TRUTH, PREDICTED) == pytest.approx(expected)
    assert metrics.ms(TRUTH, PREDICTED) == pytest.approx(theirs.recall_score(TRUTH, PREDICTED, average=None).min())


def test_every_key_of_the_library():
    report = metrics.report(TRUTH, PREDICTED)
    assert set(report) == set(metrics.MEANING) | {"mae_low", "mae_high", "n", "intervals"} and report["n"] == 60
    for name in metrics.MEANING:
        if name != "rps":
            assert (
                getattr(metrics, name)(TRUTH, PREDICTED) == report[name]
                and metrics.MEANING[name][1:] in getattr(metrics, name).__doc__
            )


def test_as_the_command(command, tmp_path):
    (tmp_path / "two.csv").write_text("t,p\n" + "".join(f"{t},{p}\n" for t, p in zip(TRUTH, PREDICTED)))
    said = json.loads(command("metrics", tmp_path / "two.csv", "--truth", "t", "--predicted", "p", "--json"))
    for name, value in metrics.report(TRUTH, PREDICTED).items():
        if value == value and name in said:
            assert said[name] == value


def test_labels_and_order():
    words = np.array(["", "low", "mid", "high", "top"])
    order = ["low", "mid", "high", "top"]
    assert metrics.mae(words[TRUTH], words[PREDICTED], order=order) == metrics.mae(TRUTH, PREDICTED)
    assert metrics.mae([1, None, 3], [1, 1, 2]) == 0.5  # rows without a true label do not count
    assert metrics.amae([1, 1, 3], [1, 1, 2]) == metrics.amae([1, 1, 3], [1, 1, 2], order=[1, 2, 3, 4]) == 0.5
    with pytest.raises(ValueError, match="label 5 is not one of the classes 1, 2"):
        metrics.mae([1, 5], [1, 2], order=[1, 2])
    with pytest.raises(ValueError, match="2 true and 3 predicted"):
        metrics.mae([1, 2], [1, 2, 3])


def test_rps():
    assert metrics.rps([1, 2, 3], np.eye(3)) == 0
    proba = np.array([[0.2, 0.5, 0.3]])
    assert metrics.rps([2], proba, order=[1, 2, 3]) == metrics.report([2], [2], proba, order=[1, 2, 3])["rps"] > 0
    with pytest.raises(ValueError, match="probabilities of shape"):
        metrics.rps([1, 2], np.eye(3))


def test_scorers(toy):
    X, y, truth = toy
    model = rung.KDLOR().fit(X, y)
    assert metrics.scorer("mae")(model, X, truth) == -metrics.mae(truth, model.predict(X))
    assert metrics.scorer("qkappa")(model, X, truth) == metrics.qkappa(truth, model.predict(X))
    assert metrics.scorer("mae")(model, X, y) == -metrics.mae(y[y > 0], model.predict(X)[y > 0])
    assert metrics.scorer("rps")(model, X, truth) == -metrics.rps(truth, model.predict_proba(X))
    few = truth < 3  # K is that of the model
    expected = -metrics.amae(truth[few], model.predict(X)[few], order=[1, 2, 3, 4, 5])
    assert metrics.scorer("amae")(model, X[few], truth[few]) == expected
    assert repr(pickle.loads(pickle.dumps(metrics.scorers["mae"]))) == "scorer('mae')"
    assert cross_val_score(model, X, truth, scoring=metrics.scorers["mae"], cv=3).max() < 0
    with pytest.raises(ValueError, match="there is no metric 'nonsense'"):
        metrics.scorer("nonsense")


def test_weights_are_repeated_rows():
    weights = RNG.integers(0, 4, len(TRUTH))
    rows = np.repeat(np.arange(len(TRUTH)), weights)
    proba = RNG.dirichlet(np.ones(4), len(TRUTH))
    order = [1, 2, 3, 4]
    repeated = metrics.report(TRUTH[rows], PREDICTED[rows], proba[rows], order=order)
    weighted = metrics.report(TRUTH, PREDICTED, proba, order=order, sample_weight=weights)
    for name in metrics.MEANING:
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-14)
        if name != "rps":
            assert getattr(metrics, name)(TRUTH, PREDICTED, order=order, sample_weight=weights) == weighted[name]
    assert metrics.rps(TRUTH, proba, order=order, sample_weight=weights) == weighted["rps"]
    expected = theirs.mean_absolute_error(TRUTH, PREDICTED, sample_weight=weights)
    assert metrics.mae(TRUTH, PREDICTED, sample_weight=0.3 * weights) == pytest.approx(expected)
    with pytest.raises(ValueError, match="sample_weight of shape"):
        metrics.mae(TRUTH, PREDICTED, sample_weight=[1])
    visits = metrics.report(np.tile(TRUTH, 6), np.tile(PREDICTED, 6), groups=np.tile(np.arange(len(TRUTH)), 6))
    single = metrics.report(TRUTH, PREDICTED)
    apart = metrics.report(np.tile(TRUTH, 6), np.tile(PREDICTED, 6))
    assert visits["mae_high"] - visits["mae_low"] > 1.8 * (apart["mae_high"] - apart["mae_low"])
    assert visits["mae_high"] == pytest.approx(single["mae_high"], abs=0.05)


def test_scorers_take_weights():
    from sklearn import config_context

    X, y = rung.generate("toy", rows=120)
    model = rung.KDLOR().fit(X[:60], y[:60])
    weights = np.where(np.arange(120) % 2, 1.0, 0.0)
    scorer = metrics.scorer("mae")
    found = scorer(model, X, y, sample_weight=weights)
    assert found == scorer(model, X[1::2], y[1::2]) != scorer(model, X, y)
    hidden = np.where(np.arange(120) < 60, -1, y - 1)  # unlabelled rows take their weights with them
    assert metrics.scorer("acc")(rung.KDLOR().fit(X, hidden), X, hidden,
                                 sample_weight=weights) == metrics.scorer("acc")(
        rung.KDLOR().fit(X, hidden), X[61::2], hidden[61::2]
    )
    with config_context(enable_metadata_routing=True):
        asks = scorer.set_score_request(sample_weight=True)
        model = rung.KDLOR().set_fit_request(sample_weight=False)
        routed = cross_val_score(model, X, y, scoring=asks, params={"sample_weight": weights}, cv=2)
        assert np.all(routed != cross_val_score(model, X, y, scoring=scorer, cv=2))


def test_logarithms_of_probabilities():
    X, y = rung.generate("toy", rows=80)
    model = rung.KDLOR().fit(X, y)
    np.testing.assert_array_equal(np.exp(model.predict_log_proba(X)), np.exp(np.log(model.predict_proba(X))))
    assert not hasattr(rung.KDLOR(calibrate=0), "predict_log_proba")


def test_probabilities_of_other_packages_are_by_their_own_classes():
    from sklearn.linear_model import LogisticRegression

    X, y = rung.generate("toy", rows=150)
    order = ["low", "mid", "high"]
    words = np.array(order)[np.clip(y, 1, 3) - 1]
    theirs_, ours = LogisticRegression().fit(X, words), rung.POM(order=order).fit(X, words)
    by_order = theirs_.predict_proba(X)[:, [1, 2, 0]]  # high, low, mid
    expected = metrics.report(words, theirs_.predict(X), by_order, order=order)
    for rivals, grades in (
        ({"ours": ours, "theirs": theirs_}, words),
        ({"theirs": theirs_, "ours": ours}, words),
        ({"theirs": theirs_, "ours": words}, pd.Categorical(words, order, ordered=True)),
    ):
        found = {one["predictions"]: one for one in rung.compare(rivals, grades, X)["compared"]}["theirs"]
        np.testing.assert_equal({key: found[key] for key in expected}, expected)
    with pytest.raises(ValueError, match="order of the text labels"):
        rung.compare({"a": theirs_, "b": words}, words, X)
    between = np.where(np.arange(150) % 5 == 0, "low..mid", words).astype(object)
    upper = np.where(np.arange(150) % 5 == 0, "mid", words)
    lower = np.where(np.arange(150) % 5 == 0, "low", words)
    value = metrics.scorer("mae", order=order)(theirs_, X, between)
    assert value == -metrics.mae((lower, upper), theirs_.predict(X), order=order)


def test_numbers_keep_their_distances():
    """As in `rung metrics`: a 1 that should be a 5 is four classes away, unless the order says otherwise."""
    truth, predicted = [1, 5, 1, 5, 5], [3, 5, 1, 1, 5]
    for kind in (int, float, str):
        said = [[kind(label) for label in labels] for labels in (truth, predicted)]
        with pytest.warns(rung.RungWarning, match="2, 4: no label is that number"):
            assert metrics.mae(*said) == 1.2
        with pytest.warns(rung.RungWarning):
            assert metrics.report(*said)["mae"] == 1.2
        with pytest.warns(rung.RungWarning):
            assert rung.compare({"a": said[1], "b": said[0]}, said[0])["compared"][0]["mae"] == 1.2
        assert metrics.mae(*said, order=[kind(label) for label in (1, 3, 5)]) == 0.6
        assert metrics.acc(*said) == 0.6
    assert metrics.report([1, 5], [5, 1], [[0.5, 0.5]] * 2)["mae"] == 1  # of the classes that the columns are of
    assert metrics.mae(pd.Categorical([1, 5], ordered=True), [5, 1]) == 1
