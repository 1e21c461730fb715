# SPDX-License-Identifier: BSD-3-Clause
"""What a change of the table must do to the answers: nothing, or what is known.

A relation is a function of a `Base` (a case, its fit, its folder) that yields what is wrong. `applies` says which
methods and options are exempt, with the reason beside it."""
import copy
import random

import numpy as np

import columns as kinds
from library import Fit, Refused, lib, text

RELATIONS = {}
# Trees break ties between equally good splits by the order of columns and rows, and draw both.
TREES = {"boost", "auto"}
# Without folds in the fit. Their probabilities are flattened by parts of the rows, which are drawn in the order of rows
# and classes: where these change, only scores are compared.
NO_FOLDS = {"ckr", "ogp"}


def relation(applies=lambda case: True):
    def register(function):
        RELATIONS[function.__name__] = (function, applies)
        return function
    return register


def method(case):
    return case.options.method


def fit_like(base, table, name, options=None, form=None, threads=1):
    return Fit(table, options or base.case.options, form or base.case.form, base.folder, name, threads)


def both(base, make):
    """The fit of a changed table, or None and what is wrong: it is refused although the first was not."""
    try:
        return make(), []
    except Refused as why:
        return None, [f"refused: {why.message}"]


def same(base, make, rows=None):
    """The changed fit gives the same bits."""
    other, wrong = both(base, make)
    if other is not None:
        differs = base.fit.answers.same(other.answers)
        wrong = [differs] if differs else []
    yield from wrong


def distance(a, b):
    """How far answers are apart: the largest difference of probabilities, else of scores against their spread; and the
    share of rows with another rank."""
    ranks = 0.0 if a.rank is None or b.rank is None else float(np.mean(a.rank != b.rank))
    if a.proba is not None and b.proba is not None:
        return float(np.abs(a.proba - b.proba).max()), ranks
    return score_distance(inner(a), inner(b)), ranks


def inner(answers):
    """Scores; of directions their inner products, in which the basis does not show."""
    return answers.score @ answers.score.T if answers.directions else answers.score


def score_distance(a, b):
    """How far scores are apart, against their spread. Of columns that say nothing all scores are one, and their spread
    is rounding: below 1e-8 of their size it counts as that."""
    a, b = np.asarray(a), np.asarray(b)
    spread = float(np.std(a)) + 1e-8 * float(np.abs(a).max()) + 1e-300
    return float(np.abs(a - b).max()) / spread


def blended(fit):
    """Rows whose score takes the labels of equal rows into account. How much follows from held-out probabilities, which
    are flattened by parts drawn in the order of rows and classes (docs/equal-rows.md)."""
    table = fit.table
    cells = list(zip(*(column.cells for column in table.features()), strict=True))
    known = {cell for cell, label in zip(cells, table.labels(), strict=True) if label not in ("", "NA", "?")}
    return np.array([cell in known for cell in cells])


def flat(a, b):
    """gpor with its noise at the floor: a threshold between two classes of rows that are apart may be anywhere between
    them, up to what the gradient of the evidence tells (2e-6 per row). None: it is not; else how far the evidences are
    apart, in units of the 1e-3 up to which answers of gpor must agree."""
    told = [fit.report() for fit in (a, b)]
    if "log_evidence" not in told[0] or min(one["noise"] for one in told) > 1.5 * 0.02:
        return None
    return abs(told[0]["log_evidence"] - told[1]["log_evidence"]) / (2e-6 * a.table.rows) * 1e-3


def scores_apart(a, b, mirrored=False):
    """Of two fits to the same rows, the second with its classes reversed or not: how far their scores are apart."""
    u, v = a.answers.score, b.answers.score
    if mirrored:
        v = lib.rung_model_classes(b.model) + 1 - v
    if a.report().get("equal_prior") != b.report().get("equal_prior"):
        plain = ~blended(a)
        u, v = u[plain], v[plain]
    return score_distance(u, v) if len(u) else 0.0


