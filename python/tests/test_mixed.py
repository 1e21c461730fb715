# SPDX-License-Identifier: BSD-3-Clause
"""Groups with effects of their own, against clmm of R (tests/golden/mixed/clmm.R)."""

from pathlib import Path

import numpy as np
import pytest

import rung

pandas = pytest.importorskip("pandas")
WINE = Path(__file__).resolve().parents[2] / "tests" / "golden" / "mixed" / "wine.csv"
MODES = [1.696176, -0.565797, 0.968801, -0.059562, 0.230500, 0.477029, -1.910996, -0.272958, -0.554692]


@pytest.fixture(scope="module")
def wine():
    return pandas.read_csv(WINE)


def test_wine_has_the_numbers_of_clmm(wine):
    model = rung.MIXED(random="judge", calibrate=0).fit(wine.drop(columns="rating"), wine.rating)
    assert model.coef_ == pytest.approx([3.063006, 1.834904], abs=3e-5)
    assert model.summary().log_likelihood == pytest.approx(-81.5654128, abs=1e-6)
    (term,) = model.random_effects_
    assert term["name"] == "judge" and term["groups"] == [str(k) for k in range(1, 10)]
    assert term["effects"][0]["sd"] == pytest.approx(1.131143, abs=3e-5)
    assert term["modes"].ravel() == pytest.approx(MODES, abs=1e-5)
    assert term["chi2"] == pytest.approx(9.853, abs=1e-3)


def test_known_and_new_groups(wine):
    X, y = wine.drop(columns="rating"), wine.rating
    model = rung.MIXED(random=["judge"], known_groups=True, calibrate=0).fit(X, y)
    row = pandas.DataFrame({"temp": "warm", "contact": "yes", "judge": [1, 7, 99]})
    p = model.predict_proba(row)
    assert p[0, 4] > p[2, 4] > p[1, 4]
    np.testing.assert_allclose(p.sum(axis=1), 1)
    with pytest.raises(AttributeError, match="no random effects"):
        rung.POM().fit(X, y).random_effects_  # noqa: B018


def test_files(wine):
    model = rung.fit_files(WINE, method=rung.MIXED(random="(temp | judge)", calibrate=0), label="rating")
    (term,) = model.random_effects_
    assert [one["name"] for one in term["effects"]] == ["intercept", "temp: warm against cold"]
    assert term["correlation"][0, 1] == pytest.approx(0.6487, abs=0.02)
