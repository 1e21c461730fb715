# SPDX-License-Identifier: BSD-3-Clause
"""Figures in the style of `rung plot`, drawn with matplotlib. Every function draws into `ax` (None: a new figure) and
returns it. docs/plots.md explains them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _labels, _look
from ._frame import Numbers, frame_of
from ._library import Context, ffi, lib, pointer
from ._look import FONT, INK, PAPER, RULE, SMALL_FONT, SOFT_INK, points
from ._types import ArrayLike, Labels, Order, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _known(estimator, y):
    """The ranks of the labels; 0: none, or an interval, which has no class to show."""
    known, low, high = _labels.ends(y, estimator.classes_, getattr(estimator, "unlabelled", "auto"))
    ranks = np.zeros(len(known), dtype=np.intc)
    ranks[known], upper = _labels.ranks_between(low, high, estimator.classes_)
    if upper is not None:
        ranks[known] *= ranks[known] == upper
    return ranks


def _called(estimator):
    """The method, if the estimator is one of rung."""
    return getattr(getattr(estimator, "_method", None), "name", type(estimator).__name__)


# ---- projection ----


def plot_projection(estimator: Any, X: Rows, y: Labels | None = None, *, ax: Axes | None = None) -> Axes:
    """The scores of each class: one histogram per true class, the highest class at the top.

    The background shows the predicted class between the thresholds. If a method projects to several components, the
    rows are shown on the first two of them. y None: all rows are unlabelled.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> model = rung.KDLOR().fit(X, y)
    >>> ax = rung.plot_projection(model, X, y)
    """
    score = estimator.score_samples(X)
    ranks = np.zeros(len(score), dtype=np.intc) if y is None else _known(estimator, y)
    if score.ndim == 2:
        return _plot_components(estimator, score, ranks, ax)
    classes = estimator.classes_
    strips = [*range(len(classes), 0, -1), *[0] * bool(np.any(ranks == 0))]  # from the top
    ax = _look.axes(ax, 640, 110 + len(strips) * (46 if len(strips) <= 6 else 32))
    low, high = float(score.min()), float(score.max())
    room = 0.02 * (high - low) or 0.5 * abs(high) or 0.5
    low, high = low - room, high + room
    _look.plain_axes(ax, f"score of {_called(estimator)}", "", grid="x")
    ax.set(xlim=(low, high), ylim=(0, len(strips)), yticks=np.arange(len(strips)) + 0.5)
    _draw_bands(ax, estimator, low, high)
    bins = int(max(12, min(90, _look.size(ax)[0] / 7, 2.2 * np.sqrt(len(score)))))
    names, labels = _look.names(classes), []
    for bottom, k in enumerate(reversed(strips)):
        mine = score[ranks == k]
        count, edge = np.histogram(mine, bins, (low, high))
        height = 0.88 * count / max(1, count.max())
        colour = _look.class_colour(k, len(classes)) if k else "#8c8c8c"
        ax.bar(edge[:-1], height, np.diff(edge), bottom, align="edge", color=[colour], edgecolor=INK, linewidth=0.3)
        ax.axhline(bottom, color=SOFT_INK, linewidth=points(0.75))
        rows = f"{len(mine)} row{'' if len(mine) == 1 else 's'}"
        labels.append(f"{names[k - 1] if k else 'unlabelled'}{', ' if len(strips) > 8 else chr(10)}{rows}")
    ax.set_yticklabels(labels, fontsize=points(SMALL_FONT), color=INK)
    _look.head(
        ax, f"Scores by class ({_called(estimator)})", "one strip per true class, each scaled to its own height", 16
    )
    return ax


def _draw_bands(ax, estimator, low, high):
    if estimator.model_.by_costs:  # then no threshold decides
        return
    told = estimator.describe()
    thresholds = [np.nan if t is None else t for t in told["thresholds"] or []]
    present = [told["classes"].index(name) + 1 for name in told["present"]]
    for t in thresholds:
        if low < t < high:
            ax.axvline(t, color=INK, linewidth=points(1.2), linestyle=(0, (4, 3)), zorder=4)
    if not thresholds or len(present) != len(thresholds) + 1:
        return
    names, width = _look.names(estimator.classes_), _look.size(ax)[0] / (high - low)
    for k, left, right in zip(present, [low, *thresholds], [*thresholds, high], strict=True):
        left, right = max(left, low), min(right, high)
        if not right > left:
            continue
        ax.axvspan(left, right, color=_look.class_tint(k, len(names)), linewidth=0, zorder=0)
        ax.axvspan(left, right, 1, 1.015, color=_look.class_colour(k, len(names)), linewidth=0, clip_on=False, zorder=5)
        if _look.text_width(names[k - 1], SMALL_FONT) <= (right - left) * width:
            ax.annotate(names[k - 1], ((left + right) / 2, 1), (0, points(6)), ("data", "axes fraction"),
                        textcoords="offset points", ha="center", fontsize=points(SMALL_FONT), color=INK,
                        annotation_clip=False)  # fmt: skip


def _plot_components(estimator, score, ranks, ax):
    ax = _look.axes(ax, 600, 520)
    _look.plain_axes(ax, "component 1", "component 2" if score.shape[1] > 1 else "")
    second = score[:, 1] if score.shape[1] > 1 else np.zeros(len(score))
    _look.rows_as_markers(ax, score[:, 0], second, ranks, estimator.classes_)
    _look.head(ax, f"Rows by component ({_called(estimator)})", None, _look.legend(ax))
    return ax


# ---- confusion ----


def plot_confusion(y_true: Labels, y_pred: Labels, *, order: Order = None, ax: Axes | None = None) -> Axes:
    """True (down) against predicted (across) classes: the rows, and their share of the true class.

    The order of the classes is determined as in `rung.metrics`.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> ax = rung.plot_confusion(y, rung.KDLOR().fit(X, y).predict(X))
    """
    classes, truth, predicted, upper = _labels.grade(y_true, y_pred, order=order)
    if upper is not None:
        truth = np.where(truth > 0, np.clip(predicted, truth, upper), 0)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (truth[truth > 0] - 1, predicted[truth > 0] - 1), 1)
    names, K = _look.names(classes), len(classes)
    widest = max(_look.text_width(name, FONT) for name in names)
    cell: float = 62 if K <= 6 else 48
    ax = _look.axes(ax, max(360, 100 + widest + cell * K), 100 + cell * K + (widest if widest > cell else 14))
    cell = min(_look.size(ax)) / K
    for i, rows in enumerate(counts.sum(axis=1)):
        for j, count in enumerate(counts[i]):
            _draw_cell(ax, i, j, count, rows, cell)
        ax.annotate(str(rows), (1, i), (points(40), 0), ("axes fraction", "data"), textcoords="offset points",
                    ha="right", va="center", fontsize=points(SMALL_FONT), color=SOFT_INK,
                    annotation_clip=False)  # fmt: skip
    ax.annotate("rows", (1, 1), (points(40), points(6)), "axes fraction", textcoords="offset points", ha="right",
                fontsize=points(SMALL_FONT), color=SOFT_INK, annotation_clip=False)  # fmt: skip
    ax.set(xlim=(-0.5, K - 0.5), ylim=(K - 0.5, -0.5), aspect="equal", xticks=range(K), yticks=range(K))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0, labelcolor=INK, labelsize=points(min(FONT, max(5, 0.95 * cell))))
    ax.set_xticklabels(names, rotation=90 if widest + 8 > cell else 0)
    ax.set_yticklabels(names)
    ax.set_xlabel("predicted", fontsize=points(FONT), fontweight="bold", color=INK)
    ax.set_ylabel("true", fontsize=points(FONT), fontweight="bold", color=INK)
    for spine in ax.spines.values():
        spine.set_visible(False)
    above = 22 + (widest if widest + 8 > cell else 14)
    _look.head(ax, "True and predicted classes", "rows, and their share of the true class", above)
    return ax


def _draw_cell(ax, i, j, count, rows, cell):
    from matplotlib.patches import Rectangle

    share = count / rows if rows else 0.0
    back = _look.share_colour(share)
    ink = _look.ink_on(back) if count else SOFT_INK
    ax.add_patch(
        Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=back, edgecolor=INK if i == j else RULE,
                  linewidth=points(1.5 if i == j else 1), zorder=3 if i == j else 2)
    )  # fmt: skip
    size = min(FONT + 1, max(7, 0.3 * cell), 0.9 * cell / _look.text_width(str(count), 1))
    weight = "bold" if i == j else "normal"
    two = cell >= 32 and count
    ax.text(j, i - 0.11 if two else i, str(count), ha="center", va="center", color=ink, fontsize=points(size),
            fontweight=weight, zorder=4)  # fmt: skip
    if two:  # neither none nor all where some are
        percent = "< 1 %" if share < 0.005 else "> 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"
        ax.text(j, i + 0.2, percent, ha="center", va="center", color=ink, fontsize=points(min(10, 0.22 * cell)),
                zorder=4)  # fmt: skip


# ---- boundary ----


class _Plane:
    """Two directions through a table of numbers: two of its columns, or the first two principal components of the
    standardised columns. A point (a, b) is the row  origin + scale (a u + b v)."""

    def __init__(self, X, names, columns):
        self.origin, self.scale = np.nanmedian(X, axis=0), np.ones(X.shape[1])
        X = np.where(np.isnan(X), self.origin, X)
        if columns is None and X.shape[1] > 2:
            self.origin = X.mean(axis=0)
            spread = X.std(axis=0)
            self.scale = np.where(spread > 0, spread, 1)
            axes = np.linalg.svd((X - self.origin) / self.scale, full_matrices=False)[2][:2]
            self.axes = axes * np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])[:, None]
            self.names = ["principal component 1", "principal component 2"]
        else:
            a, b = (0, 1) if columns is None else columns
            self.axes = np.eye(X.shape[1])[[a, b]]
            self.origin[[a, b]] = 0
            self.names = [names[a], names[b]]
        self.x, self.y = (((X - self.origin) / self.scale) @ self.axes.T).T

    def rows(self, a, b):
        return self.origin + self.scale * (np.column_stack([a, b]) @ self.axes)


def _numbers(X):
    """The columns of numbers of a table or array, their names, the place of each column that is called for, and a
    function that makes such rows of others, with the other columns at their most frequent value."""
    frame = frame_of(X)
    if frame is None:
        X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        return X, [f"column {j + 1}" for j in range(X.shape[1])], {j: j for j in range(X.shape[1])}, lambda rows: rows
    names = frame.names or [str(name) for name in X.columns]
    numbers = [j for j, column in enumerate(frame.columns) if isinstance(column, Numbers)]
    places = {j: place for place, j in enumerate(numbers)} | {names[j]: place for place, j in enumerate(numbers)}
    typical = {j: _typical_row(column) for j, column in enumerate(frame.columns) if j not in numbers}

    def table(rows):
        own = {j: rows[:, place] for place, j in enumerate(numbers)}
        return _as_table(X, names, [own.get(j, typical.get(j)) for j in range(len(names))], len(rows))

    values = [frame.columns[j].values for j in numbers]
    return np.column_stack(values or [np.empty((len(frame), 0))]), [names[j] for j in numbers], places, table


def _typical_row(column):
    """The first row with the most frequent value."""
    known = column.codes[column.codes >= 0]
    return int(np.flatnonzero(column.codes == np.bincount(known).argmax())[0]) if len(known) else 0


def _as_table(X, names, columns, rows):
    """A table of the kind of X. A column: numbers, or the row of X whose cell it has everywhere."""
    if hasattr(X, "iloc"):
        from pandas import DataFrame, concat

        parts = [
            X.iloc[[one] * rows, j].reset_index(drop=True) if isinstance(one, int) else DataFrame(one)
            for j, one in enumerate(columns)
        ]
        return concat(parts, axis=1).set_axis(X.columns, axis=1)
    if hasattr(X, "get_column"):  # polars
        return type(X)(
            {n: X.get_column(n).gather([one] * rows) if isinstance(one, int) else one for n, one in zip(names, columns)}
        )
    if hasattr(X, "from_pydict"):  # pyarrow
        return type(X).from_pydict(
            {n: X.column(n).take([one] * rows) if isinstance(one, int) else one for n, one in zip(names, columns)}
        )
    raise TypeError(f"X is a {type(X).__name__}: give a table of pandas, polars or pyarrow, or an array")


def _place(column, names, places):
    """Of a column, by name or position, among those of numbers."""
    if column not in places:
        raise ValueError(f"{column!r} is not a column of numbers; there are {', '.join(names[:20])}")
    return places[column]


def plot_boundary(
    estimator: Any,
    X: Rows,
    y: Labels | None = None,
    *,
    columns: Sequence[Any] | None = None,
    resolution: int = 300,
    ax: Axes | None = None,
) -> Axes:
    """The predicted class over a plane, with the rows in front of it; crosses are unlabelled rows.

    columns: two columns of numbers, by name or position; the others stay at their medians, columns of text at their
    most frequent value. None: with two columns of numbers these, with more the first two principal components of them,
    standardised. Rows do not lie in such a plane but in front of and behind it.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> ax = rung.plot_boundary(rung.KDLOR().fit(X, y), X, y, resolution=50)
    """
    table, names, places, of_rows = _numbers(X)
    if table.shape[1] < 2:
        raise ValueError(f"a plane needs two columns of numbers, and X has {table.shape[1]}")
    plane = _Plane(table, names, None if columns is None else [_place(c, names, places) for c in columns])
    ax = _look.axes(ax, 600, 520)
    across, up = (_around(values, resolution) for values in (plane.x, plane.y))
    classes = estimator.classes_
    rank = _rank_grid(lambda a, b: _labels.ranks_of(estimator.predict(of_rows(plane.rows(a, b))), classes), across, up)
    levels = np.arange(len(classes) + 1) + 0.5
    tints = [_look.class_tint(k + 1, len(classes)) for k in range(len(classes))]
    _look.plain_axes(ax, plane.names[0], plane.names[1], None)
    ax.contourf(across, up, rank, levels=levels, colors=tints)
    if len(np.unique(rank)) > 1:  # neighbours in the scale have neighbouring colours
        ax.contour(across, up, rank, levels=levels[1:-1], colors=PAPER, linewidths=points(1.2))
    ranks = np.zeros(len(table), dtype=np.intc) if y is None else _known(estimator, y)
    _look.rows_as_markers(ax, plane.x, plane.y, ranks, classes)
    for spine in ax.spines.values():
        spine.set_visible(True)
    note = "background: predicted class; markers: rows and their true class"
    _look.head(ax, f"Predicted class over a plane ({_called(estimator)})", note, _look.legend(ax))
    return ax


COARSE = 50  # points along each side of the first grid


def _rank_grid(predict, across, up):
    """The predicted ranks over a grid. A coarse grid comes first; cells whose corners agree are filled, and only the
    points in the other cells are predicted."""
    coarse = [np.unique(np.linspace(0, len(side) - 1, COARSE).astype(int)) for side in (across, up)]
    a, b = np.meshgrid(across[coarse[0]], up[coarse[1]])
    corner = predict(a.ravel(), b.ravel()).reshape(a.shape)
    x, y = (np.minimum(np.searchsorted(c, np.arange(c[-1] + 1), "right"), len(c) - 1) for c in coarse)  # right corners
    around = [corner[np.ix_(j, i)] for j in (y - 1, y) for i in (x - 1, x)]
    rank = around[0].copy()
    j, i = np.nonzero(np.any([other != rank for other in around[1:]], axis=0))
    if len(i):
        rank[j, i] = predict(across[i], up[j])
    return rank


def _around(values, resolution):
    low, high = float(values.min()), float(values.max())
    room = 0.04 * (high - low) or 1.0
    return np.linspace(low - room, high + room, resolution)


# ---- reliability ----


def _wilson(share, n):
    """Wilson's 95 % interval of a share."""
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def plot_reliability(
    y_true: Labels, proba: ArrayLike, *, order: Order = None, bins: int = 10, ax: Axes | None = None
) -> Axes:
    """How well the probabilities are calibrated: how often the most probable class is the true one, against its
    probability, with 95 % (Wilson) intervals, and the number of rows below.

    proba: (n, K), by classes lowest first. The order of the classes is determined as in `rung.metrics`.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    >>> ax = rung.plot_reliability(y, rung.KDLOR().fit(X, y).predict_proba(X))
    """
    classes, truth, _, upper = _labels.grade(y_true, order=order)
    if upper is not None:  # an interval is right too easily
        truth = truth * (truth == upper)
    proba = np.ascontiguousarray(proba, dtype=np.float64)
    if proba.shape != (len(truth), len(classes)):
        raise ValueError(
            f"probabilities of shape {proba.shape} for {len(truth)} rows and {len(classes)} classes: give order="
        )
    out, ece = ffi.new("rung_reliability_bin[]", bins), ffi.new("double *")
    Context().call(
        lib.rung_reliability_compute, len(truth), len(classes), pointer(truth, "int"), pointer(proba), bins, out, ece
    )
    full = [part for part in out if part.n > 0]
    ax = _look.axes(ax, 460, 520)
    below, blue = 0.3, _look.THINGS[0]
    _look.plain_axes(ax, "probability of the most probable class", "share correct")
    ax.set(xlim=(0, 1), ylim=(-below, 1), yticks=np.linspace(0, 1, 6))
    ax.axhline(0, color=SOFT_INK, linewidth=points(1))
    ax.plot([0, 1], [0, 1], color=SOFT_INK, linewidth=points(1.2), linestyle=(0, (5, 4)))
    ends = np.array([_wilson(part.accuracy, part.n) for part in full]).reshape(-1, 2)
    right = np.array([part.accuracy for part in full])
    ax.errorbar(
        [part.confidence for part in full], right, np.abs(ends - right[:, None]).T, fmt="o", color=blue,
        markersize=points(9), markeredgecolor=PAPER, elinewidth=points(1.5), capsize=points(4), capthick=points(1.5),
        clip_on=False, zorder=3,
    )  # fmt: skip
    most = max((part.n for part in full), default=1)
    for part in full:
        height = 0.8 * below * part.n / most
        ax.bar(
            (part.low + part.high) / 2,
            height,
            0.96 * (part.high - part.low),
            -below,
            color=[_look.mix(blue, PAPER, 0.45)],
        )
        if (part.high - part.low) * _look.size(ax)[0] >= 24:
            ax.text((part.low + part.high) / 2, height - below + 0.01, str(part.n), ha="center", va="bottom",
                    fontsize=points(10), color=SOFT_INK)  # fmt: skip
    ax.annotate("rows", (0, -below), (points(-6), 0), ("axes fraction", "data"), textcoords="offset points", ha="right",
                fontsize=points(SMALL_FONT), color=SOFT_INK, annotation_clip=False)  # fmt: skip
    note = f"expected calibration error {ece[0]:.3f}; whiskers: 95 % intervals"
    _look.head(ax, "Calibration of the probabilities", note)
    return ax


