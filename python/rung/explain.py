# SPDX-License-Identifier: BSD-3-Clause
"""Which columns a fitted model uses, and how, as in `rung explain`; `rung.plot_importance` and its like draw it."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _data, _intervals
from ._base import Estimator, seed_of
from ._library import Context, each, ffi, finite, finite_list, lib, struct, text
from ._types import Columns, Labels, Rows

__all__ = ["effects", "importance", "row"]


def _explained(kind, function, *arguments, random_state):
    """What a function of the library finds: an object of this kind."""
    ctx = Context(seed=seed_of(random_state))
    return ctx.make(kind, function, *arguments, call=ctx.run)


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
    dict like that of `rung explain --json`: the error of the rows; for each column, the most important first, the rise
    of mae and rps (mean, low, high: a 95 % range over rows) and the share of it that the other columns can stand in for
    (others); the same for groups of related columns; and whether the model was fitted to these rows (seen).

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> new, truth = rung.generate("toy", rows=200, random_state=2)
    >>> report = rung.explain.importance(rung.KDLOR().fit(X, y), new, truth)
    >>> sorted(column["name"] for column in report["columns"]), report["seen"]
    (['x1', 'x2'], False)
    """
    check_is_fitted(estimator)
    X = _data.check(estimator, X, reset=False)
    check_consistent_length(X, _intervals.rows_of(y))
    data = _data.labelled_data(Context(), estimator, X, y)
    options = struct("importance_options")
    options.repeats, options.rows = repeats, rows
    found = _explained(
        "importance", lib.rung_importance_run, estimator.model_.pointer, data, options, random_state=random_state
    )
    return _importance_dict(found)


def _importance_dict(found):
    about, permuted = lib.rung_importance_about(found), list(each(lib.rung_importance_at, found))
    keys = [text(key) for key in about.loss]

    def ranges(of):
        parts = ("mean", "low", "high")
        there = [{part: finite(getattr(one, part)) for part in parts} for one in of]
        return {key: one if one["mean"] is not None else None for key, one in zip(keys, there, strict=True)}

    return {
        "rows": about.rows,
        "labelled": about.labelled,
        "repeats": about.repeats,
        "folds": about.folds or None,
        "seen": bool(about.seen),
        "second": keys[1],
        "error": ranges(about.error),
        "columns": [
            {"name": text(one.column[0]), "others": finite(one.others), "group": one.group or None} | ranges(one.rise)
            for one in permuted
            if one.n == 1
        ],
        "groups": [
            {"columns": [text(name) for name in ffi.unpack(one.column, one.n)]} | ranges(one.rise)
            for one in permuted
            if one.n > 1
        ],
    }


def _rows(estimator, X):
    check_is_fitted(estimator)
    X = _data.check(estimator, X, reset=False)
    ctx = Context()
    return _data.unlabelled_data(ctx, estimator, X)


def effects(
    estimator: Estimator,
    X: Rows,
    columns: Columns | None = None,
    *,
    pair: bool = False,
    points: int = 0,
    rows: int = 500,
    random_state: Any = 1,
) -> dict[str, Any]:
    """How the answer and the probability of every class change along columns.

    Parameters
    ----------
    estimator : a fitted estimator
    X : rows to average over
    columns : names, or positions from 0; default None: all of them
    pair : the joint effect of the two columns given, as a map
    points : of a column of numbers, at quantiles of its values; default 0: 21, or 11 for a pair
    rows : the most rows to use, chosen at random

    Returns
    -------
    dict like that of `rung explain --effects --json`: for each column its points (values; of dates in days since 1970,
    and as text in `dates`), partial dependence
    (dependence) and accumulated local effects (local, centred; None for categories) of the expected rank, and the same
    of the class probabilities.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> report = rung.explain.effects(rung.KDLOR().fit(X, y), X, columns=[0], points=5)
    >>> len(report["columns"][0]["local"])
    5
    """
    data, options = _rows(estimator, X), struct("effects_options")
    chosen = _data.columns_of_model(estimator, "columns", columns)
    options.columns = chosen
    options.points, options.rows, options.pair = points, rows, int(pair)
    model = estimator.model_
    found = _explained("effects", lib.rung_effects_run, model.pointer, data, options, random_state=random_state)
    return _effects_dict(model.class_names, found)


