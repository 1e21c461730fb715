# SPDX-License-Identifier: BSD-3-Clause
"""The journal of `rung label`, read and written here and by the command."""

import csv
import io
import json
import os
import threading

import pytest

import rung

CLASSES = ["1", "2", "3", "4"]


def exported(command, folder):
    command("label", folder / "d.csv", "-l", "stars", "--export", folder / "out.csv", "--by-grader", "-q")
    return list(csv.DictReader(io.StringIO((folder / "out.csv").read_text())))


@pytest.fixture
def data(tmp_path):
    rows = [["id", "text", "length"]] + [[f"{i:03d}", f'naïve, "{i}"', f"{7 * i % 5}.5"] for i in range(8)]
    with open(tmp_path / "d.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return tmp_path, rows[1:]


def test_the_command_reads_it(command, data):
    folder, rows = data
    journal = rung.Journal(folder / "d.csv.journal", CLASSES, column="stars", data="d.csv")
    assert not (folder / "d.csv.journal").exists()
    journal.grade(0, 2, grader="ann", cells=rows[0])
    journal.grade(1, "2..4", grader="ann", suggested="chosen", cells=rows[1])
    journal.grade(2, "1", grader="ann")
    journal.undo(2, grader="ann")
    journal.skip(3, grader="ann")
    journal.grade(0, 4, grader="bob")
    journal.grade(5, "<=2"), journal.grade(6, ">=3"), journal.grade(7, ">=4")
    journal.grade(4, 1, grader="bob"), journal.grade(4, 3, grader="ann"), journal.settle(4, 3)
    copy = exported(command, folder)
    assert [r["stars"] for r in copy] == ["2..4", "2..4", "", "", "3", "1..2", "3..4", "4"]
    assert [r["stars"] or None for r in copy] == journal.labels(8).tolist()
    assert [r["stars (ann)"] for r in copy][:5] == ["2", "2..4", "", "", "3"] and copy[1]["suggested"] == "chosen"
    assert set(journal.graders) == {"ann", "bob", ""} and journal.grades("bob") == {0: "4", 4: "1"}
    again = rung.Journal(folder / "d.csv.journal")
    assert (again.classes, again.column, again.data) == (CLASSES, "stars", "d.csv") and again.entries == journal.entries
    # A row that has changed is noticed, by the checksum that Python wrote.
    (folder / "d.csv").write_text((folder / "d.csv").read_text().replace("000,", "999,"))
    with pytest.raises(Exception, match="no longer the row"):
        exported(command, folder)


def test_torn_lines(data):
    folder, _ = data
    path = folder / "d.csv.journal"
    journal = rung.Journal(path, CLASSES)
    journal.grade(0, 1)
    with open(path, "ab") as file:
        file.write(b'{"time": "2026')
    other = rung.Journal(path)
    assert other.labels(2).tolist() == ["1", None]
    other.grade(1, 2)
    journal.grade(0, 3)
    assert rung.Journal(path).labels(2).tolist() == journal.labels(2).tolist() == ["3", "2"]
    path.write_bytes(b'{"rung": "jou')  # killed within the first line
    fresh = rung.Journal(path, CLASSES)
    fresh.grade(1, 4)
    assert rung.Journal(path).labels(2).tolist() == [None, "4"]


def test_mistakes(tmp_path):
    path = tmp_path / "j"
    with pytest.raises(rung.DataError, match="label '5' is none of the classes"):
        rung.Journal(path, CLASSES).grade(0, 5)
    with pytest.raises(rung.DataError, match="rows count from 0"):
        rung.Journal(path, CLASSES).grade(-1, 1)
    with pytest.raises(rung.DataError, match="give the classes"):
        rung.Journal(path).skip(0)
    assert not path.exists()
    rung.Journal(path, CLASSES).grade(0, 1)
    with pytest.raises(rung.DataError, match="the classes are"):
        rung.Journal(path, ["a", "b"])
    for text in (
        "id,x\n1,2\n",
        "no newline",
        '{"rung": "journal", "format": 2}\n',
        path.read_text() + '{"row": 0, "action": "skip"}\n',
    ):
        path.write_text(text)
        with pytest.raises(rung.FormatError):
            rung.Journal(path)


def test_several_writers(tmp_path):
    path = tmp_path / "j"
    rung.Journal(path, CLASSES).grade(0, 1)

    def grade(first):
        for row in range(first, 40, 4):
            rung.Journal(path).grade(row, "2", grader=str(first))

    writers = [threading.Thread(target=grade, args=(k,)) for k in range(4)]
    [w.start() for w in writers], [w.join() for w in writers]
    assert len(path.read_text().splitlines()) == 42 and all(json.loads(line) for line in path.read_text().splitlines())
    assert len(rung.Journal(path).entries) == 41 and rung.Journal(path).graders[0] == ""


def test_undo_leaves_what_was_settled(command, data):
    folder, _ = data
    journal = rung.Journal(folder / "d.csv.journal", classes=CLASSES, column="stars", data="d.csv")
    journal.grade(0, "2", grader="ann")
    journal.settle(0, "4", grader="ann")
    journal.undo(0, grader="ann")
    assert journal.grades("ann") == {} and journal.labels(8)[0] == "4"
    assert exported(command, folder)[0]["stars"] == "4"


def test_a_journal_that_was_replaced_is_read_anew(tmp_path):
    path, other = tmp_path / "d.csv.journal", tmp_path / "copy"
    journal = rung.Journal(path, ["1", "2", "3"])
    for row in range(5):
        journal.grade(row, "1", grader="ann")
    theirs = rung.Journal(other, ["1", "2", "3"])
    theirs.grade(7, "3", grader="bob")
    os.replace(other, path)  # shorter, by an editor or a tool that synchronises
    journal.grade(8, "2", grader="ann")
    assert journal.labels(10).tolist() == rung.Journal(path).labels(10).tolist() == [None] * 7 + ["3", "2", None]
    os.remove(path)
    journal.grade(9, "1", grader="ann")
    assert rung.Journal(path).labels(10).tolist() == [None] * 9 + ["1"]