def close(base, make, limit):
    """The changed fit gives the same answers up to rounding."""
    other, wrong = both(base, make)
    if other is not None:
        apart, ranks = distance(base.fit.answers, other.answers)
        if not apart <= limit:
            wrong = [f"answers differ by {apart:.3g}, ranks of {ranks:.1%} of the rows"]
    yield from wrong


def meaning(cell):
    """1, 1.0 and 1e0 are one class."""
    try:
        return float(cell)
    except ValueError:
        return cell


def with_column(table, cells, place, name="added"):
    other = table.copy()
    other.columns.insert(place, kinds.Given(name, "constant", cells))
    return other


def knife_edge(case):
    """Where the last bit of a sum decides: graphs of neighbours break ties of distances by it, and their eigenproblems
    may have eigenvalues as near as that; support vectors are found up to a tolerance, within which there are many
    answers. auto has graphs, too: it is compared where distances differ."""
    if method(case) == "auto":
        fine = [c for c in case.table.features() if c.kind == "real" and not {"", "NA", "?"} & set(c.cells)]
        return case.repeated or not fine
    return case.uses_neighbours or method(case) in ("svorim", "svorex", "isvor", "isbor", "sbor", "sosvm", "lapsvm")


def shaped(case):
    """Methods that see a row as a matrix: another column is another shape."""
    return method(case) in ("mlda", "tlpp", "tnpe", "mie", "orml-m")


# ---- columns ----

@relation(lambda case: not shaped(case) and not knife_edge(case))
def constant_column(base):
    """A column of one value says nothing. Sums may be taken in other pieces: rounding. Exempt: with --scale none inner
    products of rows count what is not 0: an intercept with a prior of its own."""
    r, o = base.case.stream("constant"), base.case.options
    inner = o.scale == "none" and (method(base.case) in ("ogp", "auto") or o.params.get("kernel") in ("linear", "poly"))
    cells = [r.choice(["0", "all"] if inner else ["0", "7", "1e9", "all"])] * base.case.table.rows
    table = with_column(base.case.table, cells, r.randint(0, len(base.case.table.columns)))
    yield from close(base, lambda: fit_like(base, table, "constant"), base.rounding())


@relation(lambda case: case.form.header)
def renamed_columns(base):
    case = base.case
    table, options, new = case.table.copy(), base.options_copy(), {}
    for j, column in enumerate(table.columns):
        if column in (table.find(table.label),) or column.name in ("w", "group", "suggested"):
            continue
        new[column.name] = column.name = f"other{j * j}"
    options.nominal = [new.get(name, name) for name in options.nominal]
    options.numeric = [new.get(name, name) for name in options.numeric]
    options.ordinal = {new.get(name, name): words for name, words in options.ordinal.items()}
    yield from same(base, lambda: fit_like(base, table, "renamed", options))


@relation(lambda case: method(case) not in TREES and not shaped(case) and not knife_edge(case)
          and case.options.scale != "relevance")
def moved_columns(base):
    """Sums over columns in another order: rounding. Exempt: trees (and relevance, which is theirs), matrices."""
    table = base.case.table.copy()
    base.case.stream("moved").shuffle(table.columns)
    if not base.case.form.header:
        return
    yield from close(base, lambda: fit_like(base, table, "moved"), base.rounding())


@relation(lambda case: case.options.scale != "none" or method(case) in ("boost", "median"))
def power_of_two(base):
    """Scaled columns times a power of two: the same bits. Exempt: --scale none, but for trees, whose bins move
    along."""
    table = base.case.table.copy()
    r = base.case.stream("power")
    for column in table.features():
        if column.kind in kinds.PLAIN and r.random() < 0.7:
            factor = 2.0 ** r.choice([-20, -3, 1, 5, 30])
            column.cells = [text if text in ("", "NA", "?") else repr(float(text) * factor) for text in column.cells]
    yield from same(base, lambda: fit_like(base, table, "power"))


# ---- classes ----

