# SPDX-License-Identifier: BSD-3-Clause
"""The library's own search."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

import rung


def test_as_the_command(command, tmp_path):
    (tmp_path / "toy.csv").write_text(command("generate", "toy", "--rows", "120", "--unlabelled", "0.5"))
    X, y = rung.generate("toy", rows=120, unlabelled=0.5)
    words = ["-m", "kdlor,svorim", "-g", "gamma=0.1,1/d", "-p", "C=2", "-o", tmp_path / "m.rung", "--json"]
    said = json.loads(command("tune", tmp_path / "toy.csv", *words))
    search = rung.OrdinalSearch(["kdlor", "svorim"], grid={"gamma": [0.1, "1/d"]}, fixed={"C": 2}).fit(X, y)
    told = command.inspect(tmp_path / "m.rung")
    assert search.best_method_ == told["method"] and search.describe()["params"] == told["params"]
    assert search.best_params_["gamma"] in (0.1, "1/d")
    assert all(search.report_[key] == said[key] for key in ("metric", "folds", "repeats") if key in said)
    np.testing.assert_array_equal(search.predict_proba(X), rung.load(tmp_path / "m.rung").predict_proba(X))


def test_options(toy):
    X, y, truth = toy
    search = rung.OrdinalSearch("kdlor", grid={"ridge": [0.01, 0.1]}, metric="amae", one_se=True, nested=True)
    search.fit(X, y)
    assert search.score(X, truth) > 0.5 and "nested" in search.report_
    assert search.corrected_ == search.report_["corrected"] and search.corrected_["n"] == search.cv_["n"]
    assert pickle.loads(pickle.dumps(search)).best_params_ == search.best_params_
    weighted = rung.OrdinalSearch("kdlor", grid={"ridge": [0.01]}, class_weight={5: 100}).fit(X, y)
    assert (weighted.score_samples(X) != rung.KDLOR(ridge=0.01).fit(X, y).score_samples(X)).any()
    grouped = rung.OrdinalSearch("kdlor", grid={"ridge": [0.01]}).fit(X, y, groups=np.arange(300) // 10)
    assert grouped.cv_["n"] == 60
    semi = rung.OrdinalSearch("s-dl", grid={"mu": [0.1]}, fixed={"gamma": 1.0}).fit(X, y)
    assert (semi.transduction_ > 0).all()
    with pytest.raises(ValueError, match="none of the methods has a parameter 'gama'"):
        rung.OrdinalSearch("kdlor", grid={"gama": [1]}).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        rung.OrdinalSearch("kdlor").fit(X, y, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="there is no method 'nonsense'"):
        rung.OrdinalSearch("nonsense").fit(X, y)


@pytest.mark.long
def test_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            rung.OrdinalSearch("kdlor", grid={"ridge": [0.01, 0.1]}, n_jobs=1), on_skip=None, on_fail=None
        )
    bad = {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert set(bad) <= set(rung.EXPECTED_FAILED_CHECKS), bad


def test_classes_are_balanced_as_by_the_command(command, tmp_path):
    """Also where labels are intervals, and anew in every fold of a search."""
    X, y = rung.generate("toy", rows=90)
    labels = np.where(np.arange(90) % 5 == 0, "2..3", y.astype(str))
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.assign(label=labels).to_csv(tmp_path / "vague.csv", index=False)
    command("fit", tmp_path / "vague.csv", "-m", "pom", "-w", "balanced", "-o", tmp_path / "m.rung")
    model = rung.POM(class_weight="balanced").fit(frame, labels)
    np.testing.assert_array_equal(model.predict_proba(frame), rung.load(tmp_path / "m.rung").predict_proba(frame))
    frame.assign(label=y).to_csv(tmp_path / "d.csv", index=False)
    told = command("tune", tmp_path / "d.csv", "-m", "pom", "-w", "balanced", "-o", tmp_path / "m.rung", "--json")
    search = rung.OrdinalSearch("pom", class_weight="balanced").fit(frame, y)
    assert search.corrected_ == json.loads(told)["corrected"]
