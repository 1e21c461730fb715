// SPDX-License-Identifier: BSD-3-Clause
/* usage: fuzz_NAME [-mutants=N [-from=M]] FILE|FOLDER...
 * Runs a fuzz target on stored inputs, without libFuzzer, and on N mutants of each, always the same ones: those of the
 * seeds from M (default 0). */
#define _DEFAULT_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 16, GENERATIONS = 4 };

static long mutants, from;

/* Every mutant is made from the one before, but for the first of each few. */
static void run_mutants(const uint8_t *bytes, size_t size)
{
    uint8_t *room = malloc(MOST_BYTES);
    size_t made = 0;
    if (!room || size > MOST_BYTES) exit(1);
    for (long i = 0; i < mutants; i++) {
        if (i % GENERATIONS == 0) memcpy(room, bytes, made = size);
        made = LLVMFuzzerCustomMutator(room, made, MOST_BYTES, (unsigned)(from + i));
        uint8_t *exact = malloc(made ? made : 1); /* ASan sees one byte too many */
        if (!exact) exit(1);
        LLVMFuzzerTestOneInput(memcpy(exact, room, made), made);
        free(exact);
    }
    free(room);
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)about.st_size;
    uint8_t *bytes = malloc(size ? size : 1); /* of the exact size: ASan sees one byte too many */
    if (!bytes || fread(bytes, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot read\n", path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    if (mutants > 0) run_mutants(bytes, size);
    free(bytes);
    return 1;
}

static int run(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return run_file(path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        count += run_file(name);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "-from=", 6) == 0)
            from = atol(argv[i] + 6);
        else if (strncmp(argv[i], "-mutants=", 9) != 0)
            count += run(argv[i]);
        else if (LLVMFuzzerCustomMutator)
            mutants = atol(argv[i] + 9);
    printf("%d inputs, %ld mutants of each\n", count, mutants);
    return count > 0 ? 0 : 1;
}
