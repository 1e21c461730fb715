# SPDX-License-Identifier: BSD-3-Clause
"""Populations whose truth is known: any number of rows can be drawn, so the true error of a fitted model can be measured.

A population draws `n` objects: columns and ranks 1..K. A sample is what a user would have in a file: rows (of objects that
may be recorded more than once), labels (some of them intervals), groups, weights."""
from dataclasses import dataclass

import numpy as np


@dataclass
class Sample:
    X: np.ndarray
    y: np.ndarray  # ranks from 1
    upper: np.ndarray = None  # where labels are intervals
    groups: np.ndarray = None
    weights: np.ndarray = None


def cut(latent, edges):
    return 1 + np.searchsorted(edges, latent)


def logistic(rng, n):
    return rng.logistic(size=n)


def linear_latent(X):
    return X @ np.array([1.5, -1.0, 0.7, 0.3, 0.0])


def linear(rng, n):
    X = rng.normal(size=(n, 5))
    return X, cut(linear_latent(X) + logistic(rng, n), [-2.2, -0.7, 0.7, 2.2])


def nonlinear(rng, n):
    X = rng.uniform(-2, 2, size=(n, 3))
    latent = 2 * np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, cut(latent + 0.5 * rng.normal(size=n), [-1.8, -0.6, 0.6, 1.8])


def heteroscedastic(rng, n):
    X = rng.normal(size=(n, 4))
    return X, cut(2 * X[:, 0] + np.exp(X[:, 1]) * rng.normal(size=n), [-2.0, -0.6, 0.6, 2.0])


def rare(rng, n):
    """Classes of .80, .10, .06 and .04 of the rows."""
    X = rng.normal(size=(n, 4))
    latent = X @ np.array([1.2, 0.8, 0.5, 0.0]) + 0.7 * rng.normal(size=n)
    return X, cut(latent, np.sqrt(2.82) * np.array([0.8416, 1.2816, 1.7507]))


def many(rng, n):
    """Eleven classes."""
    X = rng.normal(size=(n, 5))
    return X, cut(2 * linear_latent(X) + logistic(rng, n), np.linspace(-5.4, 5.4, 10))


def design(rng, n):
    """Three factors of 3, 3 and 2 levels: every object looks like many others, but its label is its own."""
    X = np.column_stack([rng.integers(0, 3, n), rng.integers(0, 3, n), rng.integers(0, 2, n)]).astype(float)
    return X, cut(X @ np.array([1.0, 0.7, 0.8]) + logistic(rng, n), [0.5, 1.7, 2.7, 4.0])


def patients(rng, n):
    """Five visits of a patient, who has a level of his own that no column tells."""
    who = np.arange(n) // 5
    count = who[-1] + 1
    X = np.column_stack([rng.normal(size=(count, 3))[who], rng.normal(size=n)])
    own = 1.2 * rng.normal(size=count)[who]
    return X, cut(X @ np.array([1.2, 0.8, 0.0, 0.5]) + own + 0.5 * rng.normal(size=n), [-1.8, -0.6, 0.6, 1.8])


# ---- samples ----


def plain(population):
    return lambda rng, n: Sample(*population(rng, n))


def grouped(rng, n):
    return Sample(*patients(rng, n), groups=np.arange(n) // 5)


def copies(rng, n):
    """Every object three times."""
    X, y = linear(rng, -(-n // 3))
    which = np.arange(n) // 3
    return Sample(X[which], y[which])


def near_copies(rng, n):
    """Every object three times; the last column is measured anew each time."""
    one = copies(rng, n)
    one.X[:, -1] = rng.normal(size=n)
    return one


def near_copies_grouped(rng, n):
    one = near_copies(rng, n)
    one.groups = np.arange(n) // 3
    return one


def intervals(share):
    """A share of the labels are intervals of two or three classes."""

    def draw(rng, n):
        X, y = linear(rng, n)
        width = rng.integers(1, 3, n) * (np.arange(n) >= round(n * (1 - share)))
        low = np.clip(y - rng.integers(0, width + 1), 1, 5 - width)
        return Sample(X, low, upper=low + width)

    return draw


def weighted(rng, n):
    """Whole weights that say nothing about the errors."""
    return Sample(*linear(rng, n), weights=rng.integers(1, 4, n).astype(float))
