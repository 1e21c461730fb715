# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal metrics, computed by the library, as functions and as scorers of scikit-learn.

>>> from rung import metrics
>>> metrics.mae([1, 2, 3], [1, 3, 3])
0.3333333333333333
>>> metrics.scorers["mae"]  # for cross_val_score and GridSearchCV
scorer('mae')

The order of the classes is `order`, lowest first, else that of an ordered Categorical (pandas) or Enum (polars), else
that of numbers, which keep their distances: a 1 that should be a 5 is four classes away, unless the order says that
they are neighbours. Other text labels are rejected if the order matters. Classes that do not occur count in amae, mmae
and the kappas if the order names them. Rows without a true label (None, NaN, -1 beside labels from 0 on) are ignored.
A true label may be an interval ("2..4", or all as a pair of arrays (lower, upper)): it counts as its class nearest to
the prediction.
docs/metrics.md has the definitions.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRequest

from . import _labels
from ._base import Classifier
from ._data import groups_of
from ._library import Context, each, ffi, lib, metrics_dict, pointer, struct, text
from ._types import ArrayLike, Labels, Order, Rows

_TABLE = {text(entry.key): entry for entry in each(lib.rung_metric_at)}
MEANING = {key: text(entry.help) for key, entry in _TABLE.items() if not entry.flags & lib.RUNG_METRIC_BOUND}


def _is(name, flag):
    return bool(_TABLE[name].flags & flag)


def _per_row(values, name, n, dtype):
    """One value for every row, None: there are none."""
    if values is None:
        return None
    values = groups_of(values, n) if name == "groups" else np.asarray(values)
    if values.shape != (n,):
        raise ValueError(f"{name} of shape {values.shape} for {n} rows")
    return np.ascontiguousarray(values, dtype)


def _measure(truth, predicted, classes, proba=None, upper=None, sample_weight=None, groups=None):
    truth, predicted = np.ascontiguousarray(truth, np.intc), np.ascontiguousarray(predicted, np.intc)
    if proba is not None:
        proba = np.ascontiguousarray(proba, np.float64)
        if proba.shape != (len(truth), classes):
            raise ValueError(f"probabilities of shape {proba.shape} for {len(truth)} rows and {classes} classes")
    out, options = struct("metrics"), struct("metrics_options")
    upper = None if upper is None else np.ascontiguousarray(upper, np.intc)
    weight = _per_row(sample_weight, "sample_weight", len(truth), np.float64)
    group = _per_row(groups, "groups", len(truth), np.intc)
    options.upper, options.proba = pointer(upper, "int"), pointer(proba)
    options.weight, options.group = pointer(weight), pointer(group, "int")
    ranks = pointer(truth, "int"), pointer(predicted, "int")
    Context().call(lib.rung_metrics_compute, len(truth), classes, *ranks, options, out)
    return metrics_dict(out)


