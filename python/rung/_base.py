# SPDX-License-Identifier: BSD-3-Clause
"""Base classes of the estimators. The table of methods determines which of them a method's class combines; see
methods.py."""

from __future__ import annotations

import inspect
import numbers
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, column_or_1d

from . import _data, _intervals, _labels, _linear, _random, _table
from ._library import Context, ffi, lib, pointer
from ._linear import Summary
from ._model import Model
from ._progress import Progress
from ._types import ArrayLike, Labels, Rows, Self, available_if


def _threads(n_jobs):
    """None: all cores, or what OMP_NUM_THREADS says (joblib sets it for its workers); -1: all, -2: all but one."""
    if n_jobs is None:
        allowed = os.environ.get("OMP_NUM_THREADS", "")
        return int(allowed) if allowed.isdigit() else 0
    return max(int(n_jobs), 0) if n_jobs >= -1 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seed_of(random_state):
    if isinstance(random_state, numbers.Integral):
        return int(random_state) & 0xFFFFFFFFFFFFFFFF
    return int(check_random_state(random_state).randint(2**31))


def cost_matrix(ctx, cost, classes):
    """The costs as a matrix (truth, answer): from a rule such as 'squared', or a matrix; None: none."""
    if cost is None:
        return None
    if isinstance(cost, str):
        matrix = np.empty((classes, classes))
        ctx.call(lib.rung_cost_parse, cost.encode(), classes, pointer(matrix))
        return matrix
    matrix = np.ascontiguousarray(cost, dtype=np.float64)
    if matrix.shape != (classes, classes):
        raise ValueError(
            f"cost has the shape {matrix.shape}, but there are {classes} classes: expected a row per true class and a "
            "column per answer"
        )
    ctx.call(lib.rung_cost_check, classes, pointer(matrix), 0.0)
    return matrix


_WITHOUT_EFFECT = ("n_jobs", "verbose", "random_state")


