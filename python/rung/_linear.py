# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of linear scores on the scale of the data, and their summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._library import ffi, lib, struct, text

PARTS = ("", " (year, sine)", " (year, cosine)", " (week, sine)", " (week, cosine)")
NUMBERS = ("value", "error", "z", "p", "odds", "odds_low", "odds_high")


def _category(model, column, index):
    return text(lib.rung_model_category(model.pointer, column, index)) or "missing"


def _name(model, c):
    if c.column < 0:
        above = next(k for k in model.present if k >= c.rank)
        return f"{model.class_names[c.rank - 1]} | {model.class_names[above]}"
    return coefficient_name(model, c)


def coefficient_name(model, c):
    """Of a coefficient, not a threshold."""
    name = model.columns[c.column][0] or f"x{c.column + 1}"
    if c.category < 0:
        return name + PARTS[c.part]
    return f"{name}: {_category(model, c.column, c.category)} against {_category(model, c.column, c.against)}"


def _rows(model, function, *first):
    out, rows = struct("coefficient"), []
    while function(model.pointer, *first, len(rows), out):
        rows.append({"name": _name(model, out), **{key: getattr(out, key) for key in NUMBERS}})
    return rows


def coefficients(model, output=0):
    """Name and numbers of every coefficient of a score; empty: it is not linear."""
    return _rows(model, lib.rung_model_coefficient, output)


def thresholds(model):
    return _rows(model, lib.rung_model_threshold_coefficient)


def _range(model, output, index):
    """By the profile likelihood; NaN: there is none."""
    ends = ffi.new("double[2]", [np.nan, np.nan])
    lib.rung_model_coefficient_range(model.pointer, output, index, ends, ends + 1)
    return {"low": ends[0], "high": ends[1]}


def _regression(model):
    """The coefficients of all outputs and their places in the covariance: those that the thresholds have in common,
    those of single thresholds (with by_threshold), and those of the spread."""
    cuts, spread = thresholds(model), lib.rung_model_spread_output(model.pointer)
    outputs = []
    while found := coefficients(model, len(outputs)):
        outputs.append(found)
    outputs = outputs[:1] if model.outputs > 1 else outputs  # other scores are no thresholds
    scores = outputs[:spread] if spread >= 0 else outputs
    terms, rows, places = len(outputs[0]), [], []

    def add(output, index, name):
        rows.append({**outputs[output][index], "name": name, **_range(model, output, index)})
        places.append(index + (terms * output + len(cuts) if output else 0))

    for i in range(terms):
        name = outputs[0][i]["name"]
        common = all(one[i]["value"] == scores[0][i]["value"] for one in scores)
        if common:
            add(0, i, name)
        for q in range(0 if common else len(scores)):
            add(q, i, f"{name} at {cuts[q]['name']}")
    for i in range(terms if spread >= 0 else 0):
        if not np.isnan(outputs[spread][i]["error"]):
            add(spread, i, f"spread: {outputs[0][i]['name']}")
    for q in range(len(cuts)):
        cuts[q].update(low=np.nan, high=np.nan)
        places.append(terms + q)
    return rows, cuts, places


def _covariance(model):
    n = lib.rung_model_covariance(model.pointer, ffi.NULL)
    out = np.full((n, n), np.nan)
    if n:
        lib.rung_model_covariance(model.pointer, ffi.from_buffer("double[]", out, require_writable=True))
    return out


def _tests(model, function):
    out, tests = struct("parallel_test"), []
    while function(model.pointer, len(tests), out):
        column = model.columns[out.column][0] or f"x{out.column + 1}" if out.column >= 0 else None
        tests.append({"column": column, "chi2": out.chi2, "df": out.df, "p": out.p})
    return tests


