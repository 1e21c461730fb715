# SPDX-License-Identifier: BSD-3-Clause
"""Which of several models is better on the same rows, as in `rung compare`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _labels, metrics
from ._base import seed_of
from ._library import Context, lib, pointer, struct
from ._types import Labels, Order, Rows


def _answers(name, rival, X):
    """Predicted labels, and probabilities if there are any."""
    if not hasattr(rival, "predict"):
        return np.asarray(rival), None
    if X is None:
        raise ValueError(f"{name!r} is a model: give the rows to predict as X")
    proba = rival.predict_proba(X) if hasattr(rival, "predict_proba") else None
    return rival.predict(X), proba


def compare(
    rivals: Mapping[str, Any], y: Labels, X: Rows | None = None, *, order: Order = None, random_state: Any = 1
) -> dict[str, Any]:
    """Metrics of models, or of predictions of other programs, on the same rows, and whether they differ from the first.

    Parameters
    ----------
    rivals : dict of fitted estimators or arrays of predicted labels, by name
    y : the true labels, which no model should have seen; rows without a label are left out
    X : the rows, if there are models among the rivals
    order : the classes, lowest first; default None: those of the first model, else of the labels
    random_state : the seed of the bootstrap

    Returns
    -------
    dict like that of `rung compare --json`: rows (their number), and compared: for each rival its name (predictions)
    and metrics, the difference of its mae from the first with a 95 % range (low, high: a paired bootstrap over rows)
    and its p (mae_p: signs of the rows' differences changed at random), the p of Wilcoxon's test of the ranks of the
    absolute errors (wilcoxon_p), both with Holm's correction, and of McNemar's exact test of right and wrong answers
    (mcnemar_p); None for the first.

    Examples
    --------
    >>> X, y = rung.generate("toy", rows=200)
    >>> new, truth = rung.generate("toy", rows=100, random_state=2)
    >>> models = {"kdlor": rung.KDLOR().fit(X, y), "median": rung.MEDIAN().fit(X, y)}
    >>> found = rung.compare(models, truth, new)
    >>> found["compared"][1]["difference"] > 0
    True
    """
    if len(rivals) < 2:
        raise ValueError("there is nothing to compare: give two models or predictions, or more")
    answers = {name: _answers(name, rival, X) for name, rival in rivals.items()}
    known = (metrics._order_of(rival, y) for rival in rivals.values() if hasattr(rival, "classes_"))
    order = next((one for one in (order, *known) if one is not None), _labels.own_order(y))
    labels, k = np.asarray(_labels.without_mask(y)), len(answers)
    for name, (predicted, _) in answers.items():
        if len(predicted) != len(labels):
            raise ValueError(f"{name!r} has {len(predicted)} predictions for {len(labels)} rows")
    said = np.concatenate([predicted for predicted, _ in answers.values()])
    classes, truth, ranks, upper = _labels.grade(np.tile(labels, k), said, order=order, whole=True)
    truth = np.ascontiguousarray(truth[: len(labels)], np.intc)
    upper = None if upper is None else np.ascontiguousarray(upper[: len(labels)], np.intc)
    ranks = np.ascontiguousarray(ranks, np.intc).reshape(k, -1)
    ctx, compared = Context(seed=seed_of(random_state)), []
    for (name, (_, proba)), rank in zip(answers.items(), ranks, strict=True):
        own = None if proba is None else metrics._by_class(rivals[name], proba, classes)
        compared.append({"predictions": name} | metrics._measure(truth, rank, len(classes), own, upper))
        compared[-1] |= _difference(ctx, truth, upper, ranks[0], rank, len(classes)) if len(compared) > 1 else _NONE
    for key in ("mae_p", "wilcoxon_p"):
        p = np.array([one[key] for one in compared[1:]])
        ctx.call(lib.rung_holm, len(p), pointer(p))
        for one, corrected in zip(compared[1:], p.tolist(), strict=True):
            one[key] = corrected
    return {"rows": int(np.sum(truth > 0)), "compared": compared}


_NONE = dict.fromkeys(("difference", "low", "high", "mae_p", "wilcoxon_p", "mcnemar_p"))


def _difference(ctx, truth, upper, first, rank, classes):
    out = struct("difference")
    arrays = (pointer(ranks, "int") for ranks in (truth, upper, first, rank))
    ctx.call(lib.rung_compare, len(truth), classes, *arrays, out)
    return {
        "difference": out.difference,
        "low": out.low,
        "high": out.high,
        "mae_p": out.mae_p,
        "wilcoxon_p": out.wilcoxon,
        "mcnemar_p": out.mcnemar,
    }
