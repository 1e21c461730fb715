# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of every layout, data frames, text, missing cells."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.pipeline import make_pipeline

import rung
from rung import _library


def layouts(X):
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    yield "C", np.ascontiguousarray(X)
    yield "Fortran", np.asfortranarray(X)
    yield "strided", wide[::2, ::3]
    yield "backwards", X[::-1, ::-1].copy()[::-1, ::-1]
    yield "frame", pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    yield "list", X.tolist()


def test_layouts_give_the_same_bits(toy):
    X, y, _ = toy
    expected = rung.ESDL().fit(X, y).predict_proba(X)
    for name, other in layouts(X):
        np.testing.assert_array_equal(rung.ESDL().fit(other, y).predict_proba(other), expected, err_msg=name)


def test_arrays_are_handed_over_without_a_copy(toy):
    for name, X in layouts(toy[0]):
        if isinstance(X, np.ndarray):
            view = _library.view(X)
            assert int(_library.ffi.cast("intptr_t", view.v)) == X.ctypes.data, name
            assert (view.row * 8, view.col * 8) == X.strides, name
    packed = np.zeros(5, dtype=[("a", "i1"), ("x", "f8", 2)])["x"]  # 17 bytes apart: no multiple of 8
    assert _library.view(packed).row == 2


def test_other_numbers(toy):
    X, y, _ = toy
    whole = np.rint(100 * X)
    expected = rung.KDLOR().fit(whole, y).predict_proba(whole)
    for kind in (np.float32, np.int64, object):
        np.testing.assert_array_equal(
            rung.KDLOR().fit(whole.astype(kind), y).predict_proba(whole.astype(kind)), expected
        )


def test_frames_have_names(toy):
    X, y, _ = toy
    frame = pd.DataFrame(X, columns=["width", "height"])
    model = rung.KDLOR().fit(frame, pd.Series(y, name="grade"))
    assert model.feature_names_in_.tolist() == ["width", "height"]
    told = model.describe()["preprocessing"]
    assert [column["name"] for column in told["columns"]] == ["width", "height"] and told["label"] == "grade"
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["height", "width"]])
    named = rung.KDLOR().fit(pd.DataFrame(X, columns=["label", "b"]), y).describe()["preprocessing"]
    assert named["label"] == "label_"  # not that of a feature
    with pytest.raises(ValueError, match="2 features"):
        model.predict(np.zeros((1, 3)))


def people(n=80):
    rng = np.random.default_rng(5)
    age = rng.uniform(20, 70, n)
    smokes = rng.choice(["never", "once", "daily"], n)
    grade = np.clip((age / 25 + (smokes == "daily") + rng.normal(0, 0.2, n)).astype(int), 0, 3)
    return pd.DataFrame({"age": age, "smokes": smokes, "height": rng.normal(170, 9, n)}), grade + 1


@pytest.mark.parametrize("target", ["classes", "real"])
def test_text_and_missing_cells_as_in_a_file(command, tmp_path, target):
    X, y = people()
    X.loc[3:9, "age"] = np.nan
    X.loc[[5, 20], "smokes"] = None
    y = np.where(np.arange(80) % 4 == 0, np.nan, y)
    X.assign(stage=y).to_csv(tmp_path / "train.csv", index=False)
    new = people(40)[0]
    new.loc[0, "smokes"], new.loc[1, "height"] = "often", np.nan  # unseen, missing
    new.to_csv(tmp_path / "new.csv", index=False)
    if target == "real":
        command("fit", tmp_path / "train.csv", "-m", "krr", "--real", "-o", tmp_path / "m.rung")
        model = rung.KRR().fit(X, y)
    else:
        command("fit", tmp_path / "train.csv", "-m", "es-dl", "-o", tmp_path / "m.rung")
        model = rung.ESDL().fit(X, pd.Series(y, name="stage"))
    assert model.n_features_in_ == 3 and model.model_.description["preprocessing"]["coded_columns"] == 6
    said = command.predict(tmp_path / "m.rung", tmp_path / "new.csv")
    with pytest.warns(rung.RungWarning, match="a category not seen in training"):
        np.testing.assert_array_equal(model.score_samples(new), said["score"])
    with pytest.warns(rung.RungWarning, match="not seen in training"):
        np.testing.assert_array_equal(rung.load(tmp_path / "m.rung").score_samples(new), said["score"])
    with pytest.raises(TypeError, match=r"text columns \(smokes\); X must be a DataFrame"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="missing"):
        type(model)(missing="error").fit(X, y)


