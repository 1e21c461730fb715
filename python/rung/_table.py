# SPDX-License-Identifier: BSD-3-Clause
"""The library's table of methods, as Python objects."""

import numbers

from ._binding import argument_name, c_text, each, ffi, lib, text


class Parameter:
    """One row of a method's parameters."""

    def __init__(self, row):
        self.key = text(row.name)  # as the library calls it
        self.name = argument_name(self.key)
        self.help = text(row.help)
        self.type = row.type
        self.flags = row.flags
        self.low, self.high = row.low, row.high
        choices = text(row.choices)
        self.choices = choices.split("|") if choices and self.type == lib.RUNG_TYPE_CHOICE else None
        self.word = choices if choices and self.type == lib.RUNG_TYPE_INT else None  # stands for 0
        self.default = self.value(text(row.default_value))
        self.published = self.value(text(row.published))

    def value(self, word):
        """Converts a string of the library to a Python value."""
        if word is None or self.type in (lib.RUNG_TYPE_CHOICE, lib.RUNG_TYPE_TEXT):
            return word
        try:
            number = float(word)
        except ValueError:  # auto, 1/d
            return word
        return int(number) if self.type == lib.RUNG_TYPE_INT else number

    def text(self, value):
        """Converts a value to the library's text. True and False become yes and no, a tuple a shape, a list a list."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool) and self.choices:
            return "yes" if value else "no"
        if isinstance(value, numbers.Integral):
            return str(int(value))
        if isinstance(value, numbers.Real):
            return repr(int(value)) if self.type == lib.RUNG_TYPE_INT and value == int(value) else repr(float(value))
        if isinstance(value, tuple):
            return "x".join(self.text(one) for one in value)
        try:
            return ",".join(self.text(one) for one in value)
        except TypeError:
            raise TypeError(f"{self.name}={value!r} is not a number, string or list") from None

    @property
    def annotation(self):
        kind = {lib.RUNG_TYPE_REAL: "float", lib.RUNG_TYPE_INT: "int"}.get(self.type, "str")
        if self.choices:
            kind = f"Literal[{', '.join(map(repr, self.choices))}]"
        elif self.type == lib.RUNG_TYPE_TEXT:
            kind = "str | Sequence[float]"
        elif self.word or self.flags & (lib.RUNG_PARAM_AUTO | lib.RUNG_PARAM_PER_COLUMN):
            kind += " | str"
        return kind if self.default is not None else f"{kind} | None"

    @property
    def range(self):
        if self.choices:
            return " or ".join(self.choices)
        words = {lib.RUNG_TYPE_REAL: "number", lib.RUNG_TYPE_INT: "integer"}.get(self.type, "text or list of numbers")
        if self.type != lib.RUNG_TYPE_TEXT and self.low > float("-inf"):
            words += f" {'above' if self.flags & lib.RUNG_PARAM_OPEN_LOW else 'from'} {self.low:g}"
        if self.type != lib.RUNG_TYPE_TEXT and self.high < float("inf"):
            words += f" to {self.high:g}"
        words += " or c/d" if self.flags & lib.RUNG_PARAM_PER_COLUMN else ""
        words += f" or '{self.word}'" if self.word else ""
        return words + (" or 'auto'" if self.flags & lib.RUNG_PARAM_AUTO else "")


class Method:
    """One entry of the table."""

    def __init__(self, entry):
        self.name, self.title = text(entry.name), text(entry.title)
        self.reference, self.cost = text(entry.reference), text(entry.cost)
        self.flags = entry.flags
        self.parameters = [Parameter(row) for row in each(lib.rung_method_param_at, entry)]

    def has(self, *names):
        return any(parameter.name in names for parameter in self.parameters)

    needs_labels = property(lambda self: bool(self.flags & lib.RUNG_METHOD_NEEDS_LABELS))
    takes_weights = property(lambda self: bool(self.flags & lib.RUNG_METHOD_WEIGHTS))
    takes_reals = property(lambda self: bool(self.flags & lib.RUNG_METHOD_REAL_TARGETS))
    uses_unlabelled = property(lambda self: bool(self.flags & lib.RUNG_METHOD_USES_UNLABELLED))
    has_probabilities = property(lambda self: bool(self.flags & lib.RUNG_METHOD_PROBABILITIES))
    projects = property(lambda self: self.has("components", "shape"))

    @property
    def class_name(self):
        return "AutoOrdinal" if self.name == "auto" else self.name.replace("-", "").upper()


METHODS = {method.name: method for method in map(Method, each(lib.rung_method_at))}
DEFAULT = text(lib.rung_method_default(0).name)


def find(name):
    """The method with this name or alias; otherwise an error that lists the names."""
    entry = lib.rung_method_find(c_text(name))
    if entry == ffi.NULL:
        raise ValueError(f"there is no method {name!r}; there are {', '.join(METHODS)}")
    return METHODS[text(entry.name)]
