# SPDX-License-Identifier: BSD-3-Clause
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import rung

TREE = pathlib.Path(__file__).resolve().parents[2]
LONG = bool(os.environ.get("RUNG_LONG"))


def pytest_collection_modifyitems(items):
    for item in items:
        if "long" in item.keywords and not LONG:
            item.add_marker(pytest.mark.skip(reason="RUNG_LONG is not set"))


class Command:
    """The rung command, to compare with."""

    def __init__(self, path):
        self.path = path

    def __call__(self, *words):
        done = subprocess.run([self.path, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def inspect(self, model):
        return json.loads(self("inspect", model, "--json"))

    def predict(self, model, *words):
        """Column -> array; labels stay text."""
        rows = list(csv.reader(io.StringIO(self("predict", model, *words))))
        table = dict(zip(rows[0], zip(*rows[1:])))
        return {name: np.array(cells) if name == "label" else np.array(cells, float) for name, cells in table.items()}


@pytest.fixture(scope="session")
def command():
    path = os.environ.get("RUNG_COMMAND") or shutil.which("rung") or TREE / "build/rung"
    if not pathlib.Path(path).exists():
        pytest.skip("there is no rung command (RUNG_COMMAND)")
    return Command(str(path))


@pytest.fixture(scope="session")
def toy():
    """300 rows of 5 classes, 60 labelled; -1 = unlabelled; and the truth."""
    X, y = rung.generate("toy", rows=300, unlabelled=0.8)
    return X, y, rung.generate("toy", rows=300)[1]
