#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kdlor on the toy set against results published with ORCA and with the method.

usage: toy.py RUNG DATA      RUNG: the command; DATA: the folder with toy/toy.csv and toy/splits.csv

Partition 0, raw columns: ORCA's own expectation for its KDLOR, 64 of 75 test rows right. Standardised: the mean
absolute error over partitions 0-9 for three widths of the kernel.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

FIXED = {"ridge-kind": "identity", "ridge": "1e-3", "thresholds": "midpoint", "calibrate": "0"}


def write(path, head, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


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
    rung, toy = sys.argv[1], pathlib.Path(sys.argv[2]) / "toy"
    if not (toy / "toy.csv").exists():
        print(f"skipped: there is no {toy}/toy.csv")
        return 77
    head, *rows = csv.reader(open(toy / "toy.csv", newline=""))
    partitions = []
    for line in csv.reader(open(toy / "splits.csv", newline="")):
        held = {int(cell) for cell in line}
        partitions.append(([r for i, r in enumerate(rows) if i not in held], [rows[i] for i in sorted(held)]))

    good = True

    def check(what, got, want, tolerance):
        nonlocal good
        fits = abs(got - want) <= tolerance
        good = good and fits
        print(f"{'ok  ' if fits else 'FAIL'} {what}: {got:.6f}, expected {want:.6f} within {tolerance:g}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train, test = partitions[0]
        off = errors(rung, folder, train, test, head, {"gamma": "0.1", "C": "10"}, ["--scale", "none"])
        check("accuracy on partition 0", off.count(0) / len(off), 64 / 75, 1e-6)
        for gamma, want in (("0.1", 0.105), ("1", 0.100), ("10", 0.136)):
            maes = []
            for train, test in partitions[:10]:
                off = errors(rung, folder, train, test, head, {"gamma": gamma}, [])
                maes.append(sum(off) / len(off))
            check(f"mean MAE over partitions 0-9, gamma {gamma}", sum(maes) / len(maes), want, 0.002)
    return 0 if good else 1


sys.exit(main())
