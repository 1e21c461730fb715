# SPDX-License-Identifier: BSD-3-Clause
"""Groups: rows of one patient are alike, and their grade is mostly the patient's own. A model that has seen other rows
of a patient knows the grade; what is reported must be the error on new patients."""

import numpy as np
import pandas as pd
import pytest

import rung


def visits(patients, seed):
    rng = np.random.default_rng(seed)
    signature = rng.normal(size=(patients, 5))
    level = 0.8 * signature[:, 0] + rng.normal(size=patients)
    patient = np.repeat(np.arange(patients), 4)
    X = signature[patient] + 0.1 * rng.normal(size=(len(patient), 5))
    z = level[patient] + 0.3 * rng.normal(size=len(patient))
    return X, 1 + (z > -0.7) + (z > 0.7), patient


@pytest.mark.parametrize("method", ["AutoOrdinal", "OGP", "CKR", "SVORIM", "BOOST", "POM"])
def test_reported_error_is_that_of_new_groups(method):
    X, y, patient = visits(30, 1)
    new_X, new_y, _ = visits(300, 2)
    estimator = getattr(rung, method)
    grouped, alone = (estimator(random_state=1).fit(X, y, groups=g) for g in (patient, None))
    true, flattered = (np.abs(one.predict(new_X) - new_y).mean() for one in (grouped, alone))
    assert grouped.cv_["mae"] > 0.7 * true
    if method in ("AutoOrdinal", "OGP"):
        assert true < flattered  # weights found by groups serve new ones better
    if method != "POM":
        assert alone.cv_["mae"] < 0.6 * flattered


def test_groups_are_checked():
    X, y, patient = visits(4, 3)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        rung.AutoOrdinal().fit(X, y, groups=patient[:-1])
    with pytest.raises(ValueError, match="one group"):
        rung.AutoOrdinal().fit(X, y, groups=np.zeros(len(y)))


def test_search_and_fit_hold_out_the_same_groups():
    X, y, patient = visits(20, 4)
    search = rung.OrdinalSearch("krr", random_state=1).fit(X, y, groups=patient.astype(str))
    assert search.cv_["mae"] > 0.35


def test_equal_rows_are_copies_or_replicates(command, tmp_path):
    X, y = rung.generate("toy", rows=60)
    X, y = np.tile(X, (3, 1)), np.tile(y, 3)
    file, made = tmp_path / "rows.csv", tmp_path / "made.rung"
    np.savetxt(file, np.column_stack([X, y]), delimiter=",", header="x1,x2,label", comments="",
               fmt=["%.17g", "%.17g", "%d"])
    found = {}
    for rule in ("together", "apart"):
        found[rule] = rung.KDLOR(equal_rows=rule).fit(X, y).cv_["mae"]
        command("fit", file, "-m", "kdlor", "--equal-rows", rule, "-o", made, "-q")
        assert rung.load(made).cv_["mae"] == found[rule]
        search = rung.OrdinalSearch("kdlor", grid={"ridge": [0.1]}, repeats=1, equal_rows=rule).fit(X, y)
        found[rule, "search"] = search.cv_["mae"]
    assert found["apart"] < found["together"] and found["apart", "search"] < found["together", "search"]
    with pytest.raises(ValueError, match="unknown rule"):
        rung.KDLOR(equal_rows="near").fit(X, y)


def test_rows_without_a_group_are_by_themselves(command, tmp_path):
    X, y, patient = visits(20, 4)
    known = np.arange(len(y)) % 3 > 0
    alone = np.where(known, patient, 1000 + np.arange(len(y)))
    expected = rung.KDLOR().fit(X, y, groups=alone)
    words = np.where(known, patient.astype(str), None)
    for groups in (np.where(known, patient, np.nan), words, words.tolist(), np.ma.array(patient, mask=~known)):
        assert rung.KDLOR().fit(X, y, groups=groups).cv_ == expected.cv_
        told = rung.metrics.report(y, y[::-1], groups=groups)
        np.testing.assert_equal(told, rung.metrics.report(y, y[::-1], groups=alone))
    frame = pd.DataFrame(X).add_prefix("x").assign(who=words, label=y)
    frame.to_csv(tmp_path / "d.csv", index=False)
    command("fit", tmp_path / "d.csv", "-m", "kdlor", "--groups", "who", "-o", tmp_path / "m.rung")
    assert rung.load(tmp_path / "m.rung").cv_ == expected.cv_


@pytest.mark.parametrize("method", ["kdlor", "pom", "boost", "auto", "ogp"])
def test_classes_of_one_row_or_group_count_in_the_error(method):
    """No fit to the other rows can know the third class, which the error must count as wrong."""
    X = np.r_[np.linspace(-3, -2, 12), np.linspace(2, 3, 12), 6.0, 6.2][:, None]
    y = [1] * 12 + [2] * 12 + [3, 3]
    one = rung.OrdinalClassifier(method, order=[1, 2, 3]).fit(X[:25], y[:25]).cv_
    assert one["n"] == 25
    assert one["mae"] >= 0.04 * (1 - 1e-9)
    group = rung.OrdinalClassifier(method, order=[1, 2, 3]).fit(X, y, groups=np.r_[np.arange(24) // 3, 8, 8]).cv_
    assert group["n"] == 26
    assert group["mae"] >= 2 / 26 * (1 - 1e-9)
