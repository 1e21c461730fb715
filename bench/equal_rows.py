#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a model does with new rows that equal labelled ones: test MAE and RPS with and without the rule, in Markdown.

usage: equal_rows.py RUNG DATA [SET...] [--splits 5] [--most 3000]

DATA: the folder with a folder per data set (docs/data-sets.md). Needs numpy and pandas. Two thirds of the rows (at most
`most` in all) are labelled, the others are the test part of a random split; "known" is the share of test rows that
equal a labelled one, "prior" how many labelled rows the model counts as (median over the splits; - where there is no
rule). RPS is divided by the classes less one."""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd

SETS = [
    "tae", "winequality-red", "ERA", "LEV", "SWD", "ESL", "car", "balance-scale", "wine-bitterness", "beps-europe",
    "nhanes-selfrated-health", "soup-sureness", "bondrate",
]  # fmt: skip


def split(path, most, seed):
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    order = np.random.default_rng(seed).permutation(len(rows))[:most]
    cut = len(order) * 2 // 3
    return rows.iloc[order[:cut]], rows.iloc[order[cut:]]


def measure(rung, train, test, folder, setting):
    names = [str(folder / name) for name in ("train.csv", "test.csv", "m.rung", "p.csv")]
    train.to_csv(names[0], index=False)
    test.iloc[:, :-1].to_csv(names[1], index=False)
    subprocess.run([rung, "fit", names[0], "-o", names[2], "-q", *setting], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([rung, "predict", names[2], names[1], "--proba", "-o", names[3], "-q"], check=True)
    about = json.loads(subprocess.run([rung, "inspect", names[2], "--json"], check=True, capture_output=True).stdout)
    found = pd.read_csv(names[3], dtype=str)
    classes = about["classes"]
    truth = np.array([classes.index(c) for c in test.iloc[:, -1]])
    guess = np.array([classes.index(c) for c in found["rank"]])
    proba = found[[f"p({c})" for c in classes]].to_numpy(float)
    below = np.cumsum(proba, axis=1)[:, :-1] - (truth[:, None] <= np.arange(len(classes) - 1))
    return np.abs(truth - guess).mean(), (below**2).mean(), about["report"].get("equal_prior")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rung")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--most", type=int, default=3000)
    args = parser.parse_args()
    print("| set | known | MAE (RPS) without | with | prior |\n|---|---|---|---|---|", flush=True)
    for name in args.sets:
        known, results = [], {"without": [], "with": []}
        for seed in range(args.splits):
            train, test = split(args.data / name / f"{name}.csv", args.most, seed)
            test = test[test.iloc[:, -1].isin(set(train.iloc[:, -1]))]
            seen = set(map(tuple, train.iloc[:, :-1].to_numpy()))
            known.append(np.mean([tuple(r) in seen for r in test.iloc[:, :-1].to_numpy()]))
            with tempfile.TemporaryDirectory() as folder:
                for way, list_of in results.items():
                    setting = ["-p", f"copies={way}"]
                    list_of.append(measure(args.rung, train, test, pathlib.Path(folder), setting))
        mean = {way: np.mean([r[:2] for r in list_of], axis=0) for way, list_of in results.items()}
        priors = [np.inf if r[2] is None else r[2] for r in results["with"]]
        prior = np.median(priors)
        print(
            f"| {name} | {np.mean(known):.2f} |",
            " | ".join(f"{mae:.3f} ({rps:.4f})" for mae, rps in mean.values()),
            f"| {'-' if np.isinf(prior) else f'{prior:g}'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
