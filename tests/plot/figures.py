#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures against stored ones: the same elements, texts and colours in the same order, numbers within a tenth of a
pixel.

usage: figures.py RUNG [--update]      --update: writes the stored ones again; look at them then
The SVG is written without asking a font, so it is the same everywhere but for the last digits of what a model
computes."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
MODEL = "small.rung train.csv --size 260x220"
CASES = {
    "projection": f"projection {MODEL}",
    "confusion": f"confusion {MODEL}",
    "boundary": f"boundary {MODEL}",
    "reliability": f"reliability {MODEL}",
    "projection-auto": "projection auto.rung train.csv --size 360x240",
    "confusion-names": "confusion long.rung long.csv --size 260x220",
    "projection-names": "projection long.rung long.csv --size 260x220",
    "ranks": "ranks table2.db",
    "ranks-table": "ranks ranks.csv --metric acc --title 'From a table: <names> & \"all\"'",
    "curve": "curve curve.csv --size 360x260",
}
RANKS = "set,a long name,b<c>\n1,0.5,0.6\n2,0.4,0.7\n3,0.7,0.71\n"
CURVE = ("method,unlabelled,labels,mean,low,high,metric\n"
         "es-dl,with,5,0.5,0.4,0.6,mze\nes-dl,with,50,0.3,0.25,0.35,mze\n"
         "es-dl,without,5,0.6,0.5,0.7,mze\nes-dl,without,50,0.4,0.35,0.45,mze\n")
# Names that share a long beginning: what is left of them must still tell them apart.
LONG = "\n".join(f"{x},{y}" for x,
                 y in enumerate(3 * ["Insufficient_Weight", "Obesity_Type_I", "Obesity_Type_II", "Obesity_Type_III"]))
ORDER = "Insufficient_Weight<Obesity_Type_I<Obesity_Type_II<Obesity_Type_III"


def parts(text):
    """(shape, numbers) of a text: the numbers cut out, colours and names kept."""
    colours = re.sub(r"#[0-9a-f]{6}", lambda m: m.group().translate(str.maketrans("0123456789", "ghijklmnop")), text)
    return NUMBER.sub("?", colours), [float(x) for x in NUMBER.findall(colours)]


def flat(svg):
    """Every element as (tag, attributes and text)."""
    for e in ET.fromstring(svg).iter():
        yield e.tag.split("}")[1], [*sorted(e.attrib.items()), ("text", (e.text or "").strip())]


def compare(name, found, stored):
    a, b = list(flat(found)), list(flat(stored))
    if len(a) != len(b):
        return f"{name}: {len(a)} elements, not {len(b)}"
    for (tag, attributes), (tag_b, attributes_b) in zip(a, b):
        if tag != tag_b or [k for k, _ in attributes] != [k for k, _ in attributes_b]:
            return f"{name}: <{tag}> {attributes} instead of <{tag_b}> {attributes_b}"
        for (key, value), (_, expected) in zip(attributes, attributes_b):
            (shape, numbers), (shape_b, numbers_b) = parts(value), parts(expected)
            if shape != shape_b or any(abs(x - y) > 0.1 for x, y in zip(numbers, numbers_b)):
                return f"{name}: <{tag} {key}> is {value[:200]!r}, not {expected[:200]!r}"
    return None


def last_column(png):
    """The bytes of the last column of an 8-bit RGB image."""
    at, data = 8, b""
    width, height = struct.unpack(">II", png[16:24])
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += length + 12
    flat_bytes, stride, above, out = zlib.decompress(data), 3 * width, bytes(3 * width), b""
    for y in range(height):
        kind, line = flat_bytes[y * (stride + 1)], bytearray(flat_bytes[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = line[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0
            nearest = min((a, b, c), key=lambda v: abs(a + b - c - v))
            line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
        above, out = bytes(line), out + bytes(line[-3:])
    return out


def main():
    rung, update = pathlib.Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rung-plot-") as folder:
        def run(line, **options):
            return subprocess.run(["sh", "-c", line], cwd=folder, check=True, env=environment, **options).stdout

        environment = dict(os.environ, PATH=f"{rung.parent}:{ROOT}/tests/cli/bin:{os.environ['PATH']}",
                           SOURCE=str(ROOT))
        for name in ("train.csv", "test.csv"):
            shutil.copy(ROOT / "tests/cli/data" / name, folder)
        pathlib.Path(folder, "ranks.csv").write_text(RANKS)
        pathlib.Path(folder, "curve.csv").write_text(CURVE)
        pathlib.Path(folder, "long.csv").write_text(f"x,label\n{LONG}\n")
        run(f"rung fit train.csv -o auto.rung -q && rung fit long.csv -m pom --order '{ORDER}' -o long.rung -q")
        run("rung fit train.csv -m kdlor -o small.rung -q && experiment-db table2 table2.db")
        for name, line in CASES.items():
            run(f"rung plot {line} -o {name}.svg && rung plot {line} -o again.svg && cmp {name}.svg again.svg")
            found, path = pathlib.Path(folder, name + ".svg").read_text(), HERE / (name + ".svg")
            if update:
                path.write_text(found)
            why = compare(name, found, path.read_text()) if path.exists() else f"{name}: there is no {path}"
            if why:
                print("FAILED", why)
                failed += 1
            # The other formats are drawn by the same calls; what they begin with tells that they are what they say.
            run(f"rung plot {line} -o {name}.png && rung plot {line} -o {name}.pdf")
            if not pathlib.Path(folder, name + ".png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n"):
                print("FAILED", name, "is no PNG")
                failed += 1
            if not pathlib.Path(folder, name + ".pdf").read_bytes().startswith(b"%PDF-"):
                print("FAILED", name, "is no PDF")
                failed += 1
        # 260 x 1.27 is no whole number of pixels: the last column is paper, too.
        run(f"rung plot confusion {MODEL} --scale 1.27 -o odd.png")
        if set(last_column(pathlib.Path(folder, "odd.png").read_bytes())) != {255}:
            print("FAILED the last column of pixels is not white")
            failed += 1
        # The figures of the docs are what the command draws today.
        run(f"'{ROOT}/tools/figures.sh' '{rung}' '{folder}/docs'")
        drawn = sorted(pathlib.Path(folder, "docs").glob("*.svg"))
        for path in drawn:
            stored = ROOT / "docs/figures" / path.name
            why = compare(f"docs/figures/{path.name}", path.read_text(),
                          stored.read_text()) if stored.exists() else f"no {stored}"
            if why:
                print("FAILED", why, "(make figures draws them again)")
                failed += 1
    print(f"{len(CASES) + len(drawn)} figures, {failed} failed")
    return failed > 0


sys.exit(main())