@relation(lambda case: not case.options.real and not case.options.bins and not case.intervals)
def renamed_classes(base):
    """Other names of the classes, in the same order: the same bits."""
    case, options = base.case, base.options_copy()
    r = case.stream("classes")
    names = case.class_names
    present = [name for name in names if options.order is not None or name in case.table.labels()]
    sort = sorted(present, key=names.index)
    new = dict(zip(sort, [f"c{k}" for k in range(len(sort))] if r.random() < 0.5
                   else [str(3 * k - 4) for k in range(len(sort))],
                   strict=True))
    options.order = "<".join(new[name] for name in sort)
    options.class_weights = {new[name]: w for name, w in options.class_weights.items() if name in new}
    if not sort or len(options.class_weights) != len(case.options.class_weights):
        return
    table = case.table.copy()
    label = table.find(table.label)
    label.cells = [new.get(text, text) for text in label.cells]
    yield from same(base, lambda: fit_like(base, table, "classes", options))


# Methods whose answer does not depend on which end of the order is called the first, where no folds are drawn.
SYMMETRIC = {"pom", "gpor", "ogp", "ckr", "median", "llgc"}


@relation(lambda case: method(case) in SYMMETRIC and not case.options.real and not case.options.bins
          and not case.intervals and case.options.cost is None and case.options.scale != "relevance")
def reversed_classes(base):
    """The order turned around mirrors the answers. Folds are drawn class by class: only without them. Exempt:
    relevance (trees), costs, which may be one-sided; further starts of gpor, which are drawn for thresholds in
    order."""
    case, options = base.case, base.options_copy()
    if method(case) not in NO_FOLDS:
        options.params["calibrate"] = "0"
    if method(case) == "gpor":
        options.params["starts"] = "1"
    names = [n for n in case.class_names if options.order is not None or n in case.table.labels()]
    if len(names) < 2:
        return
    forth, back = options, base.options_copy()
    back.params = dict(options.params)
    forth.order, back.order = "<".join(names), "<".join(reversed(names))
    try:
        a, b = fit_like(base, case.table, "forth", forth), fit_like(base, case.table, "back", back)
    except Refused:
        return
    if method(case) in NO_FOLDS:
        apart = scores_apart(a, b, mirrored=True)
    elif a.answers.proba is not None:
        apart = float(np.abs(a.answers.proba - b.answers.proba[:, ::-1]).max())
    else:
        return
    if method(case) == "gpor" and flat(a, b) is not None:
        apart = flat(a, b)
    if apart > base.rounding():
        yield f"mirrored answers differ by {apart:.3g}"


# ---- rows ----

@relation(lambda case: method(case) in NO_FOLDS | {"pom", "kdlor", "krr", "lda", "kda", "median", "gpor"}
          and case.options.scale != "relevance" and "landmarks" not in case.options.params
          and not (method(case) == "ckr" and "mu" in case.options.params))
def rows_in_another_order(base):
    """Sums over rows in another order: rounding. Folds follow the rows: only without them. Exempt: methods that draw
    rows (trees, landmarks, relevance), meet them one after the other (isvor, isbor), or are a knife's edge: ckr with a
    graph of neighbours (mu). Counters are told by the order of the rows: only without them."""
    case, options = base.case, base.options_copy()
    if method(case) not in NO_FOLDS:
        options.params["calibrate"] = "0"
    counters = [c.name for c in case.table.features() if c.kind == "counter"]
    if counters and (not case.form.header or len(counters) == len(case.table.features())):
        return
    table = case.table.without(*counters)
    options.nominal = [name for name in options.nominal if name not in counters]
    options.numeric = [name for name in options.numeric if name not in counters]
    order = list(range(table.rows))
    case.stream("rows").shuffle(order)
    try:
        a = fit_like(base, table, "rows", options)
        b = fit_like(base, table.take(order), "shuffled", options)
    except Refused:
        return
    back = np.argsort(order)
    for name, array in b.answers.arrays.items():
        b.answers.arrays[name] = array[back]
    apart, ranks = distance(a.answers, b.answers)
    if method(case) in NO_FOLDS:
        apart = scores_apart(a, b)
    if method(case) == "gpor" and flat(a, b) is not None:
        apart = flat(a, b)
    if apart > base.rounding():
        yield f"answers differ by {apart:.3g}, ranks of {ranks:.1%} of the rows"


