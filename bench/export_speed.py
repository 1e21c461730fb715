#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exported models beside rung itself, on one thread: microseconds of processor time per row, many rows at once. rung is
the Python package, onnx needs onnxruntime, page is the script of the calculator page in node; - : it is not there.

    PYTHONPATH=python RUNG_LIBRARY=build/librung.so build/venv/bin/python bench/export_speed.py build/rung
    [METHOD]..."""
import json
import shutil
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


PAGE = r"""
const fs = require('fs'), inside = (text, id) => text.split(`id="${id}">`)[1].split('</script>')[0];
const text = fs.readFileSync(process.argv[1], 'utf8');
const measure = new Function('program', 'rows', inside(text, 'engine') + `
    const predict = predictor(program), start = process.cpuUsage().user;
    for (const row of rows) predict(row);
    return (process.cpuUsage().user - start) / rows.length;`);
const rows = JSON.parse(fs.readFileSync(0, 'utf8'));
measure(JSON.parse(inside(text, 'model')), rows.slice(0, 500));
console.log(measure(JSON.parse(inside(text, 'model')), rows));
"""


def export(folder, end):
    subprocess.run([sys.argv[1], "export", folder / "m.rung", "-o", folder / f"model.{end}", "--with-rows", "-q"],
                   check=True)
    return folder / f"model.{end}"


def onnx_time(path, new):
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feed = {i.name: new[:, [j]] for j, i in enumerate(session.get_inputs())}
    session.run(["probabilities"], {name: v[:100] for name, v in feed.items()})
    start = time.process_time()
    session.run(["probabilities"], feed)
    return (time.process_time() - start) / len(new) * 1e6


def page_time(path, new):
    if not shutil.which("node"):
        return None
    done = subprocess.run(["node", "-e", PAGE, path], input=json.dumps(new[:2000].tolist()), text=True, check=True,
                          capture_output=True)
    return float(done.stdout)


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
        print("method        rung        C     onnx     page")
        for method in methods:
            subprocess.run([sys.argv[1], "fit", folder / "train.csv", "-m", method, "-q", "-o", folder / "m.rung"],
                           check=True)
            export(folder, "c")
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
            others = [onnx_time(export(folder, "onnx"), new), page_time(export(folder, "html"), new)]
            times = "".join("        -" if v is None else f"{v:9.2f}" for v in (own, c, *others))
            print(f"{method:8} {times}", flush=True)


if __name__ == "__main__":
    main()
