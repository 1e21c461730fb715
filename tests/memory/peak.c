// SPDX-License-Identifier: BSD-3-Clause
/* usage: peak FILE COMMAND [ARGUMENT...]
 * Runs a command and writes the peak of its resident set in bytes to FILE. A process begins with the peak of the one
 * that started it, so a large one, such as Python, cannot measure a small one; this one is smaller than any. The exit
 * code is that of the command, 128 + the signal if it died by one. */
#define _DEFAULT_SOURCE /* wait4 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage used;
    int status;
    if (argc < 3) return 2;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child) {
        perror("peak");
        return 127;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out || fprintf(out, "%lld\n", (long long)used.ru_maxrss * 1024) < 0 || fclose(out) != 0) {
        perror(argv[1]);
        return 127;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
