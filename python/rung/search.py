# SPDX-License-Identifier: BSD-3-Clause
"""The library's search for methods and parameters, `rung tune`, and the error by number of labels, `rung curve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.random import RandomState

from . import _base, _table
from ._library import c_text, ffi, keep, lib, pointer, struct, texts
from ._types import ArrayLike, Columns, Labels, Order, Rows, Self


class OrdinalSearch(_base.Classifier):
    """The best of several methods and parameters by cross-validation, fitted to all rows, as in `rung tune`.

    Distances, kernel matrices and factorisations are computed only once, so it takes a fraction of the time of
    GridSearchCV. Only labelled rows are held out; the others are always used for training.

    Parameters
    ----------
    methods : name or list of names, default None
        None: the default method.
    grid : dict of lists, default None
        Values to try, by parameter, instead of the grids of the methods: {"gamma": [0.1, 1, "10/d"]}.
    fixed : dict, default None
        Fixed values of parameters.
    metric : key of rung.metrics, or 'cost' (see `cost`), default 'mae'
    folds : int, default 5
        -1: leave-one-out.
    repeats : int, default 0
        0: 5 up to 60 labelled rows, 2 up to 150, else 1.
    one_se : bool, default False
        The smoothest model within one standard error of the best.
    nested : bool, default False
        Also repeat the whole search, with scaling and fits, without the rows measured: `report_["nested"]`.
    scale, missing, order, unlabelled, class_weight, cost, equal_rows, nominal, numeric, dates, ordinal, derive,
    random_state, n_jobs, memory_limit, verbose
        As in the estimators of the methods.

    Attributes
    ----------
    best_method_ : its name
    best_params_ : its parameters
    corrected_ : dict, the metrics corrected for the choice, as in cv_: `report_["cv"]` has those of the winner alone,
        which are too good, because it is the best of many. None: a single point.
    report_ : the results of the search, as in `rung tune --json`
    classes_, cv_, model_, n_features_in_, feature_names_in_, transduction_ : as in the estimators of the methods

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> search = rung.OrdinalSearch(["kdlor", "pom"], grid={"ridge": [0.01, 0.1]}, repeats=1).fit(X, y)
    >>> search.best_method_
    'kdlor'
    """

    best_method_: str
    best_params_: dict[str, Any]
    corrected_: dict[str, float] | None
    report_: dict[str, Any]

    def __init__(
        self,
        methods: str | Sequence[str] | None = None,
        *,
        grid: Mapping[str, Sequence[Any]] | None = None,
        fixed: Mapping[str, Any] | None = None,
        metric: str = "mae",
        folds: int = 5,
        repeats: int = 0,
        one_se: bool = False,
        nested: bool = False,
        scale: Literal["standard", "minmax", "rank", "relevance", "none"] = "standard",
        missing: Literal["median", "error"] = "median",
        order: Order = None,
        unlabelled: Any = "auto",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost: str | ArrayLike | None = None,
        equal_rows: Literal["auto", "together", "apart"] = "auto",
        nominal: Columns | None = None,
        numeric: Columns | None = None,
        dates: Columns | None = None,
        ordinal: Mapping[Any, Sequence[Any]] | None = None,
        derive: str | Sequence[str] | None = None,
        random_state: int | RandomState | None = 1,
        n_jobs: int | None = None,
        memory_limit: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.methods = methods
        self.grid = grid
        self.fixed = fixed
        self.metric = metric
        self.folds = folds
        self.repeats = repeats
        self.one_se = one_se
        self.nested = nested
        self.scale = scale
        self.missing = missing
        self.order = order
        self.unlabelled = unlabelled
        self.class_weight = class_weight
        self.cost = cost
        self.equal_rows = equal_rows
        self.nominal = nominal
        self.numeric = numeric
        self.dates = dates
        self.ordinal = ordinal
        self.derive = derive
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose

    def fit(self, X: Rows, y: Labels, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None) -> Self:
        """Search and fit.

        X, y, sample_weight: as in the estimators of the methods. groups: a value per row; rows of one group are held
        out together.
        """
        return self._fit(X, y, sample_weight, groups)

    @property
    def _candidates(self):
        names = [_table.DEFAULT] if self.methods is None else np.atleast_1d(self.methods).tolist()
        return [_table.find(name) for name in names]

    @property
    def _method(self):
        return _table.find(self.best_method_) if hasattr(self, "best_method_") else self._candidates[0]

    def _spec(self):
        return self._method, {p.key: p.text(p.default) for p in self._method.parameters if p.default is not None}

    def _words(self, values, join):
        """name=text for every parameter of a dict."""
        rows = {name: p for method in self._candidates for p in method.parameters for name in (p.name, p.key)}
        for name in values or {}:
            if name not in rows:
                raise ValueError(f"none of the methods has a parameter {name!r}")
        return [f"{rows[name].key}={join(rows[name], value)}" for name, value in (values or {}).items()]

    def _options(self, kind, **lists):
        """The library's options common to a search and a curve."""
        balanced, weights = self._class_weights()
        lists |= {
            "methods": [method.name for method in self._candidates],
            "fixed": self._words(self.fixed, lambda row, value: row.text(value)),
            "weights": ["balanced"] * balanced + [f"{name}={weight!r}" for name, weight in weights],
        }
        kept = {name: texts(words, end=True) for name, words in lists.items()}
        kept |= {name: c_text(getattr(self, name)) for name in ("metric", "scale", "equal_rows")}
        options = struct(f"{kind}_options")
        for name, value in kept.items():
            setattr(options, name, value)
        options.repeats = self.repeats
        return keep(options, kept)

    def _learn(self, ctx, data):
        for name, values in (self.grid or {}).items():
            if isinstance(values, str) or not np.iterable(values):
                raise ValueError(
                    f"grid: {name}={values!r} is not a list of values; give a single value in fixed={{...}}"
                )
        grids = self._words(self.grid, lambda row, values: ",".join(row.text(value) for value in values))
        options = self._options("tune", grids=grids)
        options.leave_one_out = int(self.folds == -1)
        options.folds = 0 if self.folds == -1 else self.folds
        options.one_se, options.nested = int(self.one_se), int(self.nested)
        options.groups = lib.rung_data_groups(data)
        cost = _base.cost_matrix(ctx, self.cost, lib.rung_data_classes(data))
        options.cost = pointer(cost)
        model, found = ffi.new("rung_model **"), ffi.new("rung_search **")
        ctx.run(lib.rung_tune_run, options, data, model, found)
        self.report_ = ctx.described(lib.rung_search_describe, ffi.gc(found[0], lib.rung_search_free))
        self.corrected_ = self.report_["corrected"]
        model = ffi.gc(model[0], lib.rung_model_free)
        self._tell(model)
        return model

    def _curve(self, X, y, sizes, strategies=None, more=None):
        """The report of a label curve of the methods, as a dict."""
        X, classes, ranks, upper = self._checked(X, y)
        ctx, data = self._prepare(X, y, None, None, classes, ranks, upper=upper)
        options = self._options("curve")
        if sizes is not None:
            sizes = np.ascontiguousarray(sizes, dtype=np.intc)
            options.sizes, options.n_sizes = pointer(sizes, "int"), len(sizes)
        if strategies is not None:
            ways = texts([strategies] if isinstance(strategies, str) else list(strategies), end=True)
            options.strategies = ways
        options.more, options.no_forecast = more or 0, int(more == 0)
        out = ffi.new("rung_curve **")
        ctx.run(lib.rung_curve_run, options, data, out)
        curve = ctx.described(lib.rung_curve_describe, ffi.gc(out[0], lib.rung_curve_free))
        for line in curve["lines"]:
            line["mean"], line["se"] = zip(*map(_mean_and_error, line["values"]), strict=True)
        return curve

    def _tell(self, model):
        best = _base.Model(model)
        self.best_method_ = best.method
        rows = {p.key: p for p in _table.METHODS[best.method].parameters}
        self.best_params_ = {rows[key].name: rows[key].value(value) for key, value in best.params.items()}


