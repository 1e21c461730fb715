# SPDX-License-Identifier: BSD-3-Clause
"""One estimator class per method, generated from the library's table when this module is imported.

The name of a class is that of its method in capitals without dashes: `kdlor` is KDLOR, `es-dl` is ESDL; `auto` is
AutoOrdinal. A method's parameters are those of the table, with underscores for dashes (`lambda` is `lambda_`).
"""

import inspect
import textwrap

from . import _base, _table

COMMON = {  # parameters that are not the method's own: annotation, default, meaning
    "scale": (
        "Literal['standard', 'minmax', 'rank', 'relevance', 'none']",
        "standard",
        "How columns are scaled, by all rows given to fit, labelled or not. Part of the model: `predict` takes raw "
        "rows.",
    ),
    "missing": (
        "Literal['median', 'error']",
        "median",
        "Missing values in X: 'median' replaces numbers by the median of their column in training and makes missing "
        "text a category; 'error' rejects them.",
    ),
    "order": (
        "Sequence[Any] | None",
        None,
        "The classes, lowest first. None: the order of an ordered Categorical (pandas) or Enum (polars), else the "
        "sorted labels; text other than numbers is sorted alphabetically, with a warning.",
    ),
    "unlabelled": (
        "Any",
        "auto",
        "The value in y that marks an unlabelled row, besides None and NaN. 'auto': -1, if there are at least two "
        "other labels, all integers >= 0; None: no other value.",
    ),
    "class_weight": (
        "Mapping[Any, float] | Literal['balanced'] | None",
        None,
        "Class weights; 'balanced': inversely proportional to the class frequencies.",
    ),
    "cost": (
        "str | ArrayLike | None",
        None,
        "What wrong answers cost: `predict` then gives the class that is expected to cost least. 'absolute', "
        "'squared', 'zero-one', 'up=2,down=1' (per class too high, too low), or a matrix with a row per true class and "
        "a column per answer. None: the method's own decision.",
    ),
    "baseline": (
        "bool",
        False,
        "Also report the cross-validated MAE of label propagation alone, which the method should beat: "
        "`describe()['report']['propagation_cv_mae']`.",
    ),
    "equal_rows": (
        "Literal['auto', 'together', 'apart']",
        "auto",
        "Labelled rows that agree in every column: 'together' are copies of one, which are held out together wherever "
        "an error is measured, 'apart' are replicates, which are held out one by one; 'auto' tells them apart by "
        "counts.",
    ),
    "nominal": (
        "Columns | None",
        None,
        "Columns of X that are categories, whatever they look like: names, or numbers from 0. A dict also says with "
        "which category coefficients compare the others: {'ward': 'north'}.",
    ),
    "numeric": (
        "Columns | None",
        None,
        "Columns of X that are numbers: codes such as 007, numbers with commas, columns that only count the rows, "
        "which are otherwise left out with a warning.",
    ),
    "dates": (
        "Columns | None",
        None,
        "Columns of X that are dates. A dict also says how: {'day': 'cyclic'} adds the place in the year and the week; "
        "'dmy', 'mdy', 'ymd' and 'compact' say how they are written.",
    ),
    "ordinal": (
        "Mapping[Any, Sequence[Any]] | None",
        None,
        "Columns of X that are words in an order, lowest first: {'size': ['small', 'medium', 'large']}.",
    ),
    "random_state": (
        "int | RandomState | None",
        1,
        "The seed, mainly for folds. None: drawn from NumPy's generator.",
    ),
    "n_jobs": ("int | None", None, "Threads; None and -1: all cores. The result never depends on it."),
    "memory_limit": ("int | None", None, "Bytes; a fit that needs more is rejected before it starts."),
    "verbose": ("bool", False, "Show the progress of the fit and the estimated time left on standard error."),
}
NOT_FOR_REGRESSORS = {"order", "unlabelled", "class_weight", "cost", "baseline"}


def _common(cls, method=None):
    """The rows of COMMON for a class and its method; None: any method."""
    left_out = set(NOT_FOR_REGRESSORS) if issubclass(cls, _base.Regressor) else set()
    if method is not None and not method.takes_weights:
        left_out.add("class_weight")
    if method is not None and not method.uses_unlabelled:
        left_out.add("baseline")
    return {name: row for name, row in COMMON.items() if name not in left_out}


def _constructor(defaults):
    """An __init__ with an explicit signature that stores its arguments, as scikit-learn requires."""

    def __init__(self, **params):
        unknown = set(params) - set(defaults)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no parameter {', '.join(map(repr, sorted(unknown)))}")
        for name, default in defaults.items():
            setattr(self, name, params.get(name, default))

    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, default in defaults.items()
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([own, *keywords])
    return __init__


def _entry(name, kind, default, help):
    words = textwrap.fill(help.rstrip(".") + ".", 112, initial_indent="    ", subsequent_indent="    ")
    return f"{name} : {kind}, default {default!r}\n{words}"


def _attributes(kind, method):
    rows = [
        ("model_", "the trained model"),
        ("n_features_in_", "columns of X"),
        ("feature_names_in_", "their names, if they have any"),
    ]
    rows += [("cv_", "dict of out-of-fold metrics of the fit, or None (see `calibrate`)")]
    rows += [("cv_median_", "the same of always predicting the median of the labels, on the same rows")]
    if kind is _base.Classifier:
        rows.insert(0, ("classes_", "the classes, lowest first"))
    if method is None or method.uses_unlabelled:
        rows.append(("transduction_", "the labels of the training rows: those given, and predictions for the others"))
    return "\n".join(f"{name} : {meaning}" for name, meaning in rows)


