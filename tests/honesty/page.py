# SPDX-License-Identifier: BSD-3-Clause
"""Tables and figure of docs/trust.md, and what counts as a miss."""
import math
import os

BIAS, RANGE, COVER, CLASS, FORECAST = 0.02, (0.92, 0.98), (0.88, 0.93), 0.85, (0.85, 0.95)
COLOURS = {"auto": "#0072b2", "pom": "#d55e00", "kdlor": "#009e73", "boost": "#cc79a7", "ogp": "#e69f00"}
SURE = 2  # standard errors by which a share must lie outside its limits


def is_forecast(cell):
    return cell["name"].startswith("forecast")


def share_error(share, limit, n):
    """The standard error of a share, if the truth is at the limit."""
    return math.sqrt(limit * (1 - limit) / n)


def outside(share, limits, n):
    low, high = limits
    return (share < low - SURE * share_error(share, low, n) or share > high + SURE * share_error(share, high, n))


def misses(cell):
    """What of a cell is outside its limits by more than chance, in words."""
    out, limits = [], FORECAST if is_forecast(cell) else RANGE
    if cell.get("bias") is not None and abs(cell["bias"]) > max(BIAS, SURE * cell["bias_se"]) and not is_forecast(cell):
        out.append("bias %+.3f" % cell["bias"])
    if cell.get("range") is not None and outside(cell["range"], limits, cell["told"]):
        out.append("%s right in %.0f %%" % ("forecast" if is_forecast(cell) else "range", 100 * cell["range"]))
    if cell.get("cover") is not None:
        spare = SURE * cell["cover_se"]
        if not COVER[0] - spare <= cell["cover"] <= COVER[1] + spare:
            out.append("intervals hold %.3f" % cell["cover"])
    if cell.get("class") is not None and cell["class"] < CLASS:
        out.append("by class %.3f" % cell["class"])
    return out


# ---- tables ----

HEAD = "| population | method | labels | draws | true error | reported | bias | range right | intervals | worst class |"


def number(cell, key, form="%.3f"):
    return form % cell[key] if cell.get(key) is not None else ""


def percent(cell, key):
    return "%.0f %%" % (100 * cell[key]) if cell.get(key) is not None else ""


def row(cell):
    bias = "%+.3f ± %.3f" % (cell["bias"], cell["bias_se"]) if cell.get("bias") is not None else ""
    values = [cell["name"], cell["method"], "%d" % cell["labels"], "%d" % cell["told"], number(cell, "truth"),
              number(cell, "said"), bias, percent(cell, "range"), number(cell, "cover"), number(cell, "class")]
    marked = ["**%s**" % v if v and i in (6, 7, 8, 9) and flagged(cell, i) else v for i, v in enumerate(values)]
    return "| " + " | ".join(marked) + " |"


def flagged(cell, column):
    begin = {6: "bias", 7: ("range", "forecast"), 8: "intervals", 9: "by class"}[column]
    return any(miss.startswith(begin) for miss in misses(cell))


def whole_table(cells):
    return [HEAD, "|" + "---|" * 10] + [row(cell) for cell in cells]


def weighted_mean(cells, key, weight):
    known = [c for c in cells if c.get(key) is not None]
    return sum(c[key] * c[weight] for c in known) / sum(c[weight] for c in known) if known else None


PLAIN = ("linear", "nonlinear", "heteroscedastic", "rare", "many", "design")


def short_table(cells):
    """Means over the plain populations, each counting alike."""
    lines = ["| method | labels | bias | range right | intervals | worst class |", "|" + "---|" * 6]
    for method in COLOURS:
        for n in sorted({c["labels"] for c in cells}):
            some = [c for c in cells if c["name"] in PLAIN and c["method"] == method and c["labels"] == n]
            if not some:
                continue
            shares = [sum(c[key] for c in some
                          if c.get(key) is not None) / max(sum(c.get(key) is not None for c in some), 1)
                      for key in ("bias", "range", "cover")]
            worst = [c["class"] for c in some if c.get("class") is not None]
            lines.append("| %s | %d | %+.3f | %.0f %% | %.3f | %s |" % (
                method, n, shares[0], 100 * shares[1], shares[2], "%.3f" % min(worst) if worst else ""))
    return lines


