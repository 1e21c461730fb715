# SPDX-License-Identifier: BSD-3-Clause
"""What every fit must be, whatever the data: an answer whose numbers are numbers, or one clear sentence."""
import re

import numpy as np

from library import Refused, Session, ffi, lib, text

STATUSES = ("bad argument", "unusable data", "memory limit", "singular matrix", "no convergence")


def sentence(message):
    """What is wrong with a sentence for the user; None: nothing."""
    if not message or len(message) < 12:
        return "no sentence"
    if "\n" in re.sub(r"'[^']*'", "", message) and "two\nlines" not in message:
        return "more than one line"
    if re.search(r"\(null\)|%[sdgl]|\binternal\b|\bdefect\b|\ufffd", message):
        return "an internal word"
    if message != message.strip():
        return "spaces around it"
    return None


def refused(why):
    """What is wrong with a refusal."""
    wrong = sentence(why.message)
    if why.status not in STATUSES:
        wrong = f"status {why.status}"
    return [("refusal", f"{wrong}: {why.message!r}")] if wrong else []


def warnings(fit):
    return [("warning", f"{wrong}: {said!r}") for said in fit.session.warnings if (wrong := sentence(said))]


def answers(fit):
    found, a = [], fit.answers
    classes = lib.rung_model_classes(fit.model)
    if not np.isfinite(a.score).all():
        found.append(("score", "a score is not finite"))
    least = 0 if fit.options.abstain else 1
    if a.rank is not None and not ((a.rank >= least) & (a.rank <= classes)).all():
        found.append(("rank", f"a rank is not in {least}..{classes}: {sorted(set(a.rank.tolist()))}"))
    if a.proba is not None:
        off = np.abs(a.proba.sum(axis=1) - 1).max()
        if not np.isfinite(a.proba).all() or a.proba.min() < 0 or not off <= 1e-12:
            found.append(("probabilities", f"least {a.proba.min()!r}, sum off by {off:g}"))
    if a.low is not None and not ((1 <= a.low) & (a.low <= a.high) & (a.high <= classes)).all():
        found.append(("interval", "the ends of an interval are not ranks in order"))
    if a.sd is not None and not (np.isfinite(a.sd).all() and (a.sd >= 0).all()):
        found.append(("sd", "a standard deviation is not finite"))
    return found


def counts(fit):
    """Rows and labels as reported are those in the table; rows of weight 0 count as unlabelled."""
    table, found = fit.table, []
    rows, labelled = lib.rung_model_rows(fit.model), lib.rung_model_labelled(fit.model)
    if rows != table.rows:
        found.append(("rows", f"{rows} rows are reported, the table has {table.rows}"))
    cells, light = table.labels(), {name for name, weight in fit.options.class_weights.items() if weight == 0}
    if any(".." in text or text.startswith(("<=", ">=")) for text in cells):
        return found  # an interval of all classes is no label
    weights = [float(w) for w in table.find(table.weights).cells] if table.weights else [1] * len(cells)
    known = sum(text not in {"", "?", "NA"} | light and w > 0 for text, w in zip(cells, weights, strict=True))
    if labelled != known:
        found.append(("labels", f"{labelled} labels are reported, the table has {known}"))
    return found


def report(fit):
    """Numbers about the fit are numbers."""
    cv, found = fit.session, []
    out = ffi.new("rung_metrics *", {"size": ffi.sizeof("rung_metrics")})
    if lib.rung_model_cv(fit.model, out):
        classes = lib.rung_model_classes(fit.model)
        if not (out.n > 0 and 0 <= out.mae <= classes - 1):
            found.append(("reported error", f"mae {out.mae} over {out.n} rows of {classes} classes"))
        if lib.rung_model_labelled(fit.model) < out.n:
            found.append(("reported error",
                          f"measured on {out.n} rows of {lib.rung_model_labelled(fit.model)} labelled"))
    fit.cv_mae, fit.cv_n = (out.mae, out.n) if lib.rung_model_cv(fit.model, out) else (None, 0)
    try:
        described = ffi.new("char **")
        cv.call(lib.rung_model_describe, fit.model, described)
        said = text(ffi.gc(described[0], lib.rung_free))
        if re.search(r"-?\b(nan|inf)\b", re.sub(r'"([^"\\]|\\.)*"', "", said)):
            found.append(("description", "holds a number that is not finite"))
    except Refused as why:
        found.append(("description", why.message))
    return found


def verified(fit):
    """The conditions of --verify. A search that was cut, and said so, has not reached the maximum."""
    if fit.spec is None:
        return []
    try:
        unmet = fit.session.conditions(fit.spec, fit.data, fit.model)
    except Refused as why:
        return [("verify", f"{why.status}: {why.message}")]
    return [("verify", f"{name} is {value:g}, above {limit:g}") for name, value, limit in unmet
            if not (name == "evidence gradient" and fit.report().get("settled") == 0)]


def saved(fit):
    """Saved and loaded, the model answers with the same bits, and is saved as the same bytes."""
    session = Session()
    data = fit.bytes()
    model = session.loaded(data)
    other = session.predict(model, lib.rung_data_view(fit.data))
    differs = fit.answers.same(other)
    found = [("saved", differs)] if differs else []
    if session.saved(model) != data:
        found.append(("saved", "the loaded model is saved as other bytes"))
    return found


CHECKS = (warnings, answers, counts, report, verified, saved)
