# SPDX-License-Identifier: BSD-3-Clause
"""Python and the command line give the same numbers, to the last bit, on every golden case."""

import csv
import json
import os
import pathlib
import warnings

import numpy as np
import pytest

import rung
from conftest import TREE

GOLDEN = pathlib.Path(os.environ.get("RUNG_GOLDEN", TREE / "tests" / "golden" / "cases"))
CASES = [path.parent for path in sorted(GOLDEN.glob("*/case.json"))]
assert CASES, f"there are no golden cases in {GOLDEN}"


def table(path):
    head, *rows = csv.reader(path.open())
    features = [j for j, name in enumerate(head) if name != "label"]
    X = np.array([[float(row[j]) for j in features] for row in rows])
    return X, np.array([np.nan if row[-1] == "" else float(row[-1]) for row in rows])


def text(value):
    return repr(value) if isinstance(value, float) else str(value)


def same(estimator, said, X):
    """Compares what there is to compare; X None: the training rows."""
    wanted = ["score"] + ["rank"] * ("rank" in said) + ["proba"] * any(name.startswith("p(") for name in said)
    if X is None:
        n = estimator.model_.training_rows
        got = dict(zip(wanted, estimator.model_.predict(estimator._context(), None, n, *wanted)))
    else:
        got = dict(zip(wanted, estimator._predict(X, *wanted)))
        if "rank" in said:
            np.testing.assert_array_equal(estimator.predict(X), estimator.classes_[said["rank"].astype(int) - 1])
    columns = {"score": [name for name in said if name.startswith("score")], "rank": ["rank"]}
    columns["proba"] = [name for name in said if name.startswith("p(")]
    for name in wanted:
        np.testing.assert_array_equal(
            got[name].reshape(len(got[name]), -1), np.column_stack([said[column] for column in columns[name]])
        )


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_same_bits(command, folder, tmp_path):
    case = json.loads((folder / "case.json").read_text())
    words = [word for name, value in case["params"].items() for word in ("-p", f"{name}={text(value)}")]
    command(
        "fit", folder / "train.csv", "-q", "-m", case["method"], "-o", tmp_path / "m.rung", *case["options"], *words
    )
    scale = "none" if "none" in case["options"] else "standard"
    kind = rung.OrdinalRegressor if "--real" in case["options"] else rung.OrdinalClassifier
    X, y = table(folder / "train.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rung.RungWarning)
        estimator = kind(case["method"], params=case["params"], scale=scale).fit(X, y)
    proba = ["--proba"] * estimator.describe()["probabilities"]
    rung.save(estimator, tmp_path / "python.rung")
    test = folder / "test.csv" if (folder / "test.csv").exists() else folder / "train.csv"
    for path in (tmp_path / "m.rung", tmp_path / "python.rung"):
        same(estimator, command.predict(path, test, *proba), table(test)[0])
    loaded = rung.load(tmp_path / "m.rung")
    same(loaded, command.predict(tmp_path / "m.rung", folder / "train.csv", *proba), X)
    if estimator.model_.training_rows:
        for model in (estimator, loaded):
            same(model, command.predict(tmp_path / "m.rung", *proba), None)
    if kind is rung.OrdinalClassifier:
        np.testing.assert_array_equal(loaded.classes_, estimator.classes_)
