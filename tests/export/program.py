# SPDX-License-Identifier: BSD-3-Clause
"""A reader of the programs that `rung export MODEL -o FILE.json` writes (docs/model-program.md), in NumPy: one function
per operation, one row at a time.

    program = Program.read("model.json")
    program.predict(["12.5", "red", ""])      the cells of a row as text -> {"rank": 3, "score": [...], ...}
"""
import datetime
import json
import math
import struct

import numpy as np

MISSING = {"", "?", "na", "nan"}


def number(text):
    return {"true": 1.0, "false": 0.0}.get(text.lower()) if text.lower() in ("true", "false") else float(text)


def category(column, text):
    """The place of a category, by its text, else by its value; -1: there is none."""
    names = column["categories"]
    if text in names:
        return names.index(text)
    if text.lower() in MISSING:
        return names.index("") if "" in names else -1
    try:
        value = number(text)
    except ValueError:
        return -1
    for place, name in enumerate(names):
        try:
            if number(name) == value:
                return place
        except ValueError:
            pass
    return -1


def cell(column, text):
    """The number that stands for the text of a cell."""
    kind = column["kind"]
    if kind == "category":
        return category(column, text)
    if text.lower() in MISSING:
        return math.nan
    if kind == "ordered":
        return category(column, text) + 1
    if kind == "date":
        day, _, clock = text.replace("T", " ").partition(" ")
        days = (datetime.date.fromisoformat(day) - datetime.date(1970, 1, 1)).days
        hours = [float(part) for part in clock.split(":")] + [0, 0, 0] if clock else [0, 0, 0]
        return days + (hours[0] * 3600 + hours[1] * 60 + hours[2]) / 86400
    if kind == "hours":
        parts = [float(part) for part in text.split(":")] + [0]
        return (parts[0] * 3600 + parts[1] * 60 + parts[2]) / 3600
    if column.get("written") == "comma":
        text = text.replace(".", "").replace(",", ".")
    if column.get("written") == "grouped":
        text = text.replace(",", "")
    unit = column.get("unit") or ""
    return number(text.removesuffix(unit).strip())


def coded(o, cells):
    out = np.zeros(o["n"])
    for x, first, width, kind in zip(cells, o["first"], o["width"], o["kind"]):
        if kind == 1:
            if 0 <= x < width:
                out[first + int(x)] = 1
            continue
        out[first] = x
        if kind == 2:
            year, week = 2 * math.pi * x / 365.2425, 2 * math.pi * x / 7
            cycles = math.sin(year), math.cos(year), math.sin(week), math.cos(week)
            out[first + 1:first + 5] = cycles if x == x else math.nan
    return out


def scale(o, x):
    factor = o["factor"]
    y = (x / 2 - o["shift"] / 2) * factor * 2
    return np.where(factor == 0, 0, np.clip(y, -1e150, 1e150))


def share(o, x):
    out = np.zeros(o["n"])
    for j in range(o["n"]):
        knots, shares = (o[name][o["first"][j]:o["first"][j + 1]] for name in ("knot", "share"))
        k = np.searchsorted(knots, x[j])
        below = shares[k - 1] if k else 0.0
        out[j] = (below + shares[k]) / 2 if k < len(knots) and knots[k] == x[j] else below
    return out


def interpolate(o, x):
    at, value, f = o["at"], o["value"], x[0]
    if at[0] <= f < at[-1]:
        j = np.searchsorted(at, f, side="right") - 1
        slope = (value[j + 1] - value[j]) / (at[j + 1] - at[j])
        return [min(value[j] + slope * (f - at[j]), value[j + 1])]
    slope = (value[-1] - value[0]) / max(at[-1] - at[0], 1e-300)
    if not slope > 0:
        return [value[0] if f < at[0] else value[-1]]
    return [value[0] + slope * (f - at[0]) if f < at[0] else value[-1] + slope * (f - at[-1])]


def neighbours(o, x):
    distance = np.zeros(len(o["row"]))
    for j in range(len(x)):
        distance += (o["row"][:, j] - x[j]) ** 2
    near = np.argsort(distance, kind="stable")[:int(o["neighbours"])]
    weight = np.ones(len(near))
    if o["width"]:
        weight = np.exp(-(distance[near] - distance[near[0]]) / o["width"] / o["width"] / 2)
    return o["value"][:, near] @ (weight / weight.sum())