@dataclass(frozen=True)
class Summary:
    """Coefficients and thresholds of a linear model; `print` shows them as a table, `to_frame` gives a DataFrame.

    The names of statsmodels give the same numbers as Series and frames: params, bse, zvalues, pvalues, conf_int(),
    cov_params(), llf, aic, bic, nobs.

    Attributes
    ----------
    coefficients, thresholds : list of dict
        name, value, error (standard error), z, p, odds with its 95 % range (odds_low, odds_high), and the 95 % range of
        the value by the profile likelihood (low, high). NaN: the method has none.
    log_likelihood, aic, bic : float
    n_parameters : int
        That were estimated; 0: unknown.
    nobs : float
        The labelled rows, by their weights.
    proportional_odds : list of dict
        The likelihood ratio test for all columns (column None) and for each: chi2, df, p. Empty: not tested.
    columns : list of dict
        What the model loses without each column: the likelihood ratio, or Wald's statistic where standard errors are
        robust, as column, chi2, df, p.
    covariance : array
        Of the coefficients and thresholds in their order.
    """

    coefficients: list[dict[str, Any]]
    thresholds: list[dict[str, Any]]
    log_likelihood: float
    proportional_odds: list[dict[str, Any]]
    aic: float
    bic: float
    n_parameters: int
    nobs: float
    columns: list[dict[str, Any]]
    covariance: Any

    @property
    def llf(self) -> float:
        return self.log_likelihood

    def _series(self, key):
        import pandas

        rows = [*self.coefficients, *self.thresholds]
        return pandas.Series([row[key] for row in rows], index=[row["name"] for row in rows], name=key)

    @property
    def params(self) -> Any:
        return self._series("value")

    @property
    def bse(self) -> Any:
        return self._series("error")

    @property
    def zvalues(self) -> Any:
        return self._series("z")

    @property
    def pvalues(self) -> Any:
        return self._series("p")

    def cov_params(self) -> Any:
        import pandas

        names = self.params.index
        return pandas.DataFrame(self.covariance, index=names, columns=names)

    def conf_int(self, alpha: float = 0.05, profile: bool = False) -> Any:
        """Ranges of the coefficients and thresholds: estimate and standard error or, with profile, the profile
        likelihood where the fit has it (alpha 0.05, no ridge)."""
        import pandas
        from statistics import NormalDist

        half = NormalDist().inv_cdf(1 - alpha / 2) * self.bse
        out = pandas.DataFrame({"lower": self.params - half, "upper": self.params + half})
        if profile:
            if alpha != 0.05:
                raise ValueError("ranges by the profile likelihood are those of alpha=0.05")
            ends = pandas.DataFrame({"lower": self._series("low"), "upper": self._series("high")})
            out = ends.where(ends["lower"].notna(), out)
        return out

    def _repr_html_(self) -> str:
        return self.to_frame().to_html()

    def to_frame(self) -> Any:
        import pandas

        return pandas.DataFrame([*self.coefficients, *self.thresholds]).set_index("name")

    def __str__(self) -> str:
        shown = [key for key in NUMBERS if any(np.isfinite(row[key]) for row in self.coefficients)]
        rows = [*self.coefficients, *self.thresholds]
        table = [["", *shown]]
        table += [[row["name"], *("" if np.isnan(row[key]) else f"{row[key]:.4g}" for key in shown)] for row in rows]
        widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
        lines = []
        for name, *cells in table:
            padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
            lines.append("  ".join([name.ljust(widths[0]), *padded]).rstrip())
        if np.isfinite(self.log_likelihood):
            criteria = f", {self.n_parameters} parameters, AIC {self.aic:.4f}, BIC {self.bic:.4f}"
            lines.append(f"log likelihood {self.log_likelihood:.4f}" + (criteria if self.n_parameters else ""))
        for test in self.proportional_odds[:1]:
            chi2 = f"chi2 {test['chi2']:.2f}, {test['df']} degrees of freedom, p {test['p']:.3g}"
            lines.append(f"proportional odds: {chi2}")
        return "\n".join(lines)


def summary(model):
    rows, cuts, places = _regression(model)
    fit, covariance = struct("likelihood"), _covariance(model)
    known = lib.rung_model_likelihood(model.pointer, fit)
    return Summary(
        rows,
        cuts,
        lib.rung_model_log_likelihood(model.pointer),
        _tests(model, lib.rung_model_parallel),
        fit.aic if known else np.nan,
        fit.bic if known else np.nan,
        fit.parameters if known else 0,
        fit.rows if known else np.nan,
        _tests(model, lib.rung_model_column_test),
        covariance[np.ix_(places, places)] if len(covariance) else np.full((len(places), len(places)), np.nan),
    )
