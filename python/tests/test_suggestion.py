# SPDX-License-Identifier: BSD-3-Clause
import csv
import io

import numpy as np
import pytest

import rung


@pytest.fixture
def few():
    """160 rows of 5 classes, 24 labelled."""
    return rung.generate("toy", rows=160, unlabelled=0.85, random_state=3)


def test_rows_are_unlabelled_and_distinct(few):
    X, y = few
    found = rung.suggest(X, y, 10, estimator=rung.POM())
    assert len(found) == len(set(found.rows)) == 10 and np.all(y[found.rows] == -1)
    assert found.random.sum() == 2 and set(found.guess) <= {1, 2, 3, 4, 5}
    assert all("random" in reason for reason, drawn in zip(found.reason, found.random, strict=True) if drawn)
    assert found.forecast.labels == (y > 0).sum() and found.forecast.low <= found.forecast.high
    again = rung.suggest(X, y, 10, estimator=rung.POM())
    np.testing.assert_array_equal(found.rows, again.rows)


def test_the_rows_are_those_of_the_command(command, tmp_path, few):
    X, y = few
    lines = ["a,b,label"] + [f"{a!r},{b!r},{'' if c < 0 else c}" for (a, b), c in zip(X.tolist(), y, strict=True)]
    (tmp_path / "toy.csv").write_text("\n".join(lines) + "\n")
    said = list(csv.DictReader(io.StringIO(command("suggest", tmp_path / "toy.csv", "-q", "-m", "pom", "-n", 8))))
    found = rung.suggest(X, y, 8, estimator=rung.POM())
    assert [int(line["row"]) - 1 for line in said] == found.rows.tolist()
    assert [line["reason"] for line in said] == found.reason


def test_without_labels_and_with_rows_left_out(few):
    X, _ = few
    first = rung.suggest(X, n=5, random=0)
    assert first.guess is None and first.forecast is None and not first.random.any()
    assert not set(rung.suggest(X, n=5, random=0, leave=first.rows).rows) & set(first.rows)
    with pytest.raises(rung.DataError, match="nothing to suggest"):
        rung.suggest(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="share"):
        rung.suggest(X, random=2)


def test_chosen_rows_do_not_count_in_the_error(few):
    X, y = few
    known = np.flatnonzero(y > 0)
    plain, marked = (
        rung.suggest(X, y, 3, estimator=rung.POM(), chosen=rows).forecast for rows in (None, known[: len(known) // 2])
    )
    assert plain.labels == marked.labels and plain.now_high - plain.now_low < marked.now_high - marked.now_low
    assert rung.suggest(X, y, 3, estimator=rung.POM(), chosen=known).forecast is None


def test_frames_and_tables_of_text():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"size": np.sqrt(np.arange(30.0)), "colour": ["red", "blue", "green"] * 10})
    y = [None] * 30
    y[0], y[29] = "low", "high"
    frame = rung.suggest(X, y, 4, estimator=rung.POM(order=["low", "high"])).to_frame()
    assert list(frame.columns) == ["suggested", "score", "guess", "reason"] and set(frame["guess"]) <= {"low", "high"}


def test_forecast():
    f = rung.forecast([20, 40, 80], [0.6, 0.5, 0.42], 80, se=[0.01, 0.01, 0.01])
    assert f.low < f.value < f.high < 0.42 and f.now == 0.42 and str(f).startswith("80 more labels: mae")
    with pytest.raises(ValueError, match="same length"):
        rung.forecast([20, 40], [0.6], 80)


def test_a_curve_of_strategies():
    X, y = rung.generate("toy", rows=120)
    curve = rung.label_curve(X, y, "pom", strategies=["random", "suggest"], sizes=[20, 30], repeats=2)
    assert [line["strategy"] for line in curve["lines"]] == ["random", "suggest"]
    assert [size["labels"] for size in curve["sizes"]] == [10, 20, 30]
    assert curve["lines"][0]["values"][0] == curve["lines"][1]["values"][0]


def test_no_rows_chosen_yet():
    X, y = rung.generate("toy", rows=60, unlabelled=0.5)
    found = [rung.suggest(X, y, n=3, estimator=rung.POM(), chosen=none, leave=none, more=0) for none in (None, [])]
    assert found[0].rows.tolist() == found[1].rows.tolist()
