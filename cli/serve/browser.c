// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* environ, mkstemps, posix_spawn */
#include "serve/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/common.h"
#include "core/signals.h"

/* The opener returns once the browser has the file; it writes nothing here, and no signal of ours is blocked in it. */
static void start(const char *file)
{
    char *argv[] = {(char[]){"xdg-open"}, text_of("%s", file), NULL};
    posix_spawn_file_actions_t quiet;
    posix_spawnattr_t how;
    sigset_t none;
    pid_t child;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&quiet);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    for (int fd = 0; fd < 3; fd++) posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
    signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
    (void)posix_spawnp(&child, argv[0], &quiet, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&quiet);
    free(argv[1]);
}

char *browser_open(const char *address)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return NULL;
    char *file = text_of("%s/rung-XXXXXX.html", folder && *folder ? folder : "/tmp");
    int fd = mkstemps(file, 5); /* for this user alone */
    if (fd < 0) {
        free(file);
        return NULL;
    }
    signals_guard(file);
    dprintf(fd, "<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url=%s\"><title>rung</title>\n", address);
    close(fd);
    start(file);
    return file;
}

void browser_forget(char *file)
{
    if (!file) return;
    unlink(file);
    signals_forget(file);
    free(file);
}
