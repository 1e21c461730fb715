# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of every layout, data frames and Arrow tables, text, categories, dates, missing cells, routing."""

import datetime
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rung
from rung import _library
from rung._frame import frame_of


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


def test_text_is_read_as_in_a_file_unless_it_is_a_category():
    X, y = people()
    share = [f"{10 * k % 70}%" for k in range(len(X))]
    with pytest.warns(rung.RungWarning, match="read as numbers in '%'.* .dtype category.$"):
        as_numbers = rung.POM().fit(X.assign(share=share), y)
    with pytest.raises(rung.DataError, match="is not a number in '%'"):
        as_numbers.predict(X.assign(share="5 kg"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", rung.RungWarning)
        as_categories = rung.POM().fit(X.assign(share=pd.Categorical(share)), y)
    assert len(as_categories.coef_) == len(as_numbers.coef_) + 5  # seven categories, one of them the reference
    with pytest.warns(rung.RungWarning, match="column 'zip' holds codes such as '01234'"):
        rung.POM().fit(X.assign(zip=["01234", "94105"] * (len(X) // 2)), y)
    with pytest.warns(rung.RungWarning, match="cells of column 'dose' such as 'N/A' are read as missing"):
        rung.POM().fit(X.assign(dose=["N/A" if k % 5 == 0 else k + 0.5 for k in range(len(X))]), y)


def test_advice_is_not_that_of_the_command_line():
    X, y = people()
    with pytest.warns(rung.RungWarning,
                      match="is left out, as identifiers .*; declare it nominal to keep it .dtype category.$"):
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
        rung.SVORIM(calibrate=0).fit(X, y).predict_interval(X)


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


SIZES = ["small", "medium", "large"]


def visits(n=60):
    """Columns of every kind, as lists with None, and grades."""
    rng = np.random.default_rng(3)
    dose = rng.normal(size=n)
    columns = {
        "dose": dose.tolist(),
        "count": rng.integers(0, 9, n).tolist(),
        "again": (rng.random(n) < 0.5).tolist(),
        "ward": rng.choice(["a", "north", "a ward with a long name"], n).tolist(),
        "size": [SIZES[k] for k in rng.integers(0, 3, n)],
        "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(k)) for k in rng.integers(0, 300, n)],
        "seen": [datetime.datetime(2024, 1, 1, 9) + datetime.timedelta(hours=int(k)) for k in rng.integers(0, 3000, n)],
    }
    columns["dose"][4] = columns["count"][7] = columns["ward"][3] = columns["size"][5] = columns["day"][6] = None
    return columns, np.clip(np.round(dose + 2), 1, 3).astype(int)


def pandas_frame(columns):
    frame = pd.DataFrame(columns)
    frame["count"] = frame["count"].astype("Int64")
    frame["day"] = pd.to_datetime(frame["day"])
    frame["size"] = pd.Categorical(frame["size"], SIZES, ordered=True)
    return frame


def polars_frame(columns):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(columns).with_columns(polars.col("size").cast(polars.Enum(SIZES)))


def arrow_table(columns):
    arrow = pytest.importorskip("pyarrow")
    codes = arrow.array([None if word is None else SIZES.index(word) for word in columns["size"]], arrow.int8())
    sizes = arrow.DictionaryArray.from_arrays(codes, arrow.array(SIZES), ordered=True)
    return arrow.table({name: sizes if name == "size" else arrow.array(column) for name, column in columns.items()})


def test_ordered_categories_and_dates_as_in_a_file(command, tmp_path):
    columns, y = visits()
    frame = pandas_frame(columns)
    frame.assign(label=y, again=frame["again"].astype(int)).to_csv(tmp_path / "train.csv", index=False)
    command("fit", tmp_path / "train.csv", "-m", "kdlor", "--ordinal", f"size={'<'.join(SIZES)}",
            "--dates", "day,seen", "-o", tmp_path / "m.rung")  # fmt: skip
    model = rung.KDLOR().fit(frame, y)
    kinds = [column["kind"] for column in model.describe()["preprocessing"]["columns"]]
    assert kinds == ["number"] * 3 + ["nominal", "ordinal", "date", "date"]
    loaded = rung.load(tmp_path / "m.rung")
    assert loaded.describe()["preprocessing"] == model.describe()["preprocessing"]
    np.testing.assert_array_equal(model.score_samples(frame), loaded.score_samples(frame))
    said = command.predict(tmp_path / "m.rung", tmp_path / "train.csv")
    np.testing.assert_array_equal(model.score_samples(frame), said["score"])
    with pytest.raises(TypeError, match="text columns"):
        model.predict(np.zeros((2, 7)))


@pytest.mark.parametrize("kind", [polars_frame, arrow_table, lambda columns: cut(arrow_table(columns))])
def test_tables_by_the_arrow_interface(kind):
    columns, y = visits()
    table, frame = kind(columns), pandas_frame(columns)
    model = rung.KDLOR().fit(table, y)
    expected = rung.KDLOR().fit(frame, y)
    assert model.model_.to_bytes() == expected.model_.to_bytes()
    assert model.feature_names_in_.tolist() == list(columns)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(frame))
    assert model.score(table, y) == expected.score(frame, y)


def cut(table):
    """In several chunks, each with a dictionary of its own and an offset."""
    arrow = pytest.importorskip("pyarrow")
    return arrow.concat_tables([table.slice(0, 7), table.slice(7, 1), table.slice(8)])


def ordered_chunks(*lists):
    """Words in chunks that each have an ordered dictionary of their own."""
    arrow = pytest.importorskip("pyarrow")
    return arrow.chunked_array(
        [
            arrow.DictionaryArray.from_arrays(arrow.array([words.index(one) for one in cells], arrow.int8()), words,
                                              ordered=True)  # fmt: skip
            for words, cells in lists
        ]
    )


def test_ordered_words_of_chunks_keep_their_order():
    arrow = pytest.importorskip("pyarrow")
    cells = ["hi", "lo"] * 10, ["mid", "lo", "hi", "mid"] * 10
    words = ordered_chunks((["lo", "hi"], cells[0]), (["lo", "mid", "hi"], cells[1]))
    table = arrow.table({"a": np.linspace(0, 1, 60), "size": words})
    (_, sizes) = frame_of(table).columns
    assert sizes.values == ["lo", "mid", "hi"] and sizes.ordered
    assert [sizes.values[code] for code in sizes.codes] == [*cells[0], *cells[1]]
    assert rung.POM().fit(table.select(["a"]), words).classes_.tolist() == ["lo", "mid", "hi"]
    for lists in ((["lo", "hi"], ["hi", "lo"]), (["lo", "hi"], ["lo", "mid"])):
        words = ordered_chunks(*((words, words * 5) for words in lists))
        with pytest.raises(ValueError, match="do not say whether"):
            frame_of(arrow.table({"size": words}))


def test_slices_decimals_and_numbers_as_categories_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    columns, y = visits()
    table = arrow_table(columns)
    whole = rung.KDLOR().fit(table, y)
    struct = arrow.chunked_array(table.to_struct_array().chunks).combine_chunks()
    part = arrow.chunked_array([struct.slice(30, 20)])
    np.testing.assert_array_equal(whole.predict_proba(part), whole.predict_proba(table)[30:50])
    cents = arrow.array([None, -150, 7, 12345678901234567890], arrow.decimal128(30, 0))
    (exact,) = frame_of(arrow.table({"a": cents.cast(arrow.decimal128(38, 2))})).columns
    np.testing.assert_array_equal(exact.values, [np.nan, -150, 7, 12345678901234567890])
    (cut_out,) = frame_of(arrow.table({"a": arrow.array(["0.1", "2.30", "-7.25"]).cast(arrow.decimal128(9, 2))})
                          .slice(1)).columns  # fmt: skip
    assert cut_out.values.tolist() == [2.3, -7.25]
    (codes,) = frame_of(arrow.table({"a": arrow.array([7, 6, None, 7]).dictionary_encode()})).columns
    assert ([codes.values[k] if k >= 0 else None for k in codes.codes], codes.nominal) == (["7", "6", None, "7"], True)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "UTC", None])
def test_times_of_a_zone_are_instants_as_in_a_file(command, tmp_path, zone):
    rng = np.random.default_rng(5)
    seen = pd.to_datetime("2024-03-30 22:00:00.25") + pd.to_timedelta(rng.integers(0, 90_000, 60), "min")
    frame = pd.DataFrame({"seen": seen.tz_localize("UTC").tz_convert(zone) if zone else seen, "x": rng.normal(size=60)})
    y = rng.integers(1, 4, 60)
    frame.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    command("fit", tmp_path / "d.csv", "-m", "pom", "-o", tmp_path / "m.rung")
    expected = rung.load(tmp_path / "m.rung").predict_proba(frame)
    np.testing.assert_array_equal(rung.POM().fit(frame, y).predict_proba(frame), expected)
    objects = frame.assign(seen=frame["seen"].astype(object))
    np.testing.assert_array_equal(rung.POM().fit(objects, y).predict_proba(objects), expected)
    arrow = pytest.importorskip("pyarrow")
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    np.testing.assert_array_equal(rung.POM().fit(table, y).predict_proba(table), expected)
    said = command.predict(tmp_path / "m.rung", tmp_path / "d.csv", "--proba")
    np.testing.assert_array_equal(expected[:, 0], said["p(1)"])


def test_columns_are_what_they_are_said_to_be(toy):
    X, y, _ = toy
    ward = np.random.default_rng(1).integers(1, 4, len(X))
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(visit=np.arange(1, len(X) + 1), ward=ward)
    columns = ["a", "b", "visit", "ward"]
    for rows in (frame, frame.to_numpy(), frame.set_axis(range(4), axis=1)):
        with pytest.warns(rung.RungWarning, match="only counts the rows"):
            short = rung.KDLOR().fit(rows, y)
        assert len(short.model_.columns) == 3
        assert short.predict(rows).shape == y.shape
    kept = rung.KDLOR(numeric="visit", nominal=["ward"]).fit(frame, y)
    kinds = [column["kind"] for column in kept.describe()["preprocessing"]["columns"]]
    assert kinds == ["number", "number", "number", "nominal"]
    by_place = rung.KDLOR(numeric=2, nominal=[3]).fit(frame.to_numpy(), y)
    np.testing.assert_array_equal(by_place.predict_proba(frame.to_numpy()), kept.predict_proba(frame))
    assert [name for name, _ in kept.model_.columns] == columns
    ordinal = rung.KDLOR(numeric=["visit"], ordinal={"ward": [3, 1, 2]}).fit(frame, y)
    assert ordinal.describe()["preprocessing"]["columns"][3]["categories"] == ["3", "1", "2"]
    days = frame.assign(day=pd.to_datetime("2024-01-01") + pd.to_timedelta(ward * 31, "D"))
    cyclic = rung.KDLOR(numeric="visit", dates={"day": "cyclic"}).fit(days, y)
    plain = rung.KDLOR(numeric="visit").fit(days, y)
    assert not np.allclose(cyclic.score_samples(days), plain.score_samples(days))
    with pytest.raises(ValueError, match="numeric: there is no column 'wrd'"):
        rung.KDLOR(numeric=["wrd"]).fit(frame, y)


def test_arrow_tables_need_no_pandas():
    polars = pytest.importorskip("polars")
    code = """
import sys
import warnings
sys.modules["pandas"] = sys.modules["pyarrow"] = None
import polars, rung
X = polars.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": list("xyxyxy")})
print(rung.POM().fit(X, polars.Series([1, 1, 2, 2, 3, 3])).predict(X).tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
    assert done.stdout == "[1, 1, 2, 2, 3, 3]\n", done.stderr
    assert polars is not None


def test_numbers_of_arrow_tables_are_not_copied():
    polars = pytest.importorskip("polars")
    column = polars.Series("a", np.arange(5.0))
    (numbers,) = frame_of(column.to_frame()).columns
    assert np.shares_memory(numbers.values, column.to_numpy(allow_copy=False))


def test_columns_that_arrow_has_and_rung_has_not():
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="column 'a' has the Arrow type"):
        rung.KDLOR().fit(arrow.table({"a": [[1, 2], [3]], "b": [1, 2]}), [1, 2])


def test_ordered_labels_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    X, y = people()
    words = arrow.array([["few", "some", "many", "all"][k - 1] for k in y]).dictionary_encode()
    order = ["few", "some", "many", "all"]
    codes = arrow.array([order.index(word) for word in words.to_pylist()], arrow.int32())
    ordered = arrow.chunked_array([arrow.DictionaryArray.from_arrays(codes, order, ordered=True)])
    model = rung.KDLOR().fit(X[["age", "height"]], ordered)
    assert model.classes_.tolist() == order


def test_metadata_routing(toy):
    X, y, truth = toy
    weight = np.linspace(0.5, 2, len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), rung.POM().set_fit_request(sample_weight=True)
        )
        routed = model.fit(X, truth, sample_weight=weight)
        plain = make_pipeline(StandardScaler(), rung.POM()).fit(X, truth)
        search = rung.OrdinalSearch("pom", repeats=1).set_fit_request(groups=True)
        found = cross_validate(search, X, truth, params={"groups": np.arange(len(X)) // 3}, error_score="raise")
    np.testing.assert_array_equal(
        routed[-1].score_samples(routed[0].transform(X)),
        rung.POM().fit(routed[0].transform(X), truth, weight).score_samples(routed[0].transform(X)),
    )
    assert np.any(routed[-1].score_samples(X) != plain[-1].score_samples(X))
    assert len(found["test_score"]) == 5


def test_set_output(toy):
    X, y, _ = toy
    frame = pd.DataFrame(X, columns=["a", "b"])
    out = rung.KPCA(components=2).set_output(transform="pandas").fit(frame).transform(frame)
    assert list(out.columns) == ["kpca0", "kpca1"] and out.index.equals(frame.index)


def test_a_lazy_frame_must_be_collected():
    lazy = pytest.importorskip("polars").LazyFrame({"a": [1.0, 2, 3], "b": ["x", "y", "x"]})
    with pytest.raises(TypeError, match=r"is a LazyFrame, which has not been computed yet: give X.collect\(\)"):
        rung.POM().fit(lazy, [1, 2, 3])


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
        (lambda: rung.KDLOR(memory_limit=0.5).fit(X, y), ValueError, "memory_limit=0.5 is not a number of bytes"),
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


@pytest.mark.parametrize("cells, kind", [([{}, {"a": 1}], "dict"), ([[1, 2], [3]], "list"), ([1 + 2j, 3], "complex")])
def test_cells_that_are_no_values(cells, kind):
    X = pd.DataFrame({"x": np.arange(20.0), "z": cells * 10})
    with pytest.raises(TypeError, match=f"column 'z' holds values of the kind {kind}; expected numbers"):
        rung.POM().fit(X, np.arange(20) % 3)


def test_periods_are_dates():
    when = pd.period_range("2020-01", periods=30, freq="M")
    y = np.arange(30) // 10
    as_dates = pd.DataFrame({"when": when.to_timestamp(), "x": np.sin(np.arange(30))})
    as_periods = as_dates.assign(when=when)
    assert np.array_equal(
        rung.POM().fit(as_periods, y).predict_proba(as_periods), rung.POM().fit(as_dates, y).predict_proba(as_dates)
    )


@pytest.mark.parametrize("kind", ["int64", "Int64", "uint64", "object", "arrow"])
def test_whole_numbers_that_doubles_do_not_tell_apart_are_codes_as_in_a_file(command, tmp_path, kind):
    rng = np.random.default_rng(2)
    y = rng.integers(1, 4, 90)
    code = 10**17 + y * (rng.random(90) < 0.7)
    frame = pd.DataFrame({"x": rng.normal(size=90), "code": code})
    frame.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    command("fit", tmp_path / "d.csv", "-m", "pom", "-o", tmp_path / "m.rung")
    if kind == "arrow":
        table = pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)
    else:
        table = frame.assign(code=frame["code"].astype(kind))
    expected = rung.load(tmp_path / "m.rung")
    with pytest.warns(rung.RungWarning, match="codes such as '1000000000000"):
        model = rung.POM().fit(table, y)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(table))
    said = command.predict(tmp_path / "m.rung", tmp_path / "d.csv", "--proba")
    np.testing.assert_array_equal(model.predict_proba(table)[:, 0], said["p(1)"])


def test_dates_that_nanoseconds_do_not_hold(command, tmp_path):
    rng = np.random.default_rng(2)
    when = np.datetime64("1500-01-01T12:00:00") + rng.integers(0, 10**10, 60).astype("m8[s]")
    frame = pd.DataFrame({"when": when.astype("datetime64[s]"), "x": rng.normal(size=60)})
    (dates, _) = frame_of(frame).columns
    assert [np.datetime64(dates.values[code]) for code in dates.codes] == when.tolist()
    y = rng.integers(1, 4, 60)
    frame.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    command("fit", tmp_path / "d.csv", "-m", "pom", "-o", tmp_path / "m.rung")
    expected = rung.load(tmp_path / "m.rung").predict_proba(frame)
    np.testing.assert_array_equal(rung.POM().fit(frame, y).predict_proba(frame), expected)


def test_days_as_categories_are_called_as_in_a_file():
    days = pd.Categorical(pd.to_datetime(["2024-01-01", "2024-02-01"] * 3))
    (column,) = frame_of(pd.DataFrame({"day": days})).columns
    assert column.values == ["2024-01-01", "2024-02-01"]


def test_arrays_of_times_are_refused(toy):
    _, y, _ = toy
    times = np.datetime64("2024-01-01") + np.arange(2 * len(y)).reshape(-1, 2)
    for X in (times, times - times[0]):
        with pytest.raises(TypeError, match="an array of times"):
            rung.POM().fit(X, y)


def test_numbers_of_packed_records_with_missing_cells(toy):
    X, y, _ = toy
    packed = np.zeros(len(X), dtype=[("a", "i1"), ("x", "f8", 2)])
    packed["x"] = np.where(X > 0.95, np.nan, X)
    expected = rung.POM().fit(np.ascontiguousarray(packed["x"]), y)
    np.testing.assert_array_equal(rung.POM().fit(packed["x"], y).coef_, expected.coef_)


@pytest.mark.parametrize("words", [["1.5", "2", "-30"], ["1e3", "n.d.", "7"], ["1", "2", "003"]])
def test_numbers_given_as_text_are_as_in_a_file(command, tmp_path, words):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=60), "dose": rng.choice(words, 60)})
    y = rng.integers(1, 4, 60)
    frame.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    command("fit", tmp_path / "d.csv", "-m", "pom", "-o", tmp_path / "m.rung")
    expected = rung.load(tmp_path / "m.rung")
    tables = [frame, frame.astype({"dose": object}).replace({"dose": {words[0]: None}})]
    tables += [pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)]
    for table in tables[::2]:
        model = rung.POM().fit(table, y)
        assert model.describe()["preprocessing"]["columns"] == expected.describe()["preprocessing"]["columns"]
        np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(table))
    holes = tables[1]
    holes.assign(label=y).to_csv(tmp_path / "holes.csv", index=False)
    said = command.predict(tmp_path / "m.rung", tmp_path / "holes.csv", "--proba")
    np.testing.assert_array_equal(expected.predict_proba(holes)[:, 0], said["p(1)"])
    kinds = rung.POM().fit(frame.astype({"dose": "category"}), y).describe()["preprocessing"]["columns"]
    assert kinds[1]["kind"] == "nominal"


def test_numbers_beside_decimal_commas_are_themselves(command, tmp_path):
    rows = [f"{i},{i}5;{1 + i // 5}" for i in range(10)]
    (tmp_path / "d.csv").write_text("x;label\n" + "\n".join(rows) + "\n")
    command("fit", tmp_path / "d.csv", "-m", "pom", "-o", tmp_path / "m.rung")
    model = rung.load(tmp_path / "m.rung")
    number = model.predict_proba(pd.DataFrame({"x": [2.125]}))
    text = model.predict_proba(pd.DataFrame({"x": ["2,125"]}))
    np.testing.assert_array_equal(number, text)
    with pytest.raises(ValueError, match="is not a number"):  # beside such texts, 2.125 would be 2125
        model.predict_proba(pd.DataFrame({"x": [2.125, "1,5"]}))
