# SPDX-License-Identifier: BSD-3-Clause
"""Predictions for data in partitions, in one process and by the workers of dask; pickles, which carry models there."""

import concurrent.futures
import multiprocessing
import os
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest

import rung
from rung import _model, _partitions


@pytest.fixture(scope="module")
def frame():
    X, y = rung.generate("toy", rows=240, unlabelled=0.5)
    rows = pd.DataFrame(X, columns=["a", "b"], index=np.arange(240) + 1000)
    rows["colour"] = np.where(X[:, 0] > 0.5, "red", "blue")
    rows["size"] = pd.Categorical(np.where(X[:, 1] > 0.5, "large", "small"), ["small", "large"], ordered=True)
    return rows.assign(id=[f"r{i}" for i in range(240)], label=y)


FEATURES = ["a", "b", "colour", "size"]


@pytest.fixture(scope="module")
def model(frame):
    return rung.KDLOR().fit(frame[FEATURES], frame["label"])


@pytest.fixture(scope="module")
def parts(frame):
    """Partitions as they come: one is empty, in one a text column is missing throughout, one has other categories."""
    third = frame[50:70].assign(colour=None)
    fourth = frame[70:100].assign(size=pd.Categorical(frame["size"][70:100].astype(str), ["tiny", "large", "small"]))
    return [frame[:50], frame[50:50], third, fourth, frame[100:]]


# ---- the result ----


def test_columns_are_those_of_the_command(frame, model, command, tmp_path):
    rung.save(model, tmp_path / "m.rung")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    options = {"proba": True, "interval": 0.8, "keep": ["id", "label"]}
    words = "--proba", "--interval", 0.8, "--keep", "id,label"
    told = command("predict", tmp_path / "m.rung", tmp_path / "rows.csv", *words)
    (tmp_path / "out.csv").write_text(told)
    expected = pd.read_csv(tmp_path / "out.csv").set_index(frame.index)
    for source in (model, model.model_, str(tmp_path / "m.rung"), tmp_path / "m.rung"):
        pd.testing.assert_frame_equal(rung.predict_partitions(frame, source, **options), expected, check_exact=True)
    everything = rung.predict_partitions(frame, model, keep="all")
    assert everything.columns.tolist() == [*frame.columns, "predicted_label", "rank", "score"]


def test_plain_columns(frame, model):
    out = rung.predict_partitions(frame, model)
    assert out.columns.tolist() == ["label", "rank", "score"] and out.index.equals(frame.index)
    np.testing.assert_array_equal(out["label"], model.predict(frame[FEATURES]))
    words = rung.KDLOR(order=["x", "y"]).fit(frame[["a", "b"]], np.where(frame["a"] > 0.5, "y", "x"))
    np.testing.assert_array_equal(rung.predict_partitions(frame, words)["label"], words.predict(frame[["a", "b"]]))


def test_other_kinds_of_models(frame):
    X = frame[["a", "b"]]
    real = rung.predict_partitions(frame, rung.KRR().fit(X, frame["a"]))
    assert real.columns.tolist() == ["score"]
    components = rung.predict_partitions(frame, rung.KPCA(components=2).fit(X))
    assert components.columns.tolist() == ["score1", "score2"]
    latent = rung.predict_partitions(frame, rung.ISBOR().fit(X, frame["label"]), proba=True)
    assert latent.columns.tolist()[-2:] == ["mean", "sd"] and (latent["sd"] > 0).all()
    searched = rung.OrdinalSearch("kdlor", grid={"gamma": [0.5, 1]}).fit(X, frame["label"])
    np.testing.assert_array_equal(rung.predict_partitions(frame, searched)["label"], searched.predict(X))


def test_iterators_and_empty_partitions(parts, model):
    predict = rung.predict_partitions(model, proba=True, keep=["id"])
    out = predict(iter(parts))
    assert next(out).equals(predict(parts[0]))  # one after the other
    empty = next(out)
    assert len(empty) == 0 and empty.dtypes.equals(predict.meta(parts[0]).dtypes)
    assert empty.dtypes.equals(predict(parts[0]).dtypes)
    with pytest.warns(rung.RungWarning, match="20 cells hold a category not seen in training"):
        missing = next(out)
    more = pd.concat([parts[2], parts[0]])[FEATURES]  # a batch in which the column has text
    with pytest.warns(rung.RungWarning, match="20 cells hold a category not seen in training"):
        np.testing.assert_array_equal(missing["score"], model.score_samples(more)[:20])
    np.testing.assert_array_equal(next(out)["score"], model.score_samples(parts[3].astype({"size": str})[FEATURES]))
    assert len(next(out)) == 140 and next(out, None) is None


def test_columns_without_names(frame):
    model = rung.KDLOR().fit(frame[["b", "a"]].to_numpy(), frame["label"])
    expected = model.score_samples(frame[["b", "a"]].to_numpy())
    out = rung.predict_partitions(frame, model, columns=["b", "a"])
    np.testing.assert_array_equal(out["score"], expected)
    np.testing.assert_array_equal(rung.predict_partitions(frame[["b", "a"]], model)["score"], expected)
    with pytest.raises(rung.DataError, match=r"fitted to 2 columns without names, not to 6 \(a, b, colour, .*columns="):
        rung.predict_partitions(frame, model)


