#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""auto against the NumPy reference of the recipe, on its check values and on shared data sets.

usage: test_auto.py RUNG SHARED     SHARED: the folder with reference/ and data/; exit 77: it is not there
"""
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

# Without sets whose rows have many neighbours at the same distance: there rounding decides which of them is nearest.
SETS = {"pasture": 0, "contact-lenses": 11, "newthyroid": 2, "squash-unstored": 3, "squash-stored": 4, "bondrate": 5}
TOLERANCE = 1e-6


def write(path, X, y):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow([f"x{j}" for j in range(X.shape[1])] + ["label"])
        out.writerows([[repr(float(v)) for v in row] + ["" if t == 0 else int(t)] for row, t in zip(X, y)])


def run(rung, folder, X, y, Z):
    """Cumulative probabilities and ranks of Z, and the report."""
    train, test, model = (folder / name for name in ("train.csv", "test.csv", "m.rung"))
    write(train, X, y)
    write(test, Z, np.zeros(len(Z)))
    subprocess.run([rung, "fit", train, "-m", "auto", "-q", "-o", model], check=True)
    text = subprocess.run([rung, "predict", model, test, "--proba"], check=True, capture_output=True, text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))[1:]
    p = np.array([[float(v) for v in row[3:]] for row in rows])
    about = json.loads(subprocess.run([rung, "inspect", model, "--json"], check=True, capture_output=True, text=True).stdout)
    return 1 - p.cumsum(1)[:, :-1], np.array([int(row[1]) for row in rows]), about["report"]


def check_values():
    i = np.arange(24)
    X = np.column_stack([np.sin(1.7 * i), np.cos(2.3 * i + 0.5 * np.sin(i)), (7 * i % 11) / 5])
    z = X[:, 0] + X[:, 1] ** 2 / 2
    y = np.where(i % 2, 0, 1 + (z > -0.2) + (z > 0.6))
    Z = np.array([[0.1, 0.2, 0.3], [-0.9, 0.5, 1], [0.8, -0.7, 2]])
    expected = np.array([[0.9850493, 0.3444546], [0.1403027, 0.0022096], [0.9933479, 0.9281002]])
    return X, y, Z, expected


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rung, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (shared / "reference" / "auto_recipe.py").exists():
        print(f"skipped: there is no reference in {shared}")
        sys.exit(77)
    sys.path.insert(0, str(shared / "reference"))
    import auto_recipe

    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        X, y, Z, expected = check_values()
        P, _, report = run(rung, folder, X, y, Z)
        weights = [0.42584 + 0.34010, 0.08160 + 0.06727, 0.04741 + 0.03778, 0]
        found = [report["weight_" + k] for k in ("processes", "ridges", "unlabelled", "frequencies")]
        good = abs(P - expected).max() < TOLERANCE and np.allclose(found, weights, atol=1e-5) and report["sharpen"] == 1.5
        print("check values", "ok" if good else f"FAILED {P} {report}")
        bad += not good
        for data, seed in SETS.items():
            table = np.genfromtxt(shared / "data" / data / f"{data}.csv", delimiter=",", skip_header=1)
            rng = np.random.RandomState(seed)
            order = rng.permutation(len(table))
            half = len(order) // 2
            X, y = table[order, :-1], table[order, -1].astype(int)
            X = X[:, X[:half].std(0) > 0]  # rung never looks at a column that is constant in training
            ranks = np.unique(y[:half])
            train = np.searchsorted(ranks, y[:half]) + 1
            train[rng.permutation(half)[: half // 2]] = 0
            ranks = np.unique(train[train > 0])
            train = np.where(train > 0, np.searchsorted(ranks, train) + 1, 0)
            model = auto_recipe.fit(X[:half], train)
            expected = auto_recipe.cumulative(model, X[half:])
            P, rank, _ = run(rung, folder, X[:half], train, X[half:])
            off = abs(P - expected).max()
            sure = abs(expected - 0.5).min(1) > TOLERANCE  # elsewhere rounding decides
            agree = (rank == 1 + (expected > 0.5).sum(1))[sure].all()
            good = off < TOLERANCE and agree and math.isfinite(off)
            print(f"{data}: {(train > 0).sum()} labels, largest difference {off:.1e}, ranks {'agree' if agree else 'differ'}",
                  "" if good else "FAILED")
            bad += not good
    print(f"{len(SETS) + 1 - bad} passed, {bad} failed")
    sys.exit(1 if bad else 0)


main()
