#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What programs that were compiled with rung.h rely on, compared with a recorded list:  abi.py SOURCE COMPILER
[--update]

The list, abi.txt, holds the declaration of every function, the value of every constant, and the size of every struct
with the place of each of its fields, on systems with 64 bits. Where something that is there changes or is gone,
RUNG_ABI must change; what is new only joins the list (--update). Nothing of experimental.h is in it."""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "abi.txt"
FIXED = ("rung_view", "rung_reliability_bin")  # structs that never grow


def declarations(header):
    """The statements of the header, each on a line of its own."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header, flags=re.DOTALL)
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE).replace('extern "C" {', "")
    statements, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            statements.append(" ".join(text[start:at].split()))
            start = at + 1
    return statements


def fields(body):
    """The names of the fields: int a, *b; int (*f)(void *user); double v[2]."""
    for declared in filter(None, (part.strip() for part in body.split(";"))):
        pointer = re.match(r".*?\(\*(\w+)\)\(", declared)
        if pointer:
            yield pointer.group(1)
        else:
            yield from (re.search(r"(\w+)(\[.*\])?$", part.strip()).group(1) for part in declared.split(","))


def program(statements):
    """Functions as they are declared, and a program that prints the rest."""
    lines, functions = [], []
    for one in statements:
        kind = re.match(r"typedef (enum|struct)(?: \w+)? \{(.*)\} (\w+)$", one)
        if one.startswith("RUNG_API"):
            functions.append(re.sub(r"\bRUNG_(API|CHECK)\b ?", "", one))
        elif kind and kind.group(1) == "enum":
            for name in re.findall(r"\b(RUNG_\w+)\s*=", kind.group(2)):
                lines.append(f'printf("constant {kind.group(3)} {name} = %lld\\n", (long long){name});')
        elif kind:
            name = kind.group(3)
            lines.append(f'printf("size of {name}: %zu bytes\\n", sizeof({name}));')
            for field in fields(kind.group(2)):
                lines.append(f'printf("struct {name}.{field}: %zu bytes at %zu\\n", sizeof((({name} *)0)->{field}), '
                             f'offsetof({name}, {field}));')
        elif "(" in one:
            functions.append(one)
    return functions, "#include <rung/rung.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n"


def described(source, compiler):
    header = (source / "include/rung/rung.h").read_text(encoding="utf-8")
    functions, text = program(declarations(header))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "abi.c"
        path.write_text(text, encoding="utf-8")
        subprocess.run([compiler, f"-I{source / 'include'}", str(path), "-o", f"{folder}/abi"], check=True)
        printed = subprocess.run([f"{folder}/abi"], check=True, capture_output=True, text=True).stdout.splitlines()
    number = re.search(r"^#define RUNG_ABI (\d+)", header, flags=re.MULTILINE).group(1)
    return [f"RUNG_ABI {number}", *functions, *printed]


def grown(line, now):
    """Whether a line is the size of a struct that has only got new fields."""
    parts = re.match(r"size of (\w+): (\d+) bytes$", line)
    sizes = [int(m.group(1)) for m in (re.match(rf"size of {parts.group(1)}: (\d+) ", one) for one in now)
             if m] if parts else []
    return bool(sizes) and parts.group(1) not in FIXED and sizes[0] > int(parts.group(2))


def main():
    source, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    if sys.maxsize < 2**32:
        print("skipped: the recorded sizes are those of 64 bits")
        return 77
    now = described(source, compiler)
    if "--update" in sys.argv:
        RECORDED.write_text("\n".join(now) + "\n", encoding="utf-8")
        return 0
    recorded = RECORDED.read_text(encoding="utf-8").splitlines()
    gone, new = [line for line in recorded if line not in now], [line for line in now if line not in recorded]
    for line in gone:
        print("gone:", line)
    for line in new:
        print("new: ", line)
    if any(not grown(line, now) for line in gone) and now[0] == recorded[0]:
        print("Programs that are compiled may break: RUNG_ABI must change, or the header must not. (Before version 1.0 "
              "it changes with a minor version.)")
    if gone or new:
        print("If this is meant: tests/install/abi.py . cc --update")
    return int(bool(gone or new))


sys.exit(main())