def test_identifiers_that_the_model_left_out_are_not_needed(frame):
    numbered = frame[["a", "b"]].assign(row=np.arange(1, 241))
    with pytest.warns(rung.RungWarning, match="row"):
        model = rung.KDLOR().fit(numbered, frame["label"])
    np.testing.assert_array_equal(rung.predict_partitions(frame, model)["score"], model.score_samples(numbered))


def test_mistakes(frame, model, tmp_path):
    with pytest.raises(rung.DataError, match="no column 'b', which the model needs; the columns are a, colour"):
        rung.predict_partitions(frame.drop(columns="b"), model)
    with pytest.raises(rung.DataError, match="no column 'b'"):  # also where there are no rows
        rung.predict_partitions(frame.drop(columns="b")[:0], model)
    with pytest.raises(rung.DataError, match="column 'a' occurs 2 times"):
        rung.predict_partitions(pd.concat([frame, frame[["a"]]], axis=1), model)
    with pytest.raises(rung.DataError, match="keep: there is no column 'name'"):
        rung.predict_partitions(frame, model, keep=["name"])
    with pytest.raises(rung.DataError, match="the model has 4 columns, and columns= has 1"):
        rung.predict_partitions(frame, model, columns=["a"])
    with pytest.raises(TypeError, match="keep='id': expected a list of columns"):
        rung.predict_partitions(model, keep="id")
    with pytest.raises(ValueError, match="interval=90"):
        rung.predict_partitions(model, interval=90)
    plain = rung.KDLOR(calibrate=0, thresholds="midpoint").fit(frame[FEATURES], frame["label"])
    with pytest.raises(rung.DataError, match="no probabilities"):
        rung.predict_partitions(frame, plain, proba=True)
    with pytest.raises(TypeError, match="expected an estimator of rung, a model or the path"):
        rung.predict_partitions(frame, 3)
    with pytest.raises(rung.DataError, match="this KDLOR is not fitted yet"):
        rung.predict_partitions(rung.KDLOR())
    with pytest.raises(OSError, match="nothing.rung"):
        rung.predict_partitions(frame, tmp_path / "nothing.rung")
    with pytest.raises(TypeError, match="expected a DataFrame or an iterator of DataFrames, not a int"):
        rung.predict_partitions(3, model)
    with pytest.raises(TypeError, match="expected pandas DataFrames, not a list"):
        list(rung.predict_partitions([[1, 2]], model))
    with pytest.raises(rung.DataError, match=r"as in meta\(ddf\)"):
        rung.predict_partitions(model, keep=["id"]).meta()
    with pytest.raises(rung.DataError, match=r"as in schema\(sdf\)"):
        rung.predict_partitions(model, keep=["id"]).schema()


class SparkFrame:
    """As far as rung knows one: the names of Spark's types, and mapInPandas."""

    def __init__(self, parts, dtypes):
        self.parts, self.dtypes = parts, dtypes

    def mapInPandas(self, function, schema):
        return list(function(iter(self.parts))), schema


def test_spark(frame, model):
    types = {"a": "double", "b": "double", "colour": "string", "size": "string", "an `id`": "bigint"}.items()
    rows = frame[FEATURES].assign(size=frame["size"].astype(str), **{"an `id`": np.arange(240)})
    predict = rung.predict_partitions(model, interval=0.9, keep=["an `id`"])
    out, schema = predict(SparkFrame([rows[:100], rows[100:]], types))
    assert schema == (
        "`an ``id``` bigint, `label` bigint, `rank` bigint, `score` double, "
        "`interval_low` bigint, `interval_high` bigint"
    )
    assert pd.concat(out).equals(predict(rows))
    words = rung.MEDIAN(order=["x", "y"]).fit(frame[["a", "b"]], np.where(frame["a"] > 0.5, "y", "x"))
    assert rung.predict_partitions(words).schema() == "`label` string, `rank` bigint, `score` double"


# ---- dask ----


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("dask.dataframe")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def count_models():
    """In a worker: notes every model that is read."""
    begin = _model.Model.__init__

    def counted(self, handle):
        _model.count = getattr(_model, "count", 0) + 1
        begin(self, handle)

    _model.Model.__init__ = counted


