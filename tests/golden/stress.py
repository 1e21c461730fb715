#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers under stress: every method on data that are hard for arithmetic. An answer is verified (fit --verify) and,
where it is known, compared; a refusal must be a sentence. Anything else is a defect.

    stress.py RUNG [--long] [--part I/N] [--only METHOD,...] [--case NAME;...]    check; exit 1 with the defects
    stress.py RUNG --long --update FILE.md                           put the table between its marks in FILE.md

--long adds the cases of many classes and many duplicates. --limit: processor seconds a fit may take; what takes longer
is slow.
--keep FILE.json: what was found is kept there and not asked again, so that a long run can be continued."""
import argparse
import csv
import json
import math
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import part  # noqa: E402

MARK = ("<!-- stress: begin -->", "<!-- stress: end -->")


# ---- the cases: rows of (features, label) and options; `known` tells what the ranks must be ----

def along(n, d, classes, noise, seed=1, labelled=1.0):
    """Classes along the first column."""
    r = random.Random(seed)
    rows = []
    for i in range(n):
        y = i % classes + 1
        label = y if i < 2 * classes or r.random() < labelled else ""
        rows.append(([noise * r.gauss(0, 1) + (y if j == 0 else 0) for j in range(d)], label))
    return rows


def scaled(rows, factor):
    return [([v * factor for v in x], y) for x, y in rows]


def mixed(n=40, classes=4):
    """Every point has a row of each class: nothing can be learned."""
    r = random.Random(3)
    rows = []
    for _ in range(n // classes):
        x = [r.gauss(0, 1), r.gauss(0, 1)]
        rows += [(x, y) for y in range(1, classes + 1)]
    return rows


def dependent(exponent=-8):
    """Columns that are nearly one: a Gram matrix of condition number 10^16."""
    r = random.Random(4)
    rows = []
    for x, y in along(64, 1, 4, 0.3):
        rows.append(([x[0], x[0] + 10 ** exponent * r.gauss(0, 1), 2 * x[0] + 10 ** exponent * r.gauss(0, 1)], y))
    return rows


def duplicates(n, distinct=6):
    points = [([float(q), math.sin(q)], q // 2 + 1) for q in range(distinct)]
    return [points[i % distinct] for i in range(n)]


BASE = along(100, 3, 4, 0.5, labelled=0.7)  # with 60 labels or fewer some methods are fitted anew to every fold
CASES = {
    "plain": (BASE, [], None),
    "x 1e-150": (scaled(BASE, 1e-150), [], "plain"),
    "x 1e150": (scaled(BASE, 1e150), [], "plain"),
    "x 1e-150, unscaled": (scaled(BASE, 1e-150), ["--scale", "none"], None),
    "x 1e150, unscaled": (scaled(BASE, 1e150), ["--scale", "none"], None),
    "n < d": (along(12, 60, 3, 0.3), [], None),
    "d = 1": (along(100, 1, 4, 0.3, labelled=0.7), [], None),
    "n = K": (along(5, 2, 5, 0.1), [], None),
    "separated": ([([y + 0.01 * v for v in (x[0] - y, x[1])], y) for x, y in along(64, 2, 4, 1)], [], "labels"),
    "mixed": (mixed(), [], None),
    "condition 1e16": (dependent(), [], None),
}
LONG = {
    "1000 classes": (along(2000, 2, 1000, 0.1), ["--order", "<".join(map(str, range(1, 1001)))], None),
    "100000 duplicates": (duplicates(100000), [], None),
}
# Not for methods that look for the widest or smoothest direction instead.
NOT_BY_LABELS = {"lpp", "npe", "isoproj", "tlpp", "tnpe", "mie", "kpca", "median"}


def write(path, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f"x{j + 1}" for j in range(len(rows[0][0]))] + ["label"])
        for x, y in rows:
            out.writerow([repr(v) for v in x] + [y])


# ---- one method on one case ----

def run(limit, *arguments):
    """None: it took more processor time than that."""
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)))
    return None if -done.returncode in (signal.SIGXCPU, signal.SIGKILL) else done


def last_line(text):
    lines = [line for line in text.strip().splitlines() if line.startswith("rung: ")]
    return lines[-1][6:] if lines else text.strip()[-200:]


def verified(stdout):
    try:
        return [f"{c['name']} {c['value']}" for c in json.loads(stdout).get("verified", []) if not c["ok"]]
    except ValueError:
        return []


def attempt(rung, method, train, options, limit, folder):
    """(what happened, detail, ranks): ok, refused, slow or a defect."""
    model = folder / "model.rung"
    fit = run(limit, rung, "fit", train, "-m", method, "--verify", "--json", "--memory", "2G", "-o", model, *options)
    if fit is None:
        return "slow", f"not done in {limit} s of processor time", None
    told = [line for line in fit.stderr.splitlines()
            if re.search("warning: .*(the search stopped|found no direction of ascent)", line)]
    if fit.returncode == 1 and verified(fit.stdout) and told:
        return "refused", told[-1].split("warning: ", 1)[1], None
    if fit.returncode == 1 and verified(fit.stdout):
        return "defect", "not verified: " + "; ".join(verified(fit.stdout)), None
    if fit.returncode == 1:
        message = last_line(fit.stderr)
        bad = not message or "defect" in message or "nan" in message.lower().split()
        return ("defect" if bad else "refused"), message, None
    if fit.returncode:
        return "defect", f"exit code {fit.returncode}: {last_line(fit.stderr)}", None
    said = run(limit, rung, "predict", model, train, "-q")
    if said is None or said.returncode:
        return "defect", "predict: " + (last_line(said.stderr) if said else "not done"), None
    rows = list(csv.DictReader(said.stdout.splitlines()))
    if any(not math.isfinite(float(v)) for row in rows for k, v in row.items() if k.startswith("score")):
        return "defect", "a score is not finite", None
    return "ok", "", [row.get("rank") for row in rows]


def judge(case, known, method, ranks, rows, plain):
    """A sentence where the ranks are not what they must be."""
    if ranks is None or known is None:
        return ""
    if known == "plain":
        differ = sum(a != b for a, b in zip(ranks, plain[method] or ranks))
        return f"{differ} ranks differ from those of the columns as they were" if differ else ""
    if method in NOT_BY_LABELS:
        return ""
    wrong = sum(str(y) != rank for (_, y), rank in zip(rows, ranks))
    return f"{wrong} of {len(rows)} separated rows have another rank" if wrong else ""


def table(methods, cases, results):
    short = {"ok": "ok", "refused": "error", "slow": "slow", "defect": "DEFECT"}
    lines = ["| method | " + " | ".join(cases) + " |", "|---|" + "---|" * len(cases)]
    for method in methods:
        lines.append(f"| `{method}` | " + " | ".join(short[results[method, case][0]] for case in cases) + " |")
    reasons = {}
    for (method, case), (what, why) in results.items():
        if what == "refused":
            reasons.setdefault((case, re.sub(rf"\b{method}\b", "METHOD", why.replace(f"{method}: ", ""))),
                               []).append(method)
    lines += ["", "The errors:", ""]
    for (case, why), names in sorted(reasons.items()):
        lines.append(f"- {case}, {' '.join(f'`{n}`' for n in names)}: {why}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rung")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--case", help="their names with ; between them")
    parser.add_argument("--limit", type=int, default=60)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--update")
    share = part.take(sys.argv)
    a = parser.parse_args()
    methods = share(m["name"] for m in json.loads(run(60, a.rung, "methods", "--json").stdout))
    if a.only:
        methods = [m for m in methods if m in a.only.split(",")]
    cases = {**CASES, **(LONG if a.long else {})}
    if a.case:
        cases = {name: case for name, case in cases.items() if name in ["plain"] + a.case.split(";")}
    results, plain, defects = {}, {}, []
    kept = json.loads(a.keep.read_text()) if a.keep and a.keep.exists() else {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case, (rows, options, known) in cases.items():
            train = folder / "train.csv"
            write(train, rows)
            for method in methods:
                place = f"{method}, {case}"
                if place not in kept:
                    kept[place] = attempt(a.rung, method, train, options, a.limit, folder)
                    if a.keep:
                        a.keep.write_text(json.dumps(kept))
                what, why, ranks = kept[place]
                if case == "plain":
                    plain[method] = ranks
                wrong = judge(case, known, method, ranks, rows, plain)
                if wrong:
                    what, why = "defect", wrong
                results[method, case] = (what, why)
                if what == "defect":
                    defects.append(f"{case}: {method}: {why}")
    if a.update:
        path = Path(a.update)
        before, rest = path.read_text().split(MARK[0])
        path.write_text(before + MARK[0] + "\n" + table(methods, cases, results) + "\n" + MARK[1]
                        + rest.split(MARK[1])[1])
    counts = {what: sum(r[0] == what for r in results.values()) for what in ("ok", "refused", "slow", "defect")}
    print("\n".join(defects + [", ".join(f"{n} {what}" for what, n in counts.items())]))
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
