# SPDX-License-Identifier: BSD-3-Clause
"""Model files, shared with the command line, and generated data sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _base, _labels, methods
from ._library import Context, ffi, lib
from ._model import Model
from ._table import METHODS
from ._types import Path


def save(estimator: _base.Estimator, path: Path) -> None:
    """Save a fitted estimator as a model file, which the command line can also read.

    The file holds the model, its classes and the names of its columns, but no Python code. Kernel models contain
    training rows.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> rung.save(rung.KDLOR().fit(X, y), "model.rung")  # for: rung predict model.rung NEW.csv
    >>> rung.load("model.rung")
    KDLOR()
    """
    if not isinstance(estimator, _base.Estimator):
        raise TypeError(
            f"a model file holds an estimator of rung, not a {type(estimator).__name__}: save the estimator inside, "
            "without the steps around it, or pickle the whole"
        )
    check_is_fitted(estimator)
    estimator.model_.save(path)


def to_onnx(estimator: _base.Estimator, *, with_rows: bool = False, level: float = 0.9) -> bytes:
    """The model of a fitted estimator as an ONNX model, which onnxruntime and others predict with.

    It has one named input per column, with a number per row (text for categories), and the outputs `rank` (from 1),
    `score`, `probabilities`, `sd` and `interval` (classes from 1), so far as the model has them. The metadata have the
    classes in their order. Kernel models contain training rows, which must be allowed by `with_rows`. `level` is the
    probability with which the interval contains the true class.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> model = rung.POM().fit(X, y)
    >>> len(rung.to_onnx(model)) > 1000  # for: onnxruntime.InferenceSession(rung.to_onnx(model))
    True
    """
    return _fitted_model(estimator).export("onnx", with_rows, level)


def to_html(
    estimator: _base.Estimator,
    *,
    title: str | None = None,
    text: str | None = None,
    disclaimer: str | None = None,
    with_rows: bool = False,
    level: float = 0.9,
) -> str:
    """The model of a fitted estimator as a page that predicts in any browser, offline.

    It has a form with the columns of the training data, shows the probabilities of the classes, the prediction interval
    and what moved the answer, and predicts tables that are pasted into it. `text` stands below the `title`,
    `disclaimer` at the end; None: the default. Kernel models contain training rows, which must be allowed by
    `with_rows`. `level` is the probability with which the interval contains the true class.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> rung.to_html(rung.POM().fit(X, y), title="Grade")[:15]  # for: open("grade.html", "w").write(...)
    '<!doctype html>'
    """
    texts = {"title": title, "text": text, "disclaimer": disclaimer}
    return _fitted_model(estimator).export("html", with_rows, level, **texts).decode()


def _fitted_model(estimator: Any) -> Model:
    if not isinstance(estimator, _base.Estimator):
        raise TypeError(f"expected an estimator of rung, not a {type(estimator).__name__}")
    check_is_fitted(estimator)
    return estimator.model_


def load(path: Path) -> Any:
    """Load a fitted estimator from a model file written by `rung fit -o` or `rung.save`.

    Its class is that of the method, or OrdinalClassifier or OrdinalRegressor if that class does not predict the kind of
    target of the model. If all class names are numbers, they become numbers. Parameters of the method, scaling, costs
    and the order of named classes are those of the model; what else the fit was told, such as class weights, is in
    `describe()["made"]`.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> rung.save(rung.KDLOR(ridge=0.1).fit(X, y), "model.rung")
    >>> rung.load("model.rung").predict(X[:3])
    array([4, 4, 2])
    """
    return estimator_of(Model.load(path))


def estimator_of(model):
    """The fitted estimator of a model alone."""
    cls = methods.CLASSES.get(model.method)
    wanted = _base.Regressor if model.is_real else _base.Classifier
    params = {"scale": model.scale}
    if not model.is_real:
        classes = _labels.classes_from_names(model.class_names)
        params |= {"order": classes.tolist()} if classes.dtype.kind == "U" else {}
        params |= {} if model.cost is None else {"cost": model.cost}
    own = {}
    for row in METHODS[model.method].parameters if cls else ():
        if row.key in model.params:
            own[row.name] = row.value(model.params[row.key])
    if cls and issubclass(cls, wanted):
        estimator = cls(**own, **params)
    else:
        by_name = methods.OrdinalRegressor if model.is_real else methods.OrdinalClassifier
        estimator = by_name(model.method, params=own or None, **params)
    return fitted(estimator, model)


def fitted(estimator, model):
    """The estimator with its model; the classes are as in its order, otherwise as in a model file."""
    columns = [name for name, _ in model.inputs]
    estimator.model_ = model
    estimator.cv_, estimator.cv_median_ = model.cv, model.cv_median
    estimator.n_features_in_ = len(columns)
    if all(columns):
        estimator.feature_names_in_ = np.array(columns, dtype=object)
        estimator._from_file = True  # files have columns that the model left out
    if not model.is_real:
        order = np.asarray(() if getattr(estimator, "order", None) is None else estimator.order)
        same = [_labels.class_name(label) for label in order.tolist()] == model.class_names
        estimator.classes_ = order if same else _labels.classes_from_names(model.class_names)
    return estimator


def generate(
    name: str = "toy",
    rows: int = 300,
    *,
    noise: float | None = None,
    unlabelled: float = 0.0,
    random_state: int | RandomState | None = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A generated data set, as from `rung generate`: X and y, with -1 for unlabelled rows.

    name: toy, isbor, gauss4, swissroll, manifold. noise: None for the default of the data set. unlabelled: the share of
    rows whose label is hidden; every class keeps at least one.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=6, unlabelled=0.5)
    >>> X.shape
    (6, 2)
    """
    ctx = Context(seed=_base.seed_of(random_state))
    data = ctx.make("data", lib.rung_data_generate, name.encode(), rows, -1.0 if noise is None else noise, unlabelled)
    n, d = lib.rung_data_rows(data), lib.rung_data_features(data)
    X = np.frombuffer(ffi.buffer(lib.rung_data_view(data).v, n * d * 8)).reshape(n, d).copy()
    y = np.frombuffer(ffi.buffer(lib.rung_data_ranks(data), n * 4), dtype=np.intc).astype(np.int64)
    return X, np.where(y == 0, -1, y)
