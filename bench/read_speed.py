#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reading CSV files beside pandas: megabytes per processor second, each the best of five runs taken in turns.

usage: read_speed.py BUILD [--rows N]

BUILD holds bench/bench_read. pandas reads on one thread, as bench_read is told to."""
import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

RUNS = 5


def tables(rows):
    """Names and tables: numbers of six digits, numbers as they are, words beside small numbers."""
    random = np.random.default_rng(1)
    numbers = pd.DataFrame(random.normal(size=(rows, 20)), columns=[f"x{j}" for j in range(20)])
    words = ["red", "green", "dark blue", "violet", "x y"]
    mixed = pd.DataFrame({f"c{j}": random.choice(words, rows) for j in range(8)} |
                         {f"n{j}": random.integers(0, 1000, rows) for j in range(5)})
    yield "20 numbers with six decimals", numbers, "%.6f"
    yield "20 numbers of 16 to 17 digits", numbers, None
    yield "8 words, 5 numbers of three digits", mixed, None


def by_rung(program, path):
    run = subprocess.run([program, "--file", path], capture_output=True, check=True, text=True)
    return float(run.stdout)


def by_pandas(path):
    start = time.process_time()
    pd.read_csv(path)
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rows", type=int, default=150000)
    args = parser.parse_args()
    program = os.path.join(args.build, "bench/bench_read")
    print("| a row | file, MB | rung, MB a processor second | pandas | ratio |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, table, form in tables(args.rows):
            path = os.path.join(folder, "table.csv")
            table.to_csv(path, index=False, float_format=form)
            size = os.path.getsize(path) / 1e6
            times = [(by_rung(program, path), by_pandas(path)) for _ in range(RUNS)]
            rung, pandas = (size / min(column) for column in zip(*times))
            print(f"| {name} | {size:.0f} | {rung:.0f} | {pandas:.0f} | {rung / pandas:.2f} |")


main()
