# SPDX-License-Identifier: BSD-3-Clause
"""verbose=True tells on standard error how far the library has come."""

import io
import re
import sys

import pytest

import rung
from rung import _progress


@pytest.fixture
def at_once(monkeypatch):
    for name in ("BAR_AFTER", "BAR_EVERY", "LINE_AFTER", "LINE_EVERY"):
        monkeypatch.setattr(_progress, name, -1)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def works(toy):
    X, y, truth = toy
    yield lambda verbose: rung.KDLOR(verbose=verbose).fit(X, y)
    yield lambda verbose: rung.OrdinalClassifier("kdlor", verbose=verbose).fit(X, y)
    yield lambda verbose: rung.OrdinalRegressor("krr", verbose=verbose).fit(X, truth)
    yield lambda verbose: rung.OrdinalSearch("kdlor", verbose=verbose, folds=2).fit(X, y)
    yield lambda verbose: rung.label_curve(X, truth, "kdlor", repeats=2, verbose=verbose)


def test_lines(toy, at_once, capsys):
    for work in works(toy):
        work(False)
        assert capsys.readouterr().err == ""
        work(True)
        lines = capsys.readouterr().err.splitlines()
        assert lines and all(
            re.fullmatch(r"rung: [\w ]+: \d+ %, (\d+ s so far|about \d+ s left)", line) for line in lines
        )


def test_bar_on_a_terminal(toy, at_once, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    for work in works(toy):
        work(True)
        told = sys.stderr.getvalue()
        assert re.search(r"\r\x1b\[K[\w ]+ \[#*\.*\] +\d+ %, ", told) and told.endswith("\r\x1b[K")
        sys.stderr.truncate(0)


def test_time_left(monkeypatch, capsys, at_once):
    now = [100.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    progress = _progress.Progress()
    for passed, done in ((0, 0), (10, 0.25), (10, 0.5), (380, 0.6), (0, float("nan")), (0, 1)):
        now[0] += passed
        progress.tell("fitting", done)
    left = ["0 s so far", "about 30 s left", "about 20 s left", "about 4 min left", "7 min so far", "7 min so far"]
    percent = (0, 25, 50, 60, 0, 100)
    expected = [f"rung: fitting: {p} %, {words}" for p, words in zip(percent, left, strict=True)]
    assert capsys.readouterr().err.splitlines() == expected


def test_short_work_shows_nothing(toy, capsys):
    rung.MEDIAN(verbose=True).fit(*toy[:2])
    assert capsys.readouterr().err == ""
