# SPDX-License-Identifier: BSD-3-Clause
"""Which columns a fitted model uses, and how, as in `rung explain`; `rung.plot_importance` and its like draw it."""

from __future__ import annotations

import json
from typing import Any

from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _data
from ._base import Estimator, seed_of
from ._library import Context, ffi, lib, struct, text
from ._types import Labels, Rows


def _call(function, *arguments, random_state):
    """The report of a function of the library, as a dict."""
    ctx = Context(seed=seed_of(random_state))
    out = ffi.new("char **")
    ctx.run(function, *arguments, out)
    return json.loads(text(ffi.gc(out[0], lib.rung_free)))


def importance(
    estimator: Estimator, X: Rows, y: Labels, *, repeats: int = 5, rows: int = 2000, random_state: Any = 1
) -> dict[str, Any]:
    """By how much the error rises when a column is permuted among labelled rows, which the model should not have seen.

    Parameters
    ----------
    estimator : a fitted estimator
    X, y : labelled rows
    repeats : permutations of each column
    rows : the most rows to use, chosen at random

    Returns
    -------
    dict like that of `rung explain --json`: the error of the rows; for each column, the most important first, the rise of
    mae and rps (mean, low, high: a 95 % range over rows) and the share of it that the other columns can stand in for
    (others); the same for groups of related columns; and whether the model was fitted to these rows (seen).
    """
    check_is_fitted(estimator)
    X = _data.check(estimator, X, reset=False)
    check_consistent_length(X, y)
    data = _data.labelled_data(Context(), estimator, X, y)
    options = struct("importance_options")
    options.repeats, options.rows = repeats, rows
    return _call(lib.rung_importance_run, estimator.model_.pointer, data, options, random_state=random_state)
