# SPDX-License-Identifier: BSD-3-Clause
"""A case: a table, options and a method, made from (seed, number) alone."""
import random

import columns as kinds
from tables import Form, Table

NAMES = ["age", "x1", "Größe", "a b", "weight (kg)", "q,r", 'the "best"', "n" * 400, "1st", "日", "x=y", "two\nlines",
         "Score"]
CLASS_NAMES = [
    ["none", "mild", "some", "severe", "worst", "f", "g", "h", "i", "j", "k"],
    ["klein", "größer", "groß", "d e", "e, f", 'f "g"', "g;h", "h", "i", "j", "k"],
]
NEW_ROWS = 2000  # of the population, on which the true error is measured


class Options:
    """What is said beside the table: fields of rung_encode_options, of a spec, and of the call."""

    def __init__(self):
        self.method, self.params, self.scale, self.equal_rows = "pom", {}, "standard", "auto"
        self.order = self.cost = None
        self.abstain = 0.0
        self.balanced, self.class_weights = False, {}
        self.nominal, self.numeric, self.ordinal = [], [], {}
        self.missing_error = self.passes = self.as_published = self.real = False
        self.bins, self.bins_width, self.seed = 0, False, 1


class Case:
    def __init__(self, seed, number, methods):
        self.seed, self.number = seed, number
        self.r = random.Random(f"{seed} {number}")
        self.features, self.truth, self.twice = None, None, {}
        self.options, self.form = Options(), Form()
        self._choose_method(methods)
        chosen = methods[self.options.method]
        self.uses_neighbours, self.takes_weights = chosen.has("neighbours"), chosen.takes_weights
        self.uses_unlabelled = chosen.uses_unlabelled
        self._draw_table()
        self._draw_options(methods[self.options.method])

    def stream(self, name):
        """Random numbers of their own for a part of the case, so that another part may draw more or less."""
        return random.Random(f"{self.seed} {self.number} {name}")

    def _choose_method(self, methods):
        often = {"auto": 4, "pom": 2, "boost": 3, "ogp": 2, "ckr": 2, "kdlor": 2}
        names = list(methods)
        self.options.method = self.r.choices(names, [often.get(name, 1) for name in names])[0]

    # ---- the table ----

    def _draw_table(self):
        r = self.stream("table")
        self.rows = int(r.choice([2, 3, 5, 10, 20, 30, 40, 60, 100, 150, 400]) * r.uniform(0.6, 1))
        self.rows = max(2, self.rows)
        width = r.choice([1, 1, 2, 2, 3, 4, 5, 8, 12, 40])
        names, weights = list(kinds.KINDS), [row[1] for row in kinds.KINDS.values()]
        drawn = r.choices(names, weights, k=width)
        if r.random() < 0.3:
            drawn = [r.choice(kinds.PLAIN) for _ in drawn]
        self.drawn = [kinds.Column(self._name(r, j), kind, random.Random(r.getrandbits(64))) for j,
                      kind in enumerate(drawn)]
        for column in self.drawn:
            column.draw(self.rows)
        self._draw_labels(r)
        columns = [kinds.Given(column.name, column.kind, list(column.cells)) for column in self.drawn]
        if r.random() < 0.05 and len(columns) > 1:
            columns[-1] = kinds.Given(columns[-1].name, columns[0].kind, columns[0].cells)  # a column twice
            self.twice[columns[-1].name] = columns[0].name
        if r.random() < 0.05:
            columns.append(kinds.Given("answer", "separated", [f"{7 * y}" for y in self.ranks]))
        self.table = Table([*columns, kinds.Given("label", "label", self.label_cells)], "label")
        r.choice([lambda: None, lambda: r.shuffle(self.table.columns)])()
        if r.random() < 0.12:
            self._repeat_rows(r)
        self._draw_form(r)

    @staticmethod
    def _name(r, j):
        return (r.choice(NAMES) + (f"_{j}" if j else "")) if r.random() < 0.15 else f"v{j + 1}"

    def latent(self, first, last):
        """The place of rows on the scale of the classes, without noise."""
        return [sum(column.effects[i] for column in self.drawn) for i in range(first, last)]

    def _draw_labels(self, r):
        """Classes by thresholds on the latent place and noise; some rare, some without labels, some rows unlabelled."""
        self.classes = r.choice([2, 2, 3, 3, 4, 5, 5, 7, 11])
        self.noise = r.choice([0.05, 0.5, 1, 3])
        self.noise_stream = random.Random(r.getrandbits(64))
        if r.random() < 0.1:  # as many classes of one row as there is room for
            self.classes = min(11, max(2, self.rows))
        place = [f + self.noise * self.noise_stream.gauss(0, 1) for f in self.latent(0, self.rows)]
        shares = [(k + 1) / self.classes for k in range(self.classes - 1)]
        if r.random() < 0.4:
            shares = sorted(r.choice([r.random(), r.random() ** 4]) for _ in shares)
        ordered = sorted(place)
        self.cuts = [ordered[min(self.rows - 1, int(share * self.rows))] for share in shares]
        self.ranks = [1 + sum(v > cut for cut in self.cuts) for v in place]
        self._name_classes(r)
        hidden = r.choice([0, 0, 0, 0.1, 0.5, 0.9])
        empty = r.choice(["", "", "?", "NA"])
        self.label_cells = [empty if r.random() < hidden else self.class_names[y - 1] for y in self.ranks]
        if r.random() < 0.02:
            self.label_cells = [empty] * self.rows

    def _name_classes(self, r):
        kind = r.choice(["ranks", "ranks", "ranks", "from zero", "words", "halves", "gaps", "around zero"])
        span = range(self.classes)
        self.class_names = {
            "ranks": [str(k + 1) for k in span], "from zero": [str(k) for k in span],
            "halves": [repr(0.5 + k / 2) for k in span], "gaps": [str(10 * k * k + 1) for k in span],
            "around zero": [str(k - self.classes // 2) for k in span], "words": r.choice(CLASS_NAMES)[:self.classes],
        }[kind]
        if kind == "words" or r.random() < 0.1:
            self.options.order = "<".join(self.class_names)

    def _repeat_rows(self, r):
        picked = list(range(self.rows)) + [r.randrange(self.rows) for _ in range(r.randint(1, self.rows))]
        self.table = self.table.take(picked[:400])
        self.rows = self.table.rows
        self.label_cells, self.repeated = self.table.labels(), True

    repeated = False

    def _draw_form(self, r):
        if r.random() < 0.3:
            self.form = Form(delimiter=r.choice([",", ";", "\t", "|"]), end=r.choice(["\n", "\r\n"]),
                             header=r.random() < 0.8, last_end=r.random() < 0.7, quote_all=r.random() < 0.2,
                             bom=r.random() < 0.2)

    # ---- the options ----

    def _draw_options(self, method):
        r, o = self.stream("options"), self.options
        self._draw_params(r, method)
        o.seed = r.choice([1, 1, r.randrange(1000)])
        if r.random() < 0.3:
            o.scale = r.choice(["minmax", "rank", "relevance", "none", "standard"])
        if r.random() < 0.15:
            o.equal_rows = r.choice(["together", "apart"])
        o.as_published = r.random() < 0.05
        o.missing_error = r.random() < 0.03
        o.passes = r.random() < 0.05
        self._draw_column_options(r)
        if method.takes_weights or r.random() < 0.02:
            self._draw_weights(r)
        if r.random() < 0.12:
            self._add("group", [f"g{r.randrange(max(2, self.rows // 4))}" for _ in range(self.rows)])
            self.table.groups = "group"
        if r.random() < 0.12:
            o.cost = r.choice(["absolute", "squared", "zero-one", "up=2,down=1"])
            o.abstain = r.choice([0, 0, 0.3, 0.05])
        if method.flags & 512 and r.random() < 0.15 or r.random() < 0.01:
            self._make_intervals(r)
        if method.takes_reals and r.random() < 0.3:
            self._make_real(r, bins=0)
        elif r.random() < 0.04:
            self._make_real(r, bins=r.choice([2, 3, 5]))
        if self.table.groups is None and r.random() < 0.05:
            self._add("suggested", [r.choice(["chosen", "random", ""]) for _ in range(self.rows)])

    def _add(self, name, cells):
        self.table.columns.insert(self.stream(name).randint(0, len(self.table.columns)), kinds.Given(name, name, cells))

    def _draw_params(self, r, method):
        for p in method.parameters:
            if p.name == "shape" or r.random() > 0.12:
                continue
            if p.choices:
                self.options.params[p.key] = r.choice([c for c in p.choices if c != "precomputed"])
            elif p.key == "calibrate":
                self.options.params[p.key] = r.choice(["0", "0", "3", "auto"])
            elif p.key == "landmarks":
                self.options.params[p.key] = r.choice(["5", "20", "exact"])
            elif p.type in (0, 1) and p.word is None:
                self._draw_number(r, p)

    def _draw_number(self, r, p):
        whole = p.type == 1
        base = p.default if isinstance(p.default, (int, float)) and p.default else 1
        value = base * 10 ** r.uniform(-1.5, 1.5)
        value = min(max(value, p.low), p.high, 60 if whole else 1e9)
        if value == p.low and value == 0:
            return
        if p.name in ("width", "precisions", "spread_width", "graph_width") and r.random() < 0.7:
            return
        self.options.params[p.key] = str(round(value)) if whole else f"{value:.4g}"

    def _draw_column_options(self, r):
        for column in self.drawn:
            if column.kind != self.table.find(column.name).kind:
                continue
            if column.kind in ("category of numbers", "patient", "grid", "two-valued") and r.random() < 0.4:
                self.options.nominal.append(column.name)
            elif column.kind in ("counter", "long number") and r.random() < 0.5:
                self.options.numeric.append(column.name)
            elif column.kind == "ordered words" and r.random() < 0.7:
                self.options.ordinal[column.name] = "low<mid<high<very high"

    def _draw_weights(self, r):
        o = self.options
        if r.random() < 0.25:
            whole = r.random() < 0.6
            self._add("w", [str(r.choice([1, 1, 2, 3, 0])) if whole else number_of(r) for _ in range(self.rows)])
            self.table.weights = "w"
        if r.random() < 0.15:
            o.balanced = True
        elif r.random() < 0.1:
            o.class_weights = {r.choice(self.class_names): r.choice([0, 0.5, 3, 100])}

    def _make_intervals(self, r):
        cells, names = self.table.find("label").cells, self.class_names
        if any(set("<>.=") & set(name) for name in names):
            return
        def interval(y, text):
            if text not in names or r.random() < 0.7:
                return text
            low, high = max(0, y - 1 - r.randrange(3)), min(len(names) - 1, y - 1 + r.randrange(3))
            return r.choice([f"{names[low]}..{names[high]}", f"<={names[high]}", f">={names[low]}"])
        places = {name: k + 1 for k, name in enumerate(names)}
        self.table.find("label").cells = [interval(places.get(text, 0), text) for text in cells]
        self.intervals = True

    intervals = False

    def _make_real(self, r, bins):
        values = [f"{y + 0.3 * r.gauss(0, 1):.3f}" for y in (self.ranks * 3)[:self.rows]]
        self.table.find("label").cells = [text and value for text, value in zip(self.label_cells, values, strict=True)]
        o = self.options
        o.order, o.class_weights, o.cost, o.abstain = None, {}, None, 0
        o.real, o.bins, o.bins_width = not bins, bins, bins and r.random() < 0.5
        self.intervals = False

    # ---- the population ----

    def new_rows(self):
        """Rows of the same population that no fit has seen: a table of features, and their ranks."""
        for column in self.drawn:
            column.draw(self.rows + NEW_ROWS - len(column.cells))
        ranks = []
        for f in self.latent(self.rows, self.rows + NEW_ROWS):
            place = f + self.noise * self.noise_stream.gauss(0, 1)
            ranks.append(1 + sum(place > cut for cut in self.cuts))
        drawn = {c.name: c for c in self.drawn}
        cells = {c.name: drawn[self.twice.get(c.name, c.name)].cells[self.rows:] for c in self.drawn}
        return Table([kinds.Given(c.name, c.kind, cells[c.name]) for c in self.drawn], None), ranks


def number_of(r):
    return f"{r.expovariate(1):.3f}"
