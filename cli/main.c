// SPDX-License-Identifier: BSD-3-Clause
/* rung: the main program. Finds the command, passes it its arguments, checks its output. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/command.h"
#include "core/json_out.h"
#include "core/output.h"
#include "core/signals.h"
#include "processes/processes.h"

static const command *const commands[] = {&command_fit,     &command_tune,     &command_curve,      &command_suggest,
                                          &command_label,   &command_predict,  &command_update,     &command_evaluate,
                                          &command_explain, &command_compare,  &command_metrics,    &command_inspect,
                                          &command_methods, &command_generate, &command_experiment, &command_plot,
                                          &command_serve,   &command_export,   &command_demo};
enum { COMMANDS = sizeof commands / sizeof *commands };

const command *command_at(int index) { return index >= 0 && index < COMMANDS ? commands[index] : NULL; }

const command *command_find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 2];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i]->name;
    names[COMMANDS] = "help";
    names[COMMANDS + 1] = NULL;
    const char *near = nearest_name(name, names);
    if (near)
        complain("unknown command '%s'; did you mean %s?", name, near);
    else
        complain("unknown command '%s'; 'rung help' lists them", name);
    return USAGE;
}

/* "MODEL DATA", "[METHOD]", "FILE...": one operand per name, optional ones in brackets, and any number of the last if
 * followed by dots. */
static bool operands_fit(const command *c, const arguments *args)
{
    int given = 0;
    size_t end = strlen(c->operands);
    for (const char *name = c->operands; *name; given++) {
        int length = (int)strcspn(name, " ");
        if (given >= args->operands && *name != '[') {
            complain("%s: give %.*s: rung %s %s", c->name, (int)strcspn(name, " ."), name, c->name, c->operands);
            return false;
        }
        name += length + (name[length] == ' ');
    }
    bool many = end > 3 && !strcmp(c->operands + end - 3, "...");
    if (args->operands <= given) return true;
    const char *extra = operand(args, given);
    if (strchr(extra, '=') && option_find(c->options, "param") && access(extra, F_OK) != 0) {
        complain("%s: unexpected argument '%s'; did you mean -p %s?", c->name, extra, extra);
        return false;
    }
    if (many) return true;
    complain("%s: unexpected argument '%s'; usage: rung %s %s", c->name, extra, c->name,
             *c->operands ? c->operands : "[OPTION]...");
    return false;
}

/* The operand is extended in place: the model of update, the database of merge. */
static bool added_to(const command *c, const arguments *args, int index)
{
    return (c == &command_update && index == 0) || (c == &command_experiment && !strcmp(operand(args, 0), "merge"));
}

/* The input file that path is, even under another name; NULL: none. */
static const char *input_at(const command *c, const arguments *args, const char *path)
{
    bool word_first = strcspn(c->operands, "|") < strcspn(c->operands, " "); /* run|merge|report names no file */
    for (int i = 0; i < args->n; i++) {
        const argument *a = &args->list[i];
        if (a->option && option_reads(a->option) && output_same_file(path, a->value)) return a->value;
    }
    for (int i = word_first; i < args->operands; i++)
        if (output_same_file(path, operand(args, i)) && !added_to(c, args, i)) return operand(args, i);
    return NULL;
}

/* The option that writes to the same file as another one, to the command's own file where -o is not given; NULL: none.
 */
static const char *written_by(const command *c, const arguments *args, const option *by, const char *path)
{
    const option *other;
    const char *file;
    for (int at = 0; (file = option_written(args, &at, &other));)
        if (other != by && strcmp(path, "-") && (!strcmp(path, file) || output_same_file(path, file)))
            return other->name;
    bool own = c->output && !option_given(args, "output");
    return own && (!strcmp(path, c->output) || output_same_file(path, c->output)) ? "output" : NULL;
}

static bool output_is_free(const command *c, const arguments *args, const option *by, const char *path)
{
    const char *input = input_at(c, args, path), *other = by ? written_by(c, args, by, path) : NULL,
               *name = by ? by->name : "output";
    if (input)
        complain("%s: --%s %s would overwrite the input %s; give another file", c->name, name, path, input);
    else if (other)
        complain("%s: --%s %s would overwrite what --%s writes; give another file", c->name, name, path, other);
    return !input && !other;
}

