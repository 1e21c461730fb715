# SPDX-License-Identifier: BSD-3-Clause
"""A table of texts and how it is written to a file."""
import copy


class Table:
    """columns: objects with a name and cells. label, weights, groups: names of columns that are no features."""

    def __init__(self, columns, label, weights=None, groups=None):
        self.columns, self.label, self.weights, self.groups = columns, label, weights, groups

    rows = property(lambda self: len(self.columns[0].cells) if self.columns else 0)

    def find(self, name):
        return next(column for column in self.columns if column.name == name)

    def features(self):
        return [c for c in self.columns if c.name not in (self.label, self.weights, self.groups)]

    def labels(self):
        return self.find(self.label).cells

    def copy(self):
        """Another table; cells are shared until they are replaced."""
        other = copy.copy(self)
        other.columns = [copy.copy(column) for column in self.columns]
        return other

    def take(self, rows):
        other = self.copy()
        for column in other.columns:
            column.cells = [column.cells[i] for i in rows]
        return other

    def without(self, *names):
        other = self.copy()
        other.columns = [column for column in other.columns if column.name not in names]
        return other

    def word(self, name, header=True):
        """How an option names a column: by position where the name would not survive a list."""
        place = next(j for j, column in enumerate(self.columns) if column.name == name)
        return name if header and not set(',="\n') & set(name) and name.strip() == name else str(place + 1)


class Form:
    """How a table is written: delimiter, ends of lines, header."""

    def __init__(self, delimiter=",", end="\n", header=True, last_end=True, quote_all=False, bom=False):
        self.delimiter, self.end, self.header, self.last_end = delimiter, end, header, last_end
        self.quote_all, self.bom = quote_all, bom

    def cell(self, text):
        special = {self.delimiter, '"', "\n", "\r"}
        if special & set(text) or text != text.strip() or (self.quote_all and text):
            return '"' + text.replace('"', '""') + '"'
        return text

    def text(self, table):
        lines = [[column.name for column in table.columns]] if self.header else []
        lines += zip(*(column.cells for column in table.columns), strict=True)
        written = []
        for line in lines:
            one = self.delimiter.join(self.cell(text) for text in line)
            written.append(one or '""')  # a line of one empty cell would be a blank line
        return ("\ufeff" if self.bom else "") + self.end.join(written) + (self.end if self.last_end else "")

    def write(self, table, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            file.write(self.text(table))
        return path