def _section(title, body):
    return f"{title}\n{'-' * len(title)}\n{body}\n"


def _document(method, kind, common):
    learns = "all rows, labelled or not" if method.uses_unlabelled else "the labelled rows; others only for scaling"
    entries = [_entry(p.name, p.range, p.default, p.help) for p in method.parameters]
    entries += [_entry(name, annotation, default, help) for name, (annotation, default, help) in common.items()]
    return "\n".join(
        [
            f"{method.title}.\n",
            textwrap.fill(f"The method `{method.name}`. Learns from {learns}. Cost: {method.cost}.", 116) + "\n",
            _section("Parameters", "\n".join(entries)),
            _section("Attributes", _attributes(kind, method)),
            _section("References", textwrap.fill(method.reference, 116)),
            _section("Examples", _example(f"rung.{method.class_name}({_shape(method)})", kind)),
        ]
    )


def _shape(method):
    return "shape=(2, 1)" if method.has("shape") else ""


def _example(made, kind):
    target = "X[:, 0]" if kind is _base.Regressor else "y"
    return (
        ">>> import rung\n"
        '>>> X, y = rung.generate("toy", rows=60, unlabelled=0.5)\n'
        f">>> model = {made}.fit(X, {target})\n"
        ">>> model.predict(X).shape\n"
        "(60,)"
    )


def parts(method):
    """The base classes of a method's class."""
    kind = _base.Regressor if method.takes_reals and method.needs_labels else _base.Classifier
    fit = _base.Weighted if method.takes_weights else _base.Unweighted if method.needs_labels else _base.Unsupervised
    return (_base.Projection,) * method.projects + (fit, kind)


def defaults(method):
    """All parameters of a method's class: name -> default."""
    common = _common(parts(method)[-1], method)
    return {p.name: p.default for p in method.parameters} | {name: row[1] for name, row in common.items()}


def _make(method):
    bases = parts(method)
    body = {
        "__init__": _constructor(defaults(method)),
        "__doc__": _document(method, bases[-1], _common(bases[-1], method)),
        "__module__": __name__,
        "_method": method,
    }
    return type(method.class_name, bases, body)


class OrdinalClassifier(_base.ByName, _base.Weighted, _base.Classifier):
    def __init__(self, method=_table.DEFAULT, *, params=None, scale="standard", missing="median", order=None,
                 unlabelled="auto", class_weight=None, cost=None, baseline=False, equal_rows="auto", nominal=None,
                 numeric=None, dates=None, ordinal=None, random_state=1, n_jobs=None, memory_limit=None,
                 verbose=False):  # fmt: skip
        self.method = method
        self.params = params
        self.scale = scale
        self.missing = missing
        self.order = order
        self.unlabelled = unlabelled
        self.class_weight = class_weight
        self.cost = cost
        self.baseline = baseline
        self.equal_rows = equal_rows
        self.nominal = nominal
        self.numeric = numeric
        self.dates = dates
        self.ordinal = ordinal
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose


class OrdinalRegressor(_base.ByName, _base.Unweighted, _base.Regressor):
    def __init__(self, method="krr", *, params=None, scale="standard", missing="median", equal_rows="auto",
                 nominal=None, numeric=None, dates=None, ordinal=None, random_state=1, n_jobs=None, memory_limit=None,
                 verbose=False):  # fmt: skip
        self.method = method
        self.params = params
        self.scale = scale
        self.missing = missing
        self.equal_rows = equal_rows
        self.nominal = nominal
        self.numeric = numeric
        self.dates = dates
        self.ordinal = ordinal
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose


def _document_by_name(cls, title, names):
    common = _common(cls)
    own = [
        _entry("method", "name of a method", inspect.signature(cls).parameters["method"].default, f"one of {names}"),
        _entry("params", "dict", None, "the method's own parameters, by name"),
    ]
    own += [_entry(name, annotation, default, help) for name, (annotation, default, help) in common.items()]
    kind = _base.Regressor if issubclass(cls, _base.Regressor) else _base.Classifier
    method = '"krr", params={"gamma": 0.5}' if kind is _base.Regressor else '"kdlor", params={"ridge": 0.1}'
    made = f"rung.{cls.__name__}({method})"
    sections = [
        ("Parameters", "\n".join(own)),
        ("Attributes", _attributes(kind, None)),
        ("Examples", _example(made, kind)),
    ]
    cls.__doc__ = "\n".join([f"{title}\n", *(_section(*one) for one in sections)])


_document_by_name(OrdinalClassifier, "Any method, by name, for classes.", ", ".join(_table.METHODS))
_document_by_name(
    OrdinalRegressor,
    "A method that supports real targets, by name.",
    ", ".join(name for name, method in _table.METHODS.items() if method.takes_reals),
)
CLASSES = {method.name: _make(method) for method in _table.METHODS.values()}
globals().update({cls.__name__: cls for cls in CLASSES.values()})
__all__ = ["OrdinalClassifier", "OrdinalRegressor", *(cls.__name__ for cls in CLASSES.values())]