def counted(cells):
    """How many cells are within their limits, by promise."""
    fits, forecasts = [c for c in cells if not is_forecast(c)], [c for c in cells if is_forecast(c)]
    lines = ["| promise | limits | cells | within, as far as chance allows |", "|---|---|---|---|"]
    for words, limits, some, begin, key in (
            ("bias of the reported error", "±.02, or two standard errors", fits, "bias", "bias"),
            ("95 % range holds the true error of the fitted model", "92 to 98 %", fits, "range", "range"),
            ("0.9 prediction intervals hold the true class", ".88 to .93", fits, "intervals", "cover"),
            ("... by class, in every class with ten labels", "at least .85", fits, "by class", "class"),
            ("90 % range of a forecast holds the error that comes", "85 to 95 %", forecasts, "forecast", "range")):
        known = [c for c in some if c.get(key) is not None]
        good = sum(not any(m.startswith(begin) for m in misses(c)) for c in known)
        lines.append("| %s | %s | %d | %d |" % (words, limits, len(known), good))
    return lines


def missed(cells):
    lines = ["- %s, %s, %d labels (%d draws): %s" % (c["name"], c["method"], c["labels"], c["told"],
                                                     ", ".join(misses(c)))
             for c in cells if misses(c)]
    return lines or ["None."]


def replace(page, mark, lines):
    begin, end = "<!-- lab.py: %s -->\n" % mark, "<!-- end -->"
    head, rest = page.split(begin)
    return head + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1]


def cell_of(line):
    """A cell from its row of the whole table. What is unusual is marked there; how unusual it is, is not."""
    values = [value.strip() for value in line.strip("| \n").split("|")]
    values += [""] * (10 - len(values))
    bold = [value.startswith("**") for value in values]
    values = [value.strip("*").rstrip("%").strip() for value in values]
    cell = {"name": values[0], "method": values[1], "labels": int(values[2]), "told": int(values[3])}
    for key, value in zip(("truth", "said"), values[4:6]):
        cell[key] = float(value) if value else None
    if values[6]:
        cell["bias"], cell["bias_se"] = (float(part) for part in values[6].split("±"))
        cell["bias"] *= 1 + 1e-6 * bold[6]  # a rounded number at the limit
    cell["range"] = round(float(values[7]) / 100 * cell["told"]) / cell["told"] if values[7] else None
    cell["cover"], cell["class"] = (float(value) if value else None for value in values[8:10])
    cell["cover_se"] = 0 if bold[8] else math.inf
    return cell


def joined(page, cells):
    """The cells of a page, with those in place of them that were measured again."""
    rows = page.split("<!-- lab.py: all -->\n")[1].split("<!-- end -->")[0].splitlines()[2:]
    new = {(c["name"], c["method"], c["labels"]): c for c in cells}
    old = [cell_of(row) for row in rows]
    known = {(c["name"], c["method"], c["labels"]) for c in old}
    return ([new.get((c["name"], c["method"], c["labels"]), c) for c in old] +
            [c for key, c in new.items() if key not in known])


def update(path, cells):
    """Cells that were not measured keep what the page has of them."""
    with open(path) as file:
        page = file.read()
    cells = joined(page, cells)
    for mark, lines in (("promises", counted(cells)), ("short", short_table(cells)), ("missed", missed(cells)),
                        ("all", whole_table(cells))):
        page = replace(page, mark, lines)
    with open(path, "w") as file:
        file.write(page)
    with open(os.path.join(os.path.dirname(path), "figures", "trust.svg"), "w") as file:
        file.write(figure(cells))


# ---- figure ----

WIDTH, HEIGHT, PLOT = 640, 560, (240, 170)  # of the whole, and of a panel
GREY, DARK = "#595959", "#1a1a1a"


