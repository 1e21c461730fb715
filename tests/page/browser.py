#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pages in a real browser: headless Chromium, driven over its debugging pipe.

usage: browser.py RUNG [FOLDER]      exit 77: there is no Chromium; FOLDER: pictures of the pages are kept there
Checks that nothing outside the page is asked for, that the console stays empty, that tables sort by mouse and by
keyboard and tell so, that everything is there without JavaScript, that names given by a user stay text, and what a
screen reader needs."""
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from chromium import CONTRAST, Browser, Score, program

ROOT = pathlib.Path(__file__).resolve().parents[2]


TABLE = "[...document.querySelectorAll('table.sortable')].find(t=>!t.closest('details'))"
COLUMN = "[..." + TABLE + ".tBodies[0].rows].map(r=>r.cells[%d].dataset.value??r.cells[%d].textContent)"


def quiet(score, browser, name, page):
    asked = [e["params"]["request"]["url"] for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
    outside = [url for url in asked if url != page.as_uri() and not url.startswith("data:")]
    score.check(asked and not outside, f"{name}: asked for {outside or asked}")
    loud = [e for e in browser.events
            if e.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")]
    score.check(not loud, f"{name}: the console says {loud}")


def check_reading(score, browser, name):
    """What keyboards and screen readers rely on."""
    none = {"a table without caption": "[...document.querySelectorAll('table')]"
                                       ".filter(t=>!t.caption||!t.caption.textContent.trim())",
            "a header without scope": "[...document.querySelectorAll('th')].filter(t=>!t.scope)",
            "a figure without words": "[...document.querySelectorAll('svg')].filter(s=>"
                                      "!(s.getAttribute('aria-labelledby')||'').split(' ')"
                                      ".every(i=>document.getElementById(i)))",
            "an id twice": "[...document.querySelectorAll('[id]')].filter((e,i,a)=>a.findIndex(o=>o.id===e.id)!==i)",
            "a link into nowhere": "[...document.querySelectorAll('a')]"
                                   ".filter(a=>!document.getElementById(a.hash.slice(1)))",
            "a scrolling part that keyboards miss": "[...document.querySelectorAll('.wide,pre')]"
                                                    ".filter(e=>e.tabIndex!==0)",
            "a wrong level of heading": "[...document.querySelectorAll('h1')].slice(1)",
            "an element of a name": "[...document.querySelectorAll('ridge,all')]"}
    for what, expression in none.items():
        score.check(browser.value(expression + ".length") == 0,
                    f"{name}: {what}: {browser.value(expression + '.map(e=>e.outerHTML.slice(0,200))')}")
    score.check(browser.value("document.documentElement.lang") == "en", f"{name}: no language")
    score.check(browser.value(CONTRAST) >= 4.5, f"{name}: contrast {browser.value(CONTRAST)}")
    score.check(browser.value("document.documentElement.scrollWidth<=innerWidth"),
                f"{name}: the page is wider than the window")


def check_sorting(score, browser, name):
    head = TABLE + ".tHead.rows[0].cells[%d]"
    before, foot = browser.value(COLUMN % (1, 1)), TABLE + ".tFoot?.textContent??''"
    footer = browser.value(foot)
    browser.value((head % 1) + ".querySelector('button').click()")
    up = browser.value(COLUMN % (1, 1))
    numbers = [float(x) for x in up if x]
    score.check(numbers == sorted(numbers) and sorted(up) == sorted(before) and len(numbers) > 1,
                f"{name}: sorted up: {up}")
    score.check(browser.value((head % 1) + ".getAttribute('aria-sort')") == "ascending", f"{name}: aria-sort")
    browser.value((head % 1) + ".querySelector('button').click()")
    down = [float(x) for x in browser.value(COLUMN % (1, 1)) if x]
    score.check(down == sorted(down, reverse=True), f"{name}: sorted down: {down}")
    score.check(browser.value(foot) == footer, f"{name}: the footer moved")
    # By keyboard: to the first header, Enter; the text column sorts, and the change is told.
    browser.value((head % 0) + ".querySelector('button').focus()")
    browser.press("Enter", 13)
    names = browser.value(COLUMN % (0, 0))
    score.check(names == sorted(names, key=str.lower), f"{name}: sorted by keyboard: {names}")
    score.check(browser.value("document.querySelectorAll('[aria-sort]').length") == 1,
                f"{name}: two columns claim to be sorted")
    score.check("ascending" in browser.value("document.getElementById('said').textContent"),
                f"{name}: nothing was told")
    browser.press("Tab", 9)
    score.check(browser.value("document.activeElement.tagName") == "BUTTON", f"{name}: Tab leaves the headers")


def check_without_script(score, browser, name, page):
    rows = browser.value("document.querySelectorAll('tr').length")
    figures = browser.value("document.querySelectorAll('svg').length")
    browser.open(page, script=False)
    document = browser.call("DOM.getDocument", depth=0)["root"]["nodeId"]
    count = {q: len(browser.call("DOM.querySelectorAll", nodeId=document, selector=q)["nodeIds"])
             for q in ("tr", "svg", "button")}
    score.check(count == {"tr": rows, "svg": figures, "button": 0},
                f"{name} without JavaScript: {count}, not {rows} rows, {figures} figures")


def picture(browser, pictures, name, width=1200):
    if not pictures:
        return
    browser.picture(pictures / f"{name}.png", width)


def check_page(score, browser, page, pictures):
    name = page.name
    browser.open(page)
    score.check(browser.value("document.querySelectorAll('svg').length") >= 2, f"{name}: hardly a figure")
    check_reading(score, browser, name)
    check_sorting(score, browser, name)
    quiet(score, browser, name, page)
    pdf = base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    score.check(pdf.startswith(b"%PDF-") and len(pdf) > 10000, f"{name}: does not print")
    if pictures:
        (pictures / (page.stem + ".pdf")).write_bytes(pdf)
    picture(browser, pictures, page.stem)
    check_without_script(score, browser, name, page)
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    for width in (360, 800):  # a telephone, a tablet
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        score.check(browser.value("document.documentElement.scrollWidth<=innerWidth"),
                    f"{name}: wider than {width} pixels")
        tall = browser.value("Math.max(...[...document.querySelectorAll('tbody tr')].map(r=>r.offsetHeight))")
        score.check(tall <= 4 * 24, f"{name}: a row of {tall} pixels on a window of {width}")
        picture(browser, pictures, f"{page.stem}-{width}", width)
        browser.call("Emulation.clearDeviceMetricsOverride")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    score.check(browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 26)",
                f"{name}: bright in the dark")
    score.check(browser.value(CONTRAST) >= 4.5, f"{name}: contrast {browser.value(CONTRAST)} in the dark")
    picture(browser, pictures, f"{page.stem}-dark")
    browser.call("Emulation.setEmulatedMedia", features=[])


def check_answer(score, browser, page):
    """The page of an evaluation: the answer stands first, and two figures share a line where the window allows."""
    browser.open(page)
    score.check(browser.value("document.querySelector('h1').nextElementSibling.className") == "answer",
                "the answer is not first")
    tops = "[...document.querySelectorAll('.half')].map(s=>Math.round(s.getBoundingClientRect().top))"
    a, b, c, d = browser.value(tops)
    score.check(a == b < c == d, f"halves at {a}, {b}, {c}, {d}")
    browser.call("Emulation.setDeviceMetricsOverride", width=360, height=800, deviceScaleFactor=1, mobile=False)
    narrow = browser.value(tops)
    score.check(len(set(narrow)) == 4, f"halves on a telephone at {narrow}")
    browser.call("Emulation.clearDeviceMetricsOverride")


def main():
    rung, pictures = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if not program():
        print("there is no Chromium here (tools/setup install long installs it)")
        return 77
    score = Score()
    with tempfile.TemporaryDirectory(prefix="rung-page-") as folder:
        work = pathlib.Path(folder)
        environment = dict(os.environ, PATH=f"{rung.parent}:{ROOT}/tests/cli/bin:{os.environ['PATH']}",
                           SOURCE=str(ROOT))
        for name in ("train.csv", "test.csv"):
            shutil.copy(ROOT / "tests/cli/data" / name, folder)
        subprocess.run(["sh", "-ec", """
            for kind in table2 small; do
                experiment-db $kind $kind.db
                rung experiment report $kind.db --format html -o experiment-$kind.html
            done
            rung fit train.csv -q
            rung evaluate model.rung test.csv --report evaluation.html >/dev/null"""], cwd=folder, env=environment,
            check=True)
        browser = Browser(program(), folder)
        try:
            for page in sorted(work.glob("*.html")):
                check_page(score, browser, page, pictures)
            check_answer(score, browser, work / "evaluation.html")
        finally:
            browser.close()
    print(f"{score.passed} passed, {score.failed} failed")
    return score.failed > 0


sys.exit(main())
