#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No function or macro of the library has more than 8 parameters: more belong into a struct.

    params.py FOLDER [MOST]    exit 1 with those that have more
    params.py FOLDER --list N  all that have N or more, the longest first

Reads definitions, declarations, pointers to functions and macros of C files as text, comments and strings left out."""
import re
import sys
from pathlib import Path

MOST = 8
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "else", "do", "case"}


def blank(match):
    """What is left out keeps its lines."""
    return re.sub(r"[^\n]", " ", match[0])


def clean(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', lambda m: '"' + " " * (len(m[0]) - 2) + '"', text)


def inside(text, start):
    """What is between the bracket at start and its partner, and the place after it."""
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] == "("
        depth -= text[i] == ")"
        if depth == 0:
            return text[start + 1:i], i + 1
    return "", len(text)


def parameters(arguments):
    if arguments.strip() in ("", "void"):
        return 0
    depth, count = 0, 1
    for c in arguments:
        depth += c in "([{"
        depth -= c in ")]}"
        count += c == "," and depth == 0
    return count


def macros(text):
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", text, flags=re.M):
        yield match[1], match.start(1), parameters(inside(text, match.end() - 1)[0])


def without_directives(text):
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def functions(text):
    """Names with a type before them, followed by a list and then by a body, a semicolon or an attribute."""
    for match in re.finditer(r"(?:[\w)]|\*)[ \t\n]+\**(\w+)\(|\(\*(\w+)\)\(", text):
        name = match[1] or match[2]
        word = re.search(r"(\w+)[ \t\n*]*$", text[:match.start(1) if match[1] else match.start()])
        if name in KEYWORDS or (match[1] and (not word or word[1] in KEYWORDS)):
            continue
        arguments, end = inside(text, match.end() - 1)
        if re.match(r"[ \t\n]*(?:\{|;|,|__attribute__)", text[end:]):
            yield name, match.start(1) if match[1] else match.start(2), parameters(arguments)


def found(folder):
    for path in sorted(Path(folder).rglob("*.[ch]")):
        text = clean(path.read_text())
        for name, place, count in list(macros(text)) + list(functions(without_directives(text))):
            yield count, f"{path}:{text.count(chr(10), 0, place) + 1}", name


def main():
    folder, listed = sys.argv[1], "--list" in sys.argv
    most = int(sys.argv[-1]) if len(sys.argv) > 2 else MOST
    all_found = list(found(folder))
    long = sorted((f for f in all_found if (f[0] >= most if listed else f[0] > most)), reverse=True)
    for count, place, name in long:
        print(f"{place}: {name} has {count} parameters")
    if listed:
        return 0
    print(f"{len(all_found)} functions and macros, {len(long)} with more than {most} parameters")
    return 1 if long or not all_found else 0


if __name__ == "__main__":
    sys.exit(main())
