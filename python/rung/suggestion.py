# SPDX-License-Identifier: BSD-3-Clause
"""Which rows to label next, and what more labels will buy, as in `rung suggest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from ._base import Classifier
from ._library import Context, each, lib, pointer, struct, text
from ._types import Labels, Rows
from .methods import AutoOrdinal  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Forecast:
    """The mean absolute error expected after more labels.

    labels : labels now
    more : how many more
    now, now_low, now_high : the error now, with its 95 % range
    value, low, high : the error then, median and 90 % range

    Examples
    --------
    >>> rung.Forecast(60, 20, 0.5, 0.4, 0.6, 0.46, 0.41, 0.5)
    Forecast(labels=60, more=20, now=0.5, now_low=0.4, now_high=0.6, value=0.46, low=0.41, high=0.5)
    """

    labels: int
    more: int
    now: float
    now_low: float
    now_high: float
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return (
            f"{self.more} more label{'s' * (self.more != 1)}: mae {self.low:.3f} to {self.high:.3f}, "
            f"now {self.now:.3f} ({self.now_low:.3f} to {self.now_high:.3f})"
        )

    @classmethod
    def _of(cls, found):
        return cls(**{name: getattr(found, name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Suggestion:
    """Rows to label next, best first.

    rows : positions in X
    random : which of them were drawn at random; the others were chosen
    score : the share of what is unknown about the unlabelled rows that the label is expected to tell
    guess : the predicted classes; None without a model
    reason : in words
    forecast : what these labels will buy; None where there are too few labels, or it was not wanted

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=100)
    >>> len(rung.suggest(X, n=4, random=0))
    4
    """

    rows: NDArray[np.int64]
    random: NDArray[np.bool_]
    score: NDArray[np.float64]
    guess: NDArray[Any] | None
    reason: list[str]
    forecast: Forecast | None

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> Any:
        """A pandas.DataFrame with a line per row, and the rows as its index."""
        import pandas

        columns = {
            "suggested": np.where(self.random, "random", "chosen"),
            "score": self.score,
            "guess": self.guess,
            "reason": self.reason,
        }
        return pandas.DataFrame(columns, index=pandas.Index(self.rows, name="row"))


def _flags(given, rows):
    if given is None:
        return None
    flags = np.zeros(rows, dtype=np.intc)
    places = np.asarray(given)
    flags[places if places.size else places.astype(int)] = 1
    return flags


def suggest(
    X: Rows,
    y: Labels | None = None,
    n: int = 20,
    *,
    estimator: Classifier | None = None,
    random: float | None = None,
    chosen: ArrayLike | None = None,
    leave: ArrayLike | None = None,
    more: int | None = None,
    random_state: Any = 1,
) -> Suggestion:
    """The unlabelled rows whose labels are worth most together.

    Rows that are typical of many others, unlike those already labelled, and about which the model is in doubt come
    first. Some are drawn at random, so that the error can still be estimated.

    Parameters
    ----------
    X : rows, labelled or not
    y : labels, default None
        Unlabelled rows as in the estimators; None: no row is labelled yet.
    n : how many rows to suggest
    estimator : a classifier, default None
        Whose doubt decides; it need not be fitted. None: the default method.
    random : the share of rows drawn at random, 0 to 1, default None
        None: 0.2, and every second row until 8 labelled ones were not chosen.
    chosen : rows (positions, or a mask) that were labelled because they had been chosen, default None
        Those of earlier suggestions that were not random. They do not count in the error.
    leave : rows (positions, or a mask) not to suggest, default None
    more : forecast the error after this many more labels, default None
        None: after n; 0: no forecast, which saves time.

    Returns
    -------
    Suggestion

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.9)
    >>> found = rung.suggest(X, y, n=5, estimator=rung.POM())
    >>> len(found), found.random.sum()
    (5, np.int64(1))
    """
    if random is not None and not 0 <= random <= 1:
        raise ValueError(f"random={random!r}: expected a share from 0 to 1")
    if n < 1:
        raise ValueError(f"n={n!r}: expected at least 1")
    model = clone(estimator) if estimator is not None else AutoOrdinal()
    model.set_params(random_state=random_state)
    labels = np.full(_num_samples(X), np.nan) if y is None else y
    X, classes, ranks, upper = model._checked(X, labels)
    ctx, data = model._prepare(X, labels, None, None, classes, ranks, upper=upper)
    options = struct("suggest_options")
    flags = _flags(leave, len(ranks))
    options.n, options.random, options.no_random = n, random or 0.0, int(random == 0)
    options.leave = pointer(flags, "int")
    options.more, options.no_forecast = more or 0, int(more == 0)
    marked = _flags(chosen, len(ranks))
    if marked is not None:
        ctx.call(lib.rung_data_set_chosen, data, pointer(marked, "int"))
    spec = model._given_spec(ctx, data)
    found = ctx.make("suggestion", lib.rung_suggest_run, spec, data, options, call=ctx.run)
    return _collected(found, classes)


def _collected(found, classes):
    outlook = struct("forecast")
    rows = each(lib.rung_suggestion_at, found)
    told = [(one.row, one.random, one.score, one.guess, text(one.reason)) for one in rows]
    row, random, score, guess, reason = zip(*told, strict=True)
    return Suggestion(
        rows=np.array(row, dtype=np.int64),
        random=np.array(random, dtype=bool),
        score=np.array(score),
        guess=classes[np.array(guess) - 1] if all(guess) else None,
        reason=list(reason),
        forecast=Forecast._of(outlook) if lib.rung_suggestion_forecast(found, outlook) else None,
    )


def forecast(labels: Sequence[int], error: ArrayLike, more: int, *, se: ArrayLike | None = None) -> Forecast:
    """The error after more labels, from a learning curve.

    Parameters
    ----------
    labels : numbers of labels, increasing
    error : the error with each of them; the last one is that now
    more : how many more labels
    se : the standard errors, default None
        None: from how the errors scatter.

    Examples
    --------
    >>> rung.forecast([20, 30, 40, 60], [0.62, 0.55, 0.5, 0.45], 60).value < 0.45
    True
    """
    sizes = np.ascontiguousarray(labels, dtype=np.int64)
    errors = np.ascontiguousarray(error, dtype=np.float64)
    spread = None if se is None else np.ascontiguousarray(se, dtype=np.float64)
    if sizes.shape != errors.shape or sizes.ndim != 1 or (spread is not None and spread.shape != errors.shape):
        raise ValueError("labels, error and se must be lists of the same length")
    out = struct("forecast")
    Context().call(
        lib.rung_forecast_run, len(sizes), pointer(sizes, "int64_t"), pointer(errors), pointer(spread), more, out
    )
    return Forecast._of(out)
