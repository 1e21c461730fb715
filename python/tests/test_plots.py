# SPDX-License-Identifier: BSD-3-Clause
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rung
from rung import _look

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

LONG_NAMES = [f"Obesity_Type_of_the_number_{i}_by_weight" for i in range(11)]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def model(toy):
    return rung.KDLOR().fit(*toy[:2])


@pytest.fixture(scope="module")
def grades():
    """400 rows of 11 classes with long names, some unlabelled; columns of numbers and of text."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(400, 4))
    y = pd.Series(pd.qcut(Z[:, 0] + 0.3 * rng.normal(size=400), 11, labels=LONG_NAMES))
    y[rng.random(400) < 0.3] = None
    return pd.DataFrame(Z, columns=list("abcd")).assign(colour=rng.choice(["red", "green"], 400)), y


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def shown(ax):
    """The texts of a figure that is laid out; all that is drawn lies within it."""
    ax.figure.canvas.draw()
    whole, box = ax.figure.bbox, ax.get_tightbbox()
    assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= whole.x1 + 1 and box.y1 <= whole.y1 + 1, (box, whole)
    return [text.get_text() for text in ax.findobj(matplotlib.text.Text) if text.get_visible()]


def test_projection(model, toy):
    X, y, _ = toy
    ax = rung.plot_projection(model, X, y)
    rows = [f"{k}\n{np.sum(y == k)} rows" for k in (1, 2, 3, 4, 5)]
    assert ticks(ax.yaxis) == ["unlabelled\n240 rows", *rows]  # from below
    thresholds = [line.get_xdata()[0] for line in ax.get_lines() if line.get_linestyle() == "--"]
    np.testing.assert_array_equal(thresholds, model.describe()["thresholds"])
    assert {"1", "2", "3", "4", "5", "Scores by class (kdlor)", "score of kdlor"} <= set(
        shown(ax)
    )  # names of the bands
    bars = [bar for bar in ax.patches if bar.get_facecolor()[:3] == _look.class_colour(5, 5) and bar.get_height() > 0]
    assert min(bar.get_x() for bar in bars if bar.get_height() < 1) >= model.score_samples(X[y == 5]).min() - 1
    assert rung.plot_projection(rung.KPCA().fit(X), X).get_ylabel() == "component 2"
    components = rung.plot_projection(rung.KDA().fit(X, y), X, y)
    assert sum(len(part.get_offsets()) for part in components.collections) == 300


def test_confusion():
    ax = rung.plot_confusion([1, 1, 2, 3, None], [1, 2, 2, 1, 3])
    cells = {(text.get_position(), text.get_text()) for text in ax.texts}
    assert ((0, -0.11), "1") in cells and ((0, 0.2), "50 %") in cells and ((2, 0), "0") in cells
    assert ((1, 1.2), "100 %") in cells
    assert ticks(ax.xaxis) == ticks(ax.yaxis) == ["1", "2", "3"]
    assert {"predicted", "true", "rows"} <= set(shown(ax))


def test_order_of_the_classes():
    words = ["low", "mid", "high"]
    truth = pd.Categorical(["low", "mid", "high", "mid"], categories=words, ordered=True)
    assert ticks(rung.plot_confusion(truth, ["low", "mid", "mid", "mid"]).yaxis) == words
    assert ticks(rung.plot_confusion(list(truth), ["mid"] * 4, order=words).xaxis) == words
    proba = np.array([[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8], [0.2, 0.8, 0.0]])
    assert any("error 0.200" in text for text in shown(rung.plot_reliability(truth, proba)))  # all four are right
    for bad in (
        lambda: rung.plot_confusion(list(truth), ["mid"] * 4),
        lambda: rung.plot_reliability(list(truth), proba),
    ):
        with pytest.raises(ValueError, match="is not known: give order="):
            bad()


def test_boundary(model, toy):
    X, y, truth = toy
    ax = rung.plot_boundary(model, X, y, resolution=20)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1", "2", "3", "4", "5", "unlabelled"]
    figure, (left, right) = pyplot.subplots(1, 2)
    assert rung.plot_boundary(model, X, y, resolution=20, ax=left) is left
    pipeline = make_pipeline(StandardScaler(), rung.KDLOR()).fit(X, truth)
    assert rung.plot_boundary(pipeline, X, resolution=20, ax=right) is right
    figure.canvas.draw()


def test_boundary_of_a_frame_with_text(grades):
    X, y = grades
    model = rung.KDLOR().fit(X, y)
    ax = rung.plot_boundary(model, X, y, resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("principal component 1", "principal component 2")
    ax = rung.plot_boundary(model, X, y, columns=("b", 3), resolution=20)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "d")
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), X.loc[y.isna(), ["b", "d"]])
    shown(ax)
    with pytest.raises(ValueError, match="'colour' is not a column of numbers; there are a, b, c, d"):
        rung.plot_boundary(model, X, columns=("a", "colour"))
    two = rung.KDLOR().fit(X[["colour", "a", "b"]], y)
    seen = rung.plot_boundary(two, X[["colour", "a", "b"]], resolution=20)
    assert (seen.get_xlabel(), seen.get_ylabel()) == ("a", "b")
    with pytest.raises(ValueError, match="two columns of numbers, and X has 1"):
        rung.plot_boundary(rung.KDLOR().fit(X[["colour", "a"]], y), X[["colour", "a"]])


def test_boundary_of_an_arrow_table_with_text(grades):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X, y = grades
    expected = rung.plot_boundary(rung.KDLOR().fit(X, y), X, y, columns=("b", "d"), resolution=20)
    cells = {name: [None if pd.isna(cell) else cell for cell in X[name]] for name in X}
    for table in (polars.DataFrame(cells), pyarrow.table(cells)):
        model = rung.KDLOR().fit(table, y)
        ax = rung.plot_boundary(model, table, y, columns=("b", "d"), resolution=20)
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("b", "d")
        for ours, theirs in zip(ax.collections, expected.collections, strict=True):
            np.testing.assert_array_equal(ours.get_offsets(), theirs.get_offsets())
        with pytest.raises(ValueError, match="'colour' is not a column of numbers; there are a, b, c, d"):
            rung.plot_boundary(model, table, columns=("a", "colour"))


def test_plane_is_that_of_the_columns(toy):
    """The rows of the plane differ in its two columns alone; the others stay at their medians and commonest values."""
    X = pd.DataFrame({"w": ["u", "v", "v"], "a": [1.0, 2, 9], "b": [4.0, 5, 6], "c": [0.0, np.nan, 8]})
    table, names, places, frame = rung.plots._numbers(X)
    plane = rung.plots._Plane(table, names, [0, 2])
    rows = frame(plane.rows(np.array([1.0, 2]), np.array([3.0, 3])))
    assert rows.to_dict("list") == {"w": ["v", "v"], "a": [1, 2], "b": [5, 5], "c": [3, 3]}
    for library, as_dict in (("polars", lambda t: t.to_dict(as_series=False)), ("pyarrow", lambda t: t.to_pydict())):
        kind = pytest.importorskip(library)
        other = kind.DataFrame(X.to_dict("list")) if library == "polars" else kind.table(X.to_dict("list"))
        of_rows = rung.plots._numbers(other)[3]
        same = of_rows(plane.rows(np.array([1.0, 2]), np.array([3.0, 3])))
        assert as_dict(same) == {"w": ["v", "v"], "a": [1, 2], "b": [5, 5], "c": [3, 3]}
    plane = rung.plots._Plane(np.diag([1.0, 10, 100, 1000]), list("abcd"), None)
    back = plane.rows(plane.x, plane.y)
    again = ((back - plane.origin) / plane.scale) @ plane.axes.T
    np.testing.assert_allclose(again, np.column_stack([plane.x, plane.y]), atol=1e-12)  # they lie in the plane


def test_answers_over_a_plane_from_a_coarse_grid_first(model):
    across, up = np.linspace(0, 1, 120), np.linspace(-0.2, 1.2, 90)
    asked = []

    def predict(a, b):
        asked.append(len(a))
        return model.predict(np.column_stack([a, b]))

    grid = rung.plots._rank_grid(predict, across, up)
    a, b = np.meshgrid(across, up)
    np.testing.assert_array_equal(grid, model.predict(np.column_stack([a.ravel(), b.ravel()])).reshape(90, 120))
    assert sum(asked) < 0.6 * grid.size


def test_reliability(model, toy):
    X, _, truth = toy
    ax = rung.plot_reliability(truth, model.predict_proba(X), bins=5)
    proba = model.predict_proba(X)
    right = model.classes_[proba.argmax(axis=1)] == truth
    top = proba.max(axis=1)
    (container,) = [part for part in ax.containers if hasattr(part, "has_yerr")]
    x, y = container.lines[0].get_data()
    last = (top > 0.8) & (top <= 1)
    n, share = last.sum(), right[last].mean()
    assert x[-1] == pytest.approx(top[last].mean()) and y[-1] == pytest.approx(share)
    low, high = container.lines[2][0].get_segments()[-1][:, 1]
    middle, half = (share + 1.9208 / n) / (1 + 3.8416 / n), np.sqrt(share * (1 - share) / n + 0.9604 / n**2)
    assert (low + high) / 2 == pytest.approx(middle) and (high - low) / 2 == pytest.approx(
        half * 1.96 / (1 + 3.8416 / n)
    )
    assert str(n) in shown(ax)
    with pytest.raises(ValueError, match="give order="):
        rung.plot_reliability([1, 2], np.eye(3)[:2])


def test_curve(toy, command, tmp_path):
    X, _, truth = toy
    curve = rung.label_curve(X, truth, ["es-dl", "kdlor"], repeats=3, sizes=[3, 6, 12, 24])
    ax = rung.plot_curve(curve)
    labels = [str(size["labels"]) for size in curve["sizes"]]
    assert ticks(ax.xaxis)[0] == labels[0] and ticks(ax.xaxis)[-1] == labels[-1]
    assert ax.get_ylabel() == "mae" and ax.get_xlabel() == "labelled rows"
    names = ["es-dl, without unlabelled rows", "es-dl, with unlabelled rows", "kdlor", "median"]
    assert [line.get_label() for line in ax.get_lines()] == names
    np.testing.assert_allclose(ax.get_lines()[2].get_ydata(), np.mean(curve["lines"][2]["values"], axis=1))
    shown(ax)
    pd.DataFrame(X).assign(label=truth).to_csv(tmp_path / "toy.csv", index=False)
    words = ("-m", "es-dl,kdlor", "--repeats", 3, "--sizes", "3,6,12,24", "--json", "-q")
    told = json.loads(command("curve", tmp_path / "toy.csv", *words))
    for ours, theirs in zip(curve["lines"], told["lines"], strict=True):
        np.testing.assert_allclose([ours["mean"], ours["se"]], [theirs["mean"], theirs["se"]], rtol=1e-12)
    with pytest.raises(TypeError, match="label_curve has no argument 'folds'"):
        rung.label_curve(X, truth, folds=3)


def test_eleven_classes_with_long_names(grades):
    X, y = grades
    model = rung.KDLOR().fit(X, y)
    names = _look.names(LONG_NAMES)
    assert len(set(names)) == 11 and max(map(len, names)) == 24
    for ax in (
        rung.plot_projection(model, X, y),
        rung.plot_confusion(y, model.predict(X)),
        rung.plot_boundary(model, X, y, resolution=20),
    ):
        assert sum(any(name in text for text in shown(ax)) for name in names) == 11
    shown(rung.plot_reliability(y, model.predict_proba(X)))
    short = _look.names(["a" * 30 + "b" + "a" * 30, "a" * 61])
    assert len(set(short)) == 2 and max(map(len, short)) < 61
    alike = ["a" * 90 + "b" + "a" * 90, "a" * 181]
    assert _look.names(alike) == alike


def test_one_class_and_three_rows(toy):
    X = toy[0]
    one = rung.MEDIAN().fit(X, np.full(300, 2))
    three = rung.KDLOR(calibrate=0, thresholds="midpoint").fit(X[:3], [1, 2, 3])
    for ax in (
        rung.plot_projection(one, X, np.full(300, 2)),
        rung.plot_confusion([2, 2, 2], [2, 2, 2]),
        rung.plot_boundary(one, X, np.full(300, 2), resolution=20),
        rung.plot_reliability([2, 2, 2], np.ones((3, 1))),
        rung.plot_projection(three, X[:3], [1, 2, 3]),
        rung.plot_confusion([1, 2, 3], [1, 2, 2]),
        rung.plot_boundary(three, X[:3], [1, 2, 3], resolution=20),
        rung.plot_reliability([1, 2, 3], 0.7 * np.eye(3) + 0.1),
    ):
        shown(ax)


def test_costs_decide_not_thresholds():
    X, y = rung.generate("toy", rows=120)
    bands = [len(rung.plot_projection(rung.KDLOR(cost=cost).fit(X, y), X, y).patches) for cost in (None, "up=9,down=1")]
    lines = [len(rung.plot_projection(rung.KDLOR(cost=cost).fit(X, y), X, y).lines) for cost in (None, "up=9,down=1")]
    assert bands[0] > bands[1] and lines[0] > lines[1]