def test_advice_is_not_that_of_the_command_line():
    X, y = people()
    with pytest.warns(rung.RungWarning, match="is left out, as identifiers .*; declare it nominal to keep it$"):
        named = rung.KDLOR().fit(X.assign(name=[f"n{i}" for i in range(len(X))]), y)
    assert np.array_equal(named.predict(X.assign(name="someone")), rung.KDLOR().fit(X, y).predict(X))
    with pytest.warns(rung.RungWarning, match="decimal comma such as .*; they are read as numbers"):
        rung.KDLOR().fit(X.assign(weight=[f"{v:.2f}".replace(".", ",") for v in X["height"]]), y)
    for frame in (X, X[["age", "height"]]):  # also without text
        with pytest.warns(
            rung.RungWarning, match="only counts the rows and is left out; declare it numeric to keep it$"
        ):
            counted = rung.KDLOR().fit(frame.assign(number=np.arange(len(X))), y)
        expected = rung.KDLOR().fit(frame, y).predict(frame)
        np.testing.assert_array_equal(counted.predict(frame.assign(number=7)), expected)
    with pytest.raises(ValueError, match="fit it with calibrate=5"):
        rung.SVORIM().fit(X, y).predict_interval(X)


def test_missing_cells_of_arrays():
    X, y = people()
    X = X[["age", "height"]].to_numpy(copy=True)
    X[2, 0] = X[7, 1] = np.nan
    filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    model = rung.SVORIM().fit(X, y)
    np.testing.assert_array_equal(model.score_samples(filled), rung.SVORIM().fit(filled, y).score_samples(filled))
    np.testing.assert_array_equal(model.score_samples(X), model.score_samples(filled))
    with pytest.raises(ValueError, match="NaN"):
        rung.SVORIM(missing="error").fit(X, y)
    with pytest.raises(ValueError, match="infinity"):
        rung.SVORIM().fit(np.where(np.isnan(X), np.inf, X), y)


def test_weights_with_text():
    X, y = people()
    weights = np.linspace(0.5, 2, len(y))
    coded = pd.concat([X[["age"]], pd.get_dummies(X["smokes"], dtype=float), X[["height"]]], axis=1)
    np.testing.assert_array_equal(
        rung.KDLOR().fit(X, y, weights).score_samples(X), rung.KDLOR().fit(coded, y, weights).score_samples(coded)
    )


def test_precomputed_kernel(toy):
    X, y, _ = toy
    X, y = X[:90], y[:90]
    square = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    direct = rung.SDL(gamma=2.0, scale="none", calibrate=0, thresholds="midpoint").fit(X, y)
    given = rung.SDL(kernel="precomputed", calibrate=0, thresholds="midpoint").fit(np.exp(-2 * square), y)
    np.testing.assert_allclose(given.score_samples(np.exp(-2 * square)), direct.score_samples(X), atol=1e-8)
    assert given.__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array"])
def test_sparse_rows_are_made_dense_where_they_fit(toy, kind):
    X, y, truth = toy
    sparse = getattr(scipy.sparse, kind)(X)
    expected = rung.KDLOR().fit(X, y)
    with pytest.warns(rung.RungWarning, match=r"X is sparse and is converted to a dense array \(0.0 MiB\)"):
        model = rung.KDLOR().fit(sparse, y)
    np.testing.assert_array_equal(model.predict_proba(sparse), expected.predict_proba(X))
    assert model.score(sparse, truth) == expected.score(X, truth)
    assert rung.metrics.scorer("mae")(model, sparse, truth) == rung.metrics.scorer("mae")(expected, X, truth)


def test_sparse_rows_that_do_not_fit_are_refused():
    X, y = scipy.sparse.csr_array((100000, 2000)), np.arange(100000) % 3
    with pytest.raises(MemoryError, match=r"1526 MiB.*1024 MiB.*TruncatedSVD.*memory_limit=1600000000"):
        rung.KDLOR().fit(X, y)
    with pytest.raises(MemoryError, match="the limit is 1 MiB"):
        rung.KDLOR(memory_limit=2**20).fit(X[:100], y[:100])


def test_weights_of_a_method_that_takes_none(toy):
    X, y, _ = toy
    for estimator in (rung.GPOR(), rung.KPCA(), rung.OT()):
        with pytest.raises(TypeError, match=r"^\w+ \(\w+\) does not support sample_weight; these methods do: kda, "):
            estimator.fit(X, y, sample_weight=np.ones(len(y)))
        estimator.fit(X[:40], y[:40], sample_weight=None)
    with pytest.raises(TypeError, match="GPOR.fit has no argument 'weights'"):
        rung.GPOR().fit(X, y, weights=1)
    with pytest.raises(ValueError, match="gpor does not support row weights"):
        rung.OrdinalClassifier("gpor").fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(TypeError, match="GPOR has no parameter 'class_weight'"):
        rung.GPOR(class_weight="balanced")