class Estimator(BaseEstimator):
    """Parameters, fitting and prediction through the library; subclasses define what is predicted."""

    model_: Model
    cv_: dict[str, float] | None
    cv_median_: dict[str, float] | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    transduction_: NDArray[Any]

    def _spec(self):
        """The method and the values of its parameters, under the library's names."""
        values = {p.key: (p, getattr(self, p.name)) for p in self._method.parameters}
        return self._method, {key: p.text(value) for key, (p, value) in values.items() if value is not None}

    def _context(self, fitting=False, call="{}.fit(X, y)".format):
        """call: the call that fits, given that of the class, for the model to keep."""
        seed = seed_of(self.random_state) if fitting else 1
        progress = Progress() if fitting and self.verbose else None
        memory = self.memory_limit or 0
        if not isinstance(memory, numbers.Real):
            raise TypeError(f"memory_limit={memory!r} is not a number of bytes")
        if memory < 0 or 0 < memory < 1:
            raise ValueError(f"memory_limit={memory!r} is not a number of bytes")
        ctx = Context(seed=seed, threads=_threads(self.n_jobs), memory=int(memory), progress=progress)
        if fitting:
            ctx.call(lib.rung_ctx_set_note, b"call", call(self._made(seed)).encode())
        return ctx

    def _made(self, seed):
        """The call that makes this estimator; what does not change the model is left out."""
        defaults = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
        given = {name: value for name, value in self.get_params(deep=False).items() if name not in _WITHOUT_EFFECT}
        given = {name: value for name, value in given.items() if repr(value) != repr(defaults[name])}
        if seed != 1:
            given["random_state"] = seed
        words = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"rung.{type(self).__name__}({words})"

    def _prepare(self, X, y, sample_weight, groups, classes=(), ranks=None, targets=None, upper=None):
        """Context and data for a fit to checked rows."""
        if sample_weight is not None:
            given = _labels.without_mask(sample_weight)
            sample_weight = _check_sample_weight(given, X, dtype=np.float64, ensure_non_negative=True)
        if ranks is None:
            ranks = np.zeros(len(X), dtype=np.intc)
        ctx = self._context(fitting=True)
        data = _data.training_data(ctx, self, X, y, classes, ranks, targets, sample_weight)
        if upper is not None:
            ctx.call(lib.rung_data_set_upper, data, pointer(upper, "int"))
        if groups is not None:
            check_consistent_length(X, groups)
            numbers = _data.groups_of(groups, len(X))
            ctx.call(lib.rung_data_set_groups, data, pointer(numbers, "int"))
        return ctx, data

    def _train(self, *rows, **more):
        ctx, data = self._prepare(*rows, **more)
        self.model_ = Model(self._learn(ctx, data))
        self.cv_, self.cv_median_ = self.model_.cv, self.model_.cv_median
        return ctx

    def _new_spec(self, ctx):
        """The library's spec of the method with its parameters, scaling and class weights."""
        method, values = self._spec()
        spec = ctx.make("spec", lib.rung_spec_new, method.name.encode(), 0)
        for key, value in values.items():
            ctx.call(lib.rung_spec_set, spec, key.encode(), value.encode())
        ctx.call(lib.rung_spec_set_scale, spec, str(self.scale).encode())
        ctx.call(lib.rung_spec_set_equal_rows, spec, str(self.equal_rows).encode())
        if not getattr(self, "keep_rows", True):
            ctx.call(lib.rung_spec_set_keep_rows, spec, 0)
        balanced, weights = self._class_weights()
        if balanced:
            ctx.call(lib.rung_spec_set_balanced, spec, 1)
        for name, weight in weights:
            ctx.call(lib.rung_spec_set_class_weight, spec, name.encode(), weight)
        if getattr(self, "baseline", False):
            ctx.call(lib.rung_spec_set_baseline, spec, 1)
        return spec

    def _set_cost(self, ctx, spec, data):
        cost = cost_matrix(ctx, getattr(self, "cost", None), lib.rung_data_classes(data))
        if cost is not None:
            ctx.call(lib.rung_spec_set_cost, spec, len(cost), pointer(cost), 0.0)

    def _given_spec(self, ctx, data):
        """The same with the costs of wrong answers, for the classes of the data."""
        spec = self._new_spec(ctx)
        self._set_cost(ctx, spec, data)
        return spec

    def _learn(self, ctx, data):
        """The library's model of its data."""
        return ctx.make("model", lib.rung_model_fit, self._given_spec(ctx, data), data, call=ctx.run)

    def _class_weights(self):
        """Whether the library balances the classes, and weights by their names."""
        wanted = getattr(self, "class_weight", None)
        if wanted is None:
            return False, []
        if isinstance(wanted, str):
            if wanted != "balanced":
                raise ValueError(f"class_weight={wanted!r} is neither 'balanced' nor a dict nor None")
            return True, []
        return False, [(_labels.class_name(label), float(weight)) for label, weight in wanted.items()]

    def _predict(self, X, *wanted, level=0.0, by_class=False, rows=None, cost=None, abstain=None):
        """rows: those to predict; None: all."""
        check_is_fitted(self)
        X = _data.check(self, X, reset=False)
        if rows is not None:
            X = _data.rows_of(X, rows)
        ctx = self._context()
        matrix = cost_matrix(ctx, cost, self.model_.classes)
        how = {"level": level, "by_class": by_class, "cost": matrix, "abstain": abstain or 0.0}
        return self._predict_checked(ctx, X, *wanted, **how)

    def _predict_checked(self, ctx, X, *wanted, **options):
        rows = _data.rows_to_predict(ctx, self, X)
        return self.model_.predict(ctx, rows, len(X), *wanted, **options)

    def score_samples(self, X: Rows) -> NDArray[np.float64]:
        """The latent score of every row: (n,), or (n, outputs) if the method has several.

        For methods with thresholds, a larger score means a higher class.
        """
        (score,) = self._predict(X, "score")
        return score[:, 0] if score.shape[1] == 1 else score

    def describe(self) -> dict[str, Any]:
        """The contents of the fitted model, as in `rung inspect --json`."""
        check_is_fitted(self)
        return self.model_.description

    def _linear(self):
        check_is_fitted(self)
        rows = _linear.coefficients(self.model_)
        if not rows:
            raise AttributeError(
                f"the score of {self.model_.method} is not linear in the columns: it has no coefficients"
            )
        return rows

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients on the scale of the data, of every column (a category: its differences from the first one); with
        several scores one row for each. Only where the score is linear in the columns: `pom`, `kernel='linear'`."""
        self._linear()
        scores = [[row["value"] for row in _linear.coefficients(self.model_, o)] for o in range(self.model_.outputs)]
        return np.array(scores[0] if len(scores) == 1 else scores)

    @property
    def thresholds_(self) -> NDArray[np.float64]:
        """Thresholds between the classes that had labels, on the scale of X @ coef_."""
        self._linear()
        return np.array([row["value"] for row in _linear.thresholds(self.model_)])

    @property
    def random_effects_(self) -> list[dict[str, Any]]:
        """`MIXED` only: for each term of `random` its name, the standard deviations of its effects with their ranges
        (effects: name, sd, sd_low, sd_high), their correlation, the test of the term (chi2, df, p), and for each of the
        groups the modes of its effects and their standard errors (arrays with a row per group)."""
        check_is_fitted(self)
        terms = _random.random_effects(self.model_)
        if not terms:
            raise AttributeError(f"the model of {self.model_.method} has no random effects: MIXED(random=...) has")
        return terms

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Trees only: the share of the loss reduction that is due to each column."""
        check_is_fitted(self)
        if lib.rung_model_trees(self.model_.pointer, ffi.NULL) == 0:
            raise AttributeError(f"{self.model_.method} has no trees; rung.explain.importance works for every method")
        gain = np.zeros(self.n_features_in_)  # of a column that the model left out, or that is only derived from: 0
        model = self.model_.pointer
        gain[_data.places_of(self)] = [
            lib.rung_model_gain(model, lib.rung_model_input(model, i)) for i in range(len(self.model_.inputs))
        ]
        return gain

    def summary(self) -> Summary:
        """Coefficients with standard errors, p-values and odds ratios, thresholds, and a test of proportional odds."""
        self._linear()
        return _linear.summary(self.model_)

    def __sklearn_is_fitted__(self):
        return "model_" in vars(self)

    @classmethod
    def as_published(cls, **params: Any) -> Self:
        """An estimator with the parameter values of the paper; params override them."""
        published = {p.name: p.published for p in cls._method.parameters if p.published is not None}
        return cls(**{**published, **params})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "median"
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = getattr(self, "kernel", None) == "precomputed"
        tags.target_tags.required = self._method.needs_labels
        return tags


