# SPDX-License-Identifier: BSD-3-Clause
"""Figures, drawn by matplotlib. Every function draws into `ax` (None: a new one) and returns it."""

import numpy as np

from . import _labels
from ._library import Context, ffi, lib, pointer


def _axes(ax):
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("the figures need matplotlib: pip install matplotlib") from None
    return plt.subplots()[1]


def _colours(K):
    import matplotlib as mpl

    return mpl.colormaps["viridis"](np.linspace(0.05, 0.95, K))


def _known(estimator, X, y):
    known, y = _labels.labelled_rows(y, getattr(estimator, "unlabelled", "auto"))
    ranks = np.zeros(len(y), dtype=np.intc)
    ranks[known] = _labels.ranks_of(y[known].tolist(), estimator.classes_)
    return ranks


def _scatter(ax, x, y, ranks, classes):
    ax.scatter(x[ranks == 0], y[ranks == 0], s=6, color="0.75", label="unlabelled" if np.any(ranks == 0) else None)
    for k, colour in enumerate(_colours(len(classes)), 1):
        ax.scatter(x[ranks == k], y[ranks == k], s=18, color=colour, label=str(classes[k - 1]))
    ax.legend(frameon=False, fontsize="small")


def plot_projection(estimator, X, y=None, *, ax=None):
    """The rows in the space a method projects to: the first two components, or the score against a random height.

    Rows with a label have its colour, others are grey; y None: all are.
    """
    ax = _axes(ax)
    score = estimator.score_samples(X)
    ranks = np.zeros(len(score), dtype=np.intc) if y is None else _known(estimator, X, y)
    if score.ndim == 2:
        _scatter(ax, score[:, 0], score[:, 1], ranks, estimator.classes_)
        ax.set(xlabel="component 1", ylabel="component 2")
    else:
        _scatter(ax, score, np.random.default_rng(1).uniform(size=len(score)), ranks, estimator.classes_)
        ax.set(xlabel="score", yticks=[])
        _draw_thresholds(ax, estimator)
    return ax


def _draw_thresholds(ax, estimator):
    for threshold in estimator.describe()["thresholds"] or []:
        if threshold is not None:
            ax.axvline(threshold, color="0.4", linewidth=0.8, linestyle="--")


def plot_confusion(y_true, y_pred, *, order=None, ax=None):
    """The confusion matrix, classes lowest first, with its counts."""
    classes, truth, predicted = _labels.grade(y_true, y_pred, order=order)
    ax = _axes(ax)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (truth[truth > 0] - 1, predicted[truth > 0] - 1), 1)
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for i, j in np.ndindex(counts.shape):
        ax.text(j, i, counts[i, j], ha="center", va="center", color="white" if share[i, j] > 0.6 else "black")
    ax.set(xlabel="predicted", ylabel="true", xticks=range(len(classes)), yticks=range(len(classes)))
    ax.set_xticklabels(classes)
    ax.set_yticklabels(classes)
    return ax


def plot_boundary(estimator, X, y=None, *, columns=(0, 1), resolution=200, ax=None):
    """The predicted class over two columns of X, the other columns at their medians."""
    ax = _axes(ax)
    names, type_of_frame = getattr(X, "columns", None), type(X)
    X = np.asarray(X, dtype=np.float64)
    a, b = columns
    low, high = X[:, columns].min(axis=0), X[:, columns].max(axis=0)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    across, up = np.linspace(low[0], high[0], resolution), np.linspace(low[1], high[1], resolution)
    grid = np.tile(np.median(X, axis=0), (resolution * resolution, 1))
    grid[:, a], grid[:, b] = (part.ravel() for part in np.meshgrid(across, up))
    if names is not None:  # a frame, as the estimator has seen
        grid = type_of_frame(grid, columns=names)
    rank = _labels.ranks_of(estimator.predict(grid), estimator.classes_).reshape(resolution, resolution)
    colours = _colours(len(estimator.classes_))
    ax.contourf(across, up, rank, levels=np.arange(len(colours) + 1) + 0.5, colors=colours, alpha=0.3)
    ranks = np.zeros(len(X), dtype=np.intc) if y is None else _known(estimator, X, y)
    _scatter(ax, X[:, a], X[:, b], ranks, estimator.classes_)
    return ax


def plot_reliability(y_true, proba, *, order=None, bins=10, ax=None):
    """Do the probabilities mean what they say? Share of right answers against the probability of the likeliest."""
    classes, truth, _ = _labels.grade(y_true, order=order)
    proba = np.ascontiguousarray(proba, dtype=np.float64)
    if proba.shape != (len(truth), len(classes)):
        raise ValueError(
            f"probabilities of shape {proba.shape} for {len(truth)} rows and {len(classes)} classes: give order="
        )
    ax = _axes(ax)
    out, ece = ffi.new("rung_reliability_bin[]", bins), ffi.new("double *")
    Context().call(
        lib.rung_reliability_compute, len(truth), len(classes), pointer(truth, "int"), pointer(proba), bins, out, ece
    )
    full = [part for part in out if part.n > 0]
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    ax.plot([part.confidence for part in full], [part.accuracy for part in full], marker="o")
    ax.set(xlabel="probability", ylabel="share of right answers", xlim=(0, 1), ylim=(0, 1), title=f"ECE {ece[0]:.3f}")
    return ax


def plot_ranks(estimator, X, y, *, ax=None):
    """The scores of the rows of each true class, and the thresholds between the predicted ones."""
    ax = _axes(ax)
    score = estimator.score_samples(X)
    score = score if score.ndim == 1 else score[:, 0]
    ranks = _known(estimator, X, y)
    rng = np.random.default_rng(1)
    for k, colour in enumerate(_colours(len(estimator.classes_)), 1):
        rows = ranks == k
        ax.scatter(score[rows], k + rng.uniform(-0.25, 0.25, rows.sum()), s=10, color=colour)
    _draw_thresholds(ax, estimator)
    ax.set(xlabel="score", ylabel="true class", yticks=range(1, len(estimator.classes_) + 1))
    ax.set_yticklabels(estimator.classes_)
    return ax
