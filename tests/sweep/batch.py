# SPDX-License-Identifier: BSD-3-Clause
"""Cases through R, many at once, because R starts slowly: a model that R loads, and one that R fits, answer the frame
that R reads as the command answers the file that R would write of it, with row names."""
import json
import shutil
import subprocess
from pathlib import Path

from fronts import Failed, arguments, command, python_can
from library import lib, methods, shape_of, text

SCRIPT = Path(__file__).with_name("batch.R")


def available():
    """Whether Rscript is there, with the package of this library."""
    if shutil.which("Rscript") is None:
        return False
    ask = "library(rung); cat(format(packageVersion(\"rung\")))"
    said = subprocess.run(["Rscript", "-e", ask], capture_output=True, text=True, check=False)
    return said.returncode == 0 and said.stdout == text(lib.rung_version())


def can(case):
    """Options that R has, too, and names that survive it: of columns by name, as row names move their places. A shape
    is that of the columns of the file: numbers of 18 digits, in a file codes, are numbers where R has read them."""
    names = [column.name for column in case.table.columns]
    if any(column.kind == "long number"
           for column in case.table.columns) and methods()[case.options.method].has("shape"):
        return False
    return (python_can(case) and not case.options.passes and not case.options.cost and case.form.header
            and all(case.table.word(name) == name and "\n" not in name for name in names))


def add(fit, folder):
    """A job: what R needs to repeat a fit."""
    o, table, folder = fit.options, fit.table, Path(folder)
    folder.mkdir()
    shutil.copy(fit.path, folder / "data.csv")
    (folder / "model.rung").write_bytes(fit.bytes())
    said = {name.replace("-", "_"): value for name, value in o.params.items()}
    if methods()[o.method].has("shape"):
        said.setdefault("shape", shape_of(fit.features))
    said |= {"method": o.method, "scale": o.scale, "equal_rows": o.equal_rows, "seed": o.seed, "real": o.real,
             "missing": "error" if o.missing_error else "median"}
    if o.order:
        said["order"] = o.order.split("<")
    if o.balanced or o.class_weights:
        said["class_weights"] = "balanced" if o.balanced else o.class_weights
    for name, value in (("nominal", o.nominal), ("numeric", o.numeric)):
        if value:
            said[name] = value
    if o.ordinal:
        said["ordinal"] = {name: words.split("<") for name, words in o.ordinal.items()}
    roles = {"label": table.label, "weights": table.weights, "groups": table.groups}
    job = {"delimiter": fit.form.delimiter, "roles": {k: v for k, v in roles.items() if v}, "arguments": said}
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    (folder / "options").write_text(json.dumps(list(map(str, arguments(fit)))), encoding="utf-8")


def numbers(path):
    return [[float(cell) for cell in line.split(",")] for line in path.read_text().splitlines()]


def answered(model, path):
    """What the command says of a file, in the form of the script."""
    printed, refusal = command("predict", model, path, "-q", "--proba")
    if refusal and "no probabilities" in refusal:
        printed, refusal = command("predict", model, path, "-q")
    if refusal:
        raise Failed(f"predict is refused: {refusal}")
    import csv
    import io
    rows = list(csv.reader(io.StringIO(printed)))
    wanted = [j for j, name in enumerate(rows[0]) if name.startswith("p(")]
    wanted = wanted or [j for j, name in enumerate(rows[0]) if name.startswith("score")]
    return [[float(row[j]) for j in wanted] for row in rows[1:]]


def compare(folder):
    """What is wrong with a job that R has done."""
    wrong = (folder / "wrong").read_text().strip() if (folder / "wrong").exists() else "R did not get to it"
    if wrong:
        yield wrong
        return
    frame = folder / "frame.csv"
    try:
        if answered(folder / "model.rung", frame) != numbers(folder / "loaded"):
            yield "loaded by R: other answers than those of the command"
        _, refusal = command("fit", frame, *json.loads((folder / "options").read_text()), "-o", folder / "own.command",
                             "-q")
        if refusal:
            yield f"fit of what R wrote is refused: {refusal}"
        elif answered(folder / "own.command", frame) != numbers(folder / "fitted"):
            yield "fitted by R: other answers than those of the command"
    except Failed as why:
        yield str(why)


def run(folder):
    """(number of the case, what is wrong or None) of every job."""
    done = subprocess.run(["Rscript", str(SCRIPT), str(folder)], capture_output=True, text=True, check=False)
    for job in sorted(Path(folder).iterdir(), key=lambda path: int(path.name)):
        wrong = list(compare(job))
        if done.returncode and not (job / "wrong").exists():
            wrong.append(done.stderr[-300:])
        yield from ((int(job.name), what) for what in wrong or [None])
