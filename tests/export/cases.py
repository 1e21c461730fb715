# SPDX-License-Identifier: BSD-3-Clause
"""Models of every method and of every kind of column, with what rung predicts for new rows: what an exported model must
answer, too."""
import csv
import json
import math
import random
import subprocess

COLOURS = ["red", "gr??/een\\", "bl\"ue'</script>%s%n", "dark red"]  # names are text and nothing else
SIZES = ["small", "medium", "large"]
GRADES = ["none", "mild", "moderate", "severe"]


def cell(rng, value, missing):
    return "" if rng.random() < missing else value


def mixed_row(rng, missing, unseen):
    """Numbers with gaps, categories, a flag, ordered words, dates, and a grade that depends on them."""
    a, b, c = rng.gauss(0, 1), rng.gauss(5, 2), rng.choice(COLOURS[:3])
    size, flag = rng.randrange(3), rng.random() < 0.5
    day = rng.randrange(1, 366)
    f = a + 0.3 * (b - 5) + (c == "red") - 0.5 * size + 0.4 * flag + 0.5 * math.sin(day / 58) + rng.gauss(0, 0.4)
    grade = GRADES[sum(f > t for t in (-1.2, 0, 1.2))]
    date = f"2024-{1 + day * 11 // 366:02d}-{1 + day % 28:02d}"
    colour = COLOURS[3] if rng.random() < unseen else c
    return [cell(rng, repr(round(a, 4)), missing), cell(rng, repr(round(b, 2)), missing), cell(rng, colour, missing),
            cell(rng, SIZES[size], missing), "yes" if flag else "no", date, grade]


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def make_mixed(folder):
    rng = random.Random(5)
    header = ["do\"se\n</script>", "le??/vel, \\mg %s", "colour", "size", "flag", "seen on", "grade"]
    train = [mixed_row(rng, 0.05, 0) for _ in range(90)]
    for row in train[60:]:
        row[-1] = ""
    write(folder / "mixed.csv", header, train)
    new = [mixed_row(rng, 0.1, 0.1) for _ in range(60)] + [row[:-1] + [""] for row in train[:10]]
    write(folder / "mixed-new.csv", header, new)


