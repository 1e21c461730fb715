#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Golden numbers: fits the cases by the command and compares its numbers with those of independent implementations.

usage: run.py RUNG [CASE...]     CASE: a folder of cases/, a path of a case, or of a folder of cases; default: all of
cases/ Exit 0 when every case holds; the last line is 'N passed, N failed'. Only the Python standard library is used.

A case is a folder with train.csv, mostly test.csv, and case.json {method, params, options, tolerance, expect}. expect
names
  test.score, train.score   `rung predict MODEL test.csv` / train.csv: columns score or score1, score2, ...
  test.rank, train.rank     the same call: column rank (1..K)
  test.proba                `rung predict MODEL test.csv --proba`: columns p(...)
  training.score, training.proba, training.unlabelled.score
                            `rung predict MODEL` with no DATA: what a transductive fit says of its own training rows
  thresholds, n_expansion, report.*   `rung inspect MODEL --json`
A number passes when |x - e| <= tolerance * max(1e-12, max|e| of its array); ranks must be equal."""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "cases"


class Failed(Exception):
    pass


def call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["(no message)"])[-1]
        raise Failed(f"exit {done.returncode}: {' '.join(map(str, words))}\n      {said}")
    return done.stdout


def text(value):
    if isinstance(value, float):
        return f"{value:.17g}" if value != int(value) else f"{value:.0f}"
    return str(value)


def predictions(rung, model, data, proba):
    head, *body = csv.reader(io.StringIO(call(rung, "predict", model, *([data] if data else []), *["--proba"] * proba)))
    score = [j for j, name in enumerate(head) if name == "score" or (name[:5] == "score" and name[5:].isdigit())]
    p = [j for j, name in enumerate(head) if name.startswith("p(")]
    return {
        "score": [[float(row[j]) for j in score] for row in body],
        "proba": [[float(row[j]) for j in p] for row in body],
        "rank": [int(row[head.index("rank")]) for row in body] if "rank" in head else [],
    }


def flat(value):
    rows = value if isinstance(value, list) else [value]
    return [x for row in rows for x in (row if isinstance(row, list) else [row])]


def compare(name, got, want, tolerance):
    got, want = flat(got), flat(want)
    if len(got) != len(want):
        raise Failed(f"{name}: {len(got)} numbers, expected {len(want)}")
    scale = max([1e-12, *map(abs, want)])
    for i, (x, e) in enumerate(zip(got, want)):
        if not abs(x - e) <= tolerance * scale:
            off = abs(x - e) / scale
            raise Failed(f"{name}[{i}]: {x:.12g}, expected {e:.12g} (relative to scale: {off:.2g}, allowed "
                         f"{tolerance:.2g})")


def compare_rows(rung, model, folder, expect, tolerance):
    train = folder / "train.csv"
    unlabelled = [i for i, row in enumerate(list(csv.reader(train.open()))[1:]) if row[-1] == ""]
    for where, data in (("test", folder / "test.csv"), ("train", train), ("training", None)):
        keys = [key for key in expect if key.split(".")[0] == where]
        if not keys:
            continue
        found = predictions(rung, model, data, any("proba" in key for key in keys))
        for key in keys:
            got = found[key.split(".")[-1]]
            if ".unlabelled." in key:
                got = [got[i] for i in unlabelled]
            if not key.endswith("rank"):
                compare(key, got, expect[key], tolerance)
            elif got != expect[key]:
                raise Failed(f"{key}: {got}, expected {expect[key]}")


def compare_model(rung, model, expect, tolerance):
    if not any(key in expect for key in ("thresholds", "n_expansion", "report")):
        return
    about = json.loads(call(rung, "inspect", model, "--json"))
    if "thresholds" in expect:
        compare("thresholds", about["thresholds"], expect["thresholds"], tolerance)
    if about["n_expansion"] != expect.get("n_expansion", about["n_expansion"]):
        raise Failed(f"n_expansion: {about['n_expansion']}, expected {expect['n_expansion']}")
    for key, value in expect.get("report", {}).items():
        if key not in about["report"]:
            raise Failed(f"report.{key} is missing")
        compare("report." + key, about["report"][key], value, tolerance)


def run(rung, folder, place):
    case = json.loads((folder / "case.json").read_text())
    model = place / "model.rung"
    params = [word for name, value in case["params"].items() for word in ("-p", f"{name}={text(value)}")]
    call(rung, "fit", folder / "train.csv", "-q", "-m", case["method"], "-o", model, *case["options"], *params)
    compare_rows(rung, model, folder, case["expect"], case["tolerance"])
    compare_model(rung, model, case["expect"], case["tolerance"])


def cases_of(word):
    """The folders of cases that a word of the command line means."""
    path = pathlib.Path(word) if pathlib.Path(word).is_dir() else CASES / word
    if (path / "case.json").exists():
        return [path]
    found = sorted(case.parent for case in path.glob("*/case.json"))
    if not found:
        sys.exit(f"run.py: {word} is neither a case nor a folder of cases")
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rung = pathlib.Path(sys.argv[1]).resolve()
    cases = [case for word in sys.argv[2:] or [CASES] for case in cases_of(word)]
    failed = 0
    for folder in cases:
        with tempfile.TemporaryDirectory() as place:
            try:
                run(rung, folder, pathlib.Path(place))
            except (Failed, OSError, ValueError, KeyError, IndexError, subprocess.TimeoutExpired) as why:
                failed += 1
                print(f"FAIL {folder.name:36} {why}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