def test_dask(client, frame, model, tmp_path):
    import dask.dataframe as dd

    rung.save(model, tmp_path / "m.rung")
    rows = dd.from_pandas(frame, npartitions=8)
    expected = rung.predict_partitions(frame, model)
    client.run(count_models)
    predict = rung.predict_partitions(model)
    out = rows.map_partitions(predict, meta=predict.meta())
    pd.testing.assert_frame_equal(out.compute(), expected)
    out = rows.map_partitions(rung.predict_partitions, model, meta=predict.meta())
    pd.testing.assert_frame_equal(out.compute(), expected)
    counts = list(client.run(lambda: __import__("rung")._model.count).values())
    assert counts == [1, 1]  # both workers have predicted, and have read the model once
    whole = rung.predict_partitions(rows, tmp_path / "m.rung", proba=True, keep=["id", "label"])
    assert whole.columns.tolist()[:3] == ["id", "label", "predicted_label"]
    got = whole[whole["rank"] > 0].compute()
    pd.testing.assert_series_equal(got["score"], expected["score"])
    assert got["id"].tolist() == frame["id"].tolist()
    assert list(client.run(lambda: __import__("rung")._model.count).values()) == [2, 2]
    nothing = rung.predict_partitions(rows[rows["a"] > 99], model).compute()
    assert len(nothing) == 0 and nothing.columns.tolist() == expected.columns.tolist()
    with pytest.raises(rung.DataError, match="no column 'b'"):
        rung.predict_partitions(rows.drop(columns="b"), model).compute()


# ---- pickles ----


def test_pickles_are_the_bytes_of_the_file(model, frame):
    cloudpickle = pytest.importorskip("cloudpickle")
    data, expected = model.model_.to_bytes(), rung.predict_partitions(frame, model)
    for thing in (model, model.model_, rung.predict_partitions(model)):
        for protocol in range(3, pickle.HIGHEST_PROTOCOL + 1):
            for module in (pickle, cloudpickle):
                packed = module.dumps(thing, protocol=protocol)
                assert data in packed and len(packed) < len(data) + 4000
                again = module.loads(packed)
                assert type(again) is type(thing)
                assert rung.predict_partitions(frame, getattr(again, "estimator", again)).equals(expected)


def test_joblib(model, frame, tmp_path):
    X = frame[FEATURES]
    for compress in (0, 3):
        joblib.dump({"model": model, "bare": model.model_}, tmp_path / "m", compress=compress)
        read = joblib.load(tmp_path / "m")
        np.testing.assert_array_equal(read["model"].predict_proba(X), model.predict_proba(X))
        assert read["bare"].to_bytes() == model.model_.to_bytes()


def sent_and_back(model, rows):
    return model, rung.predict_partitions(rows, model), os.getpid()


def test_other_processes(model, frame):
    expected = rung.predict_partitions(frame, model)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        for sent in (model, model.model_):
            back, out, pid = pool.submit(sent_and_back, sent, frame).result(120)
            assert type(back) is type(sent) and pid != os.getpid()
            np.testing.assert_array_equal(out["score"], expected["score"])
            np.testing.assert_array_equal(out["label"], expected["label"])
            assert getattr(back, "model_", back).to_bytes() == model.model_.to_bytes()


def test_a_process_reads_a_model_once(model, frame, tmp_path, monkeypatch):
    loads = []

    def counted(self, handle, begin=_model.Model.__init__):
        loads.append(1)
        begin(self, handle)

    monkeypatch.setattr(_model, "_from_bytes", type(_model._from_bytes)())
    monkeypatch.setattr(_partitions, "_recent", type(_partitions._recent)(maxlen=2))
    monkeypatch.setattr(_model.Model, "__init__", counted)
    tasks = [pickle.dumps((rung.predict_partitions(model), model)) for _ in range(3)]
    for task in tasks:
        predict, estimator = pickle.loads(task)
        predict(frame), rung.predict_partitions(frame, estimator)
        del predict, estimator
    assert len(loads) == 1
    _partitions._read.cache_clear()
    rung.save(model, tmp_path / "m.rung")
    for _ in range(3):
        rung.predict_partitions(frame, tmp_path / "m.rung")
    assert len(loads) == 2
    rung.save(rung.MEDIAN().fit(frame[FEATURES], frame["label"]), tmp_path / "m.rung")  # another one: it is read again
    loads.clear()
    assert (rung.predict_partitions(frame, tmp_path / "m.rung")["label"].nunique(), len(loads)) == (1, 1)


def test_rows_without_an_answer_have_no_label(frame, command, tmp_path):
    rows = frame[["a", "b"]]
    frame[["a", "b", "label"]].replace({"label": {-1: None}}).to_csv(tmp_path / "d.csv", index=False)
    command("fit", tmp_path / "d.csv", "-m", "kdlor", "--abstain", 0.3, "-o", tmp_path / "m.rung")
    model = rung.load(tmp_path / "m.rung")
    answer = model.predict(rows)
    unsure = np.array([one is None for one in answer])
    assert 0 < unsure.sum() < len(rows)
    predict = rung.predict_partitions(model)
    said = predict(rows)
    assert said["label"].isna().tolist() == unsure.tolist() and said["rank"].eq(0).tolist() == unsure.tolist()
    assert said["label"][~unsure].tolist() == answer[~unsure].tolist()
    assert predict.schema().startswith("`label` bigint") and predict.meta().dtypes.equals(said.dtypes)
    plain = rung.KDLOR().fit(rows, frame["label"])
    values = model.decision_function(rows)
    np.testing.assert_array_equal(values[unsure].argmax(axis=1), plain.decision_function(rows)[unsure].argmax(axis=1))
