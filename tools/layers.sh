#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks what a file may know (see CONTRIBUTING.md):
#   - a file of src/ includes only from its own folder or one further left in `order`, written relative to src/;
#   - headers of BLAS, LAPACK and CUDA appear only under src/linalg, that of MPI only under cli/processes;
#   - the command (cli/) sees the headers of include/rung and its own files, nothing of src/;
#   - there is no "../" in an include;
#   - outside of src/base no file of src/ takes memory but by base/pool.h;
#   - no text of src/ names an option of the command (--bins, -p gamma=1, rung methods): front ends have their own
#     words, which they choose by rung_ctx_detail.
# usage: layers.sh [ROOT]      Prints file:line for every violation; exit 1 if there is one.
set -eu
cd "${1:-$(dirname "$0")/..}"
families="baseline mixed spread discriminant projection target svm bayes boost mixture"
rooms=$(for f in $families; do printf 'method/%s ' "$f"; done)
order="base linalg input/table data input/terms input/encode input/sheet input/read rows kernel graph problem trees solve eval model"
order="$order export fit ${rooms}suggest select explain api"

files=$(find src cli -name '*.[ch]' | LC_ALL=C sort)
[ -n "$files" ] || { echo "layers.sh: no source files under $(pwd)" >&2; exit 1; }

# shellcheck disable=SC2086 # file names here have no spaces
commands="fit|tune|curve|predict|explain|compare|update|evaluate|metrics|inspect|methods|generate|experiment|plot|demo"
awk -v order="$order" -v commands="$commands|serve|suggest|label|export" '
BEGIN {
    n = split(order, name, " ")
    for (i = 1; i <= n; i++) rank[name[i]] = i
}
# The folder of a path cut into parts, below src/ or of an include: below method and input every folder is a room of its
# own.
function room(part, parts,   first) {
    first = part[1] == "src" || part[1] == "cli" ? 2 : 1
    if (parts <= first) return ""
    inner = (part[first] == "method" || part[first] == "input") && parts > first + 1
    return inner ? part[first] "/" part[first + 1] : part[first]
}
function bad(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; found = 1 }
FNR == 1 {
    parts = split(FILENAME, part, "/")
    in_cli = part[1] == "cli"
    folder = room(part, parts)
    top = !in_cli && folder == "" # src/methods.c: sees everything in src/
    if (!in_cli && !top && !(folder in rank)) bad("folder src/" folder " has no place in the order: " order)
}
!in_cli && $0 ~ "\"[^\"]*(--[a-z][a-z][a-z]|(^|[^a-z])-[a-z] [a-zA-Z-]+=|rung (" commands ")([^a-z]|$))[^\"]*\"" {
    bad("a text that names an option of the command: use plain words, and name the option by hint() or log_hint()")
}
!in_cli && folder != "base" && /(^|[^_a-zA-Z0-9])(malloc|calloc|realloc|strdup|aligned_alloc|posix_memalign)\(/ {
    bad("memory comes from base/pool.h alone, by the allocator of the context")
}
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    quoted = $0 ~ /include[ \t]*"/
    path = $0
    sub(/^[^"<]*["<]/, "", path)
    sub(/[">].*$/, "", path)

    if (path ~ /(^|\/)(cblas|lapacke?|f77blas|openblas_config|cu(da[a-z_]*|(blas|solver)[a-zA-Z_0-9]*))\.h$/ \
        && !(!in_cli && folder == "linalg"))
        bad("<" path "> belongs to src/linalg alone")
    if (path ~ /(^|\/)mpi\.h$/ && !(in_cli && folder == "processes")) bad("<" path "> belongs to cli/processes alone")
    if (path ~ /(^|\/)\.\.\//) { bad("\"" path "\": write includes relative to src/, without ../"); next }
    if (path == "rung/rung.h" || path == "rung/experimental.h") next

    target = room(to, split(path, to, "/"))
    if (in_cli) {
        if (!quoted) next
        if ((getline line < ("cli/" path)) < 0)
            bad("\"" path "\" is not in cli/: the command sees include/rung and its own files")
        close("cli/" path)
    } else if (quoted) {
        if (!(target in rank)) bad("\"" path "\": not relative to src/, or an unknown folder")
        else if (!top && (folder in rank) && rank[target] > rank[folder])
            bad("src/" folder " may not include \"" path "\": " target " stands further right in: " order)
    }
}
END { exit found }
' $files