def _effects_dict(classes, found):
    about, columns = lib.rung_effects_about(found), list(each(lib.rung_effects_at, found))
    report = {
        "rows": about.rows,
        "average": about.average,
        "classes": classes,
        "columns": [_effect_dict(one, about.classes) for one in columns],
    }
    if about.map != ffi.NULL:
        report["map"] = _lists(about.map, *(one.n for one in columns))
        report["interaction"] = about.interaction
    return report


def _effect_dict(one, classes):
    texts = None if one.text == ffi.NULL else [text(word) for word in ffi.unpack(one.text, one.n)]
    return {
        "name": text(one.name),
        "category": bool(one.category),
        "values": texts if one.category else finite_list(one.value, one.n),
        **({"dates" if one.dates else "words": texts} if texts is not None and not one.category else {}),
        "counts": ffi.unpack(one.count, one.n),
        "rug": finite_list(one.rug, one.rugs),
        "dependence": finite_list(one.dependence, one.n),
        "local": finite_list(one.local, one.n),
        "dependence_classes": _lists(one.class_dependence, one.n, classes),
        "local_classes": _lists(one.class_local, one.n, classes),
    }


def _lists(values, n, width):
    """n lists of width numbers each; None for NULL."""
    return None if values == ffi.NULL else [finite_list(values + k * width, width) for k in range(n)]


def row(
    estimator: Estimator,
    X: Rows,
    index: int,
    *,
    fixed: Columns | None = None,
    background: Rows | None = None,
    samples: int = 0,
    rows: int = 0,
    random_state: Any = 1,
) -> dict[str, Any]:
    """Why a row of X gets its answer: the contribution of every column against the average row of a background, and the
    smallest change that would move it one class down or up.

    Parameters
    ----------
    estimator : a fitted estimator
    X : rows
    index : of the row, from 0
    fixed : columns that cannot change, by name, or position from 0
    background : rows to compare with, such as those of the fit; changes stay within their values; default None: X
    samples : pairs of orders of the columns; default 0: all sets of columns or, where that would take more than about a
        second, as many pairs as it allows
    rows : the most rows of the background to use; default 0: all, or as many as about a second allows

    Returns
    -------
    dict like that of `rung explain --row --json`: answer, average, columns with their contribution (Shapley values,
    which add up to the difference) and its standard error, whether they are exact (all sets of columns against all rows
    of the background: every error is 0), and changes down and up (None: none was found).

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> report = rung.explain.row(rung.KDLOR().fit(X, y), X, 0)
    >>> total = sum(column["contribution"] for column in report["columns"])
    >>> round(report["average"] + total - report["answer"], 9) == 0
    True
    """
    data, options = _rows(estimator, X), struct("row_options")
    kept = _data.columns_of_model(estimator, "fixed", fixed)
    options.fixed = kept
    if background is not None:
        others = _rows(estimator, background)
        options.background = others
    options.row, options.samples, options.rows = index, samples, rows
    model = estimator.model_
    found = _explained("row", lib.rung_row_explain, model.pointer, data, options, random_state=random_state)
    return _row_dict(model.class_names, found)


def _row_dict(classes, found):
    about = lib.rung_row_about(found)

    def cell(one):
        return finite(one.number) if one.text == ffi.NULL else text(one.text)

    def change(up):
        changed = list(each(lib.rung_row_change, found, up))
        columns = [{"name": text(one.name), "from": cell(getattr(one, "from")), "to": cell(one.to)} for one in changed]
        rank = changed[0].rank if changed else 0
        return {"rank": rank, "class": classes[rank - 1], "columns": columns} if changed else None

    return {
        "row": about.row + 1,
        "answer": about.answer,
        "rank": about.rank or None,
        "class": classes[about.rank - 1] if about.rank else None,
        "proba": finite_list(about.proba, len(classes)) or [],
        "classes": classes,
        "average": about.average,
        "average_error": about.average_error,
        "exact": bool(about.exact),
        "samples": about.samples,
        "background": about.background,
        "background_of": about.background_of,
        "columns": [
            {"name": text(one.name), "cell": cell(one.cell), "contribution": one.value, "error": one.error}
            for one in each(lib.rung_row_at, found)
        ],
        "changes": {"down": change(0), "up": change(1)},
    }