# Where weights are no counts: rows drawn at random, graphs in which every row is one (docs/equal-rows.md).
NO_COUNTS = {"boost", "auto", "s-dl", "ces-dl", "es-dl", "kes-dl"}


@relation(lambda case: case.takes_weights and not case.uses_unlabelled and method(case) not in NO_COUNTS
          and case.options.scale != "relevance" and "landmarks" not in case.options.params and not case.options.passes
          and not case.options.bins and not case.options.as_published and case.rows <= 150)
def repeated_rows(base):
    """A row of weight k is k equal rows that leave together, and one of weight 0 is none: scaling, fit, folds,
    calibration and reported error. Exempt: NO_COUNTS, relevance (random trees), quantiles of targets (bins), medians of
    missing cells and the kinds of columns that are told by how often their cells repeat: here numbers without missing
    ones."""
    case, options, r = base.case, base.options_copy(), base.case.stream("repeated")
    options.equal_rows = "together"
    if method(case) in ("svorim", "svorex", "isvor"):  # within a tolerance there are many answers
        options.params["tolerance"] = "1e-8"
    rows = range(case.table.rows)
    own = [case.table.label, case.table.groups]
    kept = [c for c in case.table.columns if c.name in own or c.kind in (*kinds.PLAIN, "two-valued")
            and "" not in c.cells
            and not {"NA", "?"} & set(c.cells)]
    if len(kept) == sum(name is not None for name in own):
        return
    weighted = case.table.copy()
    weighted.columns, weighted.weights = [copy.copy(column) for column in kept], None
    options.nominal = [name for name in options.nominal if name in [c.name for c in kept]]
    options.numeric, options.ordinal = [], {}
    labels = case.table.labels()  # no class loses all its rows, or the tables have other classes
    times = [r.choice([1, 1, 2, 3, 0]) if labels.index(labels[i]) < i else 1 for i in rows]
    repeated = weighted.take([i for i in rows for _ in range(times[i])])
    weighted.columns.append(kinds.Given("times", "times", [str(k) for k in times]))
    weighted.weights = "times"
    if repeated.rows < 2:
        return
    try:
        a = fit_like(base, weighted, "weighted", options)
        b = fit_like(base, repeated, "repeated", options)
    except Refused:
        return
    new = weighted.without(*[name for name in own if name], "times")
    if not case.form.header:
        new = weighted
    apart, ranks = distance(a.on(new, base.folder),
                            b.on(new if case.form.header else weighted.without("times"), base.folder))
    if apart > base.rounding():
        yield f"answers differ by {apart:.3g}, ranks of {ranks:.1%} of the rows"


# ---- answers ----

@relation()
def two_threads(base):
    other, wrong = both(base, lambda: fit_like(base, base.case.table, "threads", threads=2))
    if other is not None and other.bytes() != base.fit.bytes():
        wrong = [base.fit.answers.same(other.answers) or "the model files differ"]
    yield from wrong


@relation()
def answered_alone(base):
    """A row gets the same answer whatever rows come with it, and whatever other columns."""
    case = base.case
    rows = sorted(case.stream("alone").sample(range(case.table.rows), min(3, case.table.rows)))
    names = [case.table.label, case.table.weights, case.table.groups] if case.form.header else []
    table = case.table.take(rows).without(*names)
    if not table.columns:
        return
    try:
        other = base.fit.on(table, base.folder, "alone")
    except Refused as why:
        yield f"refused: {why.message}"
        return
    for name, array in base.fit.answers.arrays.items():
        if not np.array_equal(array[rows], other.arrays[name]):
            yield f"{name} of rows {[i + 1 for i in rows]} alone: {other.arrays[name]!r}, with all: {array[rows]!r}"


@relation(lambda case: method(case) in ("kdlor", "krr", "ckr", "pom", "boost", "isbor", "auto")
          and not case.options.passes
          and case.table.groups is None and not case.options.real and not case.options.bins)