# ---- how fit is called ----


class Weighted:
    _fit: Any

    def fit(
        self, X: Rows, y: Labels, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d)
            The rows. Columns of text are coded one-of-k, missing cells by the median. A sparse matrix is converted to a
            dense array.
        y : array-like of shape (n,)
            The labels. None, NaN and (see `unlabelled`) -1 mark an unlabelled row. A label may be an interval of
            classes: text such as "2..4", "<=2", ">=4" or "low..mid", or all labels as a pair of arrays (lower, upper).
            pom, ogp, gpor, boost, auto and median take such labels.
        sample_weight : array-like of shape (n,), default None
            A weight per row; a row of weight 0 counts as unlabelled.
        groups : array-like of shape (n,), default None
            A value per row. Rows of one group (one patient, one school) are held out together.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups)


def _refuse(estimator, unknown):
    """Rejects arguments that fit does not have. sample_weight is not in the signature, so that ensembles of
    scikit-learn draw rows instead of weighting them."""
    if unknown.pop("sample_weight", None) is not None:
        weighted = [name for name, method in _table.METHODS.items() if method.takes_weights]
        raise TypeError(
            f"{estimator._method.name} ({type(estimator).__name__}) does not support sample_weight; these methods do: "
            f"{', '.join(weighted)}"
        )
    if unknown:
        raise TypeError(f"{type(estimator).__name__}.fit has no argument {', '.join(map(repr, sorted(unknown)))}")


class Unweighted:
    _fit: Any

    def fit(self, X: Rows, y: Labels, groups: ArrayLike | None = None, **unknown: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d)
            The rows. Columns of text are coded one-of-k, missing cells by the median. A sparse matrix is converted to a
            dense array.
        y : array-like of shape (n,)
            The labels. None, NaN and (see `unlabelled`) -1 mark an unlabelled row.
        groups : array-like of shape (n,), default None
            A value per row. Rows of one group (one patient, one school) are held out together.

        Returns
        -------
        self
        """
        _refuse(self, unknown)
        return self._fit(X, y, None, groups)


class Unsupervised:
    _fit: Any

    def fit(self, X: Rows, y: Labels | None = None, **unknown: Any) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (n, d)
            The rows. Columns of text are coded one-of-k, missing cells by the median. A sparse matrix is converted to a
            dense array.
        y : array-like of shape (n,), default None
            The labels, used by `predict` but not by the projection. None, NaN and (see `unlabelled`) -1 mark an
            unlabelled row.

        Returns
        -------
        self
        """
        _refuse(self, unknown)
        return self._fit(X, y)


# ---- what is predicted ----


def _may_have_probabilities(estimator):
    if "model_" in vars(estimator):
        return estimator.model_.has_probabilities
    method, values = estimator._spec()
    return method.has_probabilities or str(values.get("calibrate") or 0) != "0"


def _has_classes(estimator):
    return "classes_" not in vars(estimator) or len(estimator.classes_) > 0


