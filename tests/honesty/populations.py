# SPDX-License-Identifier: BSD-3-Clause
"""Populations whose truth is known: any number of rows can be drawn, and the probability of every rank of a row is
known, so the true error of a fitted model can be computed without the noise of new labels.

A population draws `n` objects: columns and ranks 1..K. A sample is what a user would have in a file: rows (of objects
that may be recorded more than once), labels (some of them intervals), groups, weights."""
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr


@dataclass
class Sample:
    X: np.ndarray
    y: np.ndarray  # ranks from 1
    upper: np.ndarray = None  # where labels are intervals
    groups: np.ndarray = None
    weights: np.ndarray = None


class Population:
    """Rank = 1 + the number of edges below latent(X) + scale(X) noise."""

    def __init__(self, name, columns, latent, edges, noise="normal", scale=None):
        self.name, self.columns, self.latent = name, columns, latent
        self.edges, self.noise = np.asarray(edges, dtype=float), noise
        self.scale = scale or (lambda X: np.ones(len(X)))
        self.classes = len(edges) + 1

    def labels(self, rng, X, own=0.0):
        noise = rng.logistic(size=len(X)) if self.noise == "logistic" else rng.normal(size=len(X))
        return 1 + np.searchsorted(self.edges, self.latent(X) + own + self.scale(X) * noise)

    def __call__(self, rng, n):
        X = self.columns(rng, n)
        return X, self.labels(rng, X)

    def proba(self, X):
        z = (self.edges[None, :] - self.latent(X)[:, None]) / self.scale(X)[:, None]
        below = expit(z) if self.noise == "logistic" else ndtr(z)
        return np.diff(np.column_stack([np.zeros(len(X)), below, np.ones(len(X))]), axis=1)


def linear_latent(X):
    return X @ np.array([1.5, -1.0, 0.7, 0.3, 0.0])


def normal_columns(count):
    return lambda rng, n: rng.normal(size=(n, count))


linear = Population("linear", normal_columns(5), linear_latent, [-2.2, -0.7, 0.7, 2.2], "logistic")
nonlinear = Population("nonlinear", lambda rng, n: rng.uniform(-2, 2, size=(n, 3)),
                       lambda X: 2 * np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2], [-1.8, -0.6, 0.6, 1.8],
                       scale=lambda X: np.full(len(X), 0.5))
heteroscedastic = Population("heteroscedastic", normal_columns(4), lambda X: 2 * X[:, 0], [-2.0, -0.6, 0.6, 2.0],
                             scale=lambda X: np.exp(X[:, 1]))
# classes of .80, .10, .06 and .04 of the rows
rare = Population("rare", normal_columns(4), lambda X: X @ np.array([1.2, 0.8, 0.5, 0.0]),
                  np.sqrt(2.82) * np.array([0.8416, 1.2816, 1.7507]), scale=lambda X: np.full(len(X), 0.7))
many = Population("many", normal_columns(5), lambda X: 2 * linear_latent(X), np.linspace(-5.4, 5.4, 10), "logistic")


def levels(rng, n):
    return np.column_stack([rng.integers(0, 3, n), rng.integers(0, 3, n), rng.integers(0, 2, n)]).astype(float)


# three factors of 3, 3 and 2 levels: every object looks like many others, but its label is its own
design = Population("design", levels, lambda X: X @ np.array([1.0, 0.7, 0.8]), [0.5, 1.7, 2.7, 4.0], "logistic")


class Patients(Population):
    """Five visits of a patient, who has a level of his own that no column tells: to new patients it is one more
    noise."""

    OWN, VISIT, VISITS = 1.2, 0.5, 5

    def __init__(self):
        super().__init__("patients", None, lambda X: X @ np.array([1.2, 0.8, 0.0, 0.5]), [-1.8, -0.6, 0.6, 1.8],
                         scale=lambda X: np.full(len(X), np.hypot(self.OWN, self.VISIT)))

    def __call__(self, rng, n):
        who = np.arange(n) // self.VISITS
        count = who[-1] + 1
        X = np.column_stack([rng.normal(size=(count, 3))[who], rng.normal(size=n)])
        latent = self.latent(X) + self.OWN * rng.normal(size=count)[who] + self.VISIT * rng.normal(size=n)
        return X, 1 + np.searchsorted(self.edges, latent)


patients = Patients()


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
