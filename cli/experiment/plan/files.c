// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "experiment/plan/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *if_there(char *path)
{
    if (access(path, F_OK) == 0) return path;
    free(path);
    return NULL;
}

char *files_data(const plan_dataset *d)
{
    static const char *const endings[] = {"csv", "csv.gz", "arff", "libsvm", "libsvm.gz"};
    if (d->file) return if_there(text_of("%s/%s", d->folder, d->file));
    char *found = NULL;
    for (size_t i = 0; !found && i < sizeof endings / sizeof *endings; i++)
        found = if_there(text_of("%s/%s.%s", d->folder, d->source, endings[i]));
    return found;
}

char *files_of_partition(const plan_dataset *d, const char *which, int64_t index)
{
    if (d->kind == SKORDINAL)
        return if_there(text_of("%s/%s_%s_%lld.csv", d->folder, which, d->source, (long long)index));
    char *found = if_there(text_of("%s/matlab/%s_%s.%lld", d->folder, which, d->source, (long long)index));
    return found ? found : if_there(text_of("%s/%s_%s.%lld", d->folder, which, d->source, (long long)index));
}

int64_t files_partitions(const plan_dataset *d)
{
    int64_t n = 0;
    char *path;
    while ((path = files_of_partition(d, "train", n))) {
        free(path);
        n++;
    }
    return n;
}

/* ---- test rows ---- */

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool read_split(const char *path, int64_t line, char *text, int64_t rows, int64_t **out, int64_t *n)
{
    size_t room = 1;
    for (const char *c = text; *c; c++) room += strchr(", \t\r\n", *c) != NULL;
    *out = allocate(room, sizeof **out);
    *n = 0;
    for (char *cell = strtok(text, ", \t\r\n"); cell; cell = strtok(NULL, ", \t\r\n")) {
        long long row;
        if (!parse_whole(cell, 0, rows < 0 ? INT64_MAX : rows - 1, &row)) {
            if (rows < 0)
                complain("experiment: %s, line %lld: '%s' is not a row number", path, (long long)line, cell);
            else
                complain("experiment: %s, line %lld: '%s' is not a row of the data (0 to %lld)", path, (long long)line,
                         cell, (long long)rows - 1);
            return false;
        }
        (*out)[(*n)++] = row;
    }
    qsort(*out, (size_t)*n, sizeof **out, by_number);
    for (int64_t i = 1; i < *n; i++)
        if ((*out)[i] == (*out)[i - 1]) {
            complain("experiment: %s, line %lld: row %lld occurs twice", path, (long long)line, (long long)(*out)[i]);
            return false;
        }
    if (*n == 0) {
        complain("experiment: %s, line %lld names no test row", path, (long long)line);
        return false;
    }
    if (rows >= 0 && *n == rows) {
        complain("experiment: %s, line %lld: all rows are test rows", path, (long long)line);
        return false;
    }
    return true;
}

int64_t files_splits(const plan_dataset *d, int64_t most, int64_t rows, int64_t ***test, int64_t **n_test)
{
    char *path = text_of("%s/%s", d->folder, d->splits), *line = NULL;
    size_t room = 0;
    int64_t n = 0, number = 0;
    bool good = true;
    *test = NULL;
    *n_test = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        complain("experiment: cannot open %s: %s%s", path, strerror(errno),
                 errno == ENOENT ? "; for data without official partitions write 'partitions = random' in the plan"
                                 : "");
    while (file && good && (most == 0 || n < most) && getline(&line, &room, file) >= 0) {
        number++;
        if (!line[strspn(line, " \t\r\n")]) continue;
        int64_t **lists = allocate((size_t)n + 1, sizeof *lists), *counts = allocate((size_t)n + 1, sizeof *counts);
        if (n) {
            memcpy(lists, *test, (size_t)n * sizeof *lists);
            memcpy(counts, *n_test, (size_t)n * sizeof *counts);
        }
        free(*test);
        free(*n_test);
        *test = lists;
        *n_test = counts;
        good = read_split(path, number, line, rows, &lists[n], &counts[n]);
        n++;
    }
    if (file && good && ferror(file)) {
        complain("experiment: cannot read %s: %s", path, strerror(errno));
        good = false;
    }
    if (file && good && n == 0) {
        complain("experiment: %s names no test rows", path);
        good = false;
    }
    if (file) fclose(file);
    free(line);
    free(path);
    if (file && good) return n;
    for (int64_t i = 0; i < n; i++) free((*test)[i]);
    free(*test);
    free(*n_test);
    *test = NULL;
    *n_test = NULL;
    return -1;
}