def in_passes(base):
    """Read in passes, the sample being everything: the same up to rounding. Exempt: landmarks, which are chosen
    otherwise; ckr with a graph; trees of a part of the rows, which is drawn row by row. Of trees the first are
    compared: their leaves have values in steps of 2^-16, by which later rounds may choose between splits that are as
    good as equal, and weights of classes make such splits of the first round, too (docs/scale.md)."""
    options, exempt = base.options_copy(), {"boost": {"rows": "1", "rounds": "1"}, "auto": {"trees": "without"}}
    if options.params.get("landmarks") not in (None,
                                               "exact") or (method(base.case) == "ckr" and "mu" in options.params):
        return
    options.params.update(exempt.get(method(base.case), {}))
    if method(base.case) == "boost":
        options.balanced, options.class_weights = False, {}
    passing = copy.copy(options)
    passing.passes = True
    try:
        plain = fit_like(base, base.case.table, "plain", options)
        other = fit_like(base, base.case.table, "passes", passing)
    except Refused as why:
        if not any(word in why.message for word in ("landmarks", "in passes")):
            yield f"refused: {why.message}"
        return
    apart, ranks = distance(plain.answers, other.answers)
    if apart > base.rounding():
        yield f"answers differ by {apart:.3g}, ranks of {ranks:.1%} of the rows"


# ---- the truth ----

@relation(lambda case: not case.repeated and case.options.equal_rows != "together" and case.table.groups is None
          and case.table.weights is None and case.rows >= 20
          and not case.options.real and not case.options.bins and not case.intervals and case.options.cost is None
          and case.form.header and "answer" not in [c.name for c in case.table.columns]
          and "suggested" not in [c.name for c in case.table.columns])
def reported_error(base):
    """The reported error against that on new rows of the population: six standard errors, and a tenth of a class.
    Exempt: rows that are held out together at the caller's word; here all are drawn by themselves. Counters that are
    told to be numbers: new rows go on counting, beyond all that were held out."""
    counters = {column.name for column in base.case.table.columns if column.kind == "counter"}
    if base.fit.cv_mae is None or base.fit.cv_n < 15 or counters & set(base.case.options.numeric):
        return
    table, truth = base.case.new_rows()
    try:
        answers = base.fit.on(table, base.folder, "population")
    except Refused:  # a cell that the training rows give no reason to expect
        return
    names = [lib.rung_model_class_name(base.fit.model, k + 1) for k in range(lib.rung_model_classes(base.fit.model))]
    known, said = {meaning(text(name)): k for k, name in enumerate(names)}, [meaning(c) for c in base.case.class_names]
    pairs = [(known[said[y - 1]], rank - 1) for y,
             rank in zip(truth, answers.rank, strict=True) if said[y - 1] in known]
    errors = np.array([abs(y - said) for y, said in pairs])
    error = errors.std() * (1 / base.fit.cv_n + 1 / len(errors)) ** 0.5
    if abs(errors.mean() - base.fit.cv_mae) > 6 * error + 0.1:
        yield f"reported {base.fit.cv_mae:.3f} on {base.fit.cv_n} rows, true {errors.mean():.3f}"


class Base:
    """A case with its fit."""

    def __init__(self, case, fit, folder):
        self.case, self.fit, self.folder = case, fit, folder

    def options_copy(self):
        other = copy.copy(self.case.options)
        other.params = dict(other.params)
        return other

    def rounding(self):
        """How far answers may move where sums are taken in another order: iterations stop within a tolerance. A search
        that was cut, and said so, is somewhere on its way."""
        if self.fit.report().get("settled") == 0:
            return float("inf")
        return {"svorim": 1e-2, "svorex": 1e-2, "isvor": 1e-2, "sbor": 1e-2, "isbor": 1e-2, "gpor": 1e-3, "ogp": 5e-3,
                "auto": 5e-3}.get(self.case.options.method, 1e-4)


def chosen(case, share=None):
    """The relations of a case: some of those that apply, or all."""
    r = random.Random(f"{case.seed} {case.number} relations")
    names = [name for name, (_, applies) in RELATIONS.items() if applies(case)]
    return names if share is None else r.sample(names, min(len(names), share))


def run(base, name):
    for wrong in RELATIONS[name][0](base):
        yield name, wrong
