#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Model files through Python's safetensors package: everything loads, and what NumPy predicts from the arrays alone is
what `rung predict` says.

usage: test_safetensors.py RUNG
"""
import csv
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import traceback
import zlib

try:
    import numpy as np
    from safetensors import safe_open
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

RUNG = sys.argv[1]
COLOURS = ["red", "green", "blue", ""]
GRADES = ["low", "mid", "high"]


def write_data(path):
    """60 rows of three numbers (some missing), one text column (some missing) and a grade (a third of them hidden)."""
    rng = np.random.default_rng(3)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["size", "weight", "colour", "age", "grade"])
        for i in range(60):
            x = rng.normal(size=3) * [1, 100, 1e-3] + [0, 500, 7]
            colour = COLOURS[rng.integers(4)]
            level = x[0] + (x[1] - 500) / 100 + (colour == "red")
            grade = GRADES[int(np.clip(np.floor(level + 1.2), 0, 2))]
            cells = [repr(float(v)) if rng.random() > 0.05 else "" for v in x]
            out.writerow([cells[0], cells[1], colour, cells[2], grade if i % 3 else ""])


def rung(*arguments):
    done = subprocess.run([RUNG, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"rung {' '.join(map(str, arguments))}: {done.stderr}"
    return done.stdout


def open_model(path):
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}
    return metadata, json.loads(metadata["model"]), arrays


# ---- predictions from the arrays alone


def coded_rows(table, model, arrays):
    rows = []
    for row in table:
        cells = []
        for column, fill in zip(model["coding"]["columns"], arrays["fill"]):
            text = row[column["name"]]
            if column["categories"] is None:
                cells.append(float(text) if text else fill)
            else:
                cells += [float(text == category) for category in column["categories"]]
        rows.append(cells)
    return np.array(rows)


def midranks(x, knot, cdf):
    at = np.r_[0, cdf]  # the share of training rows at or below
    return (at[np.searchsorted(knot, x, "left")] + at[np.searchsorted(knot, x, "right")]) / 2


def scaled(X, kind, part):
    if kind == "none":
        return X
    if kind == "rank":
        first, knot, cdf = part["scale.first"], part["scale.knot"], part["scale.cdf"]
        X = np.column_stack([midranks(x, knot[a:b], cdf[a:b]) for x, a, b in zip(X.T, first[:-1], first[1:])])
    return (X - part["scale.shift"]) * part["scale.factor"]


def kernel(kind, degree, X, Z, part):
    difference = X[:, None, :] - Z[None, :, :]
    if kind == "rbf":
        return np.exp(-part["kernel.gamma"] * (difference**2).sum(-1))
    if kind == "laplacian":
        return np.exp(-part["kernel.gamma"] * np.sqrt((difference**2).sum(-1)))
    if kind == "ard":
        return np.exp(-(difference**2 * part["kernel.precisions"]).sum(-1))
    if kind == "poly":
        return (part["kernel.gamma"] * X @ Z.T + part["kernel.coef0"]) ** degree
    assert kind == "linear", kind
    return X @ Z.T


def rank_score(f, nodes, ranks):
    slope = (ranks[-1] - ranks[0]) / (nodes[-1] - nodes[0])
    inside = np.interp(f, nodes, ranks)
    return np.where(f < nodes[0], ranks[0] + slope * (f - nodes[0]),
                    np.where(f > nodes[-1], ranks[-1] + slope * (f - nodes[-1]), inside))


def shares(X, Z, about, part):
    """The share of every stored row in every new row: 0 but for the nearest ones."""
    d2 = ((X[:, None, :] - Z[None, :, :]) ** 2).sum(-1)
    near = np.argsort(d2, axis=1, kind="stable")[:, : about["count"]]
    d2 = np.take_along_axis(d2, near, 1)
    w = np.exp(-(d2 - d2[:, :1]) / (2 * part["width"] ** 2)) if about["weights"] == "gaussian" else np.ones(d2.shape)
    out = np.zeros((len(X), len(Z)))
    np.put_along_axis(out, near, w / w.sum(1, keepdims=True), 1)
    return out


def outputs_of(X, about, part):
    if about["scorer"] == "constant":
        return np.repeat(part["bias"][None, :], len(X), axis=0)
    if about["scorer"] == "linear":
        return part["bias"] + X @ part["coef"].T
    if about["scorer"] == "neighbours":
        return shares(X, part["rows"], about["neighbours"], part) @ part["coef"].T
    k = about["kernel"]
    return part["bias"] + kernel(k["kind"], k.get("degree"), X, part["rows"], part) @ part["coef"].T


def probabilities_of(outputs, about, part, K):
    """Over the classes that had labels, or None."""
    if about["scorer"] == "neighbours":
        return outputs
    if about["prior"]:
        return np.repeat(part["prior"][None, :], len(outputs), axis=0)
    if "calibration.a" not in part:
        return None
    s = np.clip(rank_score(outputs[:, 0], part["map.score"], part["map.rank"]), 0, K + 1)
    above = 1 / (1 + np.exp(-(part["calibration.a"] * s[:, None] - part["calibration.c"])))
    edges = np.hstack([np.ones((len(s), 1)), above, np.zeros((len(s), 1))])
    return edges[:, :-1] - edges[:, 1:]


def ranks_of(outputs, p, about, part):
    """From 0, among the classes that had labels."""
    decision = about["decision"]
    if decision == "thresholds":
        f, t = outputs[:, :1], part["thresholds"]
        return (f >= t if about["tie_up"] else f > t).sum(1)
    if decision == "calibrated":
        return (np.cumsum(p, axis=1)[:, :-1] <= 0.5).sum(1)
    if decision == "constant":
        return np.full(len(outputs), about["rank"] - 1)
    if decision == "nearest-mean":
        return ((outputs[:, None, :] - part["means"]) ** 2).sum(-1).argmin(1)
    if decision == "argmax":
        return (outputs if p is None else p).argmax(1)
    assert decision == "median", decision
    return (np.cumsum(p, axis=1)[:, :-1] < 0.5).sum(1)


def predicted(table, model, arrays):
    """Score columns, and where there are any, ranks and probabilities over all classes."""
    (about,) = model["members"]
    part = {name.removeprefix("members.0."): v for name, v in arrays.items() if name.startswith("members.0.")}
    present = np.array(model["present"], dtype=int)
    X = scaled(coded_rows(table, model, arrays), about["scale"], part)
    outputs = outputs_of(X, about, part)
    if about["decision"] == "none":
        return outputs, None, None
    p = probabilities_of(outputs, about, part, len(present))
    scores = (p @ present)[:, None] if about["scorer"] == "neighbours" else outputs
    ranks = present[ranks_of(outputs, p, about, part)]
    if p is None:
        return scores, ranks, None
    if "temper" in model:
        powers = [p**t / (p**t).sum(1, keepdims=True) for t in arrays["temper.power"]]
        p = np.tensordot(arrays["temper.weight"], powers, 1) + arrays["temper.frequency"]
    proba = np.zeros((len(X), len(model["coding"]["classes"])))
    proba[:, present - 1] = p
    return scores, ranks, proba


# ---- checks


def check_container(path, metadata):
    """The file by hand: the header is padded, the checksum is that of docs/model-format.md."""
    whole = path.read_bytes()
    (length,) = struct.unpack("<Q", whole[:8])
    assert length % 8 == 0, f"the header has {length} bytes"
    opening = b'{"__metadata__":{"checksum":"'
    assert whole[8:].startswith(opening)
    at = 8 + len(opening)
    digits = whole[at : at + 8]
    crc = zlib.crc32(whole[:at] + b"0" * 8 + whole[at + 8 :])
    assert digits.decode() == f"{crc:08x}" == metadata["checksum"], f"checksum {digits}, computed {crc:08x}"
    assert sorted(metadata) == ["checksum", "format", "library", "model"], sorted(metadata)
    assert metadata["format"] == "1"


def check_shapes(model, arrays):
    (about,) = model["members"]
    d = sum(1 if c["categories"] is None else len(c["categories"]) for c in model["coding"]["columns"])
    assert arrays["fill"].shape == (len(model["coding"]["columns"]),)
    if about["scorer"] != "neighbours":
        assert arrays["members.0.bias"].shape == (about["outputs"],)
    assert arrays["members.0.weight"].shape == ()
    if about["scorer"] in ("kernel", "neighbours"):
        assert arrays["members.0.rows"].shape == (about["terms"], d)
        assert arrays["members.0.coef"].shape == (about["outputs"], about["terms"])
    if about["scale"] != "none":
        assert arrays["members.0.scale.factor"].shape == (d,)
    for name, array in arrays.items():
        assert array.dtype in (np.float64, np.int64), f"{name} is {array.dtype}"
        if name.startswith("members."):
            assert np.isfinite(array).all(), f"{name} has values that are not finite"


def check_model(folder, data, options, proba):
    path = folder / "model.rung"
    rung("fit", data, *options, "-l", "grade", "--order", "<".join(GRADES), "-o", path)
    metadata, model, arrays = open_model(path)
    check_container(path, metadata)
    check_shapes(model, arrays)
    inspected = json.loads(rung("inspect", path, "--json"))
    assert inspected["method"] == model["method"] and inspected["classes"] == model["coding"]["classes"] == GRADES
    assert inspected["contains_training_rows"] == ("members.0.rows" in arrays)

    with open(data, newline="") as file:
        table = list(csv.DictReader(file))
    said = list(csv.DictReader(rung("predict", path, data, *(["--proba"] if proba else [])).splitlines()))
    assert len(said) == len(table), f"{len(said)} predictions for {len(table)} rows"
    scores, ranks, p = predicted(table, model, arrays)
    names = ["score"] if scores.shape[1] == 1 else [f"score{o + 1}" for o in range(scores.shape[1])]
    for i, row in enumerate(said):
        for o, name in enumerate(names):
            assert math.isclose(float(row[name]), scores[i, o], rel_tol=1e-10, abs_tol=1e-10), (
                f"row {i + 1}: {name} {row[name]}, from the arrays {scores[i, o]!r}")
        assert int(row["rank"]) == ranks[i], f"row {i + 1}: rank {row['rank']}, from the arrays {ranks[i]}"
        assert row["label"] == GRADES[int(row["rank"]) - 1]
        for k, grade in enumerate(GRADES if proba else []):
            assert math.isclose(float(row[f"p({grade})"]), p[i, k], rel_tol=1e-9, abs_tol=1e-10), (
                f"row {i + 1}: p({grade}) {row[f'p({grade})']}, from the arrays {p[i, k]!r}")
    if model["members"][0]["scorer"] != "constant":
        assert np.ptp(scores[:, 0]) > 0.1, "the scores hardly differ"


CASES = {
    "rbf, calibrated": (["-m", "kdlor", "-p", "calibrate=5"], True),
    "rbf, own thresholds": (["-m", "kdlor", "-p", "calibrate=0", "-p", "thresholds=midpoint"], False),
    "laplacian, minmax scaling": (["-m", "kdlor", "-p", "kernel=laplacian", "--scale", "minmax"], False),
    "poly, rank scaling": (["-m", "kdlor", "-p", "kernel=poly", "-p", "degree=2", "--scale", "rank"], False),
    "linear kernel": (["-m", "kdlor", "-p", "kernel=linear"], False),
    "ard": (["-m", "kdlor", "-p", "kernel=ard", "-p", "precisions=0.1,0.2,0.3,0,0.1,0.1,0.5"], False),
    "median": (["-m", "median"], True),
}


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data.csv"
        write_data(data)
        for title, (options, proba) in CASES.items():
            try:
                check_model(folder, data, options, proba)
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {title}")
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