def _mean_and_error(values):
    """Mean and standard error over the repeats; None if one of them has no value."""
    if None in values:
        return None, None
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def label_curve(
    X: Rows,
    y: Labels,
    methods: str | Sequence[str] | None = None,
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 0,
    strategies: str | Sequence[str] | None = None,
    more: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The error by number of labels, with and without the unlabelled rows, as in `rung curve`.

    Each repeat holds out a third of the labelled rows as a test set. Of the remaining labels an increasing number per
    class is kept, and every method is fitted with and without the unlabelled rows.

    Parameters
    ----------
    X, y : rows and labels, as in the estimators
    methods : name or list of names, default None
        None: the default method.
    sizes : labels per class, increasing, default None
        None: 5, 10, 20, ... as far as the data allow. With strategies: labels in total.
    repeats : int, default 0
        0: 10.
    strategies : "random", "suggest" or both, default None
        Labelling is replayed: from two labels per class on, the next rows are drawn at random, or suggested as by
        `rung.suggest`, in batches of 12 up to 120 labels.
    more : forecast the error after this many more labels, default None
        None: as many as there are; 0: no forecast, which saves time.
    fixed, metric, scale, missing, order, unlabelled, class_weight, equal_rows, nominal, numeric, dates, ordinal,
    derive, random_state, n_jobs, memory_limit, verbose
        As in OrdinalSearch.

    Returns
    -------
    dict like that of `rung curve --json`: sizes (labels), and lines with the values of all repeats, their mean and
    standard error (se) per size, and the forecast of `rung.suggest`; `rung.plot_curve` draws it.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> curve = rung.label_curve(X, y, "kdlor", sizes=[5, 10], repeats=3)
    >>> [line["method"] for line in curve["lines"]]
    ['kdlor', 'median']
    """
    unknown = sorted(set(options) - set(CURVE_OPTIONS))
    if unknown:
        raise TypeError(f"label_curve has no argument {', '.join(map(repr, unknown))}")
    return OrdinalSearch(methods, repeats=repeats, **options)._curve(X, y, sizes, strategies, more)


CURVE_OPTIONS = (
    "fixed", "metric", "scale", "missing", "order", "unlabelled", "class_weight", "equal_rows", "nominal", "numeric",
    "dates", "ordinal", "derive", "random_state", "n_jobs", "memory_limit", "verbose",
)  # fmt: skip
