// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* sched_getaffinity; stdout and stderr are variables of glibc */
#include "processes/processes.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/common.h"

/* ---- the launcher ---- */

/* The first of these variables that is set, as a number; -1: none. */
static int number_in_environment(const char *const *names)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        long long number;
        if (text && parse_whole(text, 0, 1 << 30, &number)) return (int)number;
    }
    return -1;
}

/* Open MPI; MPICH, Intel MPI, srun --mpi=pmi2; srun --mpi=pmix. -1: no launcher started this process. */
static int launched_number(void)
{
    return number_in_environment((const char *const[]){"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL});
}

static int launched_count(void)
{
    return number_in_environment(
        (const char *const[]){"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL});
}

#ifndef RUNG_MPI

bool processes_begin(void)
{
    if (launched_number() < 0 || launched_count() < 2) return true;
    if (launched_number() == 0)
        complain("this rung was built without MPI and cannot divide its work among %d processes; build it with MPI "
                 "(docs/cluster.md) or start it without mpirun",
                 launched_count());
    else
        sleep(2); /* the launcher ends all processes once one has failed: the first one speaks before that */
    return false;
}

int processes_end(int code) { return code; }
const char *processes_library(void) { return ""; }
bool processes_launched(void) { return false; }
int processes_all(void) { return 1; }
bool processes_own(int64_t task) { return task >= 0; }
bool processes_lead(void) { return true; }
const rung_comm *processes_comm(void) { return NULL; }
int processes_threads(void) { return 0; }
void processes_show(void) {}
bool processes_keep(const char *text) { return (void)text, false; }
bool processes_share(void *bytes, int64_t n) { return (void)bytes, n >= 0; }
bool processes_send(int to, int tag, const void *bytes, int64_t n) { return (void)to, (void)tag, (void)bytes, n < 0; }
char *processes_receive(int *from, int *tag, int64_t *n) { return (void)from, (void)tag, (void)n, NULL; }

#else

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

enum {
    PATIENCE = 5,           /* seconds that a process which has failed waits for the others */
    MOST_AT_ONCE = 1 << 27, /* numbers or bytes per call of MPI, which counts in int */
    MOST_KEPT = 64          /* messages */
};

static rung_comm comm;        /* ranks 0: alone */
static FILE *terminal;        /* standard error, before it was closed to those that do not lead */
static bool over;             /* one has failed, and all know */
static int agreed;            /* its exit code */
static bool ended;            /* processes_end was called */
static bool shows;            /* processes_show was called */
static int threads;           /* of this process */
static char *kept[MOST_KEPT]; /* messages: those printed by the leader, those for it by the others */
static int n_kept;
static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;  /* of messages */
static pthread_mutex_t one_call = PTHREAD_MUTEX_INITIALIZER; /* of MPI at a time */
static struct {
    double calls, bytes;
    double seconds, processor; /* of which MPI uses all while it waits: no measure of the work */
} exchanged;

bool processes_launched(void) { return comm.size > 0; }
int processes_all(void) { return comm.ranks > 1 ? comm.ranks : 1; }
bool processes_own(int64_t task) { return comm.ranks < 2 || task % comm.ranks == comm.rank; }
bool processes_lead(void) { return comm.rank == 0; }
const rung_comm *processes_comm(void) { return comm.ranks > 1 ? &comm : NULL; }
int processes_threads(void) { return threads; }
void processes_show(void) { shows = true; }

const char *processes_library(void)
{
    static char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(name, &length); /* also without MPI_Init */
    name[strcspn(name, ",\n")] = 0;
    return name;
}

/* ---- messages ---- */

static bool is_kept(const char *text)
{
    for (int i = 0; i < n_kept; i++)
        if (!strcmp(kept[i], text)) return true;
    return false;
}

bool processes_keep(const char *text)
{
    if (comm.ranks < 2) return false;
    pthread_mutex_lock(&keeping);
    char *copy = over || is_kept(text) || n_kept == MOST_KEPT ? NULL : strdup(text);
    if (copy) kept[n_kept++] = copy; /* it may say that memory has run out: then nothing is kept */
    pthread_mutex_unlock(&keeping);
    return over || !processes_lead();
}

/* The messages of a process reach the leader, which prints those that it has not printed itself. */
static void hand_over(int from, bool failed)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    int n = n_kept, length = 0;
    MPI_Get_processor_name(host, &length);
    MPI_Bcast(host, sizeof host, MPI_CHAR, from, MPI_COMM_WORLD);
    MPI_Bcast(&n, 1, MPI_INT, from, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        char text[4096] = "";
        if (comm.rank == from) snprintf(text, sizeof text, "%s", kept[i]);
        MPI_Bcast(text, sizeof text, MPI_CHAR, from, MPI_COMM_WORLD);
        if (!processes_lead() || from == 0 || is_kept(text)) continue;
        if (failed && strncmp(text, "warning: ", 9) != 0)
            fprintf(stderr, "rung: process %d on %s: %s\n", from, host, text);
        else
            complain("%s", text);
    }
}

/* ---- failing together ---- */

static void rest(double seconds) { nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL); }

/* The others do not come, or this process must end at once. */
static void end_alone(int code)
{
    for (int i = 0; i < n_kept && !processes_lead(); i++)
        fprintf(terminal, "rung: process %d: %s\n", comm.rank, kept[i]);
    fflush(terminal);
    MPI_Abort(MPI_COMM_WORLD, code);
}

/* True where none has failed. Otherwise the leader has printed why. */
static bool all_well(int code)
{
    int mine = code ? comm.rank : comm.ranks, lowest = mine, done = 0;
    if (over) return false;
    MPI_Request request;
    MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    for (double start = seconds_now(); code && !done; rest(0.001)) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done && seconds_now() - start > PATIENCE) end_alone(code);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* at once where the test has succeeded */
    if (lowest == comm.ranks) return true;
    agreed = code;
    MPI_Bcast(&agreed, 1, MPI_INT, lowest, MPI_COMM_WORLD);
    hand_over(lowest, true);
    over = true;
    return false;
}

/* ---- what the library calls ---- */

static double processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

typedef struct {
    double clock, processor;
} moment;

static moment moment_now(void) { return (moment){seconds_now(), processor_seconds()}; }

static int count(moment start, int code, double bytes)
{
    exchanged.calls++;
    exchanged.bytes += bytes;
    exchanged.seconds += seconds_now() - start.clock;
    exchanged.processor += processor_seconds() - start.processor;
    return code;
}

static int sum(void *user, double *v, int64_t n)
{
    (void)user;
    moment start = moment_now();
    int code = all_well(EXIT_OK) ? MPI_SUCCESS : FAILED;
    for (int64_t at = 0, some; at < n && code == MPI_SUCCESS; at += some) {
        some = n - at < MOST_AT_ONCE ? n - at : MOST_AT_ONCE;
        code = MPI_Allreduce(MPI_IN_PLACE, v + at, (int)some, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return count(start, code, 8.0 * (double)n);
}

static int broadcast(void *user, void *bytes, int64_t n, int from)
{
    (void)user;
    moment start = moment_now();
    int code = all_well(EXIT_OK) ? MPI_SUCCESS : FAILED;
    for (int64_t at = 0, some; at < n && code == MPI_SUCCESS; at += some) {
        some = n - at < MOST_AT_ONCE ? n - at : MOST_AT_ONCE;
        code = MPI_Bcast((char *)bytes + at, (int)some, MPI_BYTE, from, MPI_COMM_WORLD);
    }
    return count(start, code, (double)n);
}

bool processes_share(void *bytes, int64_t n) { return comm.ranks < 2 || broadcast(NULL, bytes, n, 0) == MPI_SUCCESS; }

static int barrier(void *user)
{
    (void)user;
    moment start = moment_now();
    return count(start, all_well(EXIT_OK) ? MPI_SUCCESS : FAILED, 0);
}

/* ---- start and end ---- */

/* exit() without processes_end: memory has run out. */
static void at_exit(void)
{
    if (!ended) end_alone(FAILED);
}

static bool mismatched(int provided)
{
    const char *why = comm.ranks == 1 ? "this rung was built with another MPI than that of the mpirun that started it; "
                                        "use the one it was built with (rung --version)"
                                      : "this MPI does not allow threads";
    if (launched_count() < 2 || (comm.ranks > 1 && provided >= MPI_THREAD_SERIALIZED)) return false;
    if (launched_number() == 0) complain("%s", why);
    MPI_Finalize();
    return true;
}

/* The processes of one machine share its cores, and none has more than it may use. */
static int own_threads(void)
{
    cpu_set_t allowed;
    MPI_Comm machine;
    int here = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    MPI_Comm_free(&machine);
    int each = (int)sysconf(_SC_NPROCESSORS_ONLN) / here;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) < each) each = CPU_COUNT(&allowed);
    return each > 1 ? each : 1;
}

bool processes_begin(void)
{
    int provided;
    if (launched_number() < 0) return true;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    comm = (rung_comm){.size = sizeof comm, .sum = sum, .broadcast = broadcast, .barrier = barrier};
    MPI_Comm_rank(MPI_COMM_WORLD, &comm.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &comm.ranks);
    if (mismatched(provided)) return false;
    if (comm.ranks < 2) return true;
    threads = own_threads();
    terminal = stderr;
    if (comm.rank > 0) { /* as variables: what MPI itself prints is shown */
        stdout = fopen("/dev/null", "w");
        stderr = fopen("/dev/null", "w");
    }
    atexit(at_exit);
    return stdout && stderr;
}

static void show_exchange(void)
{
    enum { NUMBERS = 4 };
    const double own[NUMBERS] = {processor_seconds() - exchanged.processor, exchanged.seconds, exchanged.calls,
                                 exchanged.bytes};
    double *all = allocate((size_t)comm.ranks * NUMBERS, sizeof *all);
    MPI_Gather(own, NUMBERS, MPI_DOUBLE, all, NUMBERS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    fprintf(stderr, "%7s %18s %18s %10s %16s\n", "process", "processor seconds", "seconds exchanging", "exchanges",
            "bytes exchanged");
    for (int r = 0; r < comm.ranks; r++) {
        const double *one = all + r * NUMBERS;
        fprintf(stderr, "%7d %18.2f %18.2f %10.0f %16.0f\n", r, one[0], one[1], one[2], one[3]);
    }
    free(all);
}

int processes_end(int code)
{
    ended = true;
    if (!comm.size) return code; /* no launcher */
    if (comm.ranks > 1 && !all_well(code)) code = agreed;
    for (int r = 1; r < comm.ranks && !over; r++) hand_over(r, false);
    if (comm.ranks > 1 && !over && shows) show_exchange();
    MPI_Finalize();
    return code;
}

/* ---- from one to another ---- */

bool processes_send(int to, int tag, const void *bytes, int64_t n)
{
    pthread_mutex_lock(&one_call);
    bool good = n <= INT32_MAX && MPI_Send(bytes, (int)n, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS;
    exchanged.calls++;
    exchanged.bytes += (double)n;
    pthread_mutex_unlock(&one_call);
    if (!good) complain("a message of %lld bytes to process %d could not be sent", (long long)n, to);
    return good;
}

char *processes_receive(int *from, int *tag, int64_t *n)
{
    MPI_Status status;
    int there = 0, length = 0;
    char *bytes = NULL;
    pthread_mutex_lock(&one_call);
    MPI_Iprobe(*from < 0 ? MPI_ANY_SOURCE : *from, *tag < 0 ? MPI_ANY_TAG : *tag, MPI_COMM_WORLD, &there, &status);
    if (there) {
        MPI_Get_count(&status, MPI_BYTE, &length);
        bytes = allocate((size_t)length + 1, 1);
        *from = status.MPI_SOURCE;
        *tag = status.MPI_TAG;
        *n = length;
        MPI_Recv(bytes, length, MPI_BYTE, *from, *tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&one_call);
    return bytes;
}

#endif
