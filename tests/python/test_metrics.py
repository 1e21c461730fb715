#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`rung metrics` against scikit-learn and SciPy, on random pairs of labels.

usage: test_metrics.py RUNG      RUNG: the command
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from scipy.stats import kendalltau, spearmanr
from sklearn.metrics import accuracy_score, cohen_kappa_score, mean_absolute_error, mean_squared_error, recall_score

TOLERANCE = 1e-12
KEYS = set("mae mze acc amae mmae mse gm ms rps tau spearman kappa qkappa off1 n mae_low mae_high".split())


def expected(truth, predicted, K):
    """Every metric but the bootstrap ends; NaN = undefined."""
    classes = list(range(1, K + 1))
    present = np.unique(truth)
    recalls = recall_score(truth, predicted, labels=present, average=None, zero_division=0)
    errors = [mean_absolute_error(truth[truth == q], predicted[truth == q]) for q in present]
    constant = len(present) == 1 or len(np.unique(predicted)) == 1
    same = constant and len(np.unique(np.r_[truth, predicted])) == 1
    kappa = {w: math.nan if same else cohen_kappa_score(truth, predicted, labels=classes, weights=w)
             for w in ("linear", "quadratic")}
    return {
        "mae": mean_absolute_error(truth, predicted),
        "mse": mean_squared_error(truth, predicted),
        "acc": accuracy_score(truth, predicted),
        "mze": 1 - accuracy_score(truth, predicted),
        "off1": np.mean(np.abs(truth - predicted) <= 1),
        "amae": np.mean(errors),
        "mmae": np.max(errors),
        "gm": np.prod(recalls) ** (1 / len(present)),
        "ms": np.min(recalls),
        "rps": math.nan,
        "tau": math.nan if constant else kendalltau(truth, predicted).statistic,
        "spearman": math.nan if constant else spearmanr(truth, predicted).statistic,
        "kappa": kappa["linear"],
        "qkappa": kappa["quadratic"],
        "n": len(truth),
    }


def bootstrap(truth, predicted, generator):
    """The 2.5 % and 97.5 % points of the resampled mean, and how far an estimate from 1000 resamples may be off."""
    errors = np.abs(truth - predicted)
    values, counts = np.unique(errors, return_counts=True)
    means = generator.multinomial(len(errors), counts / len(errors), 4000) @ values / len(errors)
    return np.quantile(means, [0.025, 0.975]), 0.4 * np.std(errors) / math.sqrt(len(errors)) + 1.5 / len(errors)


class Score:
    passed = failed = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAILED", what)


def measure(rung, folder, truth, predicted, K):
    """truth 0 is written as an empty cell."""
    path = pathlib.Path(folder, "labels.csv")
    lines = [f"{t if t else ''},{p}" for t, p in zip(truth, predicted)]
    path.write_text("truth,predicted\n" + "\n".join(lines) + "\n")
    order = "<".join(str(q) for q in range(1, K + 1))
    run = subprocess.run([rung, "metrics", path, "--truth", "truth", "--predicted", "predicted", "--order", order,
                          "--json"], capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(f"exit {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def compare(score, rung, folder, truth, predicted, K, what, generator):
    try:
        result = measure(rung, folder, truth, predicted, K)
    except (RuntimeError, ValueError) as problem:
        score.check(False, f"{what}: {problem}")
        return
    used = truth > 0
    truth, predicted = truth[used], predicted[used]
    score.check(KEYS <= result.keys(), f"{what}: keys missing: {sorted(KEYS - result.keys())}")
    for key, value in expected(truth, predicted, K).items():
        found = result.get(key)
        if math.isnan(value):
            score.check(found is None, f"{what}: {key} is {found}, not null")
        else:
            score.check(found is not None and abs(found - value) <= TOLERANCE * (1 + abs(value)),
                        f"{what}: {key} is {found}, not {value}")
    (low, high), slack = bootstrap(truth, predicted, generator)
    score.check(abs(result["mae_low"] - low) <= slack, f"{what}: mae_low is {result['mae_low']}, not near {low}")
    score.check(abs(result["mae_high"] - high) <= slack, f"{what}: mae_high is {result['mae_high']}, not near {high}")


def pairs(generator):
    """(name, K, truth, predicted)"""
    for K in (2, 3, 5, 10, 40):
        for n in (2, 7, 60, 1000):
            truth = generator.integers(1, K + 1, n)
            near = np.clip(truth + generator.integers(-2, 3, n), 1, K)
            far = generator.integers(1, K + 1, n)
            skewed = np.minimum(1 + generator.geometric(0.5, n), K)
            gaps = np.where(truth % 2 == 0, truth - 1, truth)  # only odd classes
            hidden = truth.copy()
            hidden[1:][generator.random(n - 1) < 0.4] = 0
            yield f"K={K} n={n} near", K, truth, near
            yield f"K={K} n={n} far", K, truth, far
            yield f"K={K} n={n} skewed", K, skewed, near
            yield f"K={K} n={n} absent classes", K, gaps, np.clip(gaps + generator.integers(-1, 2, n), 1, K)
            yield f"K={K} n={n} perfect", K, truth, truth
            yield f"K={K} n={n} reversed", K, truth, K + 1 - truth
            yield f"K={K} n={n} constant prediction", K, truth, np.full(n, (K + 1) // 2)
            yield f"K={K} n={n} constant truth", K, np.full(n, K), near
            yield f"K={K} n={n} both constant", K, np.full(n, K), np.full(n, K)
            yield f"K={K} n={n} some without truth", K, hidden, near


def check_expectations(score):
    """The other side of the comparison against numbers computed by hand (docs/metrics.md)."""
    hand = {"mae": 1 / 2, "mze": 1 / 3, "acc": 2 / 3, "mse": 5 / 6, "off1": 5 / 6, "amae": 1 / 2, "mmae": 1,
            "gm": 0.25 ** (1 / 3), "ms": 1 / 2, "tau": 3 / math.sqrt(132), "spearman": 4 / math.sqrt(240),
            "kappa": 2 / 5, "qkappa": 2 / 7, "n": 6}
    values = expected(np.array([1, 1, 2, 2, 3, 3]), np.array([1, 2, 2, 2, 3, 1]), 3)
    for key, value in hand.items():
        score.check(abs(values[key] - value) < 1e-14, f"by hand: {key} is {values[key]}, not {value}")


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    warnings.simplefilter("ignore")
    score, generator = Score(), np.random.default_rng(1)
    check_expectations(score)
    with tempfile.TemporaryDirectory() as folder:
        for what, K, truth, predicted in pairs(generator):
            compare(score, sys.argv[1], folder, truth, predicted, K, what, generator)
    print(f"{score.passed} passed, {score.failed} failed")
    return score.failed > 0


sys.exit(main())
