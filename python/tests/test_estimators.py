# SPDX-License-Identifier: BSD-3-Clause
"""What every method's class does, one after the other."""

import inspect
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import rung
from rung import _table

pytestmark = pytest.mark.filterwarnings("ignore::rung.RungWarning")
CLASSES = rung.methods.CLASSES


def target(cls, y):
    return np.where(y < 0, np.nan, y) if is_regressor(cls()) else y


@pytest.fixture(scope="module", params=CLASSES, ids=str)
def fitted(request, toy):
    X, y, _ = toy
    return CLASSES[request.param]().fit(X[:150], target(CLASSES[request.param], y[:150]))


def test_predictions(fitted, toy):
    X, y, truth = toy
    predicted = fitted.predict(X)
    if is_regressor(fitted):
        assert predicted.dtype == np.float64 and fitted.score(X, truth.astype(float)) > 0.5
        np.testing.assert_array_equal(predicted, fitted.score_samples(X))
        return
    np.testing.assert_array_equal(fitted.classes_, [1, 2, 3, 4, 5])
    assert set(predicted) <= {1, 2, 3, 4, 5}
    values = fitted.decision_function(X)
    assert values.shape == (300, 5) and np.isfinite(values).all()
    np.testing.assert_array_equal(fitted.classes_[values.argmax(axis=1)], predicted)
    assert fitted.score(X, truth) == np.mean(predicted == truth)
    assert fitted.score(X, y) == np.mean(predicted[y > 0] == y[y > 0])  # the labelled rows


def test_probabilities(fitted, toy):
    X = toy[0]
    assert hasattr(fitted, "predict_proba") == fitted.describe()["probabilities"]
    if hasattr(fitted, "predict_proba"):
        proba = fitted.predict_proba(X)
        assert proba.shape == (300, 5) and (proba >= 0).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)


def test_intervals(fitted, toy):
    X = toy[0]
    if is_regressor(fitted):
        return
    if fitted.describe()["interval"] is None:
        with pytest.raises(rung.DataError, match="range"):
            fitted.predict_interval(X)
        return
    narrow, wide = fitted.predict_interval(X, 0.5), fitted.predict_interval(X, 0.95)
    assert (wide[:, 0] <= narrow[:, 0]).all() or (wide[:, 1] >= narrow[:, 1]).all()
    assert (np.diff(wide, axis=1) >= np.diff(narrow, axis=1)).all()
    if fitted.describe()["interval"] == "credible":
        with pytest.raises(rung.DataError, match="by class"):
            fitted.predict_interval(X, by_class=True)
        return
    own, rank = fitted.predict_interval(X, 0.5, by_class=True), fitted.predict(X)
    assert ((own[:, 0] <= rank) & (rank <= own[:, 1])).all()


def test_intervals_by_class():
    rng = np.random.default_rng(4)

    def rows(n):
        X = rng.normal(size=(n, 2))
        return X, 1 + np.searchsorted([1.2, 2.2], X[:, 0] + rng.normal(size=n))

    model, (X, y) = rung.POM().fit(*rows(400)), rows(4000)
    common, own = model.predict_interval(X, 0.9), model.predict_interval(X, 0.9, by_class=True)
    inside = [[np.mean((span[:, 0] <= y)[y == q] & (y <= span[:, 1])[y == q]) for q in (1, 2, 3)]
              for span in (common, own)]
    assert inside[0][2] < 0.7
    assert min(inside[1]) > 0.85


def test_same_after_pickle_and_joblib(fitted, toy, tmp_path):
    X = toy[0]
    joblib.dump(fitted, tmp_path / "model")
    for other in (pickle.loads(pickle.dumps(fitted)), joblib.load(tmp_path / "model")):
        np.testing.assert_array_equal(other.score_samples(X), fitted.score_samples(X))
        np.testing.assert_array_equal(other.predict(X), fitted.predict(X))
        assert other.get_params() == fitted.get_params()


def test_transduction(fitted, toy):
    y = target(type(fitted), toy[1][:150])
    assert hasattr(fitted, "transduction_") == fitted._method.uses_unlabelled
    if hasattr(fitted, "transduction_"):
        known = ~np.isnan(y) & (y > 0)
        np.testing.assert_array_equal(fitted.transduction_[known], y[known])
        assert not np.isnan(fitted.transduction_).any() and (fitted.transduction_ != -1).all()


