// SPDX-License-Identifier: BSD-3-Clause
/* A small HTTP server on the loopback address, for one person on this machine. It answers only requests that know the
 * random token of its address, name this server as their host and, if they come from a page, come from one of its own.
 * What remains goes to one function. The only file that knows libmicrohttpd is http.c. */
#ifndef RUNG_CLI_SERVE_HTTP_H
#define RUNG_CLI_SERVE_HTTP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/common.h"

typedef struct http_server http_server;

typedef struct {
    bool post;        /* otherwise GET */
    const char *path; /* below the token, without the first slash: "", "predict" */
    const char *body; /* of a POST, followed by a 0 */
    size_t size;
    int worker; /* from 0 to http_workers() - 1; no two requests that run at once have the same one */
} http_request;

typedef struct {
    int status;
    const char *type; /* the media type */
    char *body;       /* from malloc; the server frees it */
    size_t size;
} http_reply;

typedef struct {
    long long port;    /* 0: any free one */
    const char *token; /* NULL: a random one */
    size_t most_bytes; /* of the body of a request */
    bool verbose;      /* a line on standard error for each request */
    bool healthy;      /* GET /health says {"status": "ok"} to those who do not know the token, too */
    void (*answer)(void *user, const http_request *request, http_reply *reply);
    void *user;
} http_options;

extern const option http_port_options[]; /* --port */

int http_built(session *s); /* EXIT_OK, or FAILED, with a message, where rung was built without libmicrohttpd */
int http_port(session *s, const arguments *args, long long *out); /* EXIT_OK, or USAGE */

int http_workers(void); /* requests that run at once; as many again wait several times over, more are rejected (503) */

/* Listens and answers in threads of its own; EXIT_OK or an exit code. From now on the signals that end the command
 * reach http_wait alone. */
int http_start(session *s, const http_options *options, http_server **out);
const char *http_address(const http_server *server); /* http://127.0.0.1:PORT/TOKEN/ */
void http_wait(const http_server *server);           /* until a signal ends the command */
void http_stop(http_server *server);                 /* waits for the requests that run; NULL is fine */

/* Answers; the value is released. */
void http_json(http_reply *reply, int status, json_t *value);
void http_error(http_reply *reply, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
