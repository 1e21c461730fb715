#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kdlor on the toy set against results published with ORCA and with the method.

usage: toy.py RUNG

Partition 0, raw columns: ORCA's own expectation for its KDLOR, 64 of 75 test rows right. Standardised: the mean
absolute error over partitions 0-9 for three widths of the kernel.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

from command import data_sets, write

FIXED = {"ridge-kind": "identity", "ridge": "1e-3", "thresholds": "midpoint", "calibrate": "0"}


def errors(rung, folder, train, test, head, params, options):
    """|rank - label| of each test row."""
    write(folder / "train.csv", head, train)
    write(folder / "test.csv", head, test)
    command = [rung, "fit", folder / "train.csv", "-q", "-m", "kdlor", "-o", folder / "model.rung", *options]
    for name, value in {**FIXED, **params}.items():
        command += ["-p", f"{name}={value}"]
    subprocess.run(command, check=True)
    out = subprocess.run([rung, "predict", folder / "model.rung", folder / "test.csv"], capture_output=True, text=True,
                         check=True).stdout
    predicted = [int(row["label"]) for row in csv.DictReader(out.splitlines())]
    assert len(predicted) == len(test), f"{len(predicted)} predictions for {len(test)} rows"
    return [abs(p - int(row[-1])) for p, row in zip(predicted, test)]


def main():
    rung = sys.argv[1]
    partitions = list(data_sets.partitions("toy", 10))
    good = True

    def check(what, got, want, tolerance):
        nonlocal good
        fits = abs(got - want) <= tolerance
        good = good and fits
        print(f"{'ok  ' if fits else 'FAIL'} {what}: {got:.6f}, expected {want:.6f} within {tolerance:g}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        head, train, test = partitions[0]
        off = errors(rung, folder, train, test, head, {"gamma": "0.1", "C": "10"}, ["--scale", "none"])
        check("accuracy on partition 0", off.count(0) / len(off), 64 / 75, 1e-6)
        for gamma, want in (("0.1", 0.105), ("1", 0.100), ("10", 0.136)):
            maes = []
            for head, train, test in partitions:
                off = errors(rung, folder, train, test, head, {"gamma": gamma}, [])
                maes.append(sum(off) / len(off))
            check(f"mean MAE over partitions 0-9, gamma {gamma}", sum(maes) / len(maes), want, 0.002)
    return 0 if good else 1


sys.exit(main())