def test_transform(fitted, toy):
    assert hasattr(fitted, "transform") == fitted._method.has("components", "shape")
    if hasattr(fitted, "transform"):
        Z = fitted.transform(toy[0])
        assert Z.shape == (300, fitted.model_.outputs) == (300, len(fitted.get_feature_names_out()))


@pytest.mark.parametrize("name", CLASSES)
def test_table_becomes_a_class(name):
    cls, method = CLASSES[name], _table.METHODS[name]
    assert getattr(rung, cls.__name__) is cls
    signature = inspect.signature(cls)
    for parameter in method.parameters:
        assert signature.parameters[parameter.name].default == parameter.default
        assert parameter.help[:40] in " ".join(cls.__doc__.split())
    assert clone(cls(random_state=7)).random_state == 7
    published = cls.as_published(n_jobs=2)
    for parameter in method.parameters:
        expected = parameter.default if parameter.published is None else parameter.published
        assert getattr(published, parameter.name) == expected
    assert ("sample_weight" in inspect.signature(cls.fit).parameters) == method.takes_weights
    assert is_classifier(cls()) != is_regressor(cls())
    with pytest.raises(TypeError, match="no parameter 'nonsense'"):
        cls(nonsense=1)
    with pytest.raises(NotFittedError):
        cls().predict([[1.0]])


def test_unlabelled_methods_need_no_y(toy):
    X = toy[0]
    for cls in (rung.KPCA, rung.LPP, rung.NPE, rung.ISOPROJ, rung.OT):
        estimator = cls()
        assert estimator.fit_transform(X).shape == (300, estimator.model_.outputs)
        assert not hasattr(estimator, "predict") and not hasattr(estimator, "decision_function")
    Z = make_pipeline(rung.KPCA(components=3), rung.SVORIM()).fit(X, toy[2])
    assert Z.score(X, toy[2]) > 0.2
    with pytest.raises(ValueError, match="requires y"):
        rung.KDLOR().fit(X, None)


def test_parameters_reach_the_library(toy):
    X, y, _ = toy
    model = rung.KDLOR(gamma=1 / 3, ridge=0.1, thresholds="midpoint", calibrate=0, scale="minmax").fit(X, y)
    told = model.describe()
    assert told["kernel"]["gamma"] == 1 / 3 and told["params"]["ridge"] == "0.1"
    assert told["preprocessing"]["scale"] == "minmax" and told["decision"] == "thresholds"
    assert model.cv_ is None and not hasattr(model, "predict_proba")
    told = rung.MLDA(shape=(2, 1)).fit(X, y).describe()
    assert told["params"]["shape"] == "2x1"
    told = rung.KDLOR(kernel="ard", precisions=np.array([0.1, 2])).fit(X, y).describe()
    assert told["kernel"]["precisions"] == [0.1, 2.0]
    assert rung.GPOR(ard=True).fit(X, y).describe()["params"]["ard"] == "yes"
    with pytest.raises(ValueError, match="ridge"):
        rung.KDLOR(ridge=-1).fit(X, y)
    with pytest.raises(ValueError, match="kernel"):
        rung.KDLOR(kernel="none").fit(X, y)
    with pytest.raises(TypeError, match="ridge="):
        rung.KDLOR(ridge=object()).fit(X, y)


def test_any_method_by_name(toy):
    X, y, truth = toy
    for name, cls in CLASSES.items():
        if name in ("kdlor", "svorex", "isbor"):
            by_name = rung.OrdinalClassifier(name).fit(X, y)
            np.testing.assert_array_equal(by_name.score_samples(X), cls().fit(X, y).score_samples(X))
    model = rung.OrdinalClassifier("es-dl", params={"ridge_kind": "identity", "graph-norm": "normalised"}).fit(X, y)
    assert model.describe()["params"]["ridge-kind"] == "identity"
    assert model.describe()["params"]["graph-norm"] == "normalised"
    assert rung.OrdinalClassifier("krr").fit(X, y).predict(X).dtype == y.dtype  # a regressor's method, on classes
    reals = rung.OrdinalRegressor("ot").fit(X, np.where(y < 0, np.nan, y + 0.25))
    assert abs(np.mean(reals.predict(X)) - truth.mean()) < 1
    assert rung.OrdinalClassifier().method == ("auto" if "auto" in CLASSES else "kdlor")
    with pytest.raises(ValueError, match="there is no method 'nonsense'"):
        rung.OrdinalClassifier("nonsense").fit(X, y)
    with pytest.raises(ValueError, match="has no parameter 'gama'"):
        rung.OrdinalClassifier("kdlor", params={"gama": 1}).fit(X, y)
    with pytest.raises(ValueError, match="learns classes, not real targets"):
        rung.OrdinalRegressor("kdlor").fit(X, truth.astype(float))


