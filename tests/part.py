# SPDX-License-Identifier: BSD-3-Clause
"""A long test as several: each runs a share of its list, so that they go side by side (rung_parts in
CMakeLists.txt)."""


def take(words):
    """Takes --part I/N out of the words of a command; returns a function that gives the I-th of N shares of a list."""
    if "--part" not in words:
        return list
    at = words.index("--part")
    share, shares = map(int, words[at + 1].split("/"))
    del words[at:at + 2]
    return lambda things: list(things)[share - 1::shares]
