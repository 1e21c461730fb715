// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* open_memstream, getrandom */
#include "serve/http.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_out.h"

#define GROUP "Serving"
const option http_port_options[] = {{"port", 0, "N", "port on 127.0.0.1 to listen on (default: any free one)", GROUP},
                                    {0}};

int http_port(session *s, const arguments *args, long long *out)
{
    const char *text = option_value(args, "port");
    *out = 0;
    if (!text || parse_whole(text, 1, 65535, out)) return EXIT_OK;
    complain("%s: --port %s: expected a whole number from 1 to 65535", s->command, text);
    return USAGE;
}

void http_json(http_reply *reply, int status, json_t *value)
{
    FILE *file = open_memstream(&reply->body, &reply->size);
    if (!file) {
        complain("out of memory");
        exit(FAILED);
    }
    jout_write(file, value, 1);
    fputc('\n', file);
    fclose(file);
    reply->status = status;
    reply->type = "application/json";
    json_decref(value);
}

void http_error(http_reply *reply, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = text_of_list(format, args);
    va_end(args);
    json_t *value = json_object();
    json_object_set_new(value, "error", jout_text(text));
    free(text);
    http_json(reply, status, value);
}

#ifndef RUNG_HTTP

int http_workers(void) { return 1; }

int http_built(session *s)
{
    complain("%s: this rung was built without libmicrohttpd; install it (Debian: libmicrohttpd-dev) and build rung "
             "again",
             s->command);
    return FAILED;
}

int http_start(session *s, const http_options *options, http_server **out)
{
    (void)options;
    *out = NULL;
    return http_built(s);
}

const char *http_address(const http_server *server) { return (void)server, ""; }
void http_wait(const http_server *server) { (void)server; }
void http_stop(http_server *server) { (void)server; }

#else

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/signals.h"

enum {
    MOST_WORKERS = 16,
    QUEUE = 64,        /* requests that wait for a worker */
    CONNECTIONS = 256, /* open at once; more wait in the queue of the system */
    STRANGERS = 192,   /* of them without a request that knows the token: one more ends the oldest */
    BACKLOG = 64,
    IDLE = 60,                /* seconds after which a silent connection is closed */
    HEADER_BYTES = 64 * 1024, /* memory of a connection, for headers */
    TOKEN_BYTES = 16
};

typedef struct guest { /* an open connection whose requests, if any, did not know the token */
    int socket;
    struct guest *before, *after; /* in the order in which they came */
} guest;

struct http_server {
    http_options how;
    struct MHD_Daemon *daemon;
    char *token, *address, *host[2], *origin[2]; /* by number and by name */
    sigset_t before;                             /* the signals blocked before */
    pthread_mutex_t lock;
    pthread_cond_t freed;
    bool taken[MOST_WORKERS];
    int workers, busy, waiting;
    guest *oldest, *newest;
    int guests;
};

int http_built(session *s) { return (void)s, EXIT_OK; }

int http_workers(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MOST_WORKERS ? MOST_WORKERS : (int)cores;
}

/* ---- the bounded queue ---- */

/* The number of a worker, waiting for one if need be; -1: too many wait already. */
static int take_worker(http_server *server)
{
    int worker = -1;
    pthread_mutex_lock(&server->lock);
    if (server->busy < server->workers || server->waiting < QUEUE) {
        server->waiting++;
        while (server->busy == server->workers) pthread_cond_wait(&server->freed, &server->lock);
        server->waiting--;
        server->busy++;
        for (worker = 0; server->taken[worker];) worker++;
        server->taken[worker] = true;
    }
    pthread_mutex_unlock(&server->lock);
    return worker;
}

static void give_worker(http_server *server, int worker)
{
    pthread_mutex_lock(&server->lock);
    server->taken[worker] = false;
    server->busy--;
    pthread_cond_signal(&server->freed);
    pthread_mutex_unlock(&server->lock);
}

/* ---- connections ---- */

/* Under the lock, as the next. */
static void leave_list(http_server *server, guest *g)
{
    *(g->before ? &g->before->after : &server->oldest) = g->after;
    *(g->after ? &g->after->before : &server->newest) = g->before;
    g->before = g->after = NULL;
    g->socket = -1;
    server->guests--;
}

