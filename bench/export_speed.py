#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An exported model in C beside rung itself, on one thread: microseconds per row.

    PYTHONPATH=python RUNG_LIBRARY=build/librung.so build/venv/bin/python bench/export_speed.py build/rung
    [METHOD]..."""
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import rung

ROWS, NEW = 1000, 20000
MAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.h"
int main(void)
{
    static double cells[%d][RUNG_MODEL_COLUMNS];
    rung_model_answer a;
    double sum = 0;
    int i, n = (int)fread(cells, sizeof *cells, %d, stdin);
    clock_t start = clock();
    for (i = 0; i < n; i++) {
        if (rung_model_predict(cells[i], &a)) return 1;
        sum += a.probability[0];
    }
    printf("%%.6f %%g\n", (double)(clock() - start) / CLOCKS_PER_SEC / n * 1e6, sum);
    return 0;
}
""" % (NEW, NEW)


def data(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 8))
    return X, 1 + np.searchsorted([-1, 0, 1], X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=rows))


def main():
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    methods = sys.argv[2:] or ["pom", "boost", "kdlor", "gpor", "krr", "plp", "auto"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "main.c").write_text(MAIN)
        X, y = data(ROWS, 1)
        new, _ = data(NEW, 2)
        np.savetxt(folder / "train.csv", np.column_stack((X, y)), delimiter=",", fmt=["%.6f"] * 8 + ["%d"],
                   header=",".join([*(f"x{j}" for j in range(8)), "y"]), comments="")
        print("method    rung us/row   C us/row   ratio")
        for method in methods:
            subprocess.run([sys.argv[1], "fit", folder / "train.csv", "-m", method, "-q", "-o", folder / "m.rung"],
                           check=True)
            subprocess.run([sys.argv[1], "export", folder / "m.rung", "-o", folder / "model.c", "--with-rows", "-q"],
                           check=True)
            subprocess.run(["cc", "-O3", "-march=native", folder / "main.c", folder / "model.c", "-o",
                            folder / "program", "-lm"], check=True)
            model = rung.load(folder / "m.rung")
            model.threads = 1
            model.predict_proba(new[:100])
            start = time.process_time()
            model.predict_proba(new)
            own = (time.process_time() - start) / NEW * 1e6
            done = subprocess.run([folder / "program"], input=new.tobytes(), capture_output=True, check=True)
            c = float(done.stdout.split()[0])
            print(f"{method:8}  {own:11.2f}  {c:9.2f}  {c / own:6.2f}", flush=True)


if __name__ == "__main__":
    main()