def test_ensembles_without_weights(toy):
    X, _, truth = toy
    assert BaggingClassifier(rung.GPOR(), n_estimators=2).fit(X[:60], truth[:60]).score(X, truth) > 0.5


def test_columns_of_objects_that_are_numbers(toy):
    X, y, _ = toy
    frame = pd.DataFrame(X, columns=["a", "b"])
    expected = rung.KDLOR().fit(frame.mask(frame > 0.9), y)
    for missing in (None, pd.NA, np.nan):
        objects = frame.astype(object).mask(frame > 0.9, missing)
        model = rung.KDLOR().fit(objects, y)
        assert {column["kind"] for column in model.describe()["preprocessing"]["columns"]} == {"number"}
        np.testing.assert_array_equal(model.score_samples(objects), expected.score_samples(frame.mask(frame > 0.9)))


def test_dates_are_refused(toy):
    X, y, _ = toy
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(seen=pd.date_range("2024-01-01", periods=len(X)))
    with pytest.raises(TypeError, match="column 'seen' contains dates or times: convert it to numbers"):
        rung.KDLOR().fit(frame, y)


def test_polars_frames():
    polars = pytest.importorskip("polars")
    X, y = people()
    X.loc[3, "smokes"] = None
    expected = rung.ESDL().fit(X, y)
    frame = polars.DataFrame({name: [None if pd.isna(cell) else cell for cell in X[name]] for name in X})
    model = rung.ESDL().fit(frame, polars.Series("stage", y))
    np.testing.assert_array_equal(model.predict_proba(frame), expected.predict_proba(X))
    assert model.feature_names_in_.tolist() == ["age", "smokes", "height"] and model.score(frame, y) > 0.5
    numbers = frame.select("age", "height")
    np.testing.assert_array_equal(
        rung.ESDL().fit(numbers, y).score_samples(numbers),
        rung.ESDL().fit(X[["age", "height"]], y).score_samples(X[["age", "height"]]),
    )


def test_clear_words_for_wrong_arguments(toy, tmp_path):
    X, y, _ = toy
    for bad, kind, words in (
        (lambda: rung.KDLOR().fit(np.full((300, 1), "x"), y), ValueError, "supported in a DataFrame, not in an array"),
        (lambda: rung.KDLOR(missing="mean").fit(X, y), ValueError, "missing='mean' is neither 'median' nor 'error'"),
        (lambda: rung.KDLOR(memory_limit="1G").fit(X, y), TypeError, "memory_limit='1G' is not a number of bytes"),
        (lambda: rung.OrdinalSearch("kdlor", grid={"gamma": 1}).fit(X, y), ValueError, "gamma=1 is not a list"),
        (lambda: rung.OrdinalSearch("kdlor", grid={"gamma": "1/d"}).fit(X, y), ValueError, "'1/d' is not a list"),
        (lambda: rung.save(make_pipeline(rung.MEDIAN()).fit(X, y), tmp_path / "m"), TypeError, "not a Pipeline"),
    ):
        with pytest.raises(kind, match=words):
            bad()


def test_warnings_are_at_the_line_of_the_user(toy):
    X, y, _ = toy
    words = np.array(list("-abcde"))[np.abs(y)]
    for work in (
        lambda: rung.MEDIAN().fit(X, words),
        lambda: rung.KPCA().fit(X, words),
        lambda: rung.OrdinalSearch("median").fit(X, words),
        lambda: rung.MEDIAN().fit(scipy.sparse.csr_array(X), y),
        lambda: rung.metrics.mae(np.arange(9) % 3 - 1, np.arange(9) % 2),
    ):
        with pytest.warns(rung.RungWarning) as told:
            work()
        assert told[0].filename == __file__


def test_text_labels_that_others_have_numbered(toy):
    """Ensembles of scikit-learn number text by the alphabet; with order= that is found."""
    X, _, truth = toy
    words = np.array(["", "e", "b", "d", "a", "c"])[truth]
    with pytest.raises(ValueError, match="label . is not one of the classes e, b, d, a, c"):
        VotingClassifier([("a", rung.SVORIM(order=["e", "b", "d", "a", "c"]))]).fit(X, words)
