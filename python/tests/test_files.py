# SPDX-License-Identifier: BSD-3-Clause
"""Model files go between Python and the command line."""

import numpy as np
import pandas as pd
import pytest
import sklearn

import rung


@pytest.fixture
def csv(command, tmp_path):
    (tmp_path / "toy.csv").write_text(command("generate", "toy", "--rows", "200", "--unlabelled", "0.7"))
    return tmp_path / "toy.csv"


def test_from_the_command(command, csv, tmp_path):
    path = tmp_path / "m.rung"
    command("fit", csv, "-m", "kdlor", "-p", "gamma=0.5", "--scale", "minmax", "-o", path)
    model, frame = rung.load(path), pd.read_csv(csv)
    assert type(model) is rung.KDLOR and model.gamma == 0.5 and model.scale == "minmax" and model.ridge == 0.01
    assert model.classes_.tolist() == [1, 2, 3, 4, 5] and model.feature_names_in_.tolist() == ["x1", "x2"]
    said = command.predict(path, csv, "--proba")
    X = frame[["x1", "x2"]]
    np.testing.assert_array_equal(model.score_samples(X), said["score"])
    np.testing.assert_array_equal(model.predict(X), said["label"].astype(int))
    np.testing.assert_array_equal(model.predict_proba(X), np.column_stack([said[f"p({k})"] for k in range(1, 6)]))
    again = rung.KDLOR(**model.get_params()).fit(X, frame["label"])
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))  # the same fit, too


def test_columns_of_a_file_are_found_by_name(command, tmp_path):
    rows = pd.DataFrame({"id": [f"p{i}" for i in range(30)], "a": np.arange(30) % 7 + 0.5,
                         "b": np.arange(30) % 4 + 0.5})
    rows.assign(label=np.arange(30) % 3 + 1).to_csv(tmp_path / "t.csv", index=False)
    command("fit", tmp_path / "t.csv", "-m", "pom", "-o", tmp_path / "m.rung")  # leaves out id
    model = rung.load(tmp_path / "m.rung")
    proba = model.predict_proba(rows[["a", "b"]])
    np.testing.assert_array_equal(model.predict_proba(rows), proba)
    np.testing.assert_array_equal(model.predict_proba(rows[["b", "id", "a"]]), proba)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(rows[["id", "a"]])


def test_to_the_command(command, csv, tmp_path):
    frame, path = pd.read_csv(csv), tmp_path / "m.rung"
    words = frame["label"].map({1: "a", 2: "b", 3: "c", 4: "d", 5: "e"})
    model = rung.SDL(order=["e", "d", "c", "b", "a"]).fit(frame[["x1", "x2"]], words)
    rung.save(model, path)
    told = command.inspect(path)
    assert told["classes"] == ["e", "d", "c", "b", "a"] and told["preprocessing"]["label"] == "label"
    said = command.predict(path, csv)
    np.testing.assert_array_equal(said["label"], model.predict(frame[["x1", "x2"]]))
    frame.assign(label=words).to_csv(tmp_path / "words.csv", index=False)
    assert "labelled rows" in command("evaluate", path, tmp_path / "words.csv")
    other = rung.load(path)
    assert type(other) is rung.SDL and other.classes_.tolist() == ["e", "d", "c", "b", "a"]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_kinds_that_differ(command, csv, tmp_path):
    path = tmp_path / "m.rung"
    command("fit", csv, "-m", "krr", "-o", path)
    model = rung.load(path)
    assert type(model) is rung.OrdinalClassifier and model.method == "krr" and model.predict([[0.5, 0.5]]).dtype == int
    command("fit", csv, "-m", "ot", "--real", "-o", path)
    model = rung.load(path)
    assert type(model) is rung.OrdinalRegressor and model.method == "ot"
    rung.save(model, tmp_path / "again.rung")
    assert path.read_bytes() == (tmp_path / "again.rung").read_bytes()
    assert model.model_.to_bytes() == path.read_bytes()