/* No input file is overwritten, and no output by another one. */
static bool outputs_are_free(const command *c, const arguments *args)
{
    const option *by;
    const char *path;
    if (c->output && !option_given(args, "output") && !output_is_free(c, args, NULL, c->output)) return false;
    for (int at = 0; (path = option_written(args, &at, &by));)
        if (!output_is_free(c, args, by, path)) return false;
    return true;
}

static bool ranks_fit(const command *c)
{
    if (c->ranks || processes_all() == 1) return true;
    complain("%s runs in one process; start it without mpirun", c->name);
    return false;
}

static void print_version(void)
{
    printf("rung %s\n", rung_version());
    if (strcmp(rung_version(), RUNG_VERSION)) printf("  command    %s\n", RUNG_VERSION);
#if defined(__clang__)
    printf("  compiler   clang %s\n", __clang_version__);
#elif defined(__GNUC__)
    printf("  compiler   gcc %s\n", __VERSION__);
#endif
    /* Only the library calls the BLAS; the kernels chosen for this processor are looked up by symbol, and not shown if
     * unavailable. */
    char *(*core)(void) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    memcpy(&core, &found, sizeof core);
    if (core) printf("  blas       OpenBLAS, %s\n", core());
    printf("  cores      %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
    if (*processes_library()) printf("  mpi        %s\n", processes_library());
}

int command_run(int argc, char *const *argv)
{
    const command *c = command_find(argv[0]);
    if (!c) return unknown_command(argv[0]);
    arguments args;
    if (!arguments_parse(c->name, argc, argv, c->options, &args)) return USAGE;
    session s = {0};
    int code = EXIT_OK;
    if (option_given(&args, "help")) {
        const char *word = operand(&args, 0);
        help_command(stdout, c, word && !strcmp(word, "all"));
    } else if (option_given(&args, "version")) {
        print_version();
    } else if (!operands_fit(c, &args) || !options_agree(c->name, &args) || !outputs_are_free(c, &args) ||
               !ranks_fit(c)) {
        code = USAGE;
    } else if ((code = session_open(&s, c->name, &args)) == EXIT_OK) {
        code = c->run(&s, &args);
        session_counters(&s);
    }
    session_close(&s);
    arguments_free(&args);
    return code;
}

/* [--man] [COMMAND [all]]; --man prints the manual page, which the build keeps in a file. */
static int help(int argc, char *const *argv)
{
    bool man = argc > 0 && !strcmp(argv[0], "--man");
    const char *name = argc > man ? argv[man] : NULL;
    const command *c = name ? command_find(name) : NULL;
    if (name && !c) return unknown_command(name);
    if (man)
        man_page(stdout, c);
    else if (c)
        help_command(stdout, c, argc > 1 && !strcmp(argv[1], "all"));
    else
        help_all(stdout);
    return EXIT_OK;
}

static int run(int argc, char *const *argv)
{
    if (argc < 2) {
        help_all(stderr);
        return USAGE;
    }
    const char *first = argv[1];
    if (!strcmp(first, "--version")) {
        print_version();
        return EXIT_OK;
    }
    if (!strcmp(first, "complete")) return complete_words(argc - 2, argv + 2);
    if (!strcmp(first, "help") || !strcmp(first, "--help") || !strcmp(first, "-h")) return help(argc - 2, argv + 2);
    if (first[0] == '-') {
        complain("%s: a command must come first: rung COMMAND %s; 'rung help' lists the commands", first, first);
        return USAGE;
    }
    return command_run(argc - 1, argv + 1);
}

/* OpenBLAS starts threads when it is loaded, each of which maps 128 MiB and retries forever if the address space is
 * limited (ulimit -v). The command runs its own threads and does not need them, so in that case it restarts without
 * them. */
static void start_without_blas_threads(char **argv)
{
    static const char variable[] = "OPENBLAS_NUM_THREADS";
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || getenv(variable)) return;
    setenv(variable, "1", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    start_without_blas_threads(argv);
    setlocale(LC_CTYPE, ""); /* for text only; numbers keep the C locale */
    signal(SIGPIPE, SIG_IGN);
    jout_init();
    signals_watch(NULL);
    if (!processes_begin()) return FAILED;
    int code = run(argc, argv);
    if (!stdout_close() && code == EXIT_OK) code = FAILED;
    return signals_finish(processes_end(code));
}