class Panel:
    """Dots over the numbers of labels; a band where they should be."""

    def __init__(self, left, top, title, low, high, ticks, band, form):
        self.left, self.top, self.low, self.high = left, top, low, high
        width, height = PLOT
        self.lines = [words(left - 30, top - 10, title, 12, DARK, "start")]
        upper, lower = self.y(min(band[1], high)), self.y(max(band[0], low))
        self.lines.append('<rect x="%d" y="%.1f" width="%d" height="%.1f" fill="#dceefb"/>' % (
            left, upper, width, lower - upper))
        for tick in ticks:
            self.lines.append('<path d="M%d,%.1fL%d,%.1f" fill="none" stroke="#d9d9d9" stroke-width="1"/>' % (
                left, self.y(tick), left + width, self.y(tick)))
            self.lines.append(words(left - 6, self.y(tick) + 4, form % tick if tick else "0", 11, GREY, "end"))
        for place, n in enumerate((20, 40, 100, 400)):
            self.lines.append(words(self.x(place, 0), top + height + 16, str(n), 11, GREY, "middle"))

    def x(self, place, shift):
        return self.left + PLOT[0] * (place + 0.5) / 4 + shift

    def y(self, value):
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.top + PLOT[1] * (1 - share)

    def dot(self, cell, value):
        place = (20, 40, 100, 400).index(cell["labels"])
        shift = 9 * (list(COLOURS).index(cell["method"]) - 2)
        x, y, colour = self.x(place, shift), self.y(value), COLOURS[cell["method"]]
        beyond = not self.low <= value <= self.high
        if beyond:  # a triangle at the edge, which points to where it is
            tip = y - 5 if value > self.high else y + 5
            self.lines.append('<path d="M%.1f,%.1fL%.1f,%.1f %.1f,%.1fZ" fill="%s"/>' % (x - 3.5, y, x + 3.5, y, x, tip,
                                                                                         colour))
        else:
            self.lines.append('<circle cx="%.1f" cy="%.1f" r="2.8" fill="%s" fill-opacity="0.65"/>' % (x, y, colour))


def words(x, y, text, size, colour, anchor):
    return '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s">%s</text>' % (x, y, size, anchor, colour,
                                                                                            text)


def legend(y):
    lines, x = [], 40
    for method, colour in COLOURS.items():
        lines.append('<circle cx="%d" cy="%d" r="3.5" fill="%s"/>' % (x, y - 4, colour))
        lines.append(words(x + 8, y, method, 11, DARK, "start"))
        x += 32 + 7 * len(method)
    return lines


def figure(cells):
    panels = [
        (Panel(60, 110, "bias of the reported error", -0.1, 0.1, (-0.1, -0.05, 0, 0.05, 0.1), (-BIAS, BIAS), "%+.2f"),
         "bias"),
        (Panel(384, 110, "95 % range holds the true error", 0.6, 1, (0.6, 0.7, 0.8, 0.9, 1), RANGE, "%.1f"), "range"),
        (Panel(60, 350, "0.9 intervals hold the true class", 0.7, 1, (0.7, 0.8, 0.9, 1), COVER, "%.1f"), "cover"),
        (Panel(384, 350, "... by class: the worst class with ten labels", 0.7, 1, (0.7, 0.8, 0.9, 1), (CLASS, 1),
               "%.1f"),
         "class")]
    for panel, key in panels:
        for cell in cells:
            if cell.get(key) is not None and not is_forecast(cell):
                panel.dot(cell, cell[key])
    head = ['<?xml version="1.0" encoding="UTF-8"?>',
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" '
            'aria-labelledby="trust-title trust-text" font-family="DejaVu Sans, Verdana, Arial, sans-serif">' % (
                WIDTH, HEIGHT, WIDTH, HEIGHT),
            '<title id="trust-title">What is reported, beside what is so</title>',
            '<desc id="trust-text">Four panels over 20, 40, 100 and 400 labels: bias of the reported error, how often '
            'its '
            'range is right, coverage of prediction intervals, and that of the worst class.</desc>',
            '<rect x="0" y="0" width="%d" height="%d" fill="#ffffff"/>' % (WIDTH, HEIGHT),
            '<text x="12" y="20" font-size="14" font-weight="bold" fill="%s">What is reported, beside what is '
            'so</text>' % DARK,
            words(12, 38, "a dot: one population and method; blue: where it should be; triangles: beyond the panel", 11,
                  GREY,
                  "start")]
    return "\n".join([*head, *legend(62), *(line for panel, _ in panels for line in panel.lines),
                      words(WIDTH / 2, HEIGHT - 6, "labels", 12, DARK, "middle"), "</svg>", ""])
