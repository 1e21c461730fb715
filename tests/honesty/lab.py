#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is what rung says of its errors true? Draws samples from populations whose truth is known, fits, and compares what is
reported with thousands of new rows of the same population.

usage: lab.py RUNG [--draws N] [--only NAME[,NAME]] [--methods a,b] [--labels 20,40] [--processes N] [--seed N]
              [--json FILE]
       lab.py RUNG --list

RUNG is the command of a build; the library beside it is used, through the Python package, so this needs its interpreter
(build/venv/bin/python). --update writes table and figure into the page, from FILE if there is nothing to draw (--draws 0).
Columns: bias of the reported mean absolute error, and its standard error; how often the 95 % range holds the true error of
the fitted model; the share of new rows within their 0.9 prediction interval; the same by class (--by-class), of the worst
class with ten labels. forecasts: how often the 80 % range of a forecast holds the error that came."""
import argparse
import json
import math
import multiprocessing
import os
import sys
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
NEW_ROWS, LEVEL, TEN = 4000, 0.9, 10
METHODS = ["auto", "pom", "kdlor", "boost", "ogp"]
LABELS = [20, 40, 100, 400]


def library(rung):
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ["RUNG_LIBRARY"] = os.path.join(os.path.dirname(os.path.abspath(rung)), "librung.so")
    sys.path[:0] = [os.path.join(HERE, "..", "..", "python"), HERE]


# ---- one fit ----


def labels_of(sample):
    import numpy as np

    return sample.y if sample.upper is None else (sample.y, np.asarray(sample.upper))


def fitted(method, sample, classes, chosen=None):
    """The library's fit; chosen: rows that do not count in the error."""
    import numpy as np
    import rung
    from rung._library import lib, pointer

    one = rung.OrdinalClassifier(method, n_jobs=1, order=list(range(1, classes + 1)))
    if chosen is None:
        return one.fit(sample.X, labels_of(sample), sample_weight=sample.weights, groups=sample.groups)
    X, one.classes_, ranks, upper = one._checked(sample.X, labels_of(sample))
    ctx, data, weights = one._prepare(X, sample.y, None, None, one.classes_, ranks, upper=upper)
    flags = np.asarray(chosen, dtype=np.intc)
    ctx.call(lib.rung_data_set_chosen, data, pointer(flags, "int"))
    one.model_ = rung._model.Model(one._learn(ctx, data, weights))
    one.cv_ = one.model_.cv
    return one


def true_error(model, X, y):
    import numpy as np

    return float(np.mean(np.abs(model.predict(X) - y)))


def by_class(model, X):
    """The ranges of classes of their own; None: the build has none."""
    try:
        return model.predict_interval(X, LEVEL, by_class=True)
    except TypeError:
        return None


def compare(model, said, sample, X, y):
    """What was said beside what is so."""
    import numpy as np

    rank = model.predict(X)
    truth = float(np.mean(np.abs(rank - y)))
    found = {"said": said and said["mae"], "low": said and said["mae_low"], "high": said and said["mae_high"], "truth": truth}
    span = model.predict_interval(X, LEVEL)
    found["cover"] = float(np.mean((span[:, 0] <= y) & (y <= span[:, 1])))
    exact = sample.y if sample.upper is None else sample.y[sample.upper == sample.y]
    objects = exact if sample.groups is None else None
    own = by_class(model, X)
    if own is not None and objects is not None:
        inside = (own[:, 0] <= y) & (y <= own[:, 1])
        found["classes"] = {str(q): float(np.mean(inside[y == q]))
                            for q in set(exact.tolist()) if np.sum(exact == q) >= TEN and np.any(y == q)}
    return found


# ---- experiments ----


def fit_of(draw, population):
    """Reported error, range and intervals of a fit."""

    def run(rng, method, n, new):
        sample = draw(rng, n)
        model = fitted(method, sample, new.classes)
        return compare(model, model.cv_, sample, new.X, new.y)

    return run, population