# ---- importance ----


def plot_importance(report: Mapping[str, Any], *, most: int | None = None, ax: Axes | None = None) -> Axes:
    """The rise of the mean absolute error when a column is permuted, as measured by `rung.explain.importance` or
    `rung explain --json`. Whiskers are 95 % ranges; orange bars are related columns permuted together.

    most: columns to show at most.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> ax = rung.plot_importance(rung.explain.importance(rung.KDLOR().fit(X, y), X, y, repeats=1))
    """
    bars = [(one["name"], one["mae"], False) for one in report["columns"]]
    bars += [(" + ".join(one["columns"]), one["mae"], True) for one in report["groups"]]
    bars = sorted(bars, key=lambda bar: -bar[1]["mean"])[:most]
    labels = _look.names([name for name, _, _ in bars])
    ax = _look.axes(ax, _with_labels(640, labels), 96 + 24 * len(bars))
    _look.plain_axes(ax, "rise of the mean absolute error when the column is permuted", "", grid="x")
    colours = [_look.mix(_look.THINGS[joint], PAPER, 0.35) for _, _, joint in bars]
    mean = np.array([rise["mean"] for _, rise, _ in bars])
    low, high = (
        np.array([rise["mean"] if rise[key] is None else rise[key] for _, rise, _ in bars]) for key in ("low", "high")
    )
    ax.barh(range(len(bars)), mean, 0.66, color=colours, zorder=2)
    ax.errorbar(mean, range(len(bars)), xerr=[mean - low, high - mean], fmt="none", ecolor=INK, elinewidth=points(1.2),
                capsize=points(4), capthick=points(1.2), zorder=3)  # fmt: skip
    ax.axvline(0, color=SOFT_INK, linewidth=points(1))
    ax.set_yticks(range(len(bars)), labels, fontsize=points(FONT), color=INK)
    ax.invert_yaxis()
    joint = "; orange: columns permuted together" if any(joint for _, _, joint in bars) else ""
    _look.head(ax, "Importance of the columns", f"whiskers: 95 % ranges{joint}")
    return ax


