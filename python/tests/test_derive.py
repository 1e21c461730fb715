# SPDX-License-Identifier: BSD-3-Clause
"""Columns derived from others: the model predicts as from the command, from frames, arrays and files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import rung

DERIVE = ["age:sex", "log(income)", "poly(dose, 2)", "(age - 50)/10:dose", "sqrt(abs(dose))"]


@pytest.fixture(scope="module")
def patients():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 120), "sex": rng.choice(["f", "m", "x"], 120)})
    frame["income"] = np.round(np.exp(rng.normal(8, 1, 120)), 2)
    frame["dose"] = np.round(rng.uniform(0, 10, 120), 1)
    latent = 0.04 * frame["age"] * (frame["sex"] == "m") + np.log(frame["income"]) - 0.1 * (frame["dose"] - 5) ** 2
    frame["grade"] = 1 + np.digitize(latent + rng.normal(size=120), [6, 8])
    frame.loc[3::20, "dose"] = np.nan
    frame.loc[7::30, "sex"] = None
    return frame


@pytest.mark.parametrize("method", ["pom", "kdlor", "boost"])
def test_the_model_predicts_as_from_the_command(patients, method, command, tmp_path):
    X, y = patients.drop(columns="grade"), patients["grade"]
    model = rung.OrdinalClassifier(method, derive=DERIVE).fit(X, y)
    patients.to_csv(tmp_path / "p.csv", index=False)
    rung.save(model, tmp_path / "own.rung")
    words = [word for one in DERIVE for word in ("--derive", one)]
    command("fit", tmp_path / "p.csv", "-m", method, *words, "-q", "-o", tmp_path / "other.rung")
    again = rung.load(tmp_path / "other.rung")
    expected = model.predict_proba(X)
    for name in ("own.rung", "other.rung"):
        said = command.predict(tmp_path / name, tmp_path / "p.csv", "--proba")
        assert np.array_equal(np.column_stack([said[f"p({k})"] for k in (1, 2, 3)]), expected)
    assert np.array_equal(again.predict_proba(X), expected)
    assert np.array_equal(again.predict_proba(X[["dose", "sex", "age", "income"]][:9]), expected[:9])
    assert [name for name, _ in again.model_.inputs] == ["age", "sex", "income", "dose"]
    assert "log(income)" in [name for name, _ in again.model_.columns]
    columns = [one["name"] for one in rung.explain.importance(again, X, y)["columns"]]
    assert sorted(columns) == ["age", "dose", "income", "sex"]


def test_columns_that_are_only_derived_from(patients, command, tmp_path):
    patients.to_csv(tmp_path / "p.csv", index=False)
    model = rung.fit_files(tmp_path / "p.csv", "pom", label="grade", ignore="income", derive=["log(income)", "age:sex"])
    X = patients.drop(columns="grade")
    assert model.feature_names_in_.tolist() == ["age", "sex", "income", "dose"]
    rung.save(model, tmp_path / "m.rung")
    said = command.predict(tmp_path / "m.rung", tmp_path / "p.csv", "--proba")
    assert np.array_equal(said["p(1)"], model.predict_proba(X)[:, 0])
    assert any(row["name"] == "log(income)" for row in model.summary().coefficients)
    assert not any(row["name"] == "income" for row in model.summary().coefficients)


def test_arrays(patients):
    X, y = patients[["age", "dose"]].to_numpy(float), patients["grade"]
    model = rung.POM(derive="x1:x2").fit(X, y)
    assert model.coef_.shape == (3,)
    frame = pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1]})
    assert np.array_equal(rung.POM(derive=["x1:x2"]).fit(frame, y).predict_proba(frame), model.predict_proba(X))
    assert clone(model).derive == "x1:x2"
    found = rung.OrdinalSearch("pom", derive="x1:x2", folds=2, repeats=1).fit(X, y)
    assert found.model_.derives and not rung.POM().fit(X, y).model_.derives


def test_trees_see_derived_columns(patients):
    X, y = patients.drop(columns=["grade", "sex"]), patients["grade"]
    model = rung.BOOST(rounds=10, derive="log(income):dose").fit(X, y)
    assert model.feature_importances_.shape == (3,) and model.feature_importances_.sum() <= 1


def test_what_cannot_be(patients):
    X, y = patients.drop(columns="grade"), patients["grade"]
    with pytest.raises(ValueError, match="'lag\\(age\\)' cannot be read"):
        rung.POM(derive="lag(age)").fit(X, y)
    with pytest.raises(ValueError, match="no column 'size'"):
        rung.POM(derive=["size:age"]).fit(X, y)
    with pytest.raises(ValueError, match="not a finite number"):
        rung.POM(derive="log(dose - 20)").fit(X, y)