def test_two_classes(toy):
    X, _, truth = toy
    y = np.where(truth > 3, "high", "low")
    for name in ("kdlor", "svorim", "isbor", "gpor", "lapsvm", "kda", "median", "llgc"):
        model = CLASSES[name](order=["low", "high"]).fit(X, y)
        values = model.decision_function(X)
        assert values.shape == (300,)
        np.testing.assert_array_equal(np.where(values > 0, "high", "low"), model.predict(X))


def test_weights(toy):
    X, y, _ = toy
    rows = np.where(y == 5, 100.0, 1.0)
    # the weights of rows count rows, also where columns are scaled; those of classes do not
    by_rows = rung.KDLOR(scale="none").fit(X, y, sample_weight=rows).score_samples(X)
    by_class = rung.KDLOR(scale="none", class_weight={5: 100}).fit(X, y).score_samples(X)
    np.testing.assert_array_equal(by_rows, by_class)
    assert (by_rows != rung.KDLOR().fit(X, y).score_samples(X)).any()
    count = np.bincount(y[y > 0])[1:]
    balanced = {k + 1: count.sum() / (5 * n) for k, n in enumerate(count)}
    np.testing.assert_array_equal(
        rung.SVORIM(class_weight="balanced").fit(X, y).score_samples(X),
        rung.SVORIM(class_weight=balanced).fit(X, y).score_samples(X),
    )
    with pytest.raises(ValueError, match="class '9', which does not exist"):
        rung.KDLOR(class_weight={9: 1}).fit(X, y)
    with pytest.raises(ValueError, match="neither 'balanced'"):
        rung.KDLOR(class_weight="equal").fit(X, y)


def test_seed_threads_and_limit(toy):
    X, y, _ = toy
    first = rung.KDLOR(random_state=3, n_jobs=1).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(first, rung.KDLOR(random_state=3, n_jobs=2).fit(X, y).predict_proba(X))
    drawn = rung.KDLOR(random_state=np.random.RandomState(0)).fit(X, y).predict_proba(X)
    assert (first != drawn).any()
    with pytest.raises(MemoryError, match="needs"):
        rung.KDLOR(memory_limit=1000).fit(X, y)


def test_library_messages_become_warnings():
    X, y = [[0.0], [1.0], [2.0]], [1, 2, 3]
    with pytest.warns(rung.RungWarning, match="no class has two labelled rows"):
        rung.KDLOR().fit(X, y)


@pytest.mark.parametrize("name", CLASSES)
def test_one_class(name, toy):
    X = toy[0][:40]
    method = _table.METHODS[name]
    if is_regressor(CLASSES[name]()):
        return
    if method.flags & _table.lib.RUNG_METHOD_NEEDS_TWO_CLASSES:
        with pytest.raises(ValueError, match="at least two classes"):
            CLASSES[name]().fit(X, np.ones(40))
        return
    model = pickle.loads(pickle.dumps(CLASSES[name]().fit(X, np.full(40, 7))))
    assert set(model.predict(X)) == {7} and np.isfinite(model.decision_function(X)).all()


def test_baseline(toy):
    """Label propagation alone, as `rung fit --baseline` reports it: on request, and only where it means something."""
    X, y, _ = toy
    reports = [est.fit(X[:150], y[:150]).describe()["report"] for est in
               (rung.SDL(), rung.SDL(baseline=True), rung.OrdinalClassifier("s-dl", baseline=True))]  # fmt: skip
    assert "propagation_cv_mae" not in reports[0]
    assert 0 < reports[1]["propagation_cv_mae"] == reports[2]["propagation_cv_mae"]
    with pytest.raises(TypeError, match="has no parameter 'baseline'"):
        rung.KDLOR(baseline=True)
    with pytest.raises(ValueError, match="ignores unlabelled rows"):
        rung.OrdinalClassifier("kdlor", baseline=True).fit(X[:150], y[:150])


def test_models_without_rows():
    X, y = rung.generate("toy", rows=60)
    model = rung.BOOST(rounds=10, keep_rows=False).fit(X, y)
    assert not model.describe()["contains_training_rows"]
    with pytest.raises(ValueError, match="this kdlor model contains training rows"):
        rung.KDLOR(keep_rows=False).fit(X, y)
    assert rung.KDLOR().fit(X, y).describe()["contains_training_rows"]
