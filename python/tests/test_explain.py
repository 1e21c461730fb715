# SPDX-License-Identifier: BSD-3-Clause
import json

import numpy as np
import pandas as pd
import pytest

import rung


def known_rows(n, seed):
    """y follows 2 x1 + x2 and the colour; noise has no effect."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(seed)
    X = pandas.DataFrame(random.normal(size=(n, 3)), columns=["x1", "x2", "noise"])
    X["colour"] = np.where(random.random(n) < 0.5, "red", "blue")
    latent = 2 * X["x1"] + X["x2"] + 1.5 * (X["colour"] == "red") + random.logistic(size=n)
    return X, np.digitize(latent, [-2, 0, 2])


def test_coefficients_have_the_names_and_sizes_of_the_effects():
    X, y = known_rows(4000, 1)
    model = rung.POM(ridge=1e-8).fit(X, y)
    summary = model.summary()
    assert [row["name"] for row in summary.coefficients] == ["x1", "x2", "noise", "colour: red against blue"]
    values, errors = (np.array([row[key] for row in summary.coefficients]) for key in ("value", "error"))
    assert np.all(np.abs(values - [2, 1, 0, 1.5]) < 3.5 * errors)
    assert np.all(errors < 0.12)
    np.testing.assert_array_equal(model.coef_, values)
    assert np.all(np.abs(model.thresholds_ - [-2, 0, 2]) < 0.3)
    assert [row["name"] for row in summary.thresholds] == ["0 | 1", "1 | 2", "2 | 3"]
    assert summary.proportional_odds[0]["df"] == 8 and summary.proportional_odds[0]["p"] > 1e-3
    frame = summary.to_frame()
    assert frame.loc["x1", "odds_low"] < np.exp(2) < frame.loc["x1", "odds_high"]
    assert "colour: red against blue" in str(summary) and "log likelihood" in str(summary)


def test_coefficients_are_those_of_the_command(command, tmp_path):
    X, y = known_rows(300, 2)
    model = rung.POM().fit(X, y)
    path = tmp_path / "model.rung"
    rung.save(model, path)
    told = command.inspect(path)["coefficients"]
    np.testing.assert_array_equal([one["value"] for one in told], [*model.coef_, *model.thresholds_])


def test_models_without_coefficients_have_no_such_attributes():
    X, y = rung.generate("toy", rows=60)
    model = rung.KDLOR().fit(X, y)
    assert not hasattr(model, "coef_") and not hasattr(model, "feature_importances_")
    with pytest.raises(AttributeError, match="not linear"):
        model.summary()
    assert rung.KDLOR(kernel="linear").fit(X, y).coef_.shape == (2,)
    assert not hasattr(rung.POM(), "coef_")


def test_gain_of_trees_finds_the_columns():
    X, y = known_rows(400, 3)
    gain = rung.BOOST().fit(X, y).feature_importances_
    assert gain.sum() == pytest.approx(1) and gain.argmax() == 0 and gain[1] > gain[2]


def test_importance_finds_the_columns():
    X, y = known_rows(500, 4)
    new, labels = known_rows(400, 5)
    model = rung.POM().fit(X, y)
    report = rung.explain.importance(model, new, labels)
    assert [one["name"] for one in report["columns"]] == ["x1", "x2", "colour", "noise"]
    assert report["rows"] == 400 and report["seen"] is False
    assert rung.explain.importance(model, X, y)["seen"] is True
    assert report == rung.explain.importance(model, new, labels)
    assert report != rung.explain.importance(model, new, labels, random_state=2)
    array = rung.POM().fit(X[["x1", "x2", "noise"]].to_numpy(), y)
    holes = np.array(new[["x1", "x2", "noise"]])
    holes[::7, 1] = np.nan
    assert rung.explain.importance(array, holes, labels)["columns"][0]["name"] == "x1"


def test_importance_is_that_of_the_command(command, tmp_path):
    X, y = known_rows(200, 6)
    new, labels = known_rows(150, 7)
    model = rung.POM().fit(X, y)
    rung.save(model, tmp_path / "model.rung")
    new.assign(label=labels).to_csv(tmp_path / "new.csv", index=False)
    told = json.loads(command("explain", tmp_path / "model.rung", tmp_path / "new.csv", "--json"))
    assert [one["name"] for one in told.pop("effects")["columns"]][:3] == ["x1", "x2", "colour"]
    assert told == rung.explain.importance(model, new, labels)


def test_importance_figure():
    pytest.importorskip("matplotlib")
    X, y = known_rows(120, 8)
    X["copy"] = X["x1"] + 0.01
    report = rung.explain.importance(rung.POM().fit(X, y), X, y, repeats=1)
    ax = rung.plot_importance(report)
    assert len(ax.patches) == 6
    assert "x1 + copy" in [label.get_text() for label in ax.get_yticklabels()]
    assert len(rung.plot_importance(report, most=2).patches) == 2


def test_effects_have_the_shape_of_the_model(command, tmp_path):
    X, y = known_rows(300, 9)
    model = rung.POM().fit(X, y)
    report = rung.explain.effects(model, X, ["x1", "colour"])
    rise, colour = report["columns"]
    assert np.all(np.diff(rise["dependence"]) > 0) and np.all(np.diff(rise["local"]) > 0)
    assert np.allclose(np.sum(rise["dependence_classes"], axis=1), 1)
    assert colour["values"] == ["blue", "red"] and colour["dependence"][0] < colour["dependence"][1]
    assert colour["local"] is None
    assert rung.explain.effects(model, X, [0])["columns"] == [rise]
    pair = rung.explain.effects(model, X, ["x1", "x2"], pair=True)
    assert np.shape(pair["map"]) == (11, 11) and 0 <= pair["interaction"] < 0.2
    rung.save(model, tmp_path / "model.rung")
    X.to_csv(tmp_path / "X.csv", index=False)
    told = json.loads(
        command("explain", tmp_path / "model.rung", tmp_path / "X.csv", "--effects", "x1,colour", "--json")
    )
    assert told == report
    with pytest.raises(ValueError, match="no column 'colur'; did you mean 'colour'"):
        rung.explain.effects(model, X, ["colur"])


def test_contributions_add_up_and_changes_do_what_they_say():
    X, y = known_rows(300, 10)
    model = rung.POM().fit(X, y)
    index = 3
    report = rung.explain.row(model, X, index, fixed=["x1"])
    expected = model.predict_proba(X.iloc[[index]])[0] @ np.arange(1, 5)
    assert report["answer"] == pytest.approx(expected) and report["exact"]
    assert sum(one["contribution"] for one in report["columns"]) == pytest.approx(report["answer"] - report["average"])
    for change in filter(None, report["changes"].values()):
        new = X.iloc[[index]].copy()
        for one in change["columns"]:
            assert one["name"] != "x1"
            new[one["name"]] = one["to"]
        assert str(model.predict(new)[0]) == change["class"]
    many = np.random.default_rng(1).normal(size=(200, 12))
    wide = rung.POM().fit(many, np.digitize(many[:, 0] + many[:, 1], [-1, 1]))
    report = rung.explain.row(wide, many, 0)
    assert not report["exact"] and report["background"] == 200
    assert any(one["error"] > 0 for one in report["columns"])
    alone = rung.explain.row(model, X.iloc[[index]], 0, background=X)
    assert alone["columns"] == rung.explain.row(model, X, index)["columns"]
    with pytest.raises(ValueError, match="only one row"):
        rung.explain.row(model, X.iloc[[index]], 0)
    assert sum(one["contribution"] for one in report["columns"]) == pytest.approx(report["answer"] - report["average"])


def test_figures_of_effects_and_rows():
    pytest.importorskip("matplotlib")
    X, y = known_rows(100, 11)
    model = rung.POM().fit(X, y)
    report = rung.explain.effects(model, X)
    assert len(rung.plot_effect(report, "x1").lines) == 3
    assert [t.get_text() for t in rung.plot_effect(report, "colour").get_xticklabels()] == ["blue", "red"]
    told = rung.explain.row(model, X, 0)
    assert len(rung.plot_row(told).patches) == 4
    assert rung.plot_row(told, most=2).get_yticklabels()[1].get_text() == "the other 3 columns"


def test_a_model_knows_the_call_that_made_it(command, tmp_path):
    X, y = rung.generate("toy", rows=60)
    model = rung.KDLOR(gamma=0.5, class_weight={1: 2.0}, n_jobs=1, random_state=7).fit(X, y)
    made = model.describe()["made"]
    assert made["call"] == "rung.KDLOR(class_weight={1: 2.0}, gamma=0.5, random_state=7).fit(X, y)"
    assert made["seed"] == "7" and made["data"].startswith("60 rows of 2 coded columns, checksum ")
    again = eval(made["call"].removesuffix(".fit(X, y)")).set_params(n_jobs=2, verbose=False).fit(X, y)
    rung.save(model, tmp_path / "one.rung")
    rung.save(again, tmp_path / "two.rung")
    assert (tmp_path / "one.rung").read_bytes() == (tmp_path / "two.rung").read_bytes()
    assert command.inspect(tmp_path / "one.rung")["made"] == made
    assert rung.KDLOR(random_state=7).fit(X + 1, y).describe()["made"]["data"] != made["data"]
    search = rung.OrdinalSearch("pom", repeats=1).fit(X, y)
    assert search.describe()["made"]["call"] == "rung.OrdinalSearch(methods='pom', repeats=1).fit(X, y)"


def test_answers_cost_least_under_the_probabilities():
    (X, y), (new, _) = rung.generate("toy", rows=200), rung.generate("toy", rows=100, random_state=2)
    model = rung.POM().fit(X, y)
    proba = model.predict_proba(new)
    median = model.classes_[(np.cumsum(proba, axis=1) < 0.5).sum(axis=1)]
    np.testing.assert_array_equal(model.predict(new, cost="absolute"), median)
    np.testing.assert_array_equal(model.predict(new, cost="zero-one"), model.classes_[proba.argmax(axis=1)])
    matrix = np.random.default_rng(1).random((5, 5)) * (1 - np.eye(5))
    least = model.classes_[(proba @ matrix).argmin(axis=1)]
    np.testing.assert_array_equal(model.predict(new, cost=matrix), least)
    np.testing.assert_array_equal(rung.POM(cost=matrix).fit(X, y).predict(new), least)
    limit = np.median((proba @ matrix).min(axis=1))
    unsure = (proba @ matrix).min(axis=1) > limit
    answers = model.predict(new, cost=matrix, abstain=limit)
    assert 0 < unsure.sum() < len(unsure)
    assert [answer is None for answer in answers] == unsure.tolist()
    assert answers[~unsure].tolist() == least[~unsure].tolist()


def test_a_search_decides_by_cost(tmp_path):
    X, y = rung.generate("toy", rows=120)
    options = {"grid": {"gamma": [1.0]}, "fixed": {"ridge": 0.1}, "repeats": 1}
    search = rung.OrdinalSearch(["kdlor", "median"], metric="cost", cost="up=3,down=1", **options).fit(X, y)
    assert search.report_["metric"] == "cost" and search.best_method_ == "kdlor"
    assert search.describe()["cost"][5:10] == [1, 0, 3, 6, 9]
    path = tmp_path / "model.rung"
    rung.save(search, path)
    np.testing.assert_array_equal(rung.load(path).predict(X), search.predict(X))


@pytest.mark.parametrize(
    "cost, message",
    [
        (np.ones((2, 3)), r"shape \(2, 3\), but there are 5 classes"),
        (-np.ones((5, 5)), "costs -1: expected a number of at least 0"),
        (np.eye(5), "a mistake must not be cheaper"),
        ("cheap", "'cheap' is no cost"),
    ],
)
def test_costs_that_make_no_sense_are_rejected(cost, message):
    X, y = rung.generate("toy", rows=60)
    with pytest.raises(ValueError, match=message):
        rung.POM(cost=cost).fit(X, y)
    with pytest.raises(ValueError, match=message):
        rung.POM().fit(X, y).predict(X, cost=cost)


def test_no_answer_costs_something():
    X, y = rung.generate("toy", rows=60)
    with pytest.raises(ValueError, match="not a cost above 0"):
        rung.POM().fit(X, y).predict(X, abstain=0)


def test_figures_of_effects_pairs_and_sampled_rows():
    pytest.importorskip("matplotlib")
    X, y = known_rows(120, 9)
    model = rung.POM().fit(X, y)
    report = rung.explain.effects(model, X, ["x1", "colour"], points=5, rows=50)
    assert len(rung.plot_effect(report, "x1", classes=True).collections) == 4
    assert len(rung.plot_effect(report, "colour", classes=True).patches) == 8
    with pytest.raises(ValueError, match="no map"):
        rung.plot_pair(report)
    ax = rung.plot_pair(rung.explain.effects(model, X, ["x1", "x2"], pair=True, points=4, rows=50))
    assert ax.images[0].get_array().shape == (4, 4) and ax.get_ylabel() == "x2"
    for k in range(8):
        X[f"more{k}"] = X["noise"] + k * X["x2"]
    sampled = rung.explain.row(rung.POM().fit(X, y), X, 3, samples=5, rows=10)
    assert not sampled["exact"] and len(rung.plot_row(sampled).collections) == 1


def test_compare_is_that_of_the_command(command, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = known_rows(200, 10)
    new, labels = known_rows(150, 11)
    models = {"pom": rung.POM().fit(X, y), "boost": rung.BOOST().fit(X, y)}
    guess = np.full(150, 1)
    for name, model in models.items():
        rung.save(model, tmp_path / f"{name}.rung")
    new.assign(label=labels).to_csv(tmp_path / "new.csv", index=False)
    pandas.DataFrame({"predicted": guess}).to_csv(tmp_path / "guess.csv", index=False)
    files = [tmp_path / name for name in ("pom.rung", "boost.rung", "guess.csv")]
    told = json.loads(command("compare", *files, "--on", tmp_path / "new.csv", "--json"))
    found = rung.compare(models | {"guess": guess}, labels, new)
    assert found["rows"] == told["rows"] == 150
    for here, there in zip(found["compared"], told["compared"], strict=True):
        del here["predictions"], there["predictions"]
        assert here.pop("intervals") == 0  # which the command tells only where there are some
        assert {key: None if value != value else value for key, value in here.items()} == there
    assert found["compared"][2]["low"] > 0 and found["compared"][2]["wilcoxon_p"] < 1e-6


def test_compare_rejects_what_cannot_be_compared():
    X, y = rung.generate("toy", rows=60)
    model = rung.POM().fit(X, y)
    with pytest.raises(ValueError, match="nothing to compare"):
        rung.compare({"one": model}, y, X)
    with pytest.raises(ValueError, match="'one' is a model"):
        rung.compare({"one": model, "two": y}, y)
    with pytest.raises(ValueError, match="'two' has 59 predictions for 60 rows"):
        rung.compare({"one": model, "two": y[1:]}, y, X)


def test_effects_of_dates():
    pytest.importorskip("matplotlib").use("agg")
    days = pd.date_range("2021-01-05", periods=120)
    frame = pd.DataFrame({"day": days, "a": np.sin(np.arange(120))})
    model = rung.POM().fit(frame, np.digitize(np.arange(120) + 40 * frame["a"], [40, 80]))
    report = rung.explain.effects(model, frame, ["day", "a"])
    day, a = report["columns"]
    assert day["dates"][0] == "2021-01-05" and day["dates"][-1] == "2021-05-04" and "dates" not in a
    assert day["values"][0] == (days[0] - pd.Timestamp("1970-01-01")).days
    for classes in (False, True):
        ax = rung.plot_effect(report, "day", classes=classes)
        ax.figure.canvas.draw()
        assert "Feb" in [label.get_text() for label in ax.get_xticklabels()]


def test_columns_count_as_in_x_where_the_model_left_one_out():
    X, y = rung.generate("toy", rows=120)
    with pytest.warns(rung.RungWarning, match="'x1' only counts the rows"):
        model = rung.BOOST(rounds=5).fit(np.column_stack([np.arange(1, 121), X]), y)
    rows = np.column_stack([np.arange(1, 121), X])
    for column in (1, np.int64(1), "x2"):
        assert [one["name"] for one in rung.explain.effects(model, rows, [column], points=3)["columns"]] == ["x2"]
    with pytest.raises(ValueError, match="columns: the model has left out column 0"):
        rung.explain.effects(model, rows, [0])
    with pytest.raises(ValueError, match="there is no column -1"):
        rung.explain.effects(model, rows, [-1])
    importance = model.feature_importances_
    assert importance.shape == (3,) and importance[0] == 0 and importance[1:].min() > 0
    frame = pd.DataFrame(X, columns=["left, right", "b"])
    named = rung.POM().fit(frame, y)
    shown = rung.explain.effects(named, frame, ["left, right"], points=3)["columns"]
    assert [one["name"] for one in shown] == ["left, right"]
    every = {one["name"] for change in rung.explain.row(named, frame, 0, fixed="left, right")["changes"].values()
             if change for one in change["columns"]}  # fmt: skip
    assert every <= {"b"}
    by_place = rung.explain.row(named, frame, 0, fixed=[0])
    assert by_place["changes"] == rung.explain.row(named, frame, 0, fixed=["left, right"])["changes"]
