# SPDX-License-Identifier: BSD-3-Clause
"""The library's own search for method and parameters, `rung tune`."""

import json

import numpy as np

from . import _base, _table
from ._library import c_text, ffi, keep, lib, pointer, text, texts


class OrdinalSearch(_base.Classifier):
    """The best of some methods and parameters by cross-validation, fitted to all rows: what `rung tune` does.

    It computes nothing twice, distances, kernel matrices and factorisations least of all, so it takes a fraction of the
    time of GridSearchCV. Only labelled rows are held out; the others are always in training.

    Parameters
    ----------
    methods : name or list of names, default None
        None: the default method.
    grid : dict of lists, default None
        Values to try, by parameter, instead of the methods' own grids: {"gamma": [0.1, 1, "10/d"]}.
    fixed : dict, default None
        Values that are not searched.
    metric : key of rung.metrics, default 'mae'
    folds : int, default 5
        -1: leave one out.
    repeats : int, default 0
        0: 5 up to 60 labelled rows, 2 up to 150, else 1.
    one_se : bool, default False
        The smoothest model within one standard error of the best.
    nested : bool, default False
        Cross-validate the search itself as well, for an honest error: `report_["nested"]`.
    scale, missing, order, unlabelled, class_weight, random_state, n_jobs, memory_limit, verbose
        As in the estimators of the methods.

    Attributes
    ----------
    best_method_ : its name
    best_params_ : its parameters
    report_ : what was tried, as `rung tune --json` tells it
    classes_, cv_, model_, n_features_in_, feature_names_in_, transduction_ : as in the estimators of the methods
    """

    def __init__(
        self,
        methods=None,
        *,
        grid=None,
        fixed=None,
        metric="mae",
        folds=5,
        repeats=0,
        one_se=False,
        nested=False,
        scale="standard",
        missing="median",
        order=None,
        unlabelled="auto",
        class_weight=None,
        random_state=1,
        n_jobs=None,
        memory_limit=None,
        verbose=False,
    ):
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
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None, groups=None):
        """Search and fit.

        X, y, sample_weight: as in the estimators of the methods. groups: a value per row; rows of one group are held
        out together.
        """
        self._groups = None if groups is None else np.unique(groups, return_inverse=True)[1].astype(np.intc)
        try:
            return self._fit(X, y, sample_weight)
        finally:
            del self._groups

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
                raise ValueError(f"no method searched has a parameter {name!r}")
        return [f"{rows[name].key}={join(rows[name], value)}" for name, value in (values or {}).items()]

    def _learn(self, ctx, data, class_weights):
        if self._groups is not None and len(self._groups) != lib.rung_data_rows(data):
            raise ValueError(f"{len(self._groups)} groups for {lib.rung_data_rows(data)} rows")
        options = ffi.new("rung_tune_options *")
        lists = {
            "methods": [method.name for method in self._candidates],
            "fixed": self._words(self.fixed, lambda row, value: row.text(value)),
            "grids": self._words(self.grid, lambda row, values: ",".join(row.text(value) for value in values)),
            "weights": [f"{name}={weight!r}" for name, weight in class_weights],
        }
        kept = {name: texts(words, end=True) for name, words in lists.items()}
        kept |= {name: c_text(getattr(self, name)) for name in ("metric", "scale")}
        for name, value in kept.items():
            setattr(options, name, value)
        options.folds, options.repeats = self.folds, self.repeats
        options.one_se, options.nested = int(self.one_se), int(self.nested)
        options.groups = pointer(self._groups, "int")
        report = ffi.new("char **")
        model = ffi.new("rung_model **")
        ctx.run(lib.rung_tune_run, keep(options, kept), data, model, report)
        self.report_ = json.loads(text(ffi.gc(report[0], lib.rung_free)))
        model = ffi.gc(model[0], lib.rung_model_free)
        self._tell(model)
        return model

    def _tell(self, model):
        told = _base.Model(model).description
        self.best_method_ = told["method"]
        rows = {p.key: p for p in _table.METHODS[told["method"]].parameters}
        self.best_params_ = {rows[key].name: rows[key].value(value) for key, value in told["params"].items()}
