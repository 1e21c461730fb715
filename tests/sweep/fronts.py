# SPDX-License-Identifier: BSD-3-Clause
"""The same file through the command, Python and R: the same numbers to the last bit."""
import csv
import json
import math
import os
import re
import subprocess
import warnings

import numpy as np

from library import Refused, lib, methods, text
from relations import meaning, relation
from sound import sentence

COMMAND = os.environ.get("RUNG_COMMAND", "rung")
NUMBERS = {"mae", "acc", "mse"}


class Failed(Exception):
    """The command ended otherwise than documented."""


def command(*words):
    """What the command printed, and its refusal (None: it did what it was told)."""
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, check=False, timeout=600)
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2):
        raise Failed(f"exit code {done.returncode}: {said[-300:]}")
    lines = re.split(r"^rung: ", said, flags=re.MULTILINE)
    if done.returncode == 0:
        return done.stdout.decode(), None
    if not lines[-1].strip():
        raise Failed(f"exit code {done.returncode} without a sentence")
    return done.stdout.decode(), lines[-1].strip()


def arguments(fit):
    """The options of a fit, as a user gives them."""
    o, table, header, out = fit.options, fit.table, fit.form.header, ["-m", fit.options.method]
    def word(name):
        return table.word(name, header)
    for name, value in o.params.items():
        out += ["-p", f"{name}={value}"]
    if "shape" in (p.name for p in methods()[o.method].parameters) and "shape" not in o.params:
        from library import shape_of
        out += ["-p", f"shape={shape_of(fit.features)}"]
    out += ["--scale", o.scale, "--equal-rows", o.equal_rows, "--seed", o.seed, "--threads", 1, "-l", word(table.label)]
    for flag, value in (("--order", o.order), ("--cost", o.cost), ("--abstain", o.abstain or None)):
        out += [flag, value] if value is not None else []
    for flag, value in (("--as-published", o.as_published), ("--passes", o.passes), ("--real", o.real),
                        ("--no-header", not header)):
        out += [flag] if value else []
    if o.bins:
        out += ["--bins", f"{o.bins},width" if o.bins_width else o.bins]
    if o.missing_error:
        out += ["--missing", "error"]
    for flag, names in (("--nominal", o.nominal), ("--numeric", o.numeric)):
        for name in names:
            out += [flag, word(name)]
    for name, words in o.ordinal.items():
        out += ["--ordinal", f"{word(name)}={words}"]
    for flag, name in (("--weights", table.weights), ("--groups", table.groups)):
        out += [flag, word(name)] if name else []
    if o.balanced:
        out += ["-w", "balanced"]
    for name, weight in o.class_weights.items():
        out += ["-w", f"{name}={weight}"]
    return out


def reading(fit):
    return [] if fit.form.header else ["--no-header"]


def predicted(printed, classes):
    """(label, score, probabilities) of what predict --proba printed."""
    rows = list(csv.reader(printed.splitlines(keepends=True)))
    header, cells = rows[0], rows[1:]
    def column(name):
        return [row[header.index(name)] for row in cells] if name in header else None
    proba = [column(f"p({name})") for name in classes]
    return column("label"), column("score"), proba if proba and proba[0] is not None else None


def numbers(cells):
    return np.array([float(cell) for cell in cells])


@relation(lambda case: True)
def by_command(base):
    """rung fit and predict give the numbers of this process; a file without labels is predicted alike; evaluate gives
    the metrics of these predictions."""
    fit, folder = base.fit, base.folder
    model = folder / "command.rung"
    try:
        _, refusal = command("fit", fit.path, *arguments(fit), "-o", model, "-q")
        if refusal:
            yield f"fit is refused: {refusal}"
            return
        classes = [text(lib.rung_model_class_name(fit.model, k + 1)) for k in range(lib.rung_model_classes(fit.model))]
        proba = ["--proba"] if fit.answers.proba is not None else []
        printed, refusal = command("predict", model, fit.path, *proba, *reading(fit), "-q")
        if refusal:
            yield f"predict is refused: {refusal}"
            return
        yield from compare_printed(fit, printed, classes)
        yield from without_labels(base, model, proba, printed)
        if fit.answers.rank is not None:
            yield from evaluated(fit, model, classes)
    except Failed as why:
        yield str(why)


def compare_printed(fit, printed, classes):
    label, score, proba = predicted(printed, classes)
    a = fit.answers
    if score is not None and not np.array_equal(numbers(score), a.score[:, 0]):
        yield "predict prints other scores"
    if proba is not None and a.proba is not None and not np.array_equal(np.array([numbers(p) for p in proba]).T,
                                                                        a.proba):
        yield "predict prints other probabilities"
    if a.rank is not None and label != [classes[r - 1] if r else "unsure" for r in a.rank]:
        yield "predict prints other classes"