def test_bad_files(tmp_path, toy):
    with pytest.raises(OSError, match="cannot open"):
        rung.load(tmp_path / "nothing.rung")
    rung.save(rung.MEDIAN().fit(*toy[:2]), tmp_path / "m.rung")
    damaged = bytearray((tmp_path / "m.rung").read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "m.rung").write_bytes(damaged)
    with pytest.raises(ValueError, match="checksum"):
        rung.load(tmp_path / "m.rung")
    with pytest.raises(rung.RungError):
        rung.save(rung.MEDIAN().fit(*toy[:2]), tmp_path / "no" / "folder")


def test_generate(command):
    X, y = rung.generate("gauss4", rows=50, unlabelled=0.5, random_state=7)
    rows = [
        line.split(",")
        for line in command("generate", "gauss4", "--rows", 50, "--unlabelled", 0.5, "--seed", 7).split()[1:]
    ]
    np.testing.assert_array_equal(X, np.array([row[:-1] for row in rows], float))
    np.testing.assert_array_equal(y, [int(row[-1] or -1) for row in rows])
    with pytest.raises(ValueError, match="unknown data set 'nonsense'"):
        rung.generate("nonsense")


def test_nul_is_refused_everywhere(toy, tmp_path):
    X, y, _ = toy
    model = rung.MEDIAN().fit(X, y)
    for bad in (
        lambda: rung.save(model, f"{tmp_path}/a\0.rung"),
        lambda: rung.save(model, f"{tmp_path}/a\0.rung".encode()),
        lambda: rung.load(f"{tmp_path}/a\0.rung"),
        lambda: rung.generate("toy\0"),
        lambda: rung.OrdinalClassifier("median\0x").fit(X, y),
        lambda: rung.KDLOR(gamma="0.1\0").fit(X, y),
        lambda: rung.OrdinalSearch("median", metric="mae\0").fit(X, y),
        lambda: rung.MEDIAN().fit(X[:2], pd.Categorical(["a\0b", "a\0c"], ordered=True)),
        lambda: rung.MEDIAN().fit(pd.DataFrame(X, columns=["a", "b\0"]), y),
    ):
        with pytest.raises(ValueError, match="contains a NUL character"):
            bad()
    assert list(tmp_path.iterdir()) == []


def test_what_a_file_says_of_the_fit_is_there_for_the_next_one(tmp_path):
    X, y = rung.generate("toy", rows=90)
    words = np.array(["", "poor", "fair", "good", "fine", "best"])[y]
    order = ["poor", "fair", "good", "fine", "best"]
    model = rung.KDLOR(order=order, cost="squared", ridge=0.1).fit(X, words)
    rung.save(model, tmp_path / "m.rung")
    loaded = rung.load(tmp_path / "m.rung")
    again = sklearn.clone(loaded).fit(X, words)
    assert again.classes_.tolist() == order
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert "cost='squared'" in loaded.describe()["made"]["call"]


def test_to_html():
    X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    page = rung.to_html(rung.POM().fit(X, y), title="<Grade> é", text="For adults.", disclaimer="None.")
    assert page.startswith("<!doctype html>") and "<title>&lt;Grade&gt; é</title>" in page
    assert "For adults." in page and "None." in page
    with pytest.raises(ValueError, match="training rows"):
        rung.to_html(rung.KDLOR().fit(X, y))
    assert "contains training rows" in rung.to_html(rung.KDLOR().fit(X, y), with_rows=True)
    with pytest.raises(TypeError, match="expected an estimator of rung"):
        rung.to_html(3)


def test_to_onnx():
    X, y = rung.generate("toy", rows=200, unlabelled=0.5)
    model = rung.POM().fit(X, y)
    data = rung.to_onnx(model)
    assert isinstance(data, bytes) and data != rung.to_onnx(model, level=0.5)
    with pytest.raises(ValueError, match="training rows"):
        rung.to_onnx(rung.KDLOR().fit(X, y))
    assert len(rung.to_onnx(rung.KDLOR().fit(X, y), with_rows=True)) > 1000
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime from PyPI is not installed")
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    feed = {each.name: X[:, [j]] for j, each in enumerate(session.get_inputs())}
    np.testing.assert_allclose(session.run(["probabilities"], feed)[0], model.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(session.run(["rank"], feed)[0][:, 0], model.predict(X))
