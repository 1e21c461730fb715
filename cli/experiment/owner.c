// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "experiment/owner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/common.h"

/* When a process started, in clock ticks since the machine did: field 22 of its line. A reused pid has another start
 * time. 0: there is no such process, or no /proc. */
static unsigned long long start_of(long pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    size_t n = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[n] = 0;
    const char *field = strrchr(line, ')'); /* the second field, the program's name, may hold spaces */
    for (int i = 2; field && i < 22; i++) field = strchr(field + 1, ' ');
    return field ? strtoull(field, NULL, 10) : 0;
}

/* Machine and, in containers, the space of pids: "host:4026531836". */
static char *place_here(void)
{
    char host[256] = "";
    struct stat space = {0};
    if (gethostname(host, sizeof host - 1) != 0 || !*host) snprintf(host, sizeof host, "unknown");
    for (char *c = host; *c; c++)
        if (*c == ':') *c = '-';
    (void)stat("/proc/self/ns/pid", &space);
    return text_of("%s:%llu", host, (unsigned long long)space.st_ino);
}

char *owner_here(void)
{
    char *place = place_here();
    char *owner = text_of("%s:%ld:%llu", place, (long)getpid(), start_of((long)getpid()));
    free(place);
    return owner;
}

bool owner_gone(const char *owner)
{
    char *place = place_here();
    size_t n = strlen(place);
    bool mine = !strncmp(owner, place, n) && owner[n] == ':';
    free(place);
    if (!mine) return false;
    char *end;
    long pid = strtol(owner + n + 1, &end, 10);
    if (pid <= 0 || *end != ':') return false;
    unsigned long long start = strtoull(end + 1, NULL, 10);
    if (kill((pid_t)pid, 0) != 0) return errno == ESRCH;
    return start != 0 && start_of(pid) != start;
}