def _with_labels(width, labels):
    """Wider where long names stand beside the bars."""
    return width + max(0, max((_look.text_width(label, FONT) for label in labels), default=0) - 180)


# ---- effects and contributions ----


def plot_effect(
    report: Mapping[str, Any], column: str | None = None, *, classes: bool = False, ax: Axes | None = None
) -> Axes:
    """The expected rank along a column (the first one by default), from `rung.explain.effects`: accumulated local
    effects (solid) and partial dependence (dashed) over numbers, with the values of rows as ticks; dots over
    categories.

    classes: show the mean probability of every class instead, stacked.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=60)
    >>> ax = rung.plot_effect(rung.explain.effects(rung.POM().fit(X, y), X, [0]))
    >>> ax.get_xlabel()
    'x1'
    """
    one = next(one for one in report["columns"] if column is None or one["name"] == column)
    ax = _look.axes(ax, 480, 340)
    if classes:
        return _plot_shares(report, one, ax)
    _look.plain_axes(ax, _look.names([one["name"]], 56)[0], "expected rank")
    if one["category"]:
        places = range(len(one["values"]))
        ax.plot(places, one["dependence"], "o", color=_look.THINGS[0], markersize=points(9), zorder=3)
        ax.set_xticks(places, _look.names(one["values"]))
        note = "partial dependence"
    else:
        ax.plot(
            one["values"],
            one["dependence"],
            color=_look.THINGS[1],
            linestyle=(0, (5, 3)),
            linewidth=points(2),
            zorder=3,
        )
        if one["local"] is not None:
            local = np.array(one["local"]) + report["average"]
            ax.plot(one["values"], local, color=_look.THINGS[0], linewidth=points(2), zorder=3)
        ax.plot(one["rug"], np.zeros(len(one["rug"])), "|", color=SOFT_INK, transform=ax.get_xaxis_transform(),
                markersize=points(8), zorder=2)  # fmt: skip
        if one.get("dates"):
            _dates(ax)
        elif one.get("words"):
            ax.set_xticks(one["values"], _look.names(one["words"]))
        note = "solid: accumulated local effects; dashed: partial dependence"
    _look.head(ax, f"Effect of {_look.names([one['name']])[0]}", note)
    return ax


