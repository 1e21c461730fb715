# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
import pytest

import rung

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(scope="module")
def model(toy):
    return rung.KDLOR().fit(*toy[:2])


def test_projection(model, toy):
    X, y, _ = toy
    ax = rung.plot_projection(model, X, y)
    assert ax.get_xlabel() == "score" and len(ax.get_legend().get_texts()) == 6
    assert sum(len(part.get_offsets()) for part in ax.collections) == 300
    thresholds = [line.get_xdata()[0] for line in ax.get_lines()]
    np.testing.assert_array_equal(thresholds, model.describe()["thresholds"])
    assert rung.plot_projection(rung.KPCA().fit(X), X).get_ylabel() == "component 2"


def test_confusion(toy):
    ax = rung.plot_confusion([1, 1, 2, 3], [1, 2, 2, 1])
    assert [text.get_text() for text in ax.texts] == ["1", "1", "0", "0", "1", "0", "1", "0", "0"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]


def test_boundary_and_ranks(model, toy):
    X, y, truth = toy
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
    assert rung.plot_boundary(model, X, y, resolution=20, ax=left) is left
    assert rung.plot_ranks(model, X, truth, ax=right) is right
    assert sum(len(part.get_offsets()) for part in right.collections) == 300
    figure.canvas.draw()


def test_reliability(model, toy):
    X, _, truth = toy
    ax = rung.plot_reliability(truth, model.predict_proba(X), bins=5)
    proba = model.predict_proba(X)
    right = model.classes_[proba.argmax(axis=1)] == truth
    top = proba.max(axis=1)
    x, y = ax.get_lines()[1].get_data()
    last = (top > 0.8) & (top <= 1)
    assert x[-1] == pytest.approx(top[last].mean()) and y[-1] == pytest.approx(right[last].mean())
    with pytest.raises(ValueError, match="give order="):
        rung.plot_reliability([1, 2], np.eye(3)[:2])
