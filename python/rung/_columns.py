# SPDX-License-Identifier: BSD-3-Clause
"""What the caller says of columns: the options nominal, numeric, dates, ordinal and derive, as the library takes
them."""

import numbers

from ._library import keep, texts
from ._names import order_text

LISTS = ("nominal", "numeric", "dates")


def entries(columns):
    """Pairs of a column and how it is meant, None: not said. One column may stand alone."""
    if columns is None:
        return []
    if isinstance(columns, (str, numbers.Integral)):
        columns = [columns]
    return list(columns.items()) if hasattr(columns, "items") else [(column, None) for column in columns]


def _text(word, way):
    return word if way is None else f"{word}={way}"


def expressions(derive):
    """Of derived columns; one may stand alone."""
    return [] if derive is None else [derive] if isinstance(derive, str) else list(derive)


def word_in_file(column):
    """A column of a file: by name, by number from 0, or as text by position from 1."""
    return str(column + 1) if isinstance(column, numbers.Integral) else str(column)


OTHERS = ("ordinal", "derive", "random")  # options that are not lists of columns


def fill(options, said):
    """Puts lists of (word, way) by option, and ordered words, into options of the library."""
    kept = {name: texts([_text(*one) for one in said.get(name, ())], end=True) for name in LISTS}
    kept["ordinal"] = texts([f"{word}={order_text(words)}" for word, words in said.get("ordinal", ())], end=True)
    kept["derive"] = texts(said.get("derive", ()), end=True)
    kept["random"] = texts(said.get("random", ()), end=True)
    for name, value in kept.items():
        setattr(options, name, value)
    options.known_groups = int(said.get("known_groups", False))
    return keep(options, kept)


class Places:
    """The columns of rows in memory: names, or None where there are none."""

    def __init__(self, names, count):
        self.names, self.count = names, count

    def find(self, option, column):
        """The place of a column, by name, or by number from 0."""
        if isinstance(column, numbers.Integral) and not isinstance(column, bool) and -1 < column < self.count:
            return int(column)
        if self.names is not None and column in self.names:
            return list(self.names).index(column)
        there = f"0 to {self.count - 1}" if self.names is None else ", ".join(map(str, list(self.names)[:10]))
        raise ValueError(f"{option}: there is no column {column!r}; there are {there}")

    def word(self, place, position=None):
        """By name, or by position from 1 where the name would be taken apart. position: from 0, where it is not the
        place."""
        name = "" if self.names is None else self.names[place]
        if name and name.strip() == name and "=" not in name:
            return name
        return str((place if position is None else position) + 1)


def said_by(estimator, places, typed):
    """What an estimator says of columns, and where it says nothing their types do. typed: option -> places."""
    said, taken = {}, set()
    for option in (*LISTS, "ordinal"):
        pairs = [(places.find(option, column), way) for column, way in entries(getattr(estimator, option, None))]
        taken.update(place for place, _ in pairs)
        said[option] = [(places.word(place), way) for place, way in pairs]
    for option, those in typed.items():
        said[option] += [(places.word(place), None) for place in those if place not in taken]
    return said | {"derive": expressions(getattr(estimator, "derive", None))} | grouped_by(estimator)


def grouped_by(estimator):
    """What an estimator says of groups with effects of their own."""
    terms = expressions(getattr(estimator, "random", None))
    return {"random": terms, "known_groups": bool(getattr(estimator, "known_groups", False))}