def _dates(ax):
    """Days since 1970, which is also where matplotlib counts from."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(maxticks=6)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))


def _plot_shares(report, one, ax):
    if one["dependence_classes"] is None:
        raise ValueError("the model has no probabilities")
    shares, names = np.array(one["dependence_classes"]), _look.names(report["classes"])
    colours = [_look.class_colour(k + 1, len(names)) for k in range(len(names))]
    _look.plain_axes(ax, _look.names([one["name"]], 56)[0], "probability", grid=None)
    if one["category"]:
        places, below = range(len(shares)), np.zeros(len(shares))
        for share, name, colour in zip(shares.T, names, colours, strict=True):
            ax.bar(places, share, 0.7, bottom=below, color=colour, label=name)
            below = below + share
        ax.set_xticks(places, _look.names(one["values"]))
    else:
        ax.stackplot(one["values"], shares.T, colors=colours, labels=names)
        ax.set_xlim(one["values"][0], one["values"][-1])
        if one.get("dates"):
            _dates(ax)
        elif one.get("words"):
            ax.set_xticks(one["values"], _look.names(one["words"]))
    ax.set_ylim(0, 1)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=points(SMALL_FONT), reverse=True)
    title = f"Effect of {_look.names([one['name']])[0]}"
    _look.head(ax, title, "mean probability of every class, by partial dependence")
    return ax


def plot_pair(report: Mapping[str, Any], *, ax: Axes | None = None) -> Axes:
    """The expected rank over two columns, from `rung.explain.effects` with pair=True.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=60)
    >>> ax = rung.plot_pair(rung.explain.effects(rung.POM().fit(X, y), X, [0, 1], pair=True, points=5))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x1', 'x2')
    """
    if "map" not in report:
        raise ValueError("the report has no map: rung.explain.effects(..., pair=True) makes one")
    from matplotlib.colors import LinearSegmentedColormap

    across, up = report["columns"]
    ax = _look.axes(ax, 560, 480)
    x_name, y_name = (_look.names([one["name"]], 56)[0] for one in (across, up))
    _look.plain_axes(ax, x_name, y_name, grid=None)
    colours = LinearSegmentedColormap.from_list("share", [_look.share_colour(share) for share in (0, 1)])
    image = ax.imshow(np.array(report["map"]).T, origin="lower", aspect="auto", cmap=colours)
    for axis, one in ((ax.xaxis, across), (ax.yaxis, up)):
        labels = (
            one.get("dates")
            or one.get("words")
            or (one["values"] if one["category"] else [f"{value:.3g}" for value in one["values"]])
        )
        axis.set_ticks(range(len(labels)), _look.names(labels))
    bar = ax.figure.colorbar(image, ax=ax)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=SOFT_INK, labelsize=points(SMALL_FONT), length=0)
    note = f"expected rank, averaged over the other columns; {report['interaction']:.0%} of it is interaction"
    _look.head(ax, "Joint effect", note)
    return ax


def plot_row(report: Mapping[str, Any], *, most: int = 14, ax: Axes | None = None) -> Axes:
    """The contributions of the columns to the answer for a row, from the average row to this one, from
    `rung.explain.row`; beyond `most` columns the smallest are added up.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=60)
    >>> ax = rung.plot_row(rung.explain.row(rung.POM().fit(X, y), X, 0))
    >>> ax.get_xlabel()
    'expected rank'
    """
    columns = [
        (f"{one['name']} = {_cell(one['cell'])}", one["contribution"], one["error"] or 0) for one in report["columns"]
    ]
    if len(columns) > most:
        rest = columns[most - 1 :]
        columns = [*columns[: most - 1], (f"the other {len(rest)} columns", sum(step for _, step, _ in rest), 0)]
    labels = _look.names([name for name, _, _ in columns])
    ax = _look.axes(ax, _with_labels(640, labels), 96 + 24 * len(columns))
    _look.plain_axes(ax, "expected rank", "", grid="x")
    ax.use_sticky_edges = False  # room beside the first and the last bar
    steps, errors = (np.array([one[k] for one in columns]) for k in (1, 2))
    left = report["average"] + np.concatenate([[0], np.cumsum(steps)[:-1]])
    colours = [_look.mix(_look.THINGS[int(step >= 0)], PAPER, 0.3) for step in steps]
    ax.barh(range(len(columns)), steps, 0.66, left=left, color=colours, zorder=2)
    if not report["exact"]:
        ax.errorbar(left + steps, range(len(columns)), xerr=1.96 * errors, fmt="none", ecolor=INK,
                    elinewidth=points(1.2), zorder=3)  # fmt: skip
    for end in (report["average"], report["answer"]):
        ax.axvline(end, color=INK, linewidth=points(1.2), linestyle=(0, (2, 2)))
    ax.set_yticks(range(len(columns)), labels, fontsize=points(FONT), color=INK)
    ax.invert_yaxis()
    title = f"Row {report['row']}" + (f": {report['class']}" if report["class"] is not None else "")
    note = "" if report["exact"] else "; lines: 95 % ranges of the sampling"
    _look.head(ax, title, f"contributions of the columns{note}")
    return ax


def _cell(value):
    return "missing" if value is None else value if isinstance(value, str) else f"{value:.4g}"


# ---- label curve ----


def plot_curve(curve: Mapping[str, Any], *, ax: Axes | None = None) -> Axes:
    """The error against the number of labelled rows, as measured by `rung.label_curve` or `rung curve --json`.

    Bands are ± one standard error; paler dashed lines are fits without the unlabelled rows.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> ax = rung.plot_curve(rung.label_curve(X, y, "kdlor", sizes=[5, 10], repeats=2))
    """
    labels, lines = [size["labels"] for size in curve["sizes"]], curve["lines"]
    ax = _look.axes(ax, 640, 420)
    _look.plain_axes(ax, "labelled rows", curve["metric"])
    names = [", ".join(filter(None, (line["method"], line.get("strategy")))) for line in lines]
    methods = list(dict.fromkeys(names))
    lowest, highest = np.inf, -np.inf
    for name, line in zip(names, lines, strict=True):
        rivals = names.count(name) > 1
        faint = rivals and not line["unlabelled"]
        what = f", {'with' if line['unlabelled'] else 'without'} unlabelled rows" if rivals else ""
        index = methods.index(name)
        thing, marker = _look.THINGS[index % len(_look.THINGS)], _look.MARKERS[index % len(_look.MARKERS)]
        colour = _look.mix(thing, PAPER, 0.25 * faint)
        mean, se = (np.array([np.nan if v is None else v for v in line[key]]) for key in ("mean", "se"))
        low, high = mean - np.nan_to_num(se), mean + np.nan_to_num(se)
        dash = (0, (5, 3)) if faint else _look.DASHES[index // len(_look.THINGS) % 3]
        ax.plot(labels, mean, color=colour, linewidth=points(1.6 if faint else 2.2), linestyle=dash, marker=marker,
                markersize=points(6 if faint else 8), markerfacecolor=PAPER if faint else colour,
                label=f"{name}{what}", zorder=3)  # fmt: skip
        ax.fill_between(labels, low, high, color=thing, alpha=0.1 if faint else 0.18, linewidth=0)
        lowest, highest = np.nanmin([lowest, *low]), np.nanmax([highest, *high])
    _label_ticks(ax, labels)
    if 0 < lowest < 0.35 * highest:
        ax.set_ylim(bottom=0)
    _look.head(
        ax,
        "Error by number of labels",
        "bands: ± one standard error",
        _look.legend(ax),
    )
    return ax


def _label_ticks(ax, labels):
    """The numbers of labels there are, the first and the last always, others where there is room."""
    from matplotlib.ticker import NullFormatter, NullLocator

    if labels[-1] >= 8 * labels[0]:
        ax.set_xscale("log")
    scale = np.log(labels) if labels[-1] >= 8 * labels[0] else np.array(labels)
    at = 0.9 * _look.size(ax)[0] * (scale - scale[0]) / max(scale[-1] - scale[0], 1e-9)
    kept = [0]
    for i in range(1, len(labels) - 1):
        if min(at[i] - at[kept[-1]], at[-1] - at[i]) > 30:
            kept.append(i)
    ticks = [labels[i] for i in dict.fromkeys([*kept, len(labels) - 1])]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