def suggested(population):
    """Half of the labels at random, the other half as suggested; only the random ones count."""

    def run(rng, method, n, new):
        import numpy as np
        import populations
        import rung

        X, y = population(rng, max(300, 4 * n))
        known, chosen = np.arange(len(y)) < n // 2, np.zeros(len(y), dtype=bool)
        one = rung.OrdinalClassifier(method, n_jobs=1, order=list(range(1, new.classes + 1)))
        found = rung.suggest(X, np.where(known, y, np.nan), n - n // 2, estimator=one, more=0)
        chosen[found.rows[~found.random]] = True
        known[found.rows] = True
        sample = populations.Sample(X[known], y[known])
        model = fitted(method, sample, new.classes, chosen[known])
        return compare(model, model.cv_, sample, new.X, new.y)

    return run, population


def tuned(population):
    """The winner of a search, with the corrected error."""

    def run(rng, method, n, new):
        import populations
        import rung

        sample = populations.Sample(*population(rng, n))
        search = rung.OrdinalSearch(method, n_jobs=1, order=list(range(1, new.classes + 1))).fit(sample.X, sample.y)
        return compare(search, search.corrected_ or search.cv_, sample, new.X, new.y)

    return run, population


def forecast_of_suggest(population):
    """The forecast of suggest for twice the labels, and the error of a fit to twice the labels, drawn at random."""

    def run(rng, method, n, new):
        import numpy as np
        import populations
        import rung

        X, y = population(rng, 3 * n)
        one = rung.OrdinalClassifier(method, n_jobs=1, order=list(range(1, new.classes + 1)))
        found = rung.suggest(X, np.where(np.arange(len(y)) < n, y, np.nan), 1, estimator=one, more=n).forecast
        then = fitted(method, populations.Sample(X[:2 * n], y[:2 * n]), new.classes)
        return found and {"said": found.value, "low": found.low, "high": found.high, "truth": true_error(then, new.X, new.y)}

    return run, population


def forecast_of_curve(population):
    """The forecast of curve for twice the labels, as `rung curve` makes it."""

    def run(rng, method, n, new):
        import populations
        import rung

        X, y = population(rng, 2 * n)
        order = list(range(1, new.classes + 1))
        curve = rung.label_curve(X[:n], y[:n], method, order=order, n_jobs=1)
        line, sizes = curve["lines"][0], [size["labels"] for size in curve["sizes"]]
        if len(sizes) < 2:
            return None
        found = rung.forecast(sizes, line["mean"], sizes[-1], se=line["se"])
        then = fitted(method, populations.Sample(X[: 2 * sizes[-1]], y[: 2 * sizes[-1]]), new.classes)
        return {"said": found.value, "low": found.low, "high": found.high, "truth": true_error(then, new.X, new.y)}

    return run, population


def experiments():
    """name -> (experiment, kind, methods, labels)."""
    import populations as p

    all_of = {name: (fit_of(p.plain(getattr(p, name)), getattr(p, name)), "fit", METHODS, LABELS)
              for name in ("linear", "nonlinear", "heteroscedastic", "rare", "many", "design")}
    some = ["auto", "pom"]
    all_of["groups"] = fit_of(p.grouped, p.patients), "fit", METHODS, LABELS
    all_of["copies"] = fit_of(p.copies, p.linear), "fit", some, LABELS
    all_of["near-copies"] = fit_of(p.near_copies, p.linear), "fit", some, LABELS
    all_of["near-copies-grouped"] = fit_of(p.near_copies_grouped, p.linear), "fit", some, LABELS
    all_of["intervals"] = fit_of(p.intervals(0.8), p.linear), "fit", ["auto", "pom", "boost", "ogp"], LABELS
    all_of["weights"] = fit_of(p.weighted, p.linear), "fit", some, LABELS
    all_of["suggested"] = suggested(p.nonlinear), "fit", some, [40, 100]
    all_of["tuned"] = tuned(p.nonlinear), "fit", ["kdlor", "pom"], [20, 40, 100]
    all_of["forecast-suggest"] = forecast_of_suggest(p.nonlinear), "forecast", ["pom", "kdlor", "auto"], [40, 100]
    all_of["forecast-curve"] = forecast_of_curve(p.nonlinear), "forecast", ["pom", "kdlor"], [40, 100]
    return all_of


class New:
    """New rows of a population, the same for all draws."""

    def __init__(self, population):
        import numpy as np

        self.X, self.y = population(np.random.default_rng(0), NEW_ROWS)
        self.classes = int(max(self.y.max(), 2))


NEW = {}


def one_draw(task):
    """The result of one draw of one cell of the table, or why there is none."""
    import numpy as np
    import rung
    import warnings

    name, method, n, number, seed = task
    (run, population), *_ = experiments()[name]
    new = NEW.setdefault(population.__name__, New(population))
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), n, number])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return task, run(rng, method, n, new)
        except rung.RungError as error:
            return task, {"failed": str(error)}


