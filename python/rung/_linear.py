# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of linear scores on the scale of the data, and their summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._library import lib, struct, text

PARTS = ("", " (year, sine)", " (year, cosine)", " (week, sine)", " (week, cosine)")
NUMBERS = ("value", "error", "z", "p", "odds", "odds_low", "odds_high")


def _category(model, column, index):
    return text(lib.rung_model_category(model.pointer, column, index)) or "missing"


def _name(model, c):
    if c.column < 0:
        above = next(k for k in model.present if k >= c.rank)
        return f"{model.class_names[c.rank - 1]} | {model.class_names[above]}"
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


def parallel_tests(model):
    out, tests = struct("parallel_test"), []
    while lib.rung_model_parallel(model.pointer, len(tests), out):
        column = model.columns[out.column][0] or f"x{out.column + 1}" if out.column >= 0 else None
        tests.append({"column": column, "chi2": out.chi2, "df": out.df, "p": out.p})
    return tests


@dataclass(frozen=True)
class Summary:
    """Coefficients and thresholds of a linear model; `print` shows them as a table, `to_frame` gives a DataFrame.

    Attributes
    ----------
    coefficients, thresholds : list of dict
        name, value, error (standard error), z, p, and odds with its 95 % range (odds_low, odds_high). NaN: the method
        has none.
    log_likelihood : float
    proportional_odds : list of dict
        The likelihood ratio test for all columns (column None) and for each: chi2, df, p. Empty: not tested.
    """

    coefficients: list[dict[str, Any]]
    thresholds: list[dict[str, Any]]
    log_likelihood: float
    proportional_odds: list[dict[str, Any]]

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
            lines.append(f"log likelihood {self.log_likelihood:.4f}")
        for test in self.proportional_odds[:1]:
            chi2 = f"chi2 {test['chi2']:.2f}, {test['df']} degrees of freedom, p {test['p']:.3g}"
            lines.append(f"proportional odds: {chi2}")
        return "\n".join(lines)


def summary(model):
    return Summary(
        coefficients(model), thresholds(model), lib.rung_model_log_likelihood(model.pointer), parallel_tests(model)
    )
