# SPDX-License-Identifier: BSD-3-Clause
"""The look of the figures, that of `rung plot`: colours, sizes, and what figures share. Lengths are CSS pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT_INK, RULE, PAPER = "#1a1a1a", "#595959", "#d9d9d9", "#ffffff"
FONT, SMALL_FONT, TITLE_FONT = 12, 11, 14
LONGEST_NAME = 24  # characters
# Colours that people with any colour vision tell apart (M. Okabe, K. Ito, 2008), the pale yellow left out.
THINGS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#333333")
MARKERS = ("o", "s", "^", "D", "v", "p", "h")
DASHES = ("-", (0, (6, 3)), (0, (2, 2)))


def points(pixels: float) -> float:
    return 0.75 * pixels


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """An axis to draw into: the one given, or that of a new figure of this size."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("the figures need matplotlib: pip install matplotlib") from None
    return plt.subplots(figsize=(width / 96, height / 96), dpi=150, layout="constrained")[1]


# ---- colours ----


def _rgb(colour: Any) -> np.ndarray:
    from matplotlib.colors import to_rgb

    return np.array(to_rgb(colour))


def mix(a: Any, b: Any, share_of_b: float) -> tuple[float, ...]:
    return tuple((1 - share_of_b) * _rgb(a) + share_of_b * _rgb(b))


def class_colour(k: int, classes: int) -> tuple[float, ...]:
    """Of class k, from 1; along viridis without its last tenth, which is too pale for paper."""
    import matplotlib as mpl

    return mpl.colormaps["viridis"](0.3 if classes < 2 else 0.06 + 0.86 * (k - 1) / (classes - 1))[:3]


def class_tint(k: int, classes: int) -> tuple[float, ...]:
    return mix(class_colour(k, classes), PAPER, 0.72)


def share_colour(share: float) -> tuple[float, ...]:
    return mix(PAPER, "#1f4e79", 0.04 + 0.96 * share)


def ink_on(background: Any) -> str:
    """Black or white, whichever has more contrast (relative luminance of the Web Content Accessibility Guidelines)."""
    rgb = _rgb(background)
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ (0.2126, 0.7152, 0.0722))
    return PAPER if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


# ---- text ----


def names(classes: Any, longest: int = LONGEST_NAME) -> list[str]:
    """Names to show. Those longer than `longest` characters lose a part in the middle, chosen so that they remain
    distinct; if that is not possible they stay a little longer, and at last whole."""
    whole = [str(name) for name in classes]
    for most in range(longest, 2 * longest + 13, 6):
        for tail in sorted(range(4, most - 4), key=lambda tail: abs(most // 2 - tail)):  # noqa: B023
            head = most - 1 - tail
            short = [name if len(name) <= most else f"{name[:head]}…{name[-tail:]}" for name in whole]
            if len(set(short)) == len(set(whole)):
                return short
    return whole


def text_width(text: str, size: float) -> float:
    """About the width of a text; rather more."""
    return 0.62 * size * len(text)


def size(ax: Axes) -> tuple[float, float]:
    """Width and height of an axis, as far as they are known before the figure is laid out."""
    return float(96 * ax.bbox.width / ax.figure.dpi), float(96 * ax.bbox.height / ax.figure.dpi)


# ---- parts ----


def head(ax: Axes, title: str, note: str | None = None, room: float = 0) -> None:
    """Title and, smaller, a note at the top left, `room` above the axis."""
    above = 8 + room
    if note:
        ax.annotate(note, (0, 1), (0, points(above)), "axes fraction", textcoords="offset points",
                    fontsize=points(SMALL_FONT), color=SOFT_INK, annotation_clip=False)  # fmt: skip
        above += 18
    ax.set_title(title, loc="left", fontsize=points(TITLE_FONT), fontweight="bold", color=INK, pad=points(above), y=1.0)


def plain_axes(ax: Axes, x_name: str, y_name: str, grid: Literal["both", "x", "y"] | None = "both") -> None:
    """Rules behind the data, ticks in soft ink, names of the axes."""
    ax.set_axisbelow(True)
    if grid:
        ax.grid(True, axis=grid, color=RULE, linewidth=points(1))
    ax.tick_params(colors=SOFT_INK, labelsize=points(SMALL_FONT), length=points(4), width=points(1))
    ax.tick_params(axis="y", length=0)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set(color=SOFT_INK, linewidth=points(1))
    ax.set_xlabel(x_name, fontsize=points(FONT), color=INK)
    ax.set_ylabel(y_name, fontsize=points(FONT), color=INK)


def legend(ax: Axes) -> float:
    """A legend in rows above the axis; returns its height."""
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return 0
    widths = [text_width(label, SMALL_FONT) + 46 for label in labels]
    columns = len(labels)
    while columns > 1 and sum(max(widths[c::columns]) for c in range(columns)) > size(ax)[0]:
        columns -= 1
    by_column = [i for c in range(columns) for i in range(c, len(labels), columns)]  # so they are read row by row
    ax.legend(
        [handles[i] for i in by_column], [labels[i] for i in by_column], loc="lower left", bbox_to_anchor=(0, 1),
        ncols=columns, frameon=False, borderaxespad=0.3, borderpad=0.2, handlelength=1.8, handletextpad=0.5,
        columnspacing=1.4, labelcolor=INK, fontsize=points(SMALL_FONT),
    )  # fmt: skip
    return 18 * -(-len(labels) // columns)


def rows_as_markers(ax: Axes, x: np.ndarray, y: np.ndarray, ranks: np.ndarray, classes: Any) -> None:
    """The rows, by class; first the unlabelled, so that they hide none of the others."""
    area = points(2 * (2.2 if len(x) > 2000 else 3 if len(x) > 400 else 4)) ** 2
    shown = names(classes)
    for k, name in enumerate(shown, 1):
        rows, marker = ranks == k, MARKERS[(k - 1) % len(MARKERS)]
        colour = class_colour(k, len(shown))
        ax.scatter(
            x[rows], y[rows], area, [colour], marker=marker, edgecolors=INK, linewidths=points(1), label=name, zorder=3
        )
    rows = ranks == 0
    if rows.any():
        ax.scatter(
            x[rows], y[rows], 0.7 * area, SOFT_INK, marker="x", linewidths=points(1), label="unlabelled", zorder=2.5
        )
