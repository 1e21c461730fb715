#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krr and kpca against scikit-learn's KernelRidge and KernelPCA, on the rows they were fitted to and on new ones.

usage: test_target.py RUNG      RUNG: the command
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import KernelCenterer
from sklearn.metrics.pairwise import pairwise_kernels

TOLERANCE = 1e-9
KERNELS = {"rbf": dict(gamma=0.4), "linear": {}, "poly": dict(gamma=0.5, coef0=1.0, degree=2)}


def write(path, X, y=None):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow([f"x{j}" for j in range(X.shape[1])] + (["y"] if y is not None else []))
        out.writerows([[repr(float(v)) for v in row] + ([repr(float(t))] if y is not None else [])
                       for row, t in zip(X, y if y is not None else X)])


def run(*args):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    return p.stdout


class Rung:
    def __init__(self, rung, folder):
        self.rung, self.folder = rung, pathlib.Path(folder)

    def fit(self, X, y, method, options, *more):
        write(self.folder / "train.csv", X, y)
        args = [self.rung, "fit", self.folder / "train.csv", "-q", "-m", method, "-o", self.folder / "m.rung",
                "--scale", "none"]
        for name, value in options.items():
            args += ["-p", f"{name}={value}"]
        run(*args, *more)

    def predict(self, X, *more):
        write(self.folder / "new.csv", X)
        rows = list(csv.reader(io.StringIO(run(self.rung, "predict", self.folder / "m.rung", self.folder / "new.csv",
                                               *more))))
        return np.array(rows[1:], dtype=float)

    def report(self):
        return json.loads(run(self.rung, "inspect", self.folder / "m.rung", "--json"))["report"]


def check(what, got, want):
    error = np.abs(got - want).max() / np.abs(want).max()
    assert error <= TOLERANCE, f"{what}: relative difference {error:.2g}"


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        r = Rung(sys.argv[1], folder)
        for n, d in ((40, 3), (15, 20), (700, 6)):
            X, new = rng.normal(size=(n, d)), rng.normal(size=(30, d))
            y = 5 + X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=n)
            for kind, options in KERNELS.items():
                where = f"{kind}, {n} x {d}"
                kernel = dict(options, kernel=kind)
                ridge = {"lambda": 0.3, "lambda-kind": "absolute"}
                plain = KernelRidge(alpha=0.3, **kernel).fit(X, y)
                r.fit(X, y, "krr", kernel | ridge | {"centre": "no"}, "--real")
                check("krr, " + where, r.predict(new)[:, 0], plain.predict(new))
                K, Kn = pairwise_kernels(X, metric=kind, **options), pairwise_kernels(new, X, metric=kind, **options)
                centre = KernelCenterer().fit(K)
                fit = KernelRidge(alpha=0.3, kernel="precomputed").fit(centre.transform(K.copy()), y - y.mean())
                r.fit(X, y, "krr", kernel | ridge, "--real")
                check("centred krr, " + where, r.predict(new)[:, 0],
                      fit.predict(centre.transform(Kn.copy())) + y.mean())
                components = min(3, d)
                pca = KernelPCA(components, eigen_solver="dense", **kernel).fit(X)
                r.fit(X, rng.integers(1, 4, n), "kpca", kernel | {"components": components})
                got, want = r.predict(new, "--project"), pca.transform(new)
                check("kpca, " + where, got, want * np.sign((got * want).sum(0)))
                check("kpca eigenvalues, " + where, np.array(r.report()["eigenvalues"]), pca.eigenvalues_)
    print("krr and kpca equal scikit-learn's")


main()
