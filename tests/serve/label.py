#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`rung label` over its protocol: the journal, undo and skip, rows that come again, several graders and browsers, the
labelled copy, foreign requests and pictures, the model in the background, and kill -9 at any time.

usage: label.py RUNG SHIM      SHIM: tests/fault/shim.c, to be preloaded; exit 77: the command was built without
libmicrohttpd"""
import csv
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from server import Score, Server, available

GRADES = ["1", "2", "3", "4", "5"]
ORDER = ["--order", "<".join(GRADES)]


def write_data(folder, name="films.csv", rows=120):
    """Rows whose grade follows from two numbers; texts and names that would break a page, a shell or a CSV file."""
    draw = random.Random(7)
    texts = ["<script>alert(1)</script>", "a,b \"quoted\"", "two\nlines", "=cmd()", "'; DROP TABLE x; --", "&amp;<b>",
             "naïve ☃"]
    with open(folder / name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "<img src=x>", "x", "z"])
        for i in range(rows):
            out.writerow([f"{i:04d}", texts[i % len(texts)] + f" {i}", f"{draw.gauss(0, 1):.3f}",
                          f"{draw.gauss(0, 1):.3f}"])
    return read_rows(folder / name)


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def true_grade(row):
    value = float(row["x"]) + float(row["z"])
    return 1 + sum(value > cut for cut in (-1.2, -0.4, 0.4, 1.2))


def journal(folder, name="films.csv.journal"):
    lines = (folder / name).read_text().splitlines()
    return json.loads(lines[0]), [json.loads(line) for line in lines[1:]]


class Grader(Server):
    """A browser with a page of the server, and its answers."""

    def __init__(self, rung, folder, *more, data="films.csv", client=1, **how):
        super().__init__(rung, "label", data, "-l", "stars", "--no-browser", "-q", *more, folder=folder, **how)
        self.client = client
        self.act("next")

    def act(self, path, client=None, **body):
        status, answer = self.post(path, dict(client=client or self.client, **body))
        if status == 200:
            self.row = answer["row"] and answer["row"]["number"]
            self.state, self.graded = answer["state"], answer["graded"]
        return status, answer

    def grade(self, low, high=None, **more):
        return self.act("grade", row=self.row, low=low, high=high or low, **more)


def export(rung, folder, *more, data="films.csv"):
    subprocess.run([rung, "label", data, "-l", "stars", "--export", "out.csv", "-q", *more], cwd=folder, check=True)
    return read_rows(folder / "out.csv")


def check_journal(score, rung, folder):
    rows, before = write_data(folder), (folder / "films.csv").read_bytes()
    page = Grader(rung, folder, *ORDER, "--in-order", "--grader", "ann")
    score.check(page.row == 1 and not (folder / "films.csv.journal").exists(), "a journal before the first grade")
    page.grade(3)
    head, lines = journal(folder)
    score.check(head["rung"] == "journal" and head["classes"] == GRADES and head["column"] == "stars"
                and head["data"] == "films.csv", f"head {head}")
    score.check([(e["row"], e["action"], e["label"], e["grader"]) for e in lines] == [(1, "grade", "3", "ann")],
                f"lines {lines}")
    score.check(page.row == 2 and page.graded["label"] == "3" and page.state["labelled"] == 1,
                f"after the first grade {page.state}")
    page.grade(2, 4)  # not sure
    page.act("skip", row=page.row)
    page.grade(5)
    page.act("undo")
    score.check(page.row == 4 and page.state["labelled"] == 2 and page.state["skipped"] == 1,
                f"undone: row {page.row} {page.state}")
    page.grade(1)
    page.act("undo"), page.act("undo"), page.act("undo")  # the grade of row 4, the skip of row 3, the range of row 2
    score.check(page.row == 2 and page.state["labelled"] == 1 and page.state["skipped"] == 0,
                f"undone thrice: row {page.row}")
    page.act("undo"), page.act("undo")
    score.check(page.row == 1 and page.state["labelled"] == 0, "undone to the beginning, and no further")
    for grade in (3, 2, 2):
        page.grade(grade)
    page.grade(4, 5)
    page.act("skip", row=page.row)
    _, lines = journal(folder)
    wanted = "grade grade skip grade undo grade undo undo undo undo grade grade grade grade skip".split()
    score.check([e["action"] for e in lines] == wanted,
                f"actions {[e['action'] for e in lines]}")
    copy = export(rung, folder)
    score.check([r["stars"] for r in copy[:6]] == ["3", "2", "2", "4..5", "", ""],
                f"labelled copy {[r['stars'] for r in copy[:6]]}")
    score.check([{k: r[k] for k in rows[0]} for r in copy] == rows, "the other columns are as they were")
    score.check((folder / "films.csv").read_bytes() == before, "the data have changed")
    # Wrong requests change nothing.
    size = (folder / "films.csv.journal").stat().st_size
    for path, body in [("grade", dict(row=page.row, low=0, high=1)), ("grade", dict(row=page.row, low=3, high=2)),
                       ("grade", dict(row=page.row, low=1, high=6)),
                       ("grade", dict(row=page.row, low="1", high=1)), ("grade", dict(row=page.row + 1, low=1, high=1)),
                       ("grade", dict(low=1, high=1)),
                       ("skip", dict(row=0)), ("settle", dict(row=999, low=1, high=1)), ("nothing", {})]:
        status, answer = page.act(path, **body)
        score.check(status in (400, 404, 409) and answer["error"], f"{path} {body}: {status}")
    for text in ("", "{", "[]", "null", "{\"client\": 0}", "{\"client\": -1}", "{\"client\": 4294967296}",
                 "{\"client\": \"1\"}"):
        score.check(page.post("next", text)[0] == 400, f"next with {text}")
    score.check(page.post("grade", {"client": 1, "row": 1, "x": "a" * 70000})[0] == 413, "a large request")
    score.check((folder / "films.csv.journal").stat().st_size == size, "a wrong request was written")
    score.check(page.end()[0] == -signal.SIGTERM, "the end")
    # It goes on, with the grades of the journal; others are refused.
    page = Grader(rung, folder, "--in-order", "--grader", "ann")
    score.check(page.row == 6 and page.state["labelled"] == 4 and page.state["skipped"] == 1,
                f"it goes on at row {page.row}")
    page.act("undo")
    score.check(page.row == 5, f"undo after a new start shows row {page.row}")
    page.end()
    for arguments, words in [(["--order", "1<2"], "the grades differ from those"),
                             (["-l", "points"], "holds the grades of column 'stars'"),
                             (["--overlap", "2"], "--overlap 2: expected a share"), (["--port", "0"], "--port 0"),
                             (["--images", "none"], "--images none")]:
        bad = subprocess.run([rung, "label", "films.csv", "-l", "stars", "--no-browser", *arguments], cwd=folder,
                             capture_output=True, text=True, timeout=100)
        score.check(bad.returncode in (1, 2) and words in bad.stderr.splitlines()[-1], f"{arguments}: {bad.stderr}")
    for target in ("films.csv", "films.csv.journal"):
        bad = subprocess.run([rung, "label", "films.csv", "-l", "stars", "--export", target], cwd=folder,
                             capture_output=True, text=True, timeout=100)
        score.check(bad.returncode == 2 and "would overwrite" in bad.stderr, f"--export {target}: {bad.stderr}")
    fresh = subprocess.run([rung, "label", "films.csv", "-l", "points"], cwd=folder, capture_output=True, text=True,
                           timeout=100,
                           env=dict(os.environ, DISPLAY=""))
    score.check(fresh.returncode != 0, "a journal of another column")


def check_changed_data(score, rung, folder):
    """Rows may be added to the file; a row that was graded must stay."""
    text = (folder / "films.csv").read_text()
    (folder / "films.csv").write_text(text + "9999,more,1,1\n")
    score.check(len(export(rung, folder)) == 121, "a file with more rows")
    (folder / "films.csv").write_text(text.replace("0001,", "1001,", 1))
    bad = subprocess.run([rung, "label", "films.csv", "-l", "stars", "--export", "out.csv"], cwd=folder,
                         capture_output=True, text=True)
    score.check(bad.returncode == 1 and "row 2 of films.csv is no longer the row that was graded" in bad.stderr,
                bad.stderr)
    (folder / "films.csv").write_text(text)
    # Damaged journals: a line cut by a kill is passed over, anything else is named.
    good = (folder / "films.csv.journal").read_bytes()
    wanted = [r["stars"] for r in export(rung, folder)]
    for tail in (b"{\"time\": \"2026", b"{",
                 b"{\"time\": \"2026\", \"row\": 7, \"action\": \"grade\", \"label\": \"5\""):
        (folder / "films.csv.journal").write_bytes(good + tail)
        score.check([r["stars"] for r in export(rung, folder)] == wanted, f"a line without its end: {tail}")
        page = Grader(rung, folder, "--in-order", "--grader", "ann")
        row = page.row
        page.grade(4), page.end()
        wanted_now = list(wanted)
        wanted_now[row - 1] = "4"
        score.check([r["stars"] for r in export(rung, folder)] == wanted_now, f"a grade behind {tail}")
    for bytes_, words in [(b"id,x\n1,2\n", "not a journal"), (b"no newline", "not a journal"),
                          (good + b"{\"row\": }\n", "line "),
                          (good + b"{\"row\": 7, \"action\": \"cheer\"}\n", "expected an action"),
                          (good + b"{\"row\": 700, \"action\": \"skip\"}\n", "row 700 is not in films.csv"),
                          (good + b"{\"row\": 7, \"action\": \"grade\", \"label\": \"6\"}\n",
                           "label '6' is none of the classes"),
                          (good.replace(b"\"format\": 1", b"\"format\": 2"), "another format")]:
        (folder / "films.csv.journal").write_bytes(bytes_)
        bad = subprocess.run([rung, "label", "films.csv", "-l", "stars", "--export", "out.csv", *ORDER], cwd=folder,
                             capture_output=True, text=True)
        score.check(bad.returncode == 1 and words in bad.stderr and bad.stderr.count("\n") == 1,
                    f"{words}: {bad.stderr}")
        score.check((folder / "films.csv.journal").read_bytes() == bytes_, "a damaged journal was changed")
    (folder / "films.csv.journal").write_bytes(good)


def check_kill(score, rung, folder):
    """Killed at any moment: all that was acknowledged is there, at most one grade more, and it goes on."""
    write_data(folder, "kill.csv")
    given, draw = {}, random.Random(3)
    for turn in range(6):
        page = Grader(rung, folder, *ORDER, "--in-order", data="kill.csv")
        pending, killer = None, threading.Timer(draw.uniform(0.01, 0.25), page.process.kill)
        killer.start()
        try:
            while True:
                pending = (page.row, draw.randint(1, 5))
                if page.grade(pending[1])[0] != 200:
                    break
                if page.graded["before"] is None:
                    given[pending[0]] = pending[1]
        except OSError:
            pass
        except Exception as error:  # half an answer
            score.check("http" in type(error).__module__ or isinstance(error, ValueError), f"{error!r}")
        killer.join()
        page.process.wait()
        found = {i + 1: r["stars"] for i,
                 r in enumerate(export(rung, folder, data="kill.csv")) if r["stars"]} if given else {}
        extra = set(found) - set(given)
        lost = {row for row in given if found.get(row) != str(given[row])}
        score.check(not lost and (not extra or extra == {pending[0]}),
                    f"turn {turn}: lost {lost}, more than was graded {extra}")
        given.update({row: int(found[row]) for row in extra})
    score.check(len(given) > 5, f"only {len(given)} grades in all")


def check_replaced(score, rung, folder):
    """A journal that is no longer the one it was: nothing is acknowledged any more, and the page says why."""
    write_data(folder, "swap.csv")
    path, kept = folder / "swap.csv.journal", folder / "swap.kept"

    def replaced():  # an editor, or a tool that copies files between machines
        kept.write_bytes(path.read_bytes())
        os.replace(kept, path)

    def shorter():
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))

    def rewritten():  # in place, as long as it was
        path.write_bytes(path.read_bytes().replace(b'"label": "2"', b'"label": "5"'))

    def removed():
        path.unlink()

    for change in (replaced, shorter, rewritten, removed):
        path.unlink(missing_ok=True)
        page = Grader(rung, folder, *ORDER, "--in-order", data="swap.csv")
        page.grade(2), page.grade(3), page.grade(4)
        change()
        after = path.read_bytes() if path.exists() else None
        for what in ("grade", "grade", "skip", "undo", "state"):
            status, answer = page.get("state") if what == "state" else page.act(what, row=4, low=1, high=1)
            score.check(status == 500 and "swap.csv.journal" in answer["error"]
                        and "rung label again" in answer["error"], f"{change.__name__}, {what}: {status} {answer}")
        score.check((path.read_bytes() if path.exists() else None) == after, f"{change.__name__}: it was written to")
        page.end()
    # Another process made the journal meanwhile: it is followed.
    ann = Grader(rung, folder, *ORDER, "--in-order", "--grader", "ann", data="swap.csv")
    bob = Grader(rung, folder, *ORDER, "--in-order", "--grader", "bob", data="swap.csv")
    ann.grade(2)
    score.check(bob.act("next")[0] == 200 and bob.state["labelled"] == 1,
                f"the first grade of another process: {bob.state['labelled']}")
    ann.end(), bob.end()


def check_read_error(score, rung, folder, shim):
    """An error while the journal is read loses nothing, at whichever call it comes."""
    write_data(folder, "eio.csv")
    path, struck = folder / "eio.csv.journal", folder / "struck"
    page = Grader(rung, folder, *ORDER, "--in-order", data="eio.csv")
    page.grade(2), page.grade(3), page.grade(4), page.end()
    good, errors = path.read_bytes(), 0
    for number in range(1, 40):
        path.write_bytes(good), struck.unlink(missing_ok=True)
        env = dict(os.environ, LD_PRELOAD=shim, RUNG_FAULT=f"read-eio:{number}:eio.csv.journal",
                   RUNG_FAULT_LOG=str(struck),
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        try:
            page = Grader(rung, folder, "--in-order", data="eio.csv", env=env)
            acknowledged = page.grade(5)[0] == 200
            page.end()
        except (RuntimeError, TypeError):  # it did not start, or its first page was an error
            acknowledged = False
        now = path.read_bytes()
        score.check(now.startswith(good) and (not acknowledged or now.count(b"\n") == good.count(b"\n") + 1),
                    f"call {number}: {len(good)} bytes became {len(now)}")
        if not struck.exists():
            break
        errors += 1
    score.check(errors > 2, f"only {errors} calls read the journal")


def check_again(score, rung, folder):
    """One row in twenty comes again, and the browser is not told before it is graded."""
    rows = write_data(folder, "again.csv")
    page = Grader(rung, folder, *ORDER, "--in-order", data="again.csv")
    answers, first = [], {}
    for _ in range(63):
        shown = page.row
        status, answer = page.grade(1 + shown % 5)
        score.check("before" not in json.dumps(answer["row"]) and "guess" not in json.dumps(answer["row"]),
                    "the row says more than its cells")
        answers.append((shown, page.graded["before"]))
        first.setdefault(shown, 1 + shown % 5)
    repeats = [(row, before) for row, before in answers if before is not None]
    score.check(len(repeats) == 3 and all(first[row] == int(before) for row, before in repeats),
                f"rows again: {repeats}")
    score.check([i for i, (_, before) in enumerate(answers) if before is not None] == [19, 39, 59], "every twentieth")
    score.check(len({row for row, _ in repeats}) == 3, "the same row twice again")
    score.check(page.state["again"] == {"n": 3, "same": 3, "close": 3, "kappa": page.state["again"]["kappa"]}
                and page.state["mine"] == 60, f"{page.state['again']}")
    score.check(sum(e["action"] == "again" for e in journal(folder, "again.csv.journal")[1]) == 3,
                "repeats in the journal")
    page.act("undo")
    page.end()
    score.check([r["stars"] for r in export(rung, folder, data="again.csv")].count("") == len(rows) - 59,
                "labels beside repeats")


def check_browsers(score, rung, folder):
    """Two browsers at once get different rows, and each undoes its own."""
    write_data(folder, "two.csv")
    page = Grader(rung, folder, *ORDER, "--in-order", data="two.csv")
    rows = {1: page.row}
    _, answer = page.post("next", {"client": 2})
    rows[2] = answer["row"]["number"]
    score.check(rows[1] != rows[2], f"both show row {rows[1]}")
    status, _ = page.post("grade", {"client": 2, "row": rows[1], "low": 1, "high": 1})
    score.check(status == 409, "a browser grades the row of another")
    seen, lock = [], threading.Lock()

    def work(client):
        row = page.post("next", {"client": client})[1]["row"]
        for _ in range(15):
            answer = page.post("grade", {"client": client, "row": row["number"], "low": client, "high": client})[1]
            with lock:
                seen.append((client, row["number"], answer["graded"]["before"]))
            row = answer["row"]
    threads = [threading.Thread(target=work, args=(c,)) for c in (1, 2, 3)]
    [t.start() for t in threads], [t.join() for t in threads]
    fresh = [row for _, row, before in seen if before is None]
    score.check(len(seen) == 45 and len(fresh) == len(set(fresh)), "a row was graded twice")
    mine = [row for client, row, before in seen if client == 2][-1]
    score.check(page.post("undo", {"client": 2})[1]["row"]["number"] == mine,
                "undo takes back a grade of another browser")
    page.end()
    copy = export(rung, folder, data="two.csv")
    wrong = [row for client, row,
             before in seen if before is None and row != mine and copy[row - 1]["stars"] != str(client)]
    score.check(not wrong, f"rows {wrong}")


def check_graders(score, rung, folder):
    """Two people at once, each with a server; their agreement, their disagreements, and what is settled."""
    rows = write_data(folder, "team.csv")
    ann = Grader(rung, folder, *ORDER, "--in-order", "--grader", "ann", data="team.csv")
    bob = Grader(rung, folder, *ORDER, "--in-order", "--grader", "bob", "--overlap", "1", data="team.csv", client=9)
    grades = {"ann": {}, "bob": {}}
    for i in range(30):
        for name, page, shift in (("ann", ann, 0), ("bob", bob, 1)):
            page.act("next")
            row, grade = page.row, min(5, max(1, true_grade(rows[page.row - 1]) + shift * (i % 3 == 0)))
            page.grade(grade)
            if page.graded["before"] is None:
                grades[name][row] = grade
    both = sorted(set(grades["ann"]) & set(grades["bob"]))
    score.check(len(both) >= 20, f"rows that both graded: {len(both)}")
    status, found = ann.get("agreement")
    pair = found["pairs"][0]
    same = sum(grades["ann"][r] == grades["bob"][r] for r in both)
    score.check(status == 200 and (pair["a"], pair["b"], pair["n"], pair["same"]) == ("ann", "bob", len(both), same),
                f"{pair}")
    a, b = [grades["ann"][r] for r in both], [grades["bob"][r] for r in both]
    n = len(both)
    observed = sum((x - y) ** 2 for x, y in zip(a, b)) / n
    expected = sum((x - y) ** 2 for x in a for y in b) / n / n
    score.check(abs(pair["kappa"] - (1 - observed / expected)) < 1e-9,
                f"kappa {pair['kappa']} not {1 - observed / expected}")
    apart = [r for r in both if grades["ann"][r] != grades["bob"][r]]
    score.check(sorted(r["number"] for r in found["rows"]) == apart and found["left"] == len(apart),
                f"disagreements {found['left']}")
    score.check(list(export(rung, folder, data="team.csv")[0]) == [*rows[0], "stars"],
                "grades of single graders, which a fit would learn from")
    copy = export(rung, folder, "--by-grader", data="team.csv")
    low, high = sorted((grades["ann"][apart[0]], grades["bob"][apart[0]]))
    score.check(copy[apart[0] - 1]["stars"] == f"{low}..{high}", f"a disagreement is {copy[apart[0] - 1]['stars']}")
    score.check(copy[apart[0] - 1]["stars (ann)"] == str(grades["ann"][apart[0]])
                and copy[apart[0] - 1]["stars (bob)"] == str(grades["bob"][apart[0]]), "a column each")
    status, found = bob.post("settle", {"client": 9, "row": apart[0], "low": 5, "high": 5})
    score.check(status == 200 and found["left"] == len(apart) - 1 and found["rows"][-1]["settled"] == "5", "settled")
    score.check(export(rung, folder, data="team.csv")[apart[0] - 1]["stars"] == "5", "the settled label")
    score.check(ann.act("next")[0] == 200 and ann.state["graders"] == ["ann", "bob"], f"{ann.state['graders']}")
    ann.end(), bob.end()
    # A third one gets about a fifth of the rows that others have graded.
    eve = Grader(rung, folder, "--in-order", "--grader", "eve", data="team.csv")
    graded, shared = set(grades["ann"]) | set(grades["bob"]), 0
    for _ in range(19):
        shared += eve.row in graded
        eve.grade(3)
    score.check(3 <= shared <= 5, f"{shared} of 19 rows shared")
    eve.end()


def check_pictures(score, rung, folder):
    """Only files that the column names, in the folder of the data or below."""
    own, outside = folder / "pictures", folder / "outside"
    own.mkdir(), outside.mkdir(), (own / "sub").mkdir()
    png = b"\x89PNG\r\n\x1a\nthis is no picture, but it is served"
    for path in (own / "a.png", own / "sub/b.JPG", outside / "secret.png", own / "not-named.png"):
        path.write_bytes(png + path.name.encode())
    (own / "page.html").write_text("<script>")
    (own / "link.png").symlink_to(outside / "secret.png")
    (own / "inside.png").symlink_to(own / "a.png")
    os.mkfifo(own / "pipe.png")
    (own / "dir.png").mkdir()
    names = ["a.png", "sub/b.JPG", "../outside/secret.png", str(outside / "secret.png"), "link.png", "page.html", "",
             "pipe.png", "dir.png",
             "missing.png", "inside.png", str(own / "a.png"), "sub/../a.png", "sub/../../outside/secret.png",
             "/etc/passwd", "data.csv"]
    served = {"a.png", "sub/b.JPG", "inside.png", str(own / "a.png"), "sub/../a.png"}
    with open(own / "data.csv", "w", newline="") as file:
        csv.writer(file).writerows([["photo", "x"]] + [[name, i] for i, name in enumerate(names)])
    page = Grader(rung, own, *ORDER, "--in-order", "--images", "photo", data="data.csv")
    for i, name in enumerate(names):
        status, body = page.get(f"image/{i + 1}/1")
        score.check((status == 200) == (name in served) and (status == 200 or status == 404),
                    f"picture {name!r}: {status}")
        if status == 200:
            score.check(body.startswith(png) and page.headers["content-type"].startswith("image/"), f"picture {name!r}")
    for path in ("image/-9223372036854775808/", "image/-9223372036854775808/1", "image/1/-9223372036854775808",
                 "image/+1/1", "image/%201/1",
                 "image/99999999999999999999/1", "image/01/1x", "image//1", "image/0/1", "image/99/1", "image/1/2",
                 "image/1/0", "image/1", "image/-1/1", "image/1/1/../../x", "image/../a.png", "image/a.png", "a.png",
                 "../pictures/a.png", "%2e%2e/a.png", "image/1/1?x", "page/label.js", "label.c", "data.csv",
                 "data.csv.journal"):
        status, _ = page.get(path)
        score.check(status == 404 or (path == "image/1/1?x" and status == 200), f"GET {path}: {status}")
    score.check(page.get("", token=False)[0] == 403 and page.get("label.js", token=False)[0] == 403,
                "the page without the token")
    score.check(page.post("next", {"client": 1}, headers={"Origin": "http://example.org"})[0] == 403,
                "a page of another site")
    score.check(page.post("next", {"client": 1}, headers={"Host": "example.org"})[0] == 403, "another name")
    for path, kind in (("", "text/html"), ("label.js", "text/javascript"), ("label.css", "text/css"),
                       ("common.js", "text/javascript"), ("graders", "text/html"),
                       ("graders.js", "text/javascript")):
        status, body = page.get(path)
        score.check(status == 200 and page.headers["content-type"].startswith(kind), f"GET {path}: {status}")
        score.check(b"http://" not in body.replace(b"http://www.w3.org/2000/svg", b"") and b"https://" not in body,
                    f"{path} names another server")
    page.end()


def check_model(score, rung, folder):
    """The model in the background: suggested rows, a guess once graded, an error with its range, a forecast; and
    grading meanwhile."""
    rows = write_data(folder, "model.csv")
    page = Grader(rung, folder, *ORDER, "--ignore", "id", "-m", "pom", data="model.csv")
    guesses = []
    for _ in range(14):
        page.grade(true_grade(rows[page.row - 1]))
    for _ in range(3000):  # an error after few labels, with a wide range
        model = page.get("state")[1]["model"]
        if model["labels"] >= page.state["labelled"] and not model["fitting"]:
            break
        time.sleep(0.02)
    early = model["history"][-1] if model["history"] else None
    score.check(early and early[0] == page.state["labelled"] and early[4] >= 4 and early[3] - early[2] > 0.2,
                f"the error after 14 labels: {early}")
    for _ in range(56):
        grade = true_grade(rows[page.row - 1])
        page.grade(grade)
        if page.graded["guess"]:
            guesses.append(abs(page.graded["guess"]["rank"] - grade))
            score.check(0 <= page.graded["guess"]["probability"] <= 1 and page.graded["guess"]["label"] in GRADES,
                        f"{page.graded}")
        time.sleep(0.01)
    for _ in range(3000):  # until the model has all labels and the forecast is there
        model = page.get("state")[1]["model"]
        if model["labels"] >= page.state["labelled"] and not model["fitting"] and model["forecast"]:
            break
        time.sleep(0.02)
    last = model["history"][-1]
    score.check(model["labels"] == page.state["labelled"] and last[0] == model["labels"]
                and last[2] <= last[1] <= last[3], f"{model['labels']} {last}")
    score.check(last[1] < model["median"], f"error {last[1]}, of the median {model['median']}")
    score.check(model["forecast"]["more"] == 40 and model["forecast"]["low"] <= model["forecast"]["high"],
                f"{model['forecast']}")
    page.grade(2, 4)  # a range counts as a label, for a method that can use it
    page.grade(3)
    score.check(page.graded["guess"] is not None or page.graded["before"], "no guess")
    for _ in range(3000):
        model = page.get("state")[1]["model"]
        if model["labels"] >= page.state["labelled"]:
            break
        time.sleep(0.02)
    score.check(page.state["ranges"] == 1 and model["labels"] == page.state["labelled"],
                f"a fit with a range: {model['labels']} of {page.state['labelled']}")
    marks = [e.get("suggested") for e in journal(folder, "model.csv.journal")[1] if e["action"] == "grade"]
    score.check(marks.count("chosen") > 20 and marks.count("random") > 8 and set(marks) == {"chosen", "random"},
                f"{marks}")
    page.end()
    page = Grader(rung, folder, *ORDER, "--ignore", "id", "-m", "pom", data="model.csv")
    model = page.state["model"]
    score.check(model["fitting"] or model["labels"], f"after a new start, with labels in the journal: {model}")
    page.end()
    copy = export(rung, folder, data="model.csv")
    score.check(sum(r["suggested"] == "chosen" for r in copy) == marks.count("chosen"),
                "the marks of the labelled copy")
    fit = subprocess.run([rung, "fit", "out.csv", "-l", "stars", "--ignore", "id", "-m", "pom", "-o", "m.rung"],
                         cwd=folder, capture_output=True, text=True)
    score.check(fit.returncode == 0, f"a fit of the labelled copy: {fit.stderr}")


def check_ranges(score, rung, folder):
    """Ranges among few labels: the error is called a lower bound; with enough labels of one class it is theirs."""
    rows = write_data(folder, "ranges.csv")
    page = Grader(rung, folder, *ORDER, "--ignore", "id", "-m", "pom", data="ranges.csv")
    for bound, grades in ((True, 16), (False, 44)):
        for k in range(grades):
            grade = true_grade(rows[page.row - 1])
            wide = bound and k % 2 == 1
            page.grade(min(grade, len(GRADES) - 1), min(grade, len(GRADES) - 1) + 1) if wide else page.grade(grade)
        for _ in range(3000):
            model = page.get("state")[1]["model"]
            if model["labels"] >= page.state["labelled"] and not model["fitting"]:
                break
            time.sleep(0.02)
        score.check(model["history"] and model["bound"] is bound,
                    f"after {page.state['labelled']} labels: {model['bound']}, {model['history'][-1:]}")
        score.check(bound or model["history"][-1][4] <= page.state["labelled"] - page.state["ranges"],
                    f"{model['history'][-1:]}")
    page.end()


def check_given(score, rung, folder):
    """Labels that the file has already count, and are not asked for; a file without anything to learn from works,
    too."""
    lines = ["x,grade"] + [f"{i},{['low', 'mid', 'high'][i // 10] if i % 3 == 0 else ''}" for i in range(30)]
    lines[7] = "6,low..mid"
    (folder / "given.csv").write_text("\n".join(lines) + "\n")
    page = Server(rung, "label", "given.csv", "-l", "grade", "--order", "low<mid<high", "--in-order", "--no-browser",
                  "-q", folder=folder)
    answer = page.post("next", {"client": 1})[1]
    score.check(answer["row"]["number"] == 2 and answer["state"]["labelled"] == 10 and answer["state"]["ranges"] == 1,
                f"{answer['state']}")
    score.check([c["name"] for c in answer["row"]["cells"]] == ["x"], "the label is among the cells")
    page.post("grade", {"client": 1, "row": 2, "low": 3, "high": 3})
    page.end()
    told = subprocess.run([rung, "label", "given.csv", "-l", "grade", "--export", "out.csv", "--order", "low<mid<high"],
                          cwd=folder, check=True,
                          capture_output=True, text=True).stderr
    score.check(told.endswith("rung fit out.csv -l grade --order 'low<mid<high'\n"), f"the next command: {told}")
    found = [r["grade"] for r in read_rows(folder / "out.csv")]
    score.check(found[:8] == ["low", "high", "", "low", "", "", "low..mid", ""], f"given and new labels: {found[:8]}")
    (folder / "texts.csv").write_text("text\n" + "".join(f"words {i}\n" for i in range(5)))
    page = Server(rung, "label", "texts.csv", "--text", "text", "--order", "no<yes", "--in-order", "--no-browser", "-q",
                  folder=folder)
    for i in range(5):
        answer = page.post("next", {"client": 1})[1]
        page.post("skip" if i == 2 else "grade",
                  {"client": 1, "row": answer["row"]["number"], "low": 1 + i % 2, "high": 1 + i % 2})
    answer = page.post("next", {"client": 1})[1]
    score.check(answer["row"] is None and answer["state"]["skipped"] == 1
                and "no column to learn from" in answer["state"]["model"]["why"], f"{answer}")
    score.check(page.post("reopen", {"client": 1})[1]["row"]["number"] == 3, "skipped rows again")
    page.end()
    for arguments, words in [(["texts.csv"], "texts.csv has no grades yet"), (["-"], "DATA must be a file"),
                             (["texts.csv", "--order", "a"], "--order 'a'"),
                             (["texts.csv", "--order", "a<b", "-l", b"\xff"], "is not UTF-8"),
                             (["texts.csv", "--order", "a<b", "--grader", b"\xff"], "is not UTF-8"),
                             (["texts.csv", "--order", "a<b", "--grader", "x" * 101], "at most 100 bytes")]:
        (folder / "texts.csv.journal").unlink(missing_ok=True)
        bad = subprocess.run([rung, "label", *arguments], cwd=folder, capture_output=True, text=True, timeout=100,
                             stdin=subprocess.DEVNULL)
        score.check(bad.returncode == 2 and words in bad.stderr, f"{arguments}: {bad.stderr}")


def check_settled(score, rung, folder):
    """Undo takes back a grade or a skip, never what was settled."""
    write_data(folder, "settle.csv")
    page = Grader(rung, folder, *ORDER, "--in-order", data="settle.csv")
    page.grade(2)
    page.post("settle", {"client": 1, "row": 1, "low": 5, "high": 5})
    page.act("skip", row=2)
    page.post("settle", {"client": 1, "row": 2, "low": 4, "high": 4})
    page.act("reopen")
    score.check(page.state["skipped"] == 0, f"reopened: {page.state['skipped']} skipped")
    page.act("undo")
    score.check(page.row == 1 and page.state["mine"] == 0, f"undone: row {page.row}, {page.state['mine']} grades")
    page.end()
    score.check([r["stars"] for r in export(rung, folder, data="settle.csv")[:2]] == ["5", "4"], "what was settled")
    # Of two browsers each takes back its own, though the row came again in the other.
    write_data(folder, "own.csv")
    page = Grader(rung, folder, *ORDER, "--in-order", data="own.csv")
    for _ in range(2):
        page.grade(3)
    row = page.post("next", {"client": 2})[1]["row"]
    while True:
        answer = page.post("grade", {"client": 2, "row": row["number"], "low": 4, "high": 4})[1]
        if answer["graded"]["before"] is not None:
            break
        row = answer["row"]
    if row["number"] <= 2:  # one of the first browser's
        page.act("undo")
        score.check(page.row != row["number"] and page.state["again"]["n"] == 1,
                    f"undo of the first browser: row {page.row}")
    page.end()


def check_columns(score, rung, folder):
    """The column of the grades is found by its name, whatever the others are called; all cells are copied as they
    stand."""
    (folder / "numbers.csv").write_text("x,3,1\n"
                                        + "".join(f"{i % 3 + 1},{i},{'4' if i % 2 else ''}\n" for i in range(8)))
    page = Server(rung, "label", "numbers.csv", "-l", "1", "--order", "4<5", "--in-order", "--no-browser", "-q",
                  folder=folder)
    answer = page.post("next", {"client": 1})[1]
    score.check(answer["state"]["labelled"] == 4 and answer["row"]["number"] == 1,
                f"{answer['state']['labelled']} labels")
    page.post("grade", {"client": 1, "row": 1, "low": 2, "high": 2})
    page.end()
    subprocess.run([rung, "label", "numbers.csv", "-l", "1", "--export", "out.csv", "-q"], cwd=folder, check=True)
    found = read_rows(folder / "out.csv")
    score.check([r["1"] for r in found] == ["5", "4", "", "4", "", "4", "", "4"], f"{[r['1'] for r in found]}")
    score.check([(r["x"], r["3"]) for r in found] == [(str(i % 3 + 1), str(i)) for i in range(8)], "the other columns")
    (folder / "marks.csv").write_text("x,Suggested,stars\n"
                                      + "".join(f"{i},{'chosen' if i < 3 else ''},\n" for i in range(8)))
    page = Grader(rung, folder, *ORDER, "--in-order", data="marks.csv")
    page.grade(2), page.end()
    score.check(list(export(rung, folder, data="marks.csv")[0]) == ["x", "Suggested", "stars"], "one column of marks")
    cells = ["NA", "?", "na", "N/A", "", "1.50", "007", "nan"]
    (folder / "cells.csv").write_text("a,b,stars\n" + "".join(f"{c},{i},\n" for i, c in enumerate(cells)))
    page = Grader(rung, folder, *ORDER, "--in-order", "--ignore", "a", data="cells.csv")
    score.check(page.post("next", {"client": 1})[1]["row"]["cells"][0]["text"] == "NA", "a cell on the page")
    for i in range(len(cells)):
        page.grade(1 + i % 5)
    page.end()
    found = export(rung, folder, data="cells.csv")
    score.check([r["a"] for r in found] == cells and [r["stars"] for r in found] == [str(1 + i % 5) for i in range(8)],
                f"{found}")


def check_empty_column(score, rung, folder):
    """A label column in which nothing stands yet, or none at all: the grades of --order, and what to do without it."""
    (folder / "empty.csv").write_text("x,stars\n" + "".join(f"{i * i},\n" for i in range(40)))
    (folder / "none.csv").write_text("x,y\n" + "".join(f"{i * i},{i % 7}\n" for i in range(40)))
    for data in ("empty.csv", "none.csv"):
        bad = subprocess.run([rung, "label", data, "-l", "stars", "--no-browser"], cwd=folder, capture_output=True,
                             text=True, timeout=100)
        score.check(bad.returncode == 2 and "name them, lowest first, such as --order" in bad.stderr,
                    f"{data}: {bad.returncode} {bad.stderr}")
        page = Grader(rung, folder, "--order", "low<mid<high", "--in-order", data=data)
        score.check(page.state["labelled"] == 0 and page.row == 1, f"{data}: {page.state['labelled']} labels")
        page.grade(3), page.grade(1, 2), page.end()
        copy = export(rung, folder, data=data)
        score.check([r["stars"] for r in copy[:3]] == ["high", "low..mid", ""] and copy[0]["x"] == "0",
                    f"{data}: {copy[:3]}")
    # Grades that are words, in the file and in the journal: the journal knows their order.
    (folder / "words.csv").write_text("x,stars\n" + "".join(f"{i},{'mid' if i == 1 else ''}\n" for i in range(9)))
    page = Grader(rung, folder, "--order", "low<mid<high", "--in-order", data="words.csv")
    page.grade(3), page.end()
    copy = export(rung, folder, data="words.csv")
    score.check([r["stars"] for r in copy[:3]] == ["high", "mid", ""], f"{copy[:3]}")
    page = Grader(rung, folder, "--in-order", data="words.csv")
    score.check([c["name"] for c in page.state["classes"]] == ["low", "mid", "high"] and page.row == 3,
                f"{page.state['classes']}")
    page.end()


def check_many_graders(score, rung, folder):
    """Thousands of graders; each row has two of them."""
    write_data(folder, "many.csv", rows=4000)
    with open(folder / "many.csv.journal", "w") as file:
        file.write(json.dumps({"rung": "journal", "format": 1, "data": "many.csv", "column": "stars",
                               "classes": GRADES}) + "\n")
        for i in range(4000):
            for more in (0, 1):
                file.write(json.dumps({"grader": f"g{(i + more) % 4000}", "action": "grade", "row": i + 1,
                                       "label": GRADES[(i + more) % 4 + more % 2]}) + "\n")
    copy = export(rung, folder, data="many.csv")
    low_high = lambda i: sorted((GRADES[i % 4], GRADES[(i + 1) % 4 + 1]))
    wanted = [a if a == b else f"{a}..{b}" for a, b in map(low_high, range(4000))]
    score.check([r["stars"] for r in copy] == wanted, "labels of many graders")


def check_full_disk(score, rung, folder):
    """A grade that cannot be written is not acknowledged."""
    write_data(folder, "full.csv")
    page = Grader(rung, folder, *ORDER, "--in-order", "--journal", "/dev/full",
                  data="full.csv") if os.path.exists("/dev/full") else None
    if page:
        status, answer = page.grade(1)
        score.check(status == 500 and "/dev/full" in answer["error"], f"{status} {answer}")
        page.end()
    bad = subprocess.run([rung, "label", "full.csv", "-l", "stars", *ORDER, "--journal", "no/such/folder/j", "--export",
                          "out.csv"], cwd=folder, capture_output=True, text=True)
    score.check(bad.returncode == 0, f"no journal yet: {bad.stderr}")


def main():
    rung = str(pathlib.Path(sys.argv[1]).resolve())
    if not available(rung):
        print("built without libmicrohttpd")
        return 77
    score = Score()
    with tempfile.TemporaryDirectory(prefix="rung-label-") as name:
        folder = pathlib.Path(name)
        for check in (check_journal, check_changed_data, check_kill, check_replaced, check_again, check_browsers,
                      check_graders, check_settled,
                      check_pictures, check_model, check_ranges, check_given, check_columns, check_empty_column,
                      check_many_graders, check_full_disk):
            check(score, rung, folder)
        check_read_error(score, rung, folder, str(pathlib.Path(sys.argv[2]).resolve()))
    return score.end()


sys.exit(main())
