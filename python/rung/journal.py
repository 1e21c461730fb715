# SPDX-License-Identifier: BSD-3-Clause
"""The journal of grades that `rung label` keeps beside the data, to read and to write.

The file has one JSON object per line and only grows; docs/labelling.md describes it.
"""

from __future__ import annotations

import datetime
import fcntl
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ._intervals import label_ranks
from ._library import DataError, FileError, FormatError

_ACTIONS = ("grade", "again", "skip", "undo", "settle")
_BEGIN = b'{"rung": "journal"'


class Entry(NamedTuple):
    """A line of the journal. Rows count from 0; `label` is a class, or a range such as '2..4'."""

    action: str
    row: int
    label: str | None
    grader: str
    time: str | None
    suggested: str | None
    check: str | None


class Journal:
    """The grades of the rows of a data file, by one or several graders.

    A journal that exists is read. Otherwise the file is made with the first entry, for which `classes` are needed.
    Every entry is on the disk when the method that adds it returns. Several processes may add to one file.

    Parameters
    ----------
    path : str or path
        `rung label` uses the name of the data file followed by `.journal`.
    classes : list of texts, default None
        The grades, lowest first. None: those of the file.
    column : str, default 'label'
        The name of the label column, of a new journal.
    data : str, default ''
        The name of the data file, of a new journal.

    Attributes
    ----------
    classes, column, data : as above
    entries : list of Entry
    graders : list of names, in the order of their first entry

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = rung.Journal(folder.name + "/films.csv.journal", classes=["1", "2", "3"], column="stars")
    >>> journal.grade(0, "2", grader="ann")
    >>> journal.grade(3, "1..2", grader="ann")
    >>> journal.labels(5).tolist()
    ['2', None, None, '1..2', None]
    >>> folder.cleanup()
    """

    classes: list[str]
    column: str
    data: str
    entries: list[Entry]

    def __init__(
        self,
        path: str | os.PathLike[str],
        classes: Sequence[Any] | None = None,
        *,
        column: str = "label",
        data: str = "",
    ) -> None:
        self.path = os.fspath(path)
        self.classes, self.column, self.data = [str(c) for c in classes or []], column, data
        self._forget(None)
        wanted = list(self.classes)
        if os.path.exists(self.path):
            with open(self.path, "rb") as file:
                self._follow(file.fileno())
        if wanted and wanted != self.classes:
            raise DataError(f"{self.path}: the classes are {', '.join(self.classes)}, not {', '.join(wanted)}")

    def _forget(self, file: tuple[int, int] | None) -> None:
        """Nothing has been read of a file, which device and number identify."""
        self.entries, self._read, self._lines, self._torn, self._undone = [], 0, 0, False, set[int]()
        self._file = file

    # ---- reading ----

    @property
    def graders(self) -> list[str]:
        return list(dict.fromkeys(e.grader for e in self.entries))

    def grades(self, grader: str) -> dict[int, str]:
        """The grade of every row that this grader has graded, by row."""
        found: dict[int, str] = {}
        for entry in self._live(("grade", "skip")):
            if entry.grader == grader and entry.action == "skip":
                found.pop(entry.row, None)
            elif entry.grader == grader:
                found[entry.row] = str(entry.label)
        return found

    def labels(self, rows: int) -> np.ndarray[Any, Any]:
        """The label of each of `rows` rows, None where there is none.

        A row with several grades gets their median, or a range where that lies between two, until it is settled.
        """
        out = np.full(rows, None, dtype=object)
        by_row: dict[int, list[tuple[int, int]]] = {}
        for grader in self.graders:
            for row, label in self.grades(grader).items():
                by_row.setdefault(row, []).append(self._ranks(label))
        for row, found in by_row.items():
            lows, highs = sorted(low for low, _ in found), sorted(high for _, high in found)
            out[row] = self._label(lows[(len(found) - 1) // 2], highs[len(found) // 2])
        for entry in self._live(("settle",)):
            out[entry.row] = entry.label
        return out

    def _live(self, actions: Iterable[str]) -> list[Entry]:
        return [e for i, e in enumerate(self.entries) if i not in self._undone and e.action in actions]

    def _ranks(self, label: str) -> tuple[int, int]:
        found = label_ranks(label, self.classes)
        if found is None:
            raise DataError(f"label '{label}' is none of the classes {', '.join(self.classes)}, nor a range of them")
        return found[0] - 1, found[1] - 1

    def _label(self, low: int, high: int) -> str:
        return self.classes[low] if low == high else f"{self.classes[low]}..{self.classes[high]}"

    def _keep(self, entry: Entry) -> None:
        if entry.action == "undo":
            same = [
                i
                for i, e in enumerate(self.entries)
                if i not in self._undone
                and e.row == entry.row
                and e.grader == entry.grader
                and e.action != "settle"
            ]
            self._undone.update(same[-1:])
            self._undone.add(len(self.entries))
        self.entries.append(entry)

    def _line(self, text: bytes) -> None:
        self._lines += 1
        where = f"{self.path}, line {self._lines}"
        try:
            line = json.loads(text)
        except ValueError:
            if self._lines == 1 or text.endswith(b"}"):
                raise FormatError(f"{where}: this is not a line of a journal of rung label") from None
            return  # left by a process that was killed
        if not isinstance(line, dict) or (self._lines == 1 and line.get("rung") != "journal"):
            raise FormatError(f"{where}: this is not a line of a journal of rung label")
        if "rung" in line:
            if line.get("format") != 1:
                raise FormatError(f"{where}: the journal has another format than this version of rung reads")
            self.classes, self.column, self.data = list(line["classes"]), line["column"], line.get("data", "")
            return
        row, action, label = line.get("row"), line.get("action"), line.get("label")
        if action not in _ACTIONS or not isinstance(row, int) or row < 1:
            raise FormatError(f"{where}: expected a row from 1 on and an action: {', '.join(_ACTIONS)}")
        if action in ("grade", "again", "settle"):
            self._ranks(str(label))
        rest = (line.get(key) for key in ("time", "suggested", "check"))
        self._keep(Entry(action, row - 1, label, line.get("grader", ""), *rest))

    def _follow(self, descriptor: int) -> None:
        about = os.fstat(descriptor)
        if (about.st_dev, about.st_ino) != self._file or about.st_size < self._read:  # another one is there now
            self._forget((about.st_dev, about.st_ino))
        text = os.pread(descriptor, about.st_size - self._read, self._read)
        whole, newline, rest = text.rpartition(b"\n")
        if self._read == 0 and not newline and not _BEGIN.startswith(rest[: len(_BEGIN)]):
            raise FormatError(f"{self.path} is not a journal of rung label")
        if newline:
            for one in whole.split(b"\n"):
                self._line(one)
        self._read += len(whole) + len(newline)
        self._torn = bool(rest)

    # ---- writing ----

    def grade(
        self,
        row: int,
        label: Any,
        *,
        grader: str = "",
        suggested: Literal["chosen", "random"] | None = None,
        cells: Sequence[str] | None = None,
    ) -> None:
        """Grades a row, from 0: a class, or a range such as '2..4'.

        suggested: 'chosen' or 'random', as `rung suggest` marks it. cells: the texts of the other cells of the row as
        they stand in the file; `rung label` then notices if the row changes.
        """
        self._add("grade", row, grader, label=str(label), suggested=suggested, cells=cells)

    def skip(self, row: int, *, grader: str = "") -> None:
        """Skips a row: this grader does not want to grade it."""
        self._add("skip", row, grader)

    def undo(self, row: int, *, grader: str = "") -> None:
        """Takes back the last grade or skip of this grader for a row, never what was settled."""
        self._add("undo", row, grader)

    def settle(self, row: int, label: Any, *, grader: str = "") -> None:
        """The label of a row that graders disagree about."""
        self._add("settle", row, grader, label=str(label))

    def _add(
        self,
        action: str,
        row: int,
        grader: str,
        *,
        label: str | None = None,
        suggested: str | None = None,
        cells: Sequence[str] | None = None,
    ) -> None:
        if row < 0:
            raise DataError(f"there is no row {row}; rows count from 0")
        if label is not None:
            self._ranks(label)
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        line: dict[str, Any] = {"time": now, "grader": grader, "action": action, "row": int(row) + 1}
        if label is not None:
            line["label"] = label
        if suggested is not None:
            line["suggested"] = suggested
        if cells is not None:
            line["check"] = _check(cells)
        if not os.path.exists(self.path) and len(self.classes) < 2:
            raise DataError(f"{self.path} does not exist: give the classes of a new journal, lowest first")
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise FileError(f"cannot open {self.path}: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self._append(descriptor, line)
        finally:
            os.close(descriptor)

    def _append(self, descriptor: int, line: dict[str, Any]) -> None:
        self._follow(descriptor)
        text = json.dumps(line, ensure_ascii=False) + "\n"
        if self._read == 0:  # new, or left by a process that was killed within its first line
            os.ftruncate(descriptor, 0)
            head = {"rung": "journal", "format": 1, "data": self.data, "column": self.column, "classes": self.classes}
            text = json.dumps(head, ensure_ascii=False) + "\n" + text
        elif self._torn:
            text = "\n" + text
        left = text.encode()
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
        self._follow(descriptor)


def _check(cells: Sequence[str]) -> str:
    """FNV-1a, with a byte that ends each cell."""
    number = 0xCBF29CE484222325
    for cell in cells:
        for byte in cell.encode() + b"\x1f":
            number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{number:016x}"