class Classifier(ClassifierMixin, Estimator):
    classes_: NDArray[Any]

    def _checked(self, X, y):
        """Checked X, and the classes, ranks and upper ranks (None: no intervals) of y."""
        if y is None and self._method.needs_labels:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = _data.check(self, X, reset=True)
        if y is None:
            return X, np.empty(0, dtype=int), np.zeros(len(X), dtype=np.intc), None
        check_consistent_length(X, _intervals.rows_of(y))
        return X, *_labels.rank(y, self.order, self.unlabelled)

    def _fit(self, X, y, sample_weight=None, groups=None):
        X, classes, ranks, upper = self._checked(X, y)
        self.classes_ = classes
        ctx = self._train(X, y, sample_weight, groups, classes, ranks, upper=upper)
        if self._method.uses_unlabelled and len(classes) and self.model_.has_ranks:
            known = ranks if upper is None else ranks * (upper == ranks)
            said = self._transduce(ctx, X, known)
            if upper is not None:  # a prediction stays within the interval
                said = np.where(ranks > 0, np.clip(said, ranks, upper), said)
            self.transduction_ = classes[said - 1]
        return self

    def _transduce(self, ctx, X, ranks):
        """The given ranks, and the ranks that the fit predicts for the unlabelled rows."""
        if self.model_.training_rows:
            (said,) = self.model_.predict(ctx, None, len(ranks), "rank")
            return np.where(ranks > 0, ranks, said)
        open_rows = np.flatnonzero(ranks == 0)
        out = ranks.copy()
        if len(open_rows):
            (out[open_rows],) = self._predict_checked(ctx, _data.rows_of(X, open_rows), "rank")
        return out

    @available_if(_has_classes)
    def predict(
        self, X: Rows, *, cost: str | ArrayLike | None = None, abstain: float | None = None
    ) -> NDArray[Any]:
        """The predicted class of every row.

        cost : costs of wrong answers instead of those of the fit, as in the parameter `cost`
        abstain : the cost of no answer: where every class is expected to cost more, the answer is None
        """
        if abstain is not None and not abstain > 0:
            raise ValueError(f"abstain={abstain!r} is not a cost above 0")
        (rank,) = self._predict(X, "rank", cost=cost, abstain=abstain)
        if abstain is None and np.all(rank > 0):
            return self.classes_[rank - 1]
        return np.array([self.classes_[r - 1] if r else None for r in rank], dtype=object)

    @available_if(_may_have_probabilities)
    def predict_proba(self, X: Rows) -> NDArray[np.float64]:
        """The probabilities of the classes, in the order of `classes_`: (n, K).

        The predicted class need not be the most probable one: for most methods it is the median of these
        probabilities.
        """
        (proba,) = self._predict(X, "proba")
        return proba

    @available_if(_may_have_probabilities)
    def predict_log_proba(self, X: Rows) -> NDArray[np.float64]:
        """The logarithms of the probabilities of the classes (-inf: impossible), in the order of `classes_`: (n, K)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_interval(self, X: Rows, level: float = 0.9, *, by_class: bool = False) -> NDArray[Any]:
        """Prediction interval: the lowest and highest class, which contain the true one with this probability: (n, 2).

        Intervals are conformal, based on rows held out of the fit. Without such rows (`calibrate=0`) methods with a
        posterior give credible ones (see `describe()['interval']`); for the others it is an error.

        `by_class`: the intervals contain the true class with this probability in every class with enough labels (nine
        for 0.9), not only over all rows, of which a rare class is a small part. They are conformal, too.
        """
        low, high = self._predict(X, "low", "high", level=level, by_class=by_class)
        return np.column_stack([self.classes_[low - 1], self.classes_[high - 1]])

    @available_if(_has_classes)
    def decision_function(self, X: Rows) -> NDArray[np.float64]:
        """A value per class, largest for the predicted class: (n, K); for two classes one per row, positive for the
        second.

        With thresholds on the score: the distance of the score from the nearest end of the class's interval, negative
        outside. With class means: minus the squared distance to the mean. Otherwise the probabilities, or the same
        distance on their cumulative sum.
        """
        wanted = ["rank", "score"] + ["proba"] * _may_have_probabilities(self)
        rank, score, *proba = self._predict(X, *wanted)
        values = self._decision_values(rank, score, *proba)
        if len(self.classes_) == 2:
            return (values[:, 1] - values[:, 0]) / 2
        return values

    def _decision_values(self, rank, score, proba=None):
        model = self.model_
        present, thresholds, means, decision = model.present, model.thresholds, model.means, model.decision
        # if the latent value has a variance, thresholds on its mean are the median of the probabilities
        by_threshold = decision in ("thresholds", "calibrated") and len(thresholds) and np.isfinite(thresholds).all()
        by_threshold = by_threshold and model.interval != "credible"
        if len(present) == 1:
            seen = np.zeros((len(rank), 1))
        elif len(means):
            seen = -((score[:, None, :] - means[None]) ** 2).sum(axis=2)
        elif by_threshold:
            seen = _margins(score[:, :1], np.tile(thresholds, (len(score), 1)))
        elif proba is None:
            seen = score if score.shape[1] == len(present) else -np.abs(rank[:, None] - 1 - present[None])
        elif decision == "argmax":
            seen = proba[:, present]
        else:
            seen = _margins(0.5, np.cumsum(proba[:, present], axis=1)[:, :-1])
        values = np.full((len(rank), len(self.classes_)), -np.inf)
        values[:, present] = seen
        row = np.arange(len(rank))
        best = values.max(axis=1)
        # on a boundary, which only the method can decide; rank 0: no answer
        tie = (values.argmax(axis=1) != rank - 1) & (rank > 0)
        values[row[tie], rank[tie] - 1] = np.nextafter(best[tie], np.inf)
        never = np.isneginf(values)  # classes without labels
        return np.where(never, seen.min(axis=1, keepdims=True) - 1, values)

    def score(self, X: Rows, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """The accuracy over the labelled rows; `rung.metrics` has ordinal metrics and scorers."""
        known, low, high = _labels.ends(y, self.classes_, self.unlabelled)
        _labels.check_kind(low, self.classes_)
        (rank,) = self._predict(X, "rank", rows=np.flatnonzero(known))
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        if high is None:
            right = _labels.ranks_of(low, self.classes_, unknown=0) == rank
        else:
            ranks, upper = _labels.ranks_between(low, high, self.classes_)
            right = (ranks <= rank) & (rank <= (ranks if upper is None else upper))
        return float(np.average(right, weights=weights))


def _margins(value, thresholds):
    """How far a value lies inside the interval of each class (negative: outside), given the K - 1 increasing thresholds
    between them. For the median of probabilities the value is 1/2 and the thresholds are their cumulative sums."""
    value, thresholds = np.broadcast_arrays(value, thresholds)
    end = np.full((len(thresholds), 1), np.inf)
    return np.minimum(np.hstack([end, value - thresholds]), np.hstack([thresholds - value, end]))


class Regressor(RegressorMixin, Estimator):
    def _fit(self, X, y, sample_weight=None, groups=None):
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = _data.check(self, X, reset=True)
        check_consistent_length(X, y)
        targets = np.array(column_or_1d(_labels.without_mask(y), warn=True), dtype=np.float64)
        ctx = self._train(X, y, sample_weight, groups, (), None, targets)
        if self._method.uses_unlabelled:
            self.transduction_ = targets.copy()
            open_rows = np.isnan(targets)
            if self.model_.training_rows:
                (score,) = self.model_.predict(ctx, None, len(targets), "score")
            else:
                (score,) = self._predict_checked(ctx, X, "score")
            self.transduction_[open_rows] = score[open_rows, 0]
        return self

    def predict(self, X: Rows) -> NDArray[np.float64]:
        """The predicted target of every row."""
        (score,) = self._predict(X, "score")
        return score[:, 0]

    def score(self, X: Rows, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """The coefficient of determination over the rows with a target."""
        targets = np.asarray(_labels.without_mask(y), dtype=np.float64)
        known = ~np.isnan(targets)
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        (score,) = self._predict(X, "score", rows=np.flatnonzero(known))
        return r2_score(targets[known], score[:, 0], sample_weight=weights)


class Projection(TransformerMixin):
    def transform(self, X: Rows) -> NDArray[np.float64]:
        """The coordinates of every row in the projection: (n, components)."""
        (score,) = self._predict(X, "score")
        return score

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """kpca0, kpca1, ...: a name per component."""
        check_is_fitted(self)
        return np.array([f"{type(self).__name__.lower()}{i}" for i in range(self.model_.outputs)], dtype=object)


# ---- any method by name ----


class ByName:
    """The method is a parameter, and its parameters are a dict."""

    @property
    def _method(self):
        return _table.find(self.method)

    def _spec(self):
        method, own = self._method, {}
        by_name = {p.name: p for p in method.parameters} | {p.key: p for p in method.parameters}
        for name, value in (self.params or {}).items():
            if name not in by_name:
                raise ValueError(
                    f"{method.name} has no parameter {name!r}; it has {', '.join(p.name for p in method.parameters)}"
                )
            if value is not None:
                own[by_name[name].key] = by_name[name].text(value)
        return method, own

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = (self.params or {}).get("kernel") == "precomputed"
        return tags
