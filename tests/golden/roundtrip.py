#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every data set of data/ and of RUNG_DATA, as it is: read, fit, predict.

usage: roundtrip.py RUNG [--part I/N]

A model is fitted to the file itself or, where it is large, to some of its rows through standard input, and then
predicts the whole file. One class per row, on the model's scale, is what must come out; no file is edited by hand.
"""
import csv
import gzip
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

from command import data_sets

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from part import take  # noqa: E402

ROWS = 1500  # fitted at most
EVERY = 20   # of the text data, which have 22730 columns and are sorted: one row in so many

# What a user has to tell about a data set, by the name of its file.
OPTIONS = {
    "bondrate_raw": ["--ignore", "City"],
    "coil20": ["--ignore", "object", "--bins", "5"],
    "umist": ["--ignore", "subject"],
    "scaledata": ["--ignore", "id,rating,label3,text"],
    "movielens-100k": ["--ignore", "timestamp"],
    "contact-lenses_raw": ["--order", "none<soft<hard"],
    "tae_raw": ["-l", "label"],
}


def opened(path):
    return gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")


def base(path):
    return path.name.removesuffix(".gz").rsplit(".", 1)[0]


def data_files(folder):
    """The tables in a data set's folder, not the lists of rows and labels beside them."""
    for path in sorted(folder.iterdir()):
        name = base(path)
        if name == folder.name or name.startswith(folder.name + "_"):
            yield path


def count(path):
    """The rows of a file by another reader than ours, and the name of its last column."""
    with opened(path) as file:
        if ".libsvm" in path.name:
            return sum(1 for _ in file), "label"
        rows = csv.reader(file)
        last = next(rows)[-1]
        return sum(1 for _ in rows), last


def part(path):
    """Some rows, with the header, as bytes."""
    with opened(path) as file:
        if ".libsvm" in path.name:
            return "".join(itertools.islice(file, 0, None, EVERY)).encode()
        text, left = "", ROWS + 1
        while left > 0 and (line := file.readline()):
            text += line
            left -= text.count('"') % 2 == 0  # else a quoted line break
        return text.encode()


def run(command, data=None):
    done = subprocess.run([str(word) for word in command], input=data, capture_output=True)
    if done.returncode:
        raise AssertionError(f"exit {done.returncode}: {done.stderr.decode().strip()}")
    return done.stdout.decode()


def round_trip(rung, path, folder):
    rows, last = count(path)
    model = folder / "model.rung"
    options = ["-q", "-m", "kdlor", "-o", model, *OPTIONS.get(base(path), [])]
    if last == "target":
        options += ["--bins", "5"]
    if rows <= ROWS:
        run([rung, "fit", path, *options])
    else:
        run([rung, "fit", "-", *options], part(path))
    predicted = list(csv.DictReader(run([rung, "predict", "-q", model, path]).splitlines()))
    if len(predicted) != rows:
        raise AssertionError(f"{len(predicted)} predictions for {rows} rows")
    names = {}
    for row in predicted:
        if not row["rank"].isdigit() or names.setdefault(row["rank"], row["label"]) != row["label"]:
            raise AssertionError(f"rank {row['rank']} is called {row['label']}")
        float(row["score"])
    if "0" in names:
        raise AssertionError("rank 0")
    return rows, len(names)


def main():
    share = take(sys.argv)
    rung = sys.argv[1]
    names = {path.name for place in data_sets.folders() for path in pathlib.Path(place).iterdir() if path.is_dir()}
    passed = failed = 0
    for folder in (pathlib.Path(data_sets.find(name)) for name in share(sorted(names))):
        files = list(data_files(folder))
        if not files:
            print(f"FAILED {folder.name}: no file of that name")
            failed += 1
        for path in files:
            started = time.monotonic()
            with tempfile.TemporaryDirectory() as place:
                try:
                    rows, ranks = round_trip(rung, path, pathlib.Path(place))
                    print(f"ok     {path.name}: {rows} rows, {ranks} ranks, {time.monotonic() - started:.1f} s")
                    passed += 1
                except (AssertionError, KeyError, ValueError) as why:
                    print(f"FAILED {path.name}: {why}")
                    failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
