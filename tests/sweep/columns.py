# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of columns that a file can have. A kind is made once per column, with parameters of its own, and then gives
cell after cell: the text in the file, and how much it moves the row up the scale of the classes. The first rows of a
column are the same however many follow, so that a population can be drawn further than its table."""
import datetime
import math

WORDS = ["red", "blue", "green", "north", "south", "Ärger", "naïve", "日本", "a, b", 'say "hi"', "two\nlines", "o'hara",
         "x;y",
         "(none)", "100%", "-", "é" * 40, "TRUE story", "w" * 300]


def number(value):
    return repr(float(f"{value:.6g}"))


def real(r):
    size, centre = 10 ** r.uniform(-3, 4), r.choice([0, 0, 1, 50])
    def cell(z):
        return number((centre + z) * size), z
    return cell


def rounded(r):
    digits = r.choice([0, 1, 1, 2])
    def cell(z):
        return f"{z * 3:.{digits}f}", z
    return cell


def grid(r):
    levels, step = r.randint(2, 8), r.choice([1, 1, 5, 0.25])
    def cell(z):
        level = min(levels - 1, max(0, round(z + levels / 2)))
        return number(level * step).removesuffix(".0"), level - levels / 2
    return cell


def two_valued(r):
    low, high = r.choice([("0", "1"), ("1", "2"), ("-1", "1"), ("0.5", "7"), ("0", "1e6"), ("-0", "1")])
    share = r.choice([0.5, 0.5, 0.1, 0.02])
    def cell(z):
        up = r.random() < share
        return (high if up else low), 2.0 * up
    return cell


def constant(r):
    value = r.choice(["0", "1", "-3.5", "1e300", "same", "2020-01-01", "True"])
    return lambda z: (value, 0)


def boolean(r):
    no, yes = r.choice([("False", "True"), ("no", "yes"), ("FALSE", "TRUE"), ("f", "t"), ("N", "Y")])
    return lambda z: (yes, 1) if z > 0 else (no, 0)


def tick(r):
    value, share = r.choice(["1", "x", "yes", "0", "2.5"]), r.choice([0.5, 0.2, 0.9])
    return lambda z: (value, 2) if r.random() < share else ("", 0)


def category(r):
    levels = r.sample(WORDS, r.randint(2, min(9, len(WORDS))))
    effects = [r.gauss(0, 1) for _ in levels]
    rare = r.random() < 0.3
    def cell(z):
        k = int(r.random() ** (4 if rare else 1) * len(levels))
        return levels[k], effects[k]
    return cell


def category_of_numbers(r):
    levels, effects = r.randint(2, 9), [r.gauss(0, 1) for _ in range(9)]
    form = r.choice(["{}", "{}.0", "{}.50"])
    def cell(z):
        k = r.randrange(levels)
        return form.format(k + 1), effects[k]
    return cell


def ordered_words(r):
    def cell(z):
        k = min(3, max(0, round(z + 1.5)))
        return ["low", "mid", "high", "very high"][k], k - 1.5
    return cell


def date(r):
    form = r.choice(["%Y-%m-%d", "%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ",
                     "%Y-%m-%dT%H:%M:%S+02:00", "%Y%m%d"])
    start = datetime.datetime(2015, 3, 1, 11, 30)
    def cell(z):
        return (start + datetime.timedelta(days=round(500 * z), minutes=r.randrange(900))).strftime(form), z
    return cell


def date_in_zones(r):
    start = datetime.datetime(2019, 10, 20, 11, 30)
    def cell(z):
        zone = r.choice(["+01:00", "+02:00", "-05:00", "Z"])
        return (start + datetime.timedelta(hours=round(90 * z))).isoformat() + zone, z
    return cell


def time(r):
    return lambda z: ("%d:%02d" % divmod(int(min(1439, max(0, 720 + 200 * z))), 60), z)


def unit(r):
    form = r.choice(["{} kg", "{}%", "{} °C", "${}", "{} €", "<{}"])
    return lambda z: (form.format(number(abs(20 + 5 * z))), z)


def counter(r):
    start, step = r.choice([0, 1, 1, 1000]), r.choice([1, 1, 3])
    state = [start]
    def cell(z):
        state[0] += step
        return str(state[0]), 0
    return cell


def unique_text(r):
    state = [0]
    def cell(z):
        state[0] += 1
        return f"{r.choice('abcdef')}{r.getrandbits(32):08x}-{state[0]}", 0
    return cell


def patient(r):
    many, effects = r.randint(2, 40), [r.gauss(0, 1) for _ in range(41)]
    form = r.choice(["P{:03d}", "{:05d}", "{}"])
    def cell(z):
        k = r.randrange(many)
        return form.format(k + 1), effects[k]
    return cell


def code_with_missing_number(r):
    missing = r.choice(["-999", "9999", "-99"])
    return lambda z: (missing, 0) if r.random() < 0.2 else (number(30 + z), z)


def extreme(r):
    form = r.choice(["{}e300", "{}e-300", "{}e15", "-{}e299"])
    return lambda z: (form.format(f"{2 + math.tanh(z):.4f}"), z)


def zeros(r):
    return lambda z: (r.choice(["0", "-0", "0.0", "-0.0"]) if z < 0 else "1", z > 0)


def far_row(r):
    state = [0]
    def cell(z):
        state[0] += 1
        return ("1e12" if state[0] == 3 else number(z)), z
    return cell


def long_number(r):
    return lambda z: (str(10**17 + int(abs(z) * 10**16)), z)


def nothing(r):
    return lambda z: ("", 0)


# kind -> (maker, how often, share of the cells that may be missing)
KINDS = {
    "real": (real, 30), "rounded": (rounded, 12), "grid": (grid, 12), "two-valued": (two_valued, 10),
    "constant": (constant, 4),
    "boolean": (boolean, 6), "tick": (tick, 5), "category": (category, 9),
    "category of numbers": (category_of_numbers, 5),
    "ordered words": (ordered_words, 4), "date": (date, 4), "date in zones": (date_in_zones, 2), "time": (time, 2),
    "unit": (unit, 2), "counter": (counter, 2), "unique text": (unique_text, 2), "patient": (patient, 3),
    "missing code": (code_with_missing_number, 2), "extreme": (extreme, 1.5), "zeros": (zeros, 2),
    "far row": (far_row, 1.5),
    "long number": (long_number, 0.5), "nothing": (nothing, 1.5),
}
PLAIN = ("real", "rounded")  # numbers that stay numbers whatever they are multiplied by


class Column:
    """A column of the table; `cells` grow by `draw`."""

    def __init__(self, name, kind, r):
        self.name, self.kind, self.r = name, kind, r
        self.cell = KINDS[kind][0](r)
        self.weight = r.choice([0, 0, 1, 1, 2]) * r.choice([-1, 1])
        self.missing = r.choice([0, 0, 0, 0, 0.05, 0.3, 0.9]) if kind not in ("constant", "tick", "nothing",
                                                                              "counter") else 0
        self.absent = r.choice(["", "", "", "NA", "?"])
        self.cells, self.effects = [], []

    def draw(self, rows):
        for _ in range(rows):
            text, effect = self.cell(self.r.gauss(0, 1))
            if self.missing and self.r.random() < self.missing:
                text, effect = self.absent, 0
            self.cells.append(text)
            self.effects.append(self.weight * effect)


class Given:
    """A column with given cells."""

    def __init__(self, name, kind, cells):
        self.name, self.kind, self.cells = name, kind, cells
