// SPDX-License-Identifier: BSD-3-Clause
/* usage: fuzz_NAME FILE|FOLDER...      runs a fuzz target on stored inputs, without libFuzzer */
#define _DEFAULT_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    for (int i = 1; i < argc; i++) count += run(argv[i]);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
