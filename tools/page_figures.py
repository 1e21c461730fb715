#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of calculator pages for docs/deploy.md, with Chromium.

    page_figures.py RUNG [FOLDER]      default FOLDER: docs/figures"""
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "page"))
from chromium import Browser, program  # noqa: E402

LENSES = ["fit", ROOT / "data/contact-lenses/contact-lenses_raw.csv", "--order", "none<soft<hard", "--ordinal",
          "age=young<pre-presbyopic<presbyopic"]
WINE = ["fit", ROOT / "data/winequality-red/winequality-red.csv", "-m", "boost"]
CHOSEN = "setCell(columns[0],0,1),setCell(columns[1],1,1),setCell(columns[2],2,1),setCell(columns[3],3,0),show()"
ENTERED = "at('typical').click(),setCell(columns[10],10,12.9),setCell(columns[1],1,1.9),setCell(columns[9],9,0.4),show()"
PICTURES = [  # name, page, what is entered, width, height, dark, printed
    ("page", "lenses", CHOSEN, 1120, 660, False, False), ("page-phone", "lenses", CHOSEN, 390, 780, False, False),
    ("page-dark", "wine", ENTERED, 1120, 1130, True, False), ("page-print", "lenses", CHOSEN, 702, 620, False, True)]


def main():
    rung = str(pathlib.Path(sys.argv[1]).resolve())
    to = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "figures"
    if not program():
        sys.exit("there is no Chromium here (tools/setup install long installs it)")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for fit, page, title, text in (
                (LENSES, "lenses", "Contact lenses", "Which lenses to fit, from 24 cases (J. Cendrowska, UCI Lenses)."),
                (WINE, "wine", "Quality of red wine", "1599 wines of Vinho Verde (P. Cortez et al., UCI Wine Quality).")):
            subprocess.run([rung, *map(str, fit), "-q", "-o", folder / "model.rung"], check=True)
            subprocess.run([rung, "export", folder / "model.rung", "-o", folder / f"{page}.html", "--title", title, "--text",
                            text, "--with-rows", "--level", "0.8", "-q"], check=True)
        browser = Browser(program(), name)
        try:
            for picture, page, entered, width, height, dark, printed in PICTURES:
                browser.open(folder / f"{page}.html")
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                             mobile=width < 500)
                browser.call("Emulation.setEmulatedMedia", media="print" if printed else "screen",
                             features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
                browser.value(entered)
                time.sleep(2)  # until what moved the answer is there
                browser.picture(to / f"{picture}.png", width, height)
        finally:
            browser.close()


main()
