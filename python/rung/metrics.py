# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal metrics, computed by the library, as functions and as scorers of scikit-learn.

>>> from rung import metrics
>>> metrics.mae([1, 2, 3], [1, 3, 3])
0.3333333333333333
>>> metrics.scorers["mae"]  # for cross_val_score and GridSearchCV
scorer('mae')

Classes are the sorted labels of both arguments, or `order`, lowest first: a class that does not occur counts in amae,
mmae and the kappas. Rows whose true label is missing are left out. docs/metrics.md has the definitions.
"""

import numpy as np

from . import _labels
from ._library import Context, ffi, lib, pointer

MEANING = {
    "mae": "mean absolute error, in classes",
    "mze": "share of rows in the wrong class",
    "acc": "share of rows in the right class",
    "amae": "mae of each class, averaged over the classes",
    "mmae": "mae of the worst class",
    "mse": "mean squared error, in classes",
    "gm": "geometric mean of the classes' recalls",
    "ms": "recall of the worst class",
    "rps": "ranked probability score; the second argument is the probabilities (n, K)",
    "tau": "Kendall's tau-b, 1 = same order",
    "spearman": "Spearman's rank correlation",
    "kappa": "Cohen's kappa with linear weights, agreement beyond chance",
    "qkappa": "kappa with quadratic weights",
    "off1": "share of rows at most one class off",
}
LESS_IS_BETTER = ("mae", "mze", "amae", "mmae", "mse", "rps")


def _measure(truth, predicted, classes, proba=None):
    truth, predicted = np.ascontiguousarray(truth, np.intc), np.ascontiguousarray(predicted, np.intc)
    if proba is not None:
        proba = np.ascontiguousarray(proba, np.float64)
        if proba.shape != (len(truth), classes):
            raise ValueError(f"probabilities of shape {proba.shape} for {len(truth)} rows and {classes} classes")
    out = ffi.new("rung_metrics *")
    arrays = pointer(truth, "int"), pointer(predicted, "int"), pointer(proba)
    Context().call(lib.rung_metrics_compute, len(truth), classes, *arrays, out)
    return {name: getattr(out, name) for name, _ in ffi.typeof("rung_metrics").fields}


def _rows(y_true, y_pred, order):
    """Classes and ranks of both, without the rows that have no true label."""
    known, y_true = _labels.labelled_rows(y_true, None)
    y_true = np.array(y_true[known].tolist())
    y_pred = np.asarray(y_pred)
    if len(y_pred) != len(known):
        raise ValueError(f"{len(known)} true and {len(y_pred)} predicted labels")
    y_pred = y_pred[known]
    classes = np.unique(np.concatenate([y_true, y_pred])) if order is None else np.asarray(order)
    return classes, _labels.ranks_of(y_true, classes), _labels.ranks_of(y_pred, classes)


def report(y_true, y_pred, proba=None, *, order=None):
    """All metrics as a dict, with the bootstrap range of the mae (mae_low, mae_high) and the number of rows n."""
    classes, truth, predicted = _rows(y_true, y_pred, order)
    if proba is not None:
        proba = np.asarray(proba)[_labels.labelled_rows(y_true, None)[0]]
    return _measure(truth, predicted, len(classes), proba)


def _function(name):
    def metric(y_true, y_pred, *, order=None):
        classes, truth, predicted = _rows(y_true, y_pred, order)
        return _measure(truth, predicted, len(classes))[name]

    metric.__name__ = metric.__qualname__ = name
    meaning = MEANING[name][0].upper() + MEANING[name][1:]
    order = "order: the classes, lowest first; None: the sorted labels."
    metric.__doc__ = f"{meaning}.\n\ny_true, y_pred: labels. {order}"
    return metric


globals().update({name: _function(name) for name in MEANING if name != "rps"})


def rps(y_true, proba, *, order=None):
    """Ranked probability score: the mean over the rows of the squared error of the cumulative probabilities.

    y_true: labels. proba: (n, K), by classes lowest first. order: the classes; None: the sorted labels, which must be
    K.
    """
    known, y_true = _labels.labelled_rows(y_true, None)
    y_true = np.array(y_true[known].tolist())
    classes = np.unique(y_true) if order is None else np.asarray(order)
    truth = np.zeros(len(known), np.intc)
    truth[known] = _labels.ranks_of(y_true, classes)
    return _measure(truth, np.maximum(truth, 1), len(classes), proba)["rps"]


class Scorer:
    """scorer(estimator, X, y): a metric of the estimator's predictions for the labelled rows of X, larger is better (so
    errors are negative). The classes are those of the estimator, whatever occurs in y."""

    def __init__(self, name):
        self.name = name

    def __call__(self, estimator, X, y):
        unlabelled = getattr(estimator, "unlabelled", "auto")
        known, y = _labels.labelled_rows(y, unlabelled)
        X = X.iloc[known] if hasattr(X, "iloc") else np.asarray(X)[known]
        truth = _labels.ranks_of(y[known].tolist(), estimator.classes_)
        predicted = _labels.ranks_of(estimator.predict(X), estimator.classes_)
        proba = estimator.predict_proba(X) if self.name == "rps" else None
        value = _measure(truth, predicted, len(estimator.classes_), proba)[self.name]
        return -value if self.name in LESS_IS_BETTER else value

    def __repr__(self):
        return f"scorer({self.name!r})"


scorers = {name: Scorer(name) for name in MEANING}


def scorer(name):
    """The scorer of a metric, for `scoring=`."""
    if name not in scorers:
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(scorers)}")
    return scorers[name]


__all__ = ["report", "scorer", "scorers", *MEANING]
