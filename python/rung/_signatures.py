# SPDX-License-Identifier: BSD-3-Clause
"""The bases and parameters of the estimators, from the library's table: for the classes (methods.py) and for their
description to type checkers (_stubs.py)."""

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
    "keep_rows": (
        "bool",
        True,
        "False: a model that contains no training row, to give away. `auto` then averages models that need none; other "
        "methods raise ValueError if their models do.",
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
    "derive": (
        "str | Sequence[str] | None",
        None,
        "Columns computed from others, beside these: ['age:sex', 'x^2', 'log(x)', '(x - 50)/10', 'poly(x, 3)']; those "
        "of an array are called x1, x2, ... They are a part of the model.",
    ),
    "random": (
        "str | Sequence[str] | None",
        None,
        "Columns of groups, which have effects of their own and are no features: 'judge', 'school/class', "
        "'(temp | judge)', or several of them.",
    ),
    "known_groups": (
        "bool",
        False,
        "The reported error is that of new rows of known groups: rows are held out one by one, not whole groups.",
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
FOR_GROUPS = {"random", "known_groups"}
NOT_FOR_REGRESSORS = {"order", "unlabelled", "class_weight", "cost", "baseline"}
BY_NAME = {  # classes that take any method by name: their bases
    "OrdinalClassifier": ("ByName", "Weighted", "Classifier"),
    "OrdinalRegressor": ("ByName", "Unweighted", "Regressor"),
}


def bases(method):
    """The names of the base classes of a method's class."""
    kind = "Regressor" if method.takes_reals and method.needs_labels else "Classifier"
    fit = "Weighted" if method.takes_weights else "Unweighted" if method.needs_labels else "Unsupervised"
    return ("Projection",) * method.projects + (fit, kind)


def common(kind, method=None):
    """The rows of COMMON for a class, by the name of its last base, and its method; None: any method."""
    left_out = set(NOT_FOR_REGRESSORS) if kind == "Regressor" else set()
    if method is None or method.name != "mixed":
        left_out |= FOR_GROUPS
    if method is not None and not method.takes_weights:
        left_out.add("class_weight")
    if method is not None and not method.uses_unlabelled:
        left_out.add("baseline")
    return {name: row for name, row in COMMON.items() if name not in left_out}


def defaults(method):
    """All parameters of a method's class: name -> default."""
    rows = common(bases(method)[-1], method)
    return {p.name: p.default for p in method.parameters} | {name: row[1] for name, row in rows.items()}