static void join_list(http_server *server, guest *g, int fd)
{
    *g = (guest){.socket = fd, .before = server->newest};
    *(g->before ? &g->before->after : &server->oldest) = g;
    server->newest = g;
    server->guests++;
}

/* Connections that say nothing would otherwise take all the places, and keep out those who know the token. A socket is
 * closed only after it has left the list, so the one that is shut down here is the one that is meant. */
static void on_connection(void *user, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode code)
{
    http_server *server = user;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    guest *g = *state;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) g = *state = calloc(1, sizeof *g);
    if (!g) return;
    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        join_list(server, g, info ? info->connect_fd : -1);
        if (server->guests > STRANGERS) shutdown(server->oldest->socket, SHUT_RDWR), leave_list(server, server->oldest);
    } else if (g->socket >= 0) {
        leave_list(server, g);
    }
    pthread_mutex_unlock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) return;
    free(g);
    *state = NULL;
}

/* It knows the token. */
static void welcome(http_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    guest *g = info ? info->socket_context : NULL;
    pthread_mutex_lock(&server->lock);
    if (g && g->socket >= 0) leave_list(server, g);
    pthread_mutex_unlock(&server->lock);
}

/* ---- who may ask ---- */

/* Equal, in a time that does not depend on where they differ. */
static bool same_secret(const char *secret, const char *given, size_t length)
{
    unsigned char differ = strlen(secret) != length;
    for (size_t i = 0; i < length && secret[i]; i++) differ |= (unsigned char)(secret[i] ^ given[i]);
    return !differ;
}

static bool one_of(char *const known[2], const char *text)
{
    return text && (!strcmp(text, known[0]) || !strcmp(text, known[1]));
}

/* The part of the path below the token, which the path or the Authorization header contains; NULL: neither does. */
static const char *below_token(const http_server *server, struct MHD_Connection *connection, const char *url)
{
    static const char bearer[] = "Bearer ";
    const char *given = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (*url == '/') url++;
    size_t length = strcspn(url, "/");
    if (same_secret(server->token, url, length)) return url + length + strspn(url + length, "/");
    if (!given || strncmp(given, bearer, sizeof bearer - 1)) return NULL;
    given += sizeof bearer - 1;
    return same_secret(server->token, given, strlen(given)) ? url : NULL;
}

/* Checks the headers, before any body is read; false: the reply is made. A name that others pointed to this machine,
 * and a page of theirs, are recognised by Host and Origin. */
