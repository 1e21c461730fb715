#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same answer every time, for every method of the table.

    stored.py RUNG             check; exit 1 with what differs
    stored.py RUNG --update    write tests/golden/stored.csv anew (then read the diff)
    stored.py RUNG --large     the fits of 1200 rows, where the work is cut into many tiles, in one run alone
    stored.py RUNG METHOD      check one method
    stored.py RUNG --part I/N  check some of them

In one run: the model files of a fit with one thread, with two and once more are the same bytes; so are those of a
search (tune) and of its report. Against tests/golden/stored.csv, written on another day and perhaps another kind of
machine: the same ranks, and scores to 1e-9 of the largest one."""
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import part  # noqa: E402

DATA = HERE.parent / "cli" / "data"
STORED = HERE / "stored.csv"
ROWS = 10  # of the test rows whose answers are stored
TOLERANCE = 1e-9


def run(rung, *arguments):
    done = subprocess.run([rung, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"rung {' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def without_time(text):
    """A report without what may differ: names of files and seconds."""
    def clean(value):
        if isinstance(value, dict):
            return {k: clean(v) for k, v in value.items() if "seconds" not in k and k not in ("model", "threads")}
        return [clean(v) for v in value] if isinstance(value, list) else value
    return clean(json.loads(text))


def fitted(rung, folder, method, train):
    """The bytes of three fits must be one; returns the model."""
    models = [folder / f"{method}.{run}.rung" for run in range(3)]
    for threads, model in zip((1, 2, 1), models):
        run(rung, "fit", train, "-m", method, "-q", "--threads", threads, "-o", model)
    kinds = {model.read_bytes() for model in models}
    return models[0], [] if len(kinds) == 1 else [f"{method}: {len(kinds)} different models of one, two and one "
                                                  f"threads"]


def searched(rung, folder, method, train):
    """So must be those of a search, and what it tells of the points it tried."""
    models, reports = [folder / f"{method}.t{threads}.rung" for threads in (1, 2)], []
    for threads, model in zip((1, 2), models):
        reports.append(without_time(run(rung, "tune", train, "-m", method, "-q", "--json", "--folds", 3, "--repeats", 1,
                                        "--threads", threads, "-o", model)))
    found = []
    if models[0].read_bytes() != models[1].read_bytes():
        found.append(f"{method}: tune gives another model with two threads")
    if reports[0] != reports[1]:
        found.append(f"{method}: tune tells something else with two threads")
    return found


def answers(rung, model, test):
    rows = list(csv.DictReader(run(rung, "predict", model, test, "-q").splitlines()))[:ROWS]
    return [(int(row["rank"]), [float(v) for k, v in row.items() if k.startswith("score")]) for row in rows]


def compare(method, now, then):
    """What differs between the answers now and those stored."""
    if len(now) != len(then):
        return [f"{method}: {len(then)} rows are stored, there are {len(now)}"]
    size = max(abs(v) for _, scores in then for v in scores)
    found = []
    for i, ((rank, scores), (old_rank, old_scores)) in enumerate(zip(now, then), 1):
        if rank != old_rank:
            found.append(f"{method}: row {i} has rank {rank}, stored is {old_rank}")
        if len(scores) != len(old_scores) or any(abs(a - b) > TOLERANCE * size for a, b in zip(scores, old_scores)):
            found.append(f"{method}: row {i} has the score {scores}, stored is {old_scores}")
    return found


def read_stored():
    stored = {}
    with open(STORED, newline="") as file:
        for row in csv.DictReader(file):
            stored.setdefault(row["method"], []).append((int(row["rank"]), [float(v) for v in row["scores"].split()]))
    return stored


def write_stored(all_answers):
    with open(STORED, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["method", "row", "rank", "scores"])
        for method, rows in all_answers.items():
            for i, (rank, scores) in enumerate(rows, 1):
                out.writerow([method, i, rank, " ".join(f"{v:.15g}" for v in scores)])


def large(rung, methods):
    found = []
    with tempfile.TemporaryDirectory() as name:
        train = Path(name) / "large.csv"
        train.write_text(run(rung, "generate", "toy", "--rows", 1200, "--unlabelled", 0.8, "-q"))
        for method in methods:
            found += fitted(rung, Path(name), method, train)[1]
    return found


def main():
    share = part.take(sys.argv)
    rung, update = sys.argv[1], "--update" in sys.argv[2:]
    asked = [word for word in sys.argv[2:] if not word.startswith("--")]
    table = [m["name"] for m in json.loads(run(rung, "methods", "--json"))]
    methods = asked or share(table)
    if "--large" in sys.argv[2:]:
        found = large(rung, methods)
        print("\n".join(found) if found
              else f"{len(methods)} methods: the same bits with one and two threads and once more")
        return 1 if found else 0
    train, test = DATA / "train.csv", DATA / "test.csv"
    stored, now, found = {} if update else read_stored(), {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for method in methods:
            model, differences = fitted(rung, folder, method, train)
            found += differences + searched(rung, folder, method, train)
            now[method] = answers(rung, model, test)
            if method in stored:
                found += compare(method, now[method], stored[method])
            elif not update:
                print(f"{method}: no answers are stored yet, --update adds them")
    for method in set(stored) - set(table):
        found.append(f"{method} is stored, but no method any more: run with --update")
    if update:
        write_stored(now if not asked else {**read_stored(), **now})
    print("\n".join(found) if found else f"{len(methods)} methods: the same bits with one and two threads and once more"
          + (", written to stored.csv" if update else ", and the stored answers"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
