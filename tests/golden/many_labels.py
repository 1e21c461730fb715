#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The default with many labels: the error it reports is that of the model it writes, on new rows of the same
population.

    many_labels.py RUNG [--long]

Above 2000 labels a single part of them is held out, above 20,000 kernels see only some. A quick effort proceeds as
normal does with four times more, so that few rows show it; --long uses as many as it takes."""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

RUNG = sys.argv[1]
FEW = [  # rows, options, classes of a single row, groups
    (520, ["-p", "effort=quick", "-w", "balanced"], 0, False),
    (520, ["-p", "effort=quick"], 0, True),
]
MANY = [(2500, [], 0, False), (2500, ["-w", "balanced"], 0, False), (2500, [], 0, True), (21000, [], 6, False),
        (21000, ["-w", "balanced"], 0, False), (21000, [], 0, True)]
NEW = 4000


def rows(n, seed, single, groups):
    """Steps that cross, which trees find and kernels do not, and a slope; rows of a group share a column and an
    error."""
    r = random.Random(seed)
    shared, lines = [], []
    for i in range(n):
        if groups and i % 4 == 0:
            shared = [r.gauss(0, 1), r.gauss(0, 0.5)]
        x = [r.gauss(0, 1) for _ in range(4)] + ([shared[0]] if groups else [])
        latent = ((x[0] > 0) ^ (x[1] > 0.3)) + 0.4 * x[2] + (shared[1] if groups else r.gauss(0, 0.5))
        rank = 1 + (latent > 0) + (latent > 0.9)
        lines.append([f"{v:.4f}" for v in x] + [rank, i // 4])
    for q in range(single):
        lines[(q + 1) * n // (single + 2)][-2] = 4 + q
    return lines


def write(path, lines):
    names = [f"x{j}" for j in range(len(lines[0]) - 2)] + ["label", "g"]
    path.write_text("\n".join(",".join(map(str, line)) for line in [names] + lines) + "\n")


def run(*arguments):
    return subprocess.run([RUNG, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def check(folder, n, options, single, groups):
    data, new, model = folder / "data.csv", folder / "new.csv", folder / "model.rung"
    write(data, rows(n, 1, single, groups))
    write(new, rows(NEW, 2, 0, groups))
    how = ["--groups", "g"] if groups else ["--ignore", "g"]
    run("fit", data, "-l", "label", "-o", model, "-q", *how, *options)
    said = json.loads(run("inspect", model, "--json"))["cv"]
    true = json.loads(run("evaluate", model, new, "--json"))["mae"]
    error = max(said["mae_high"] - said["mae"], said["mae"] - said["mae_low"]) / 1.96
    error = math.hypot(error, math.sqrt(true / NEW))
    off = (said["mae"] - true) / error
    print(f"{n} labels {' '.join(options + how)}: reported {said['mae']:.3f}, new rows {true:.3f}, {off:+.1f} standard "
          f"errors")
    return abs(off) < 4


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        cases = MANY if "--long" in sys.argv else FEW
        sys.exit(0 if all([check(pathlib.Path(folder), *case) for case in cases]) else 1)