# ---- summary ----


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    middle = mean(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / max(len(values) - 1, 1))


def summary(results):
    """Of the draws of a cell."""
    told = [r for r in results if r and r.get("said") is not None]
    out = {"draws": len(results), "told": len(told), "failed": sum(bool(r and "failed" in r) for r in results)}
    if told:
        off = [r["said"] - r["truth"] for r in told]
        out.update(said=mean([r["said"] for r in told]), truth=mean([r["truth"] for r in told]), bias=mean(off),
                   bias_se=deviation(off) / math.sqrt(len(off)), width=mean([r["high"] - r["low"] for r in told]),
                   range=mean([r["low"] <= r["truth"] <= r["high"] for r in told]),
                   below=mean([r["truth"] > r["high"] for r in told]))
    covered = [r["cover"] for r in results if r and "cover" in r]
    if covered:
        out["cover"] = mean(covered)
    classes = {}
    for r in results:
        for q, share in (r or {}).get("classes", {}).items():
            classes.setdefault(q, []).append(share)
    frequent = {q: mean(v) for q, v in classes.items() if len(v) >= max(len(results) // 4, 1)}
    if frequent:
        out["class"] = min(frequent.values())
    return out


def measure(options):
    tasks = [(name, method, n, number, options.seed)
             for name, (_, _, methods, labels) in experiments().items() if not options.only or name in options.only
             for n in labels if not options.labels or n in options.labels
             for method in methods if not options.methods or method in options.methods
             for number in range(options.draws)]
    cells, started = {}, time.time()
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        for task, result in pool.imap_unordered(one_draw, tasks, chunksize=4):
            cells.setdefault(tuple(task[:3]), []).append(result)
    print("%d fits, %.0f s" % (len(tasks), time.time() - started), file=sys.stderr)
    return [{"name": name, "method": method, "labels": n, **summary(results)}
            for (name, method, n), results in sorted(cells.items())]


def text(cell, key, form="%.3f"):
    return form % cell[key] if cell.get(key) is not None else ""


def show(cells):
    print("%-20s %-6s %6s %5s %7s %7s %7s %6s %6s %6s %6s %6s" % (
        "experiment", "method", "labels", "draws", "said", "true", "bias", "se", "range", "width", "cover", "class"))
    for c in cells:
        print("%-20s %-6s %6d %5d %7s %7s %7s %6s %6s %6s %6s %6s%s" % (
            c["name"], c["method"], c["labels"], c["told"], text(c, "said"), text(c, "truth"), text(c, "bias", "%+.3f"),
            text(c, "bias_se"), text(c, "range"), text(c, "width"), text(c, "cover"), text(c, "class"),
            "  %d failed" % c["failed"] if c["failed"] else ""))


def numbers(text):
    return [int(v) for v in text.split(",")]


def words(text):
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("rung")
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--only", type=words)
    parser.add_argument("--methods", type=words)
    parser.add_argument("--labels", type=numbers)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    library(options.rung)
    if options.list:
        for name, (_, kind, methods, labels) in experiments().items():
            print("%-20s %-9s %s, %s labels" % (name, kind, ", ".join(methods), ", ".join(map(str, labels))))
        return
    cells = measure(options)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(cells, file, indent=0)
    show(cells)


if __name__ == "__main__":
    main()