static bool admitted(const http_server *server, struct MHD_Connection *connection, const char *method, const char *url,
                     const char *path, http_reply *reply)
{
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin"),
               *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    bool post = !strcmp(method, "POST");
    if (!one_of(server->host, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        http_error(reply, 403, "the Host header must be %s", server->host[0]);
    else if (origin && !one_of(server->origin, origin))
        http_error(reply, 403, "requests from pages of other sites are rejected");
    else if (!path && !post && server->how.healthy && !strcmp(url, "/health"))
        http_json(reply, 200, json_pack("{s:s}", "status", "ok"));
    else if (!path)
        http_error(reply, 403, "the address must begin with the token that the command printed");
    else if (!post && strcmp(method, "GET") && strcmp(method, "HEAD"))
        http_error(reply, 405, "the method must be GET or POST");
    else if (post && length && (strlen(length) > 18 || strtoull(length, NULL, 10) > server->how.most_bytes))
        http_error(reply, 413, "the body of a request may have at most %zu bytes", server->how.most_bytes);
    else
        return true;
    return false;
}

/* ---- one request ---- */

typedef struct {
    char *body;
    size_t size, room;
} upload;

static enum MHD_Result send_reply(const http_server *server, struct MHD_Connection *connection, const char *method,
                                  const char *path, http_reply *reply)
{
    /* Pages load only what this server sends, run no script but its own, are shown in no frame, and tell nobody their
     * address. */
    static const char *const headers[][2] = {
        {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                                    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    struct MHD_Response *response = MHD_create_response_from_buffer(reply->size, reply->body, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(reply->body);
        return MHD_NO;
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, "Content-Type", reply->type);
    if (reply->status == 405) MHD_add_response_header(response, "Allow", "GET, POST");
    if (reply->status == 503) MHD_add_response_header(response, "Retry-After", "1");
    if (server->how.verbose) complain("%s /%s: %d", method, path ? path : "...", reply->status);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static bool append(upload *u, const char *bytes, size_t size, size_t most)
{
    if (size > most - u->size) return false;
    if (u->size + size + 1 > u->room) {
        u->room = 2 * (u->size + size) + 1024;
        char *more = realloc(u->body, u->room);
        if (!more) return false;
        u->body = more;
    }
    memcpy(u->body + u->size, bytes, size);
    u->size += size;
    u->body[u->size] = 0;
    return true;
}

/* Called with the headers, then with each part of the body, then without. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *part, size_t *part_size, void **state)
{
    http_server *server = user;
    http_reply reply = {0};
    const char *path = below_token(server, connection, url);
    upload *u = *state;
    (void)version;
    if (!u) {
        if (!admitted(server, connection, method, url, path, &reply))
            return send_reply(server, connection, method, path, &reply);
        welcome(server, connection);
        *state = calloc(1, sizeof *u);
        return *state ? MHD_YES : MHD_NO;
    }
    if (*part_size) {
        bool kept = append(u, part, *part_size, server->how.most_bytes);
        *part_size = 0;
        return kept ? MHD_YES : MHD_NO; /* a body without a length that is too long: the connection is closed */
    }
    int worker = take_worker(server);
    if (worker < 0) {
        http_error(&reply, 503, "too many requests wait already; try again later");
    } else {
        http_request request = {!strcmp(method, "POST"), path, u->body ? u->body : "", u->size, worker};
        server->how.answer(server->how.user, &request, &reply);
        give_worker(server, worker);
    }
    return send_reply(server, connection, method, path, &reply);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    upload *u = *state;
    (void)user, (void)connection, (void)code;
    if (u) free(u->body);
    free(u);
    *state = NULL;
}

/* ---- start and stop ---- */

static char *random_token(void)
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return NULL;
    char *text = allocate(2 * TOKEN_BYTES + 1, 1);
    for (int i = 0; i < TOKEN_BYTES; i++) sprintf(text + 2 * i, "%02x", bytes[i]);
    return text;
}

/* A socket on 127.0.0.1, and in *port its port; -1, with a message, if there is none. */
static int listen_on(session *s, long long *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* after a restart, not beside another */
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return fd;
    }
    if (errno == EADDRINUSE)
        complain("%s: port %lld is in use; give another --port, or none to take a free one", s->command, *port);
    else
        complain("%s: cannot listen on port %lld of 127.0.0.1: %s", s->command, *port, strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

static void names_of(http_server *server, long long port)
{
    static const char *const names[2] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        server->host[i] = text_of("%s:%lld", names[i], port);
        server->origin[i] = text_of("http://%s", server->host[i]);
    }
    server->address = text_of("%s/%s/", server->origin[0], server->token);
}

static void block_signals(sigset_t *before)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, before);
}

int http_start(session *s, const http_options *options, http_server **out)
{
    long long port = options->port;
    *out = NULL;
    int fd = listen_on(s, &port);
    if (fd < 0) return FAILED;
    http_server *server = allocate(1, sizeof *server);
    server->how = *options;
    server->workers = http_workers();
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->freed, NULL);
    block_signals(&server->before);
    server->token = options->token ? text_of("%s", options->token) : random_token();
    if (server->token) {
        names_of(server, port);
        server->daemon =
            MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0, NULL,
                             NULL, on_request, server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                             (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE,
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_NOTIFY_COMPLETED,
                             on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
    }
    if (!server->daemon) {
        close(fd);
        http_stop(server);
        complain("%s: the server cannot start: %s", s->command, strerror(errno));
        return FAILED;
    }
    *out = server;
    return EXIT_OK;
}

const char *http_address(const http_server *server) { return server->address; }

void http_wait(const http_server *server)
{
    while (!session_interrupted()) sigsuspend(&server->before);
}

void http_stop(http_server *server)
{
    if (!server) return;
    if (server->daemon) MHD_stop_daemon(server->daemon);
    pthread_sigmask(SIG_SETMASK, &server->before, NULL);
    pthread_mutex_destroy(&server->lock);
    pthread_cond_destroy(&server->freed);
    for (int i = 0; i < 2; i++) {
        free(server->host[i]);
        free(server->origin[i]);
    }
    free(server->token);
    free(server->address);
    free(server);
}

#endif
