# SPDX-License-Identifier: BSD-3-Clause
"""One estimator class per method, generated from the library's table when this module is imported.

The name of a class is that of its method in capitals without dashes: `kdlor` is KDLOR, `es-dl` is ESDL; `auto` is
AutoOrdinal. A method's parameters are those of the table, with underscores for dashes (`lambda` is `lambda_`).
"""

import inspect
import textwrap

from . import _base, _signatures, _table

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


def _make(method):
    names = _signatures.bases(method)
    bases = tuple(getattr(_base, name) for name in names)
    body = {
        "__init__": _constructor(_signatures.defaults(method)),
        "__doc__": _document(method, bases[-1], _signatures.common(names[-1], method)),
        "__module__": __name__,
        "_method": method,
    }
    return type(method.class_name, bases, body)


class OrdinalClassifier(_base.ByName, _base.Weighted, _base.Classifier):
    def __init__(self, method=_table.DEFAULT, *, params=None, scale="standard", missing="median", order=None,
                 unlabelled="auto", class_weight=None, cost=None, baseline=False, equal_rows="auto", keep_rows=True,
                 nominal=None, numeric=None, dates=None, ordinal=None, derive=None, random_state=1, n_jobs=None,
                 memory_limit=None, verbose=False):  # fmt: skip
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
        self.keep_rows = keep_rows
        self.nominal = nominal
        self.numeric = numeric
        self.dates = dates
        self.ordinal = ordinal
        self.derive = derive
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose


class OrdinalRegressor(_base.ByName, _base.Unweighted, _base.Regressor):
    def __init__(self, method="krr", *, params=None, scale="standard", missing="median", equal_rows="auto",
                 keep_rows=True, nominal=None, numeric=None, dates=None, ordinal=None, derive=None, random_state=1,
                 n_jobs=None, memory_limit=None, verbose=False):  # fmt: skip
        self.method = method
        self.params = params
        self.scale = scale
        self.missing = missing
        self.equal_rows = equal_rows
        self.keep_rows = keep_rows
        self.nominal = nominal
        self.numeric = numeric
        self.dates = dates
        self.ordinal = ordinal
        self.derive = derive
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.verbose = verbose


def _document_by_name(cls, title, names):
    common = _signatures.common(_signatures.BY_NAME[cls.__name__][-1])
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