def trees(o, cells):
    out = np.zeros(o["n"])
    for t, node in enumerate(o["root"]):
        while (column := o["column"][node]) >= 0:
            x, first = cells[column], o["set"][node]
            if first >= 0 and x >= 0:
                right = not int(o["word"][first + int(x) // 32]) >> int(x) % 32 & 1
            elif first >= 0 or x != x:
                right = o["missing_right"][node]
            else:
                right = x > o["cut"][node]
            node = o["left"][node] + int(right)
        if o["votes"]:
            out[:int(o["leaf"][node]) - 1] += 1
        else:
            out[t % o["n"]] += o["leaf"][node]
    return out / len(o["root"]) if o["votes"] else out


def equals(o, x):
    """FNV-1a by words of the coded row; the labelled rows with this key."""
    h = 14695981039346656037
    for v in x:
        word, = struct.unpack("<Q", struct.pack("<d", math.nan if v != v else v + 0.0))
        h = (h ^ word) * 1099511628211 % 2 ** 64
        h ^= h >> 32
    out = np.zeros(o["n"])
    for place in np.flatnonzero(o["key"] == float(h >> 11)):
        out[o["rank"][place] - 1] += o["mass"][place]
    return out


def interval(o, p, rank):
    """Grown from the rank by the more probable of the two beside it, while it stays within the limit."""
    low = high = int(rank[0])
    mass, limit = p[low - 1], o["limit"][0]
    while True:
        down, up = low > 1, high < len(p)
        if not down and not up:
            break
        lower = down and (not up or p[low - 2] >= p[high])
        more = p[low - 2] if lower else p[high]
        if not mass + 0.5 * more <= limit:
            break
        mass += more
        low, high = (low - 1, high) if lower else (low, high + 1)
    return [low, high]


def shortest(o, p):
    for length in range(1, len(p)):
        best, at = -1, 0
        for first in range(len(p) - length + 1):
            mass = sum(p[first:first + length])
            if mass >= o["mass"] and mass > best:
                best, at = mass, first
        if best >= 0:
            return [at + 1, at + length]
    return [1, len(p)]


def finite(o, x):
    if not np.isfinite(x).all():
        raise ValueError("the score overflows")
    return x


def linear(o, x):
    return o["weight"] @ x + (o["bias"] if "bias" in o else 0)


OPERATIONS = {
    "coded": coded, "constant": lambda o: o["value"], "scale": scale, "share": share, "interpolate": interpolate,
    "neighbours": neighbours, "trees": trees, "equals": equals, "interval": interval, "shortest": shortest,
    "finite": finite, "linear": linear,
    "add": lambda o, x, y: x + y, "subtract": lambda o, x, y: x - y, "multiply": lambda o, x, y: x * y,
    "divide": lambda o, x, y: x / y, "minimum": lambda o, x, y: np.fmin(x, y), "maximum": lambda o, x, y: np.fmax(x, y),
    "power": lambda o, x, y: x ** y, "less": lambda o, x, y: (x < y) * 1.0,
    "exp": lambda o, x: np.exp(x), "log": lambda o, x: np.log(x), "log2": lambda o, x: np.log2(x),
    "log10": lambda o, x: np.log10(x), "log1p": lambda o, x: np.log1p(x), "root": lambda o, x: np.sqrt(x),
    "erfc": lambda o, x: np.array([math.erfc(v) for v in x]), "missing": lambda o, x: np.isnan(x) * 1.0,
    "select": lambda o, c, x, y: np.where(c != 0, x, y),
    "part": lambda o, x: x[int(o["from"]):int(o["from"]) + o["n"]], "join": lambda o, x, y: np.concatenate((x, y)),
    "total": lambda o, x: [x.sum()], "largest": lambda o, x: [x.max()], "place": lambda o, x: [x.argmax()],
    "sums": lambda o, x: np.cumsum(x), "least_yet": lambda o, x: np.minimum.accumulate(x),
    "most_ahead": lambda o, x: np.maximum.accumulate(x[::-1])[::-1],
    "choose": lambda o, place, x: x[place.astype(int)],
    "squares": lambda o, x: ((o["row"] - x) ** 2).sum(axis=1),
}
ARRAYS = ("value", "first", "width", "kind", "shift", "factor", "knot", "share", "at", "weight", "bias", "row", "root",
          "column", "cut", "left", "missing_right", "set", "leaf", "word", "key", "rank", "mass", "limit")
FLAT = {"value": ("constant", "interpolate"), "row": (), "weight": ()}


class Program:
    def __init__(self, text):
        self.__dict__.update(json.loads(text))
        assert (self.format, self.version) == ("rung program", 1)
        arrays = [np.array(c["values"], dtype=float).reshape(c["rows"], c["columns"]) for c in self.constants]
        for o in self.operations:
            for name in ARRAYS:
                if name not in o or (name, o["op"]) in (("mass", "shortest"), ("width", "neighbours")):
                    continue
                o[name] = arrays[o[name]]
                if o["op"] in FLAT.get(name, (o["op"],)):
                    o[name] = o[name].ravel()
                if name in ("first", "width", "kind", "root", "column", "left", "missing_right", "set", "word", "rank"):
                    o[name] = o[name].astype(int)

    @classmethod
    def read(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    def values(self, texts):
        """The results of all operations."""
        cells = np.array([cell(column, text) for column, text in zip(self.columns, texts)], dtype=float)
        for j, column in enumerate(self.columns):
            if np.isinf(cells[j]) or (np.isnan(cells[j]) and not self.takes_missing):
                raise ValueError(f"column {column['name']} is not a number")
        values = [cells]
        with np.errstate(all="ignore"):
            for o in self.operations[1:]:
                values.append(np.asarray(OPERATIONS[o["op"]](o, *(values[i] for i in o.get("of", []))), dtype=float))
                assert values[-1].shape == (o["n"],), (o["op"], values[-1].shape, o["n"])
        return values

    def predict(self, texts):
        values = self.values(texts)
        return {name: values[i] for name, i in self.results.items()}
