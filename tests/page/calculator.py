#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of `rung export MODEL -o FILE.html` in a real browser.

usage: calculator.py RUNG [FOLDER]      exit 77: there is no Chromium; FOLDER: pictures are kept there
500 rows as a table give rung's ranks and intervals, and its probabilities to 1e-9, with several methods, categories,
dates, missing cells and derived columns; one row typed by keys; what moved the answer adds up; values outside the
training range and texts that mean nothing are named; hostile names stay text; nothing is asked of anybody; light, dark, a
telephone, one printed page, labels and contrast."""
import base64
import csv
import io
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "export")]
from cases import GRADES, ORDER, SHAPES, make_shapes, mixed_row, write  # noqa: E402
from chromium import CONTRAST, Browser, Score, program  # noqa: E402

HEADER = ["id", "do\"se\n</script>", "le??/vel, \\mg %s", "colour", "size", "flag", "seen on", "grade"]
MODELS = [("pom", "mixed", []), ("boost", "mixed", ["--dates", "seen on=cyclic"]), ("kdlor", "mixed", []),
          ("ogp", "mixed", []), ("auto", "mixed", []), ("pom", "shapes", SHAPES), ("boost", "shapes", SHAPES)]


class Pages:
    def __init__(self, rung, folder):
        self.rung, self.folder = rung, folder
        rng = random.Random(9)
        write(folder / "mixed.csv", HEADER[1:], [mixed_row(rng, 0.05, 0) for _ in range(150)])
        write(folder / "mixed-new.csv", HEADER, [[f"P{i}", *mixed_row(rng, 0.1, 0.1)] for i in range(500)])
        make_shapes(folder)

    def run(self, *arguments):
        done = subprocess.run([self.rung, *map(str, arguments)], capture_output=True, encoding="utf-8")
        if done.returncode:
            raise SystemExit(f"rung {arguments}: {done.stderr}")
        return done.stdout

    def make(self, method, data, options, *page):
        """The page of a model, and what rung predicts for the new rows."""
        model, path = self.folder / "page.rung", self.folder / f"{method}-{data}.html"
        self.run("fit", self.folder / f"{data}.csv", "-m", method, *ORDER, *options, "-q", "-o", model)
        self.run("export", model, "-o", path, "--with-rows", "-q", *page)
        answers = self.run("predict", model, self.folder / f"{data}-new.csv", "--proba", "--interval", "0.9")
        return path, list(csv.DictReader(io.StringIO(answers, newline="")))


def until(browser, expression, seconds=60):
    for _ in range(seconds * 50):
        if browser.value(expression):
            return
        time.sleep(0.02)
    raise RuntimeError(f"never: {expression}")


def quiet(score, browser, name, page):
    asked = [e["params"]["request"]["url"] for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
    outside = [url for url in asked if url != page.as_uri() and not url.startswith("data:")]
    score.check(asked and not outside, f"{name}: asked for {outside or asked}")
    said = [e for e in browser.events
            if e.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]
    score.check(not said, f"{name}: the console says {said}")


def check_rows(score, browser, pages):
    """What the page makes of a table is what rung predicts; the table comes back as CSV."""
    for method, data, options in MODELS:
        path, want = pages.make(method, data, options)
        name = f"{method} {data}"
        browser.open(path)
        table = (pages.folder / f"{data}-new.csv").read_text(encoding="utf-8")
        browser.value(f"at('table').value={json.dumps(table)},at('predict').click()")
        until(browser, "!at('download').hidden")
        got = list(csv.DictReader(io.StringIO(browser.value("csvOf(results)"), newline="")))
        score.check(len(got) == len(want), f"{name}: {len(got)} rows instead of {len(want)}")
        score.check(all(g["rank"] == w["rank"] for g, w in zip(got, want)), f"{name}: the ranks differ")
        for g in ("interval_low", "interval_high"):
            score.check(all(a[g] == b[g] for a, b in zip(got, want)), f"{name}: {g} differs")
        off = max(abs(float(g[f"p({c})"]) - float(w[f"p({c})"])) for g, w in zip(got, want) for c in GRADES)
        score.check(off < 1e-9, f"{name}: probabilities differ by {off:.3g}")
        given = list(csv.DictReader(io.StringIO(table, newline="")))
        score.check(all(g[c] == w[c] for g, w in zip(got, given) for c in w if c != "grade"),
                    f"{name}: the columns of the table did not come back")
        quiet(score, browser, name, path)


def type_text(browser, text):
    for key in text:
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)


def check_typing(score, browser, pages):
    """One row by keys alone, and what the page says of it."""
    path, want = pages.make("pom", "mixed", [])
    browser.open(path)
    score.check(browser.value("at('details').hidden&&at('headline').textContent==='Enter what is known.'"),
                "an empty form has an answer")
    browser.press("Tab", 9)
    score.check(browser.value("document.activeElement===controlOf(0)"), "the first key does not reach the first field")
    score.check(browser.value("getComputedStyle(document.activeElement).outlineStyle") == "solid", "no sign of the focus")
    type_text(browser, "0.5")
    browser.press("Tab", 9), type_text(browser, "7,5")
    browser.press("Tab", 9), browser.press("ArrowDown", 40)
    score.check(browser.value("formCells().slice(0,2).join()") == "0.5,7.5", "what was typed")
    score.check(browser.value("controlOf(2).value") != "", "an arrow key does not choose a category")
    until(browser, "at('said').textContent.startsWith('grade: ')")
    said = browser.value("at('said').textContent")
    score.check("probability" in said and "With 90 % probability" in said, f"the live region says {said!r}")
    until(browser, "document.querySelector('#moved tbody').rows.length>0")
    moved = ("[...contributionsOf()].reduce((s,m)=>s+m[1],0)-(answerOf(program,predict,formCells()).value-"
             "answerOf(program,predict,typicalCells).value)")
    browser.value("contributionsOf=()=>{const s=contributions(c=>answerOf(program,predict,c).value,formCells(),typicalCells);"
                  "for(;;){const n=s.next();if(n.done)return n.value}}")
    score.check(abs(browser.value(moved)) < 1e-12, "what moved the answer does not add up")
    browser.value("at('typical').click()")
    score.check(browser.value("formCells().every((x,j)=>Object.is(x,typicalCells[j])||Math.abs(x-typicalCells[j])<1e-4)"),
                "typical values")
    browser.value("controlOf(0).value='99',controlOf(1).value='much',form.dispatchEvent(new Event('input'))")
    score.check("outside the range" in browser.value("at('warnings').textContent"), "no warning outside the range")
    score.check("not understood" in browser.value("at('p1').textContent")
                and browser.value("controlOf(1).getAttribute('aria-invalid')") == "true", "a text that means nothing")
    browser.value("at('clear').click()")
    score.check(browser.value("at('details').hidden"), "the form is not cleared")
    browser.value("at('table').value='colour,a\\nred,1\\n',at('predict').click()")
    until(browser, "at('count').textContent")
    score.check("count as unknown" in browser.value("at('count').textContent"), "columns that are absent are not named")
    browser.value("at('table').value='x,y\\n1,2\\n',at('predict').click()")
    until(browser, "at('count').textContent.startsWith('No column')")
    quiet(score, browser, "typing", path)
    # many columns that differ: the orders that are drawn add up, too; a page of a model made before has no ranges
    text = re.sub(r', "range": \[[^]]*\]', "", path.read_text(encoding="utf-8"))
    before = pages.folder / "before.html"
    before.write_text(text, encoding="utf-8")
    browser.open(before)
    browser.value("at('typical').click(),controlOf(0).value='99',form.dispatchEvent(new Event('input'))")
    score.check(browser.value("!at('warnings').textContent&&!at('h0').textContent&&at('headline').textContent!==''"),
                "a page without ranges")
    sums = browser.value("(()=>{const n=12,f=c=>c[0]*c[1]+Math.max(...c),a=[...Array(n).keys()],b=a.map(()=>0.5),"
                         "s=contributions(f,a,b);for(;;){const x=s.next();if(x.done)return "
                         "[x.value.reduce((t,m)=>t+m[1],0),f(a)-f(b)]}})()")
    score.check(abs(sums[0] - sums[1]) < 1e-12, f"contributions of many columns: {sums}")


UNLABELLED = ("[...document.querySelectorAll('input,select,textarea')].filter(e=>!e.labels.length).length"
              "+[...document.querySelectorAll('table:not(:has(caption)):not(#results table),th:not([scope])')].length"
              "+[...document.querySelectorAll('button,section')].filter(e=>!(e.textContent.trim()"
              "||e.getAttribute('aria-label'))).length")


def check_looks(score, browser, pages, pictures):
    path, _ = pages.make("boost", "mixed", [], "--title", "</title><b id=owned>Grade", "--text",
                         "<script>document.title='owned'</script>", "--disclaimer", "\"><img src=x onerror=alert(1)>")
    for name, width, height, dark in (("desktop", 1200, 900, False), ("dark", 1200, 900, True), ("phone", 390, 844, False),
                                      ("phone-dark", 390, 844, True)):
        browser.open(path)
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=width < 500)
        browser.call("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        browser.value("at('typical').click(),controlOf(0).value='99',form.dispatchEvent(new Event('input'))")
        until(browser, "document.querySelector('#moved tbody').rows.length>0")
        score.check(browser.value("document.documentElement.scrollWidth<=innerWidth"), f"{name}: wider than the window")
        score.check(browser.value(CONTRAST) >= 4.5, f"{name}: contrast {browser.value(CONTRAST)}")
        score.check(browser.value(UNLABELLED) == 0, f"{name}: something without a name")
        seen = browser.value("(()=>{const b=at('headline').getBoundingClientRect();return b.top>=0&&b.bottom<=innerHeight})()")
        score.check(seen, f"{name}: the answer is not in sight")
        score.check(browser.value("document.querySelectorAll('#owned,body img,header script').length") == 0
                    and browser.value("document.title") == "</title><b id=owned>Grade", "a text became an element")
        score.check(browser.value("document.querySelector('.field .name').textContent") == HEADER[1], "a name is not its text")
        quiet(score, browser, name, path)
        if pictures:
            browser.picture(pictures / f"page-{name}.png", width, height)
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.call("Emulation.setEmulatedMedia", features=[])
    printed = base64.b64decode(browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
    score.check(len(re.findall(rb"/Type\s*/Page\b", printed)) == 1, "the print is not on one page")


def main():
    rung, pictures = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if not program():
        print("there is no Chromium here (tools/setup install long installs it)")
        return 77
    score = Score()
    with tempfile.TemporaryDirectory(prefix="rung-page-") as name:
        pages, browser = Pages(rung, pathlib.Path(name)), Browser(program(), name)
        try:
            check_typing(score, browser, pages)
            check_looks(score, browser, pages, pictures)
            check_rows(score, browser, pages)
        finally:
            browser.close()
    print(f"{score.passed} passed, {score.failed} failed")
    return score.failed > 0


sys.exit(main())