def make_plain(folder):
    """Numbers alone, without a gap; the second file has equal rows, the third real labels."""
    rng = random.Random(8)

    def row():
        x = [round(rng.gauss(0, 1), 3) for _ in range(4)]
        return x, x[0] + 0.5 * x[1] * x[1] + rng.gauss(0, 0.3)
    header = ["x1", "x2", "x3", "x4", "y"]
    rows = [row() for _ in range(80)]
    graded = [x + [1 + sum(f > t for t in (-0.6, 0.2, 0.9, 1.8))] for x, f in rows]
    write(folder / "plain.csv", header, graded)
    write(folder / "real.csv", header, [x + [round(f, 4)] for x, f in rows])
    write(folder / "plain-new.csv", header,
          [x + [""] for x, _ in (row() for _ in range(50))] + [r[:-1] + [""] for r in graded[:5]])
    equal = [[rng.randrange(3), rng.randrange(3), rng.randrange(2)] for _ in range(120)]
    write(folder / "equal.csv", header[:3] + ["y"], [x + [1 + (sum(x) + rng.randrange(3)) // 3] for x in equal])
    write(folder / "equal-new.csv", header[:3] + ["y"],
          [[a, b, c, ""] for a in range(4) for b in range(3) for c in range(2)])


def make_shapes(folder):
    """Columns from which others are derived: the same as in make_mixed, with names that an expression can have."""
    rng = random.Random(6)
    header = ["a", "b", "colour", "size", "flag", "seen", "grade"]

    def row(missing, unseen):
        row = mixed_row(rng, missing, unseen)
        return [row[0] and repr(abs(float(row[0])) + 0.5), *row[1:]]
    write(folder / "shapes.csv", header, [row(0.05, 0) for _ in range(90)])
    write(folder / "shapes-new.csv", header, [row(0.15, 0.1)[:-1] + [""] for _ in range(50)])


def make_gaps(folder):
    """Whether a cell is missing decides the class."""
    rng = random.Random(7)

    def row():
        gone = [rng.random() < 0.3 for _ in range(2)]
        return ["" if g else rng.randrange(3) for g in gone] + [rng.randrange(4), 1 + gone[0] + gone[1]]
    write(folder / "gaps.csv", ["a", "b", "c", "y"], [row() for _ in range(90)])
    write(folder / "gaps-new.csv", ["a", "b", "c", "y"],
          [[a, b, c, ""] for a in ("", 0, 1, 9) for b in ("", 0, 2) for c in ("", 1, 3)])


def make_kernel(folder):
    """A precomputed kernel: the columns are k(row, training row)."""
    rng = random.Random(3)
    points = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(50)]

    def values(a):
        return [math.exp(-sum((x - y) ** 2 for x, y in zip(a, b))) for b in points[:40]]
    rows = [values(p) + [1 + sum(p[0] > t for t in (-0.5, 0.5))] for p in points]
    header = [f"k{j}" for j in range(40)] + ["y"]
    write(folder / "kernel.csv", header, rows[:40])
    write(folder / "kernel-new.csv", header, rows[40:])


ORDER = ["--order", "<".join(GRADES), "--ordinal", "size=small<medium<large"]
SHAPES = ["--derive", "log(a)", "--derive", "a:colour", "--derive", "b^-2", "--derive", "center(b):size:colour",
          "--derive", "log10((b + 20)/3)", "--derive", "seen:colour", "--derive", "poly(b, 3)", "--ignore", "a",
          "--dates", "seen=cyclic"]
# method, data, options of the fit
VARIANTS = [
    ("kdlor", "plain", ["-p", "kernel=poly", "-p", "degree=2"]),
    ("kdlor", "plain", ["-p", "kernel=linear"]),
    ("kdlor", "plain", ["-p", "kernel=laplacian"]),
    ("kdlor", "plain", ["-p", "kernel=ard", "-p", "precisions=0.5,0.3,0.1,0.2"]),
    ("kdlor", "plain", ["-p", "landmarks=20"]),
    ("kdlor", "plain", ["-p", "thresholds=midpoint"]),
    ("kdlor", "plain", ["-p", "calibrate=0", "-p", "thresholds=midpoint"]),
    ("kdlor", "plain", ["--scale", "minmax"]),
    ("kdlor", "plain", ["--scale", "rank"]),
    ("kdlor", "plain", ["--scale", "none"]),
    ("kdlor", "plain", ["--cost", "up=2,down=1", "--abstain", "0.4"]),
    ("kdlor", "kernel", ["-p", "kernel=precomputed", "--scale", "none"]),
    ("gpor", "plain", ["-p", "kernel=ard", "-p", "precisions=0.5,0.3,0.1,0.2"]),
    ("sbor", "plain", ["-p", "kernel=linear"]),
    ("boost", "plain", ["-p", "link=nominal"]),
    ("boost", "equal", []),
    ("boost", "gaps", []),
    ("auto", "gaps", []),
    ("kdlor", "equal", []),
    ("auto", "equal", []),
    ("auto", "plain", []),
    ("auto", "plain", ["--scale", "rank"]),
    ("auto", "mixed", ["--dates", "seen on=cyclic"]),
    ("boost", "mixed", ["--dates", "seen on=cyclic"]),
    ("pom", "mixed", ["--cost", "squared"]),
    ("krr", "real", ["--real"]),
    ("pom", "plain", ["--derive", "poly(x1, 2)", "--derive", "x2:x3", "--derive", "log1p(abs(x4))"]),
    ("boost", "plain", ["--derive", "exp(x1):x2", "--ignore", "x2", "--derive", "log2(x3 + 9)"]),
    ("pom", "shapes", SHAPES),
    ("boost", "shapes", SHAPES),
    ("kdlor", "shapes", [*SHAPES, "--scale", "minmax"]),
    ("svorim", "plain", ["-p", "kernel=linear"]),
]


class Case:
    """One model, and the rows it predicts with rung's answers."""

    def __init__(self, rung, folder, number, method, data, options):
        self.rung, self.method = rung, method
        self.name = " ".join([method, data, *options])
        self.model, new = folder / f"{number}.rung", folder / f"{data}-new.csv"
        if not new.exists():
            new = folder / "plain-new.csv"
        order = ORDER if data in ("mixed", "shapes") else []
        self.run("fit", folder / f"{data}.csv", "-m", method, *order, *options, "-q", "-o", self.model)
        self.contents = json.loads(self.run("inspect", self.model, "--json"))
        wanted = ["--proba"] if self.contents["probabilities"] else []
        wanted += ["--interval", "0.8"] if self.contents["interval"] else []
        self.answers = list(csv.DictReader(self.run("predict", self.model, new, *wanted).splitlines()))
        with open(new, newline="", encoding="utf-8") as file:
            self.rows = [row[:-1] for row in csv.reader(file)][1:]

    def run(self, *arguments):
        done = subprocess.run([self.rung, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{self.name}: rung {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def export(self, path, *options):
        self.run("export", self.model, "-o", path, "--with-rows", "--level", "0.8", "-q", *options)
        return path

    def scores(self, answer):
        return [float(v) for name, v in answer.items()
                if name == "score" or name.startswith(("score", "component", "mean"))]

    def compare(self, i, got, limit):
        """What differs between the answer for row i and rung's: the first difference as text, or None. got: rank (0:
        none), score, probabilities, sd, interval."""
        answer = self.answers[i]
        if "rank" in answer and got["rank"] != int(answer["rank"] or 0):
            return f"row {i + 1}: rank {got['rank']} instead of {answer['rank']}"
        want = [float(v) for name, v in answer.items() if name.startswith("p(")]
        if want and max(abs(a - b) for a, b in zip(got["probabilities"], want, strict=True)) > limit:
            off = max(abs(a - b) for a, b in zip(got["probabilities"], want))
            return f"row {i + 1}: probabilities differ by {off:.3g} of {want}"
        want = [float(answer["sd"])] if "sd" in answer else []
        if want and abs(got["sd"] - want[0]) > limit * max(1, abs(want[0])):
            return f"row {i + 1}: sd {got['sd']} instead of {want}"
        want = [float(v) for name, v in answer.items() if name.startswith("score")]
        if want and max(abs(a - b) / max(1, abs(b)) for a, b in zip(got["score"], want)) > limit:
            return f"row {i + 1}: score {got['score']} instead of {want}"
        if "interval_low" in answer and got["interval"] != [int(answer["interval_low"]), int(answer["interval_high"])]:
            low, high = answer["interval_low"], answer["interval_high"]
            return f"row {i + 1}: interval {got['interval']} instead of {low}..{high}"
        return None


def cases(rung, folder, only=None):
    """Every method of the table on both tables, and the variants."""
    for make in (make_mixed, make_shapes, make_gaps, make_plain, make_kernel):
        make(folder)
    methods = [m["name"]
               for m in json.loads(subprocess.run([rung, "methods", "--json"], capture_output=True, check=True).stdout)]
    every = [(m, data, []) for m in methods for data in ("mixed", "plain")] + VARIANTS
    for number, (method, data, options) in enumerate(every):
        if not only or method in only:
            yield Case(rung, folder, number, method, data, options)