def report(
    y_true: Labels,
    y_pred: Labels,
    proba: ArrayLike | None = None,
    *,
    order: Order = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> dict[str, float]:
    """All metrics as a dict, with the bootstrap range of the mae (mae_low, mae_high) and the number of rows n. groups:
    rows of one value belong together, and the range is one over groups.

    Examples
    --------
    >>> rung.metrics.report([1, 2, 3], [1, 2, 2])["acc"].__round__(3)
    0.667
    """
    whole = proba is None  # else the classes are those of the probabilities
    classes, truth, predicted, upper = _labels.grade(y_true, y_pred, order=order, whole=whole)
    return _measure(truth, predicted, len(classes), proba, upper, sample_weight, groups)


class Metric(Protocol):
    """The signature of a metric: true labels, predicted labels, classes lowest first (None: from the labels), and a
    weight for every row (None: all count the same)."""

    def __call__(
        self, y_true: Labels, y_pred: Labels, *, order: Order = None, sample_weight: ArrayLike | None = None
    ) -> float: ...


def _metric(name: str) -> Metric:
    def metric(
        y_true: Labels, y_pred: Labels, *, order: Order = None, sample_weight: ArrayLike | None = None
    ) -> float:
        classes, truth, predicted, upper = _labels.grade(
            y_true, y_pred, order=order, ordered=not _is(name, lib.RUNG_METRIC_ANY_ORDER), whole=True
        )
        return _measure(truth, predicted, len(classes), upper=upper, sample_weight=sample_weight)[name]

    metric.__name__ = metric.__qualname__ = name
    meaning = MEANING[name][0].upper() + MEANING[name][1:]
    order = "None: that of the labels, see rung.metrics."
    example = f">>> value = rung.metrics.{name}([1, 2, 3], [1, 2, 2])"
    metric.__doc__ = (
        f"{meaning}.\n\ny_true, y_pred: labels. order: the classes, lowest first; {order} sample_weight: of each row; "
        f"one with the weight 3 counts as three.\n\n"
        f"Examples\n--------\n{example}\n"
    )
    return metric


mae = _metric("mae")
mze = _metric("mze")
acc = _metric("acc")
amae = _metric("amae")
mmae = _metric("mmae")
mse = _metric("mse")
gm = _metric("gm")
ms = _metric("ms")
tau = _metric("tau")
spearman = _metric("spearman")
kappa = _metric("kappa")
qkappa = _metric("qkappa")
off1 = _metric("off1")


def rps(
    y_true: Labels, proba: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> float:
    """Ranked probability score: the mean over the rows of the squared error of the cumulative probabilities.

    y_true: labels. proba: (n, K), by classes lowest first. order: the classes; None: those of the labels, which must be
    K.

    Examples
    --------
    >>> rung.metrics.rps([1, 2], [[1.0, 0.0], [0.5, 0.5]])
    0.125
    """
    classes, truth, predicted, upper = _labels.grade(y_true, order=order)
    return _measure(truth, predicted, len(classes), proba, upper, sample_weight)["rps"]


def _inner(estimator):
    """The estimator of rung, also inside a pipeline or search; None: it is of another package."""
    while estimator is not None and not isinstance(estimator, Classifier):
        steps = getattr(estimator, "steps", None)
        estimator = getattr(estimator, "best_estimator_", None) or (steps[-1][1] if steps else None)
    return estimator


def _order_of(estimator, y):
    """The order of the classes: that of an estimator of rung. Others sort their classes alphabetically; then it is the
    order of the labels y, or None."""
    inner = _inner(estimator)
    return _labels.own_order(y) if inner is None else inner.classes_


def _by_class(estimator, proba, classes):
    """The probabilities of an estimator, whose columns are in the order of its own classes, by these classes; None: it
    has others."""
    if not set(estimator.classes_) <= set(classes.tolist()):
        return None
    out = np.zeros((len(proba), len(classes)))
    out[:, _labels.ranks_of(estimator.classes_, classes) - 1] = proba
    return out


class Scorer:
    """scorer(estimator, X, y, sample_weight): a metric of the estimator's predictions for the labelled rows of X,
    larger is better (so errors are negative). The classes are those of the estimator, whichever occur in y."""

    def __init__(self, name: str, order: Order = None) -> None:
        self.name = name
        self.order = order
        self._request: bool | str | None = None

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """A scorer that asks for sample weights where scikit-learn routes metadata, as its own scorers do."""
        scorer = Scorer(self.name, self.order)
        scorer._request = sample_weight
        return scorer

    def get_metadata_routing(self) -> MetadataRequest:
        """What the scorer asks for."""
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._request)
        return request

    def __call__(self, estimator: Any, X: Rows, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        order = _order_of(estimator, y) if self.order is None else self.order
        seen = estimator.classes_
        classes = _labels.grade(seen, seen, order=order, ordered=not _is(self.name, lib.RUNG_METRIC_ANY_ORDER))[0]
        known, low, high = _labels.ends(y, classes, getattr(_inner(estimator), "unlabelled", "auto"))
        X = _safe_indexing(X, np.flatnonzero(known))
        classes = _labels.with_others(classes, _labels.named(low, high))
        truth, upper = _labels.ranks_between(low, high, classes)
        predicted = _labels.ranks_of(estimator.predict(X), classes)
        proba = None
        if _is(self.name, lib.RUNG_METRIC_NEEDS_PROBABILITIES):
            proba = _by_class(estimator, estimator.predict_proba(X), classes)
        weight = _per_row(sample_weight, "sample_weight", len(known), np.float64)
        weight = weight if weight is None else weight[known]
        value = _measure(truth, predicted, len(classes), proba, upper, weight)[self.name]
        return value if _is(self.name, lib.RUNG_METRIC_LARGER_BETTER) else -value

    def __repr__(self) -> str:
        return f"scorer({self.name!r}{'' if self.order is None else f', order={np.asarray(self.order).tolist()!r}'})"


scorers = {name: Scorer(name) for name in MEANING}


def scorer(name: str, *, order: Order = None) -> Scorer:
    """The scorer of a metric, for `scoring=`. order: the classes, lowest first; needed for text labels with
    estimators of other packages, which sort their classes alphabetically.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = rung.generate("toy", rows=200)
    >>> cross_val_score(rung.KDLOR(), X, y, scoring=rung.metrics.scorer("mae")).shape
    (5,)
    """
    if name not in scorers:
        raise ValueError(f"there is no metric {name!r}; there are {', '.join(scorers)}")
    return scorers[name] if order is None else Scorer(name, order)


__all__ = ["report", "scorer", "scorers", *MEANING]