def without_labels(base, model, proba, printed):
    """The training file without its labels, weights and groups gives the same answers."""
    fit = base.fit
    left = fit.table.without(fit.table.label, fit.table.weights, fit.table.groups)
    if not fit.form.header or not left.columns:
        return
    path = fit.form.write(left, base.folder / "bare.csv")
    again, refusal = command("predict", model, path, *proba, "-q")
    if refusal:
        yield f"predict without the labels is refused: {refusal}"
    elif again != printed:
        yield "predict without the label column gives other answers"


def evaluated(fit, model, classes):
    """Metrics recomputed from ranks, over the rows whose label is one class."""
    cells = fit.table.labels()
    if fit.options.bins or fit.options.abstain or any(".." in c or c.startswith(("<=", ">=")) for c in cells):
        return
    place = {meaning(name): k + 1 for k, name in enumerate(classes)}
    cells = [meaning(cell) for cell in cells]
    if not any(cell in place for cell in cells):
        return
    printed, refusal = command("evaluate", model, fit.path, *reading(fit), "--json", "-q")
    if refusal:
        yield f"evaluate is refused: {refusal}"
        return
    pairs = [(place[cell], int(r)) for cell, r in zip(cells, fit.answers.rank, strict=True) if cell in place]
    own = {"mae": sum(abs(y - r) for y, r in pairs), "acc": sum(y == r for y, r in pairs),
           "mse": sum((y - r) ** 2 for y, r in pairs)}
    said = json.loads(printed)
    said = said.get("metrics", said)
    for name in NUMBERS & said.keys():
        if not math.isclose(said[name], own[name] / len(pairs), rel_tol=1e-12, abs_tol=1e-15):
            yield f"evaluate: {name} is {said[name]}, from the predictions {own[name] / len(pairs)}"
    if said.get("n", len(pairs)) != len(pairs):
        yield f"evaluate: {said['n']} rows, the table has {len(pairs)} with a label"


def estimator(fit):
    """The estimator of the Python package with the options of a fit."""
    import rung
    o = fit.options
    method = methods()[o.method]
    kind = rung.OrdinalRegressor if o.real else rung.OrdinalClassifier
    params = dict(o.params)
    if method.has("shape"):
        from library import shape_of
        params.setdefault("shape", shape_of(fit.features))
    more = {} if o.real else {"order": o.order.split("<") if o.order else None, "cost": o.cost,
                              "class_weight": "balanced" if o.balanced else o.class_weights or None}
    return kind(o.method, params=params, scale=o.scale, missing="error" if o.missing_error else "median", n_jobs=1,
                random_state=o.seed, nominal=o.nominal or None, numeric=o.numeric or None,
                ordinal={name: words.split("<") for name, words in o.ordinal.items()} or None, **more)


def python_can(case):
    """Options that only the command has, and names that a list of columns cannot hold."""
    o = case.options
    names = o.nominal + o.numeric + list(o.ordinal)
    return (not o.bins and not o.as_published and o.equal_rows == "auto" and not o.abstain and case.form.header
            and not any({",", "=", "\n"} & set(name) for name in names) and not case.intervals
            and "suggested" not in [c.name for c in case.table.columns])


def same_proba(fit, model, frame, what):
    a = fit.answers
    if a.proba is not None and not np.array_equal(model.predict_proba(frame), a.proba):
        yield f"{what}: other probabilities"
    elif not np.array_equal(np.atleast_2d(model.score_samples(frame).T).T, a.score):
        yield f"{what}: other scores"


@relation(python_can)
def by_python(base):
    """A model of the command that Python loads gives the same numbers for the frame that pandas reads."""
    import pandas
    import rung
    fit = base.fit
    path = base.folder / "python.rung"
    path.write_bytes(fit.bytes())
    frame = pandas.read_csv(fit.path, sep=fit.form.delimiter, float_precision="round_trip")
    drop = [name for name in (fit.table.label, fit.table.weights, fit.table.groups) if name]
    rows = frame.drop(columns=drop)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield from same_proba(fit, rung.load(path), rows, "loaded")
        except (rung.RungError, TypeError, ValueError) as why:
            yield f"loaded: {type(why).__name__}: {why}"


@relation(lambda case: python_can(case) and not case.options.passes)
def fitted_by_python(base):
    """fit_files reads the file as the command does: the same model."""
    import rung
    fit, table = base.fit, base.fit.table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = rung.fit_files(fit.path, estimator(fit), label=table.label, weights=table.weights,
                                   groups=table.groups)
        except (rung.RungError, TypeError, ValueError) as why:
            yield f"{type(why).__name__}: {why}"
            return
    a, b = fit.answers, fit.session.predict(model.model_.pointer, lib.rung_data_view(fit.data))
    differs = a.same(b)
    if differs:
        yield differs
