#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names are text and nothing else in every form of an exported model.

    names.py RUNG [MODELS] [SEED]

Columns, categories, classes, the label, and the texts of a page get random names of what breaks formats: quotes, tags,
comments, newlines, escapes, characters that change the direction. The C code must compile without a warning, the ONNX
model load, the page have the elements of a page with tame names, JSON and page hold just these names; and all must
predict what rung does. ONNX is left out without onnxruntime, the page's predictions without node."""
import csv
import html.parser
import io
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PIECES = ["</script>", "<script>alert(1)</script>", "<!--", "-->", "]]>", "<b id=x>", "\"", "'", "`", "\\", "??/", "*/",
          "/*", "//", "%s%n", "${x}", "{{title}}", "{{model}}", "&amp;", "&#0;", "\n", "\r\n", "\t", "\\n", "\\u0041",
          "\u2028", "\u202e", "\u2066", "\u200f", "\u05d0\u05d1", "\u00e9", "e\u0301", "\U0001f600", "\ufeff", "\x7f",
          "__proto__", "constructor", "=1+1", ";", ",", "|", "a", "B", "0", " "]


def name(rng, taken, but=()):
    while True:
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 5))).strip().strip("\ufeff").strip()
        if text and text not in taken and not any(c in text for c in but) and not text.isdigit():
            taken.add(text)
            return text


class Page(html.parser.HTMLParser):
    """The tags of a page, and the texts of its scripts and title."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inside, self.texts = [], None, {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = dict(attributes).get("id") or dict(attributes).get("class") or tag

    def handle_endtag(self, tag):
        self.tags.append("/" + tag)
        self.inside = None

    def handle_data(self, data):
        if self.inside:
            self.texts[self.inside] = self.texts.get(self.inside, "") + data


class Model:
    def __init__(self, rung, folder, rng, number):
        self.rung, self.folder = rung, folder
        names = set()
        self.columns = [name(rng, names) for _ in range(3)]
        self.label = name(rng, names)
        self.categories = [name(rng, names, but="\r") for _ in range(3)]
        self.classes = [name(rng, names, but="<,\n\r\"'\\") for _ in range(3)]
        self.texts = {key: name(rng, names) for key in ("title", "text", "disclaimer")}
        rows = [[rng.gauss(0, 1), rng.choice(self.categories), rng.randrange(5)] for _ in range(60)]
        labels = [self.classes[min(2, max(0, round(r[0] + (r[1] == self.categories[0]) + 0.6)))] for r in rows]
        self.rows = [[repr(r[0]), r[1], str(r[2])] for r in rows]
        self.path = folder / f"names{number}.rung"
        with open(folder / "names.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[*self.columns, self.label],
                                        *(r + [label] for r, label in zip(self.rows, labels))])
        self.run("fit", folder / "names.csv", "-m", rng.choice(("pom", "boost")), "--order", "<".join(self.classes), "-q",
                 "-o", self.path)
        answers = self.run("predict", self.path, folder / "names.csv", "--proba")
        self.answers = [[float(v) for v in r[-3:]] for r in list(csv.reader(io.StringIO(answers, newline="")))[1:]]

    def run(self, *arguments):
        done = subprocess.run([self.rung, *map(str, arguments)], capture_output=True, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(f"{arguments[0]} {self.columns} {self.classes}: {done.stderr}")
        return done.stdout

    def export(self, end, *options):
        path = self.folder / f"names.{end}"
        self.run("export", self.path, "-o", path, "-q", *options)
        return path

    def differ(self, got, form):
        off = max(abs(a - b) for p, q in zip(got, self.answers, strict=True) for a, b in zip(p, q, strict=True))
        return f"{form}: probabilities differ by {off:.3g}" if off > 1e-6 else None


def check_json(model, text, form):
    program = json.loads(text)
    got = ([c["name"] for c in program["columns"]], program["label"], program["classes"],
           program["columns"][1]["categories"])
    want = (model.columns, model.label, model.classes, sorted(model.categories, key=str.encode))
    return None if got == want else f"{form}: {got} instead of {want}"


C_MAIN = r"""
#include <stdio.h>
#include "names.h"
int main(void)
{
    static char cell[3][4096];
    double cells[3];
    rung_model_answer a;
    int j, c, n;
    for (;;) {
        for (j = 0; j < 3; j++) {
            for (n = 0; (c = getchar()) != EOF && c;) cell[j][n++] = (char)c;
            if (c == EOF) return 0;
            cell[j][n] = 0;
            if (!rung_model_cell(j, cell[j], &cells[j])) return 1;
        }
        if (rung_model_predict(cells, &a)) return 2;
        printf("%.17g %.17g %.17g\n", a.probability[0], a.probability[1], a.probability[2]);
    }
}
"""


def check_c(model):
    model.export("c")
    (model.folder / "main.c").write_text(C_MAIN)
    program = model.folder / "names"
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            continue
        done = subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "main.c", "names.c", "-o",
                               program, "-lm"], cwd=model.folder, capture_output=True, text=True)
        if done.returncode:
            return f"C: {done.stderr[:800]}"
        cells = "".join(cell + "\0" for row in model.rows for cell in row)
        done = subprocess.run([program], input=cells.encode(), capture_output=True, check=True)
        if wrong := model.differ([[float(v) for v in line.split()] for line in done.stdout.splitlines()], "C"):
            return wrong
    return None


def check_onnx(model):
    try:
        import numpy as np
        import onnxruntime
    except ImportError:
        return None
    session = onnxruntime.InferenceSession(str(model.export("onnx")), providers=["CPUExecutionProvider"])
    if [i.name for i in session.get_inputs()] != model.columns:
        return f"ONNX: inputs {[i.name for i in session.get_inputs()]} instead of {model.columns}"
    cells = list(zip(*model.rows))
    feed = {c: np.array(v, dtype=object if j == 1 else float)[:, None] for j, (c, v) in
            enumerate(zip(model.columns, cells))}
    return model.differ(session.run(["probabilities"], feed)[0], "ONNX")


def check_html(model, tame):
    path = model.export("html", *(part for key, text in model.texts.items() for part in (f"--{key}={text}",)))
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    if page.tags != tame:
        return f"page: {[t for t in page.tags if t not in tame] or 'other'} tags"
    for key, given in model.texts.items():
        got = page.texts[key].replace("\r\n", "\n")
        if got != given.replace("\r\n", "\n"):
            return f"page: the {key} is {got!r} instead of {given!r}"
    if wrong := check_json(model, page.texts["model"], "page"):
        return wrong
    if not shutil.which("node"):
        return None
    done = subprocess.run(["node", Path(__file__).with_name("page.js")], capture_output=True, encoding="utf-8", check=True,
                          input=json.dumps([{"page": str(path), "rows": model.rows}]))
    return model.differ([a["probabilities"] for a in json.loads(done.stdout)[0]], "page")


def main():
    rung, models = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    failed, tame = 0, None
    with tempfile.TemporaryDirectory() as folder:
        for number in range(models):
            model = Model(rung, Path(folder), rng, number)
            tame = tame or Page(model.export("html", "--title=t", "--text=t", "--disclaimer=d").read_text()).tags
            json_text = model.export("json").read_text(encoding="utf-8")
            for wrong in (check_json(model, json_text, "JSON"), check_c(model), check_onnx(model), check_html(model, tame)):
                if wrong:
                    failed += 1
                    print(f"model {number}: {wrong}\n  {model.columns} {model.classes} {model.label!r}")
    print(f"{models} models with hostile names, {failed} failures")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
