# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal regression: the numbers of ordinal::clm 2022.11-16 (R 4.2.2) on the teaching assistants of data/tae:
f <- clm(label ~ native + course + semester + size); coef, vcov, logLik, AIC, BIC, confint, drop1(f, test = "Chi");
clm(label ~ native + semester + size, nominal = ~ course)."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rung

FILE = Path(__file__).parents[2] / "data" / "tae" / "tae_raw.csv"


@pytest.fixture(scope="module")
def assistants():
    data = pd.read_csv(FILE)
    data.columns = ["native", "instructor", "course", "semester", "size", "label"]
    return data.drop(columns=["instructor", "label"]), data["label"]


def test_the_textbook_model(assistants):
    X, y = assistants
    model = rung.POM.as_published().fit(X, y)
    result = model.summary()
    expected = [-1.3155248319575, 0.0646246988663, -1.7433136121848, -0.0001297675222, -5.9521832146716, -4.3379681196081]
    np.testing.assert_allclose(result.params, expected, rtol=1e-5)
    errors = [0.45605520131, 0.02270780983, 0.51529735162, 0.01286731380, 1.26166647738, 1.21120414519]
    np.testing.assert_allclose(result.bse, errors, rtol=1e-6)
    np.testing.assert_allclose(np.sqrt(np.diag(result.cov_params())), result.bse)
    np.testing.assert_allclose([result.llf, result.aic, result.bic], [-151.3155344, 314.6310688, 332.7347478])
    assert result.n_parameters == 6 and result.nobs == 151
    np.testing.assert_allclose(result.pvalues["native"], 3.919440256e-03, rtol=1e-5)
    np.testing.assert_allclose(result.conf_int(profile=True).loc["native"], [-2.24057576232, -0.44143608978], rtol=2e-4)
    np.testing.assert_allclose(result.conf_int().loc["native"], -1.3155248 + 0.4560552 * 1.959964 * np.array([-1, 1]))
    dropped = {test["column"]: test["chi2"] for test in result.columns}
    np.testing.assert_allclose(dropped["semester"], 12.4584727, rtol=1e-7)
    assert "AIC 314.6311" in str(result) and "<table" in result._repr_html_()
    # predictions are those of the coefficients
    latent = X[["native", "course", "semester", "size"]] @ np.array(result.params[:4])
    below = 1 / (1 + np.exp(latent.to_numpy()[:, None] - np.array(result.params[4:])))
    np.testing.assert_allclose(model.predict_proba(X)[:, :2].cumsum(axis=1), below, rtol=1e-9)


def test_a_coefficient_for_each_threshold(assistants):
    X, y = assistants
    model = rung.POM.as_published(by_threshold="course").fit(X, y)
    result = model.summary()
    np.testing.assert_allclose(result.params["course at 1 | 2"], 0.11963894893, rtol=1e-5)
    np.testing.assert_allclose(result.bse["course at 2 | 3"], 0.02643159863, rtol=1e-5)
    np.testing.assert_allclose(result.bse, np.sqrt(np.diag(result.cov_params())))
    np.testing.assert_allclose([result.llf, result.aic], [-147.0460598, 308.0921196])
    assert result.n_parameters == 7
    with pytest.raises(ValueError, match="no column 'grade'"):
        rung.POM(by_threshold="grade").fit(X, y)
