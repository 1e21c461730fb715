#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of `rung label` in a real browser.

usage: label.py RUNG [FOLDER]      exit 77: there is no Chromium, or no libmicrohttpd; FOLDER: pictures are kept there
Grades 50 rows with keys alone, with the server killed twice, and compares the labelled copy; hostile names and texts
stay text; two windows at once; ranges, skip, undo; eleven classes; a telephone, the dark, contrast; nothing is asked of
another server."""
import csv
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "serve")]
from chromium import CONTRAST, Browser, Score, program  # noqa: E402
from server import Server, available  # noqa: E402

HOSTILE = ["<script>document.title='owned'</script>", "<img src=x onerror=\"document.title='owned'\">",
           "\"><b id=owned>", "javascript:alert(1)",
           "a\u202eb\u0000c".replace("\0", ""), "{{7*7}}", "</td></table><h1 id=owned>", "'; DROP TABLE x; --"]


class Page:
    """One window: a tab of the browser with the page of a server."""

    def __init__(self, browser, address):
        browser.open(address)
        self.browser, self.session, self.address = browser, browser.session, address
        self.wait("document.body.dataset.row!==undefined")

    def value(self, expression):
        self.browser.session = self.session
        return self.browser.value(expression)

    def wait(self, expression, seconds=60):
        for _ in range(seconds * 50):
            if self.value(expression):
                return
            time.sleep(0.02)
        raise RuntimeError(f"never: {expression}")

    @property
    def row(self):
        return int(self.value("document.body.dataset.row") or 0)

    def press(self, key, code=None):
        self.browser.session = self.session
        self.browser.press(key, code or ord(key.upper()))

    def grade(self, keys):
        """Presses the keys and waits for the server; what the page says of the row then."""
        before = self.value("document.getElementById('graded').textContent+document.body.dataset.row")
        for key in keys:
            self.press(key)
        self.wait(f"document.getElementById('graded').textContent+document.body.dataset.row!=={before!r}")
        return self.value("document.getElementById('graded').textContent")


def loud(score, browser, name, address):
    asked = [e["params"]["request"]["url"] for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
    outside = [url for url in asked if not url.startswith(address) and not url.startswith("data:")]
    score.check(asked and not outside, f"{name}: asked for {outside}")
    said = [e for e in browser.events if e.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
    said += [e for e in browser.events if e.get("method") == "Log.entryAdded"
             and e["params"]["entry"].get("source") not in ("network",)]
    score.check(not said, f"{name}: the console says {said}")


def write_rows(path, rows, hostile=False):
    draw = random.Random(5)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", HOSTILE[1] if hostile else "title", "x", "z"])
        for i in range(rows):
            out.writerow([f"{i:03d}", HOSTILE[i % len(HOSTILE)] if hostile else f"row {i}", f"{draw.gauss(0, 1):.2f}",
                          f"{draw.gauss(0, 1):.2f}"])


def labels(rung, folder, data, column="stars"):
    subprocess.run([rung, "label", data, "-l", column, "--export", "out.csv", "-q"], cwd=folder, check=True)
    with open(folder / "out.csv", newline="") as file:
        return [row[column] for row in csv.DictReader(file)]


def check_fifty(score, browser, rung, folder):
    """50 rows by keys, the server killed after the 17th and the 34th."""
    write_rows(folder / "films.csv", 90)
    draw, given, server = random.Random(11), {}, None
    while len(given) < 50:
        if server is None:
            server = Server(rung, "label", "films.csv", "-l", "stars", "--order", "1<2<3<4<5", "--ignore", "id,title",
                            "-m", "pom", "--no-browser", "-q", folder=folder)
            page = Page(browser, server.address)
        row, low = page.row, draw.randint(1, 5)
        high = min(5, low + 2) if low < 5 and len(given) % 10 == 3 else low
        said = page.grade(f"n{low}{high}" if high > low else str(low))
        score.check(said.startswith(f"Row {row}: you {low}"), f"row {row}, grade {low}: {said}")
        if "came again" not in said:
            given[row] = f"{low}..{high}" if high > low else str(low)
        if len(given) in (17, 34) and server.process.poll() is None and "came again" not in said:
            server.process.kill()
            server.process.wait()
            page.press("1")
            page.wait("!document.getElementById('alert').hidden")
            score.check("does not answer" in page.value("document.getElementById('alert').textContent"),
                        "the page does not notice that the server is gone")
            server = None
    loud(score, browser, "grading", server.address)
    server.end()
    found = {i + 1: label for i, label in enumerate(labels(rung, folder, "films.csv")) if label}
    score.check(found == given, f"the labelled copy differs: {set(found.items()) ^ set(given.items())}")


def check_hostile(score, browser, rung, folder):
    write_rows(folder / "evil & <b>.csv", 30, hostile=True)
    server = Server(rung, "label", "evil & <b>.csv", "-l", "<i>grade", "--order", "b>ad<so so<\"good\"",
                    "--in-order", "--grader", "<script>eve</script>", "--no-browser", "-q", folder=folder)
    page = Page(browser, server.address)
    for i in range(len(HOSTILE)):
        text = page.value("document.querySelector('.cells tr:nth-child(3) "
                          "td')?.textContent??document.querySelector('.text p').textContent")
        score.check(text == HOSTILE[i], f"row {i + 1} shows {text!r}")
        page.grade("2")
    score.check(page.value("document.querySelectorAll('#owned,#cells b,#cells script,#cells img,aside "
                           "script').length") == 0, "a text became an element")
    score.check("owned" not in page.value("document.title"), "a script of the data ran")
    score.check([page.value(f"document.querySelectorAll('#grades button span')[{k}].textContent")
                 for k in range(3)] == ["b>ad", "so so", "\"good\""], "names of classes")
    score.check("<script>eve</script>" in page.value("document.getElementById('you').textContent"),
                "the name of the grader")
    loud(score, browser, "hostile", server.address)
    server.end()


def check_windows(score, browser, rung, folder):
    """Two windows at once: other rows, own undo; then undo, skip and a range by keys."""
    write_rows(folder / "two.csv", 40)
    server = Server(rung, "label", "two.csv", "-l", "stars", "--order", "1<2<3", "--in-order", "--no-browser", "-q",
                    folder=folder)
    first = Page(browser, server.address)
    second = Page(browser, server.address)
    # Tabs opened by a script share no session: each window has its own number.
    score.check(first.row != second.row, f"both show row {first.row}")
    given = {}
    for i in range(8):
        for page, grade in ((first, "1"), (second, "3")):
            given[page.row] = grade
            page.grade(grade)
    mine = list(given)[-2]
    first.press("u")
    first.wait(f"document.body.dataset.row==='{mine}'")
    first.grade("2")
    given[mine] = "2"
    skipped = first.row
    first.press("s")
    first.wait(f"document.body.dataset.row!=='{skipped}'")
    first.press("n"), first.press("2")
    score.check(first.value("document.getElementById('question').textContent") == "And the highest?",
                "the question of a range")
    score.check(first.value("[...document.querySelectorAll('#grades button')].map(b=>b.disabled)")
                == [True, True, False], "grades below the lowest")
    first.press("Escape", 27)
    score.check(first.value("document.getElementById('question').textContent") == "", "Escape")
    given[first.row] = "2..3"
    first.grade("n23")
    server.end()
    found = {i + 1: label for i, label in enumerate(labels(rung, folder, "two.csv")) if label}
    score.check(found == given, f"two windows: {set(found.items()) ^ set(given.items())}")


def png(path, shade):
    rows = b"".join(b"\0" + bytes((x * 2 % 256, y * 2 % 256, shade) [k] for x in range(160) for k in range(3))
                    for y in range(120))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I",
                                                                                        zlib.crc32(kind
                                                                                                   # noqa: E731
                                                                                                   + data))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 160, 120, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def check_looks(score, browser, rung, folder, pictures):
    """Eleven classes, pictures and long texts; contrast, a telephone, the dark, names for screen readers."""
    with open(folder / "eyes.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["patient", "photo", "report", "age"])
        for i in range(12):
            png(folder / f"eye{i}.png", 20 * i)
            out.writerow([f"P{i:03d}", f"eye{i}.png",
                          "The optic disc is pale, the margin is blurred. " * (40 if i == 0 else 4), 40 + i])
    server = Server(rung, "label", "eyes.csv", "-l", "stage", "--order", "<".join(str(k) for k in range(11)),
                    "--images", "photo", "--text", "report",
                    "--in-order", "--no-browser", "-q", "--ignore", "patient", folder=folder)
    page = Page(browser, server.address)
    page.wait("document.querySelector('img').complete")
    score.check(page.value("document.querySelector('img').naturalWidth") == 160, "the picture is not shown")
    score.check(page.value("document.querySelectorAll('#grades button').length") == 11, "eleven classes")
    row = page.row
    page.press("1"), page.press("0")  # classes that are numbers are typed as such
    page.wait(f"document.body.dataset.row!=='{row}'")
    page.grade("5")  # at once, no number of two digits begins with it
    row = page.row
    page.press("1")
    page.press("Enter", 13)
    page.wait(f"document.body.dataset.row!=='{row}'")
    for width, height, dark in ((1200, 900, False), (1200, 900, True), (390, 844, False)):
        name = f"{'phone' if width < 500 else 'desktop'}{'-dark' if dark else ''}"
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=width < 500)
        browser.call("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        score.check(page.value("document.documentElement.scrollWidth<=innerWidth"), f"{name}: wider than the window")
        score.check(page.value(CONTRAST) >= 4.5, f"{name}: contrast {page.value(CONTRAST)}")
        seen = page.value("(()=>{const b=document.querySelector('#grades').getBoundingClientRect();return "
                          "b.bottom<=innerHeight+1&&b.top>=0})()")
        score.check(seen, f"{name}: the grades are not in sight")
        if pictures:
            browser.picture(pictures / f"label-{name}.png", width, height)
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.call("Emulation.setEmulatedMedia", features=[])
    nameless = ("[...document.querySelectorAll('button,img,section,aside,svg,progress')].filter(e=>!("
                "e.textContent.trim()||e.alt||e.getAttribute('aria-label')||e.getAttribute('aria-labelledby'))).length")
    score.check(page.value(nameless) == 0, "an element without a name")
    score.check(page.value("document.querySelectorAll('table:not(:has(caption)),th:not([scope])').length") == 0,
                "a table without caption or scope")
    loud(score, browser, "looks", server.address)
    server.end()
    score.check(labels(rung, folder, "eyes.csv", "stage")[:3] == ["10", "5", "1"],
                f"typed numbers: {labels(rung, folder, 'eyes.csv', 'stage')[:3]}")


def check_graders(score, browser, rung, folder, pictures):
    write_rows(folder / "team.csv", 40)
    for name, grade in (("ann", 2), ("bob", 3)):
        server = Server(rung, "label", "team.csv", "-l", "stars", "--order", "1<2<3<4", "--in-order", "--overlap", "1",
                        "--grader", name, "--no-browser", "-q", folder=folder)
        row = server.post("next", {"client": 1})[1]["row"]["number"]
        for i in range(12):
            given = grade if i % 3 == 0 else 1 + row % 4
            row = server.post("grade", {"client": 1, "row": row, "low": given, "high": given})[1]["row"]["number"]
        if name == "ann":
            server.end()
    page = Page(browser, server.address)
    score.check(page.value("document.querySelector('a[href=graders]').textContent") == "Agreement of 2 graders",
                "the link to the graders")
    browser.events = []
    browser.call("Page.navigate", url=server.address + "graders")
    page.wait("document.querySelectorAll('details').length===4")
    score.check(page.value("document.querySelector('#agreement tr:nth-child(3) th,#agreement tr:last-child "
                           "th').textContent") == "ann and bob", "the pair")
    if pictures:
        page.value("document.querySelector('details').open=true")
        browser.picture(pictures / "label-graders.png", 1200, 700)
    page.value("document.querySelector('details .settle button:nth-child(4)').click()")
    page.wait("document.getElementById('left').textContent.startsWith('3 of 4')")
    score.check("Settled: 4" in page.value("document.getElementById('rows').textContent"), "a row that was settled")
    loud(score, browser, "graders", server.address)
    server.end()
    score.check(labels(rung, folder, "team.csv").count("4") >= 1
                and labels(rung, folder, "team.csv").count("2..3") == 3, "settled and open disagreements")


def main():
    rung, pictures = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if not program() or not available(rung):
        print("there is no Chromium here (tools/setup install long installs it), or the command was built without "
              "libmicrohttpd")
        return 77
    score = Score()
    with tempfile.TemporaryDirectory(prefix="rung-label-") as name:
        folder = pathlib.Path(name)
        browser = Browser(program(), name)
        try:
            check_fifty(score, browser, rung, folder)
            check_hostile(score, browser, rung, folder)
            check_windows(score, browser, rung, folder)
            check_looks(score, browser, rung, folder, pictures)
            check_graders(score, browser, rung, folder, pictures)
        finally:
            browser.close()
    print(f"{score.passed} passed, {score.failed} failed")
    return score.failed > 0


sys.exit(main())
