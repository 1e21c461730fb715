// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "data/datafile.h"
#include "serve/answers.h"

enum { MOST_BYTES = 16 << 20, LEAST_BYTES = 64 << 10, MOST_TOKEN = 203, MOST_NAME = 60 };

#define GROUP "Serving"
static const option serve_options[] = {
    {"data", 0, "[NAME=]FILE",
     "the rows that /explain compares with, such as the training data; may be repeated: NAME=FILE for that model only",
     GROUP},
    {"token", 0, "FILE", "take the token of the address from the first line of FILE (default: a random one)", GROUP},
    {0}};
static const option *const tables[] = {http_port_options, serve_options, reader_options, global_options, NULL};

/* Letters that stand for themselves in an address, at least 16 of them. */
static int read_token(const char *path, char *token)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    FILE *file = fopen(path, "r");
    token[0] = 0;
    if (!file || !fgets(token, MOST_TOKEN, file)) token[0] = 0;
    if (file) fclose(file);
    token[strcspn(token, "\r\n")] = 0;
    if (strlen(token) >= 16 && strlen(token) < MOST_TOKEN - 2 && strspn(token, allowed) == strlen(token))
        return EXIT_OK;
    complain("serve: --token %s: expected a file whose first line has 16 to %d letters, digits, - or _", path,
             MOST_TOKEN - 3);
    return FAILED;
}

/* ---- the models ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

/* The length of NAME in NAME=FILE; 0: there is only a file. */
static size_t name_length(const char *text)
{
    size_t n = strspn(text, letters);
    return text[n] == '=' ? n : 0;
}

/* NAME of NAME=FILE, or the name of the file without folder and ending; to be freed. */
static char *name_of(const char *text)
{
    size_t given = name_length(text);
    if (given) return text_of("%.*s", (int)given, text);
    const char *slash = strrchr(text, '/'), *base = slash ? slash + 1 : text;
    size_t n = strlen(base);
    if (n > 5 && !strcmp(base + n - 5, ".rung")) n -= 5;
    return text_of("%.*s", (int)n, base);
}

static const char *file_of(const char *text)
{
    size_t given = name_length(text);
    return given ? text + given + 1 : text;
}

/* A single model needs no name, and any will do. */
static int check_name(const answers *a, int i, const char *given)
{
    const char *name = a->of[i].name;
    size_t n = strlen(name);
    if (a->n > 1 && (n == 0 || n > MOST_NAME || strspn(name, letters) != n || *name == '.')) {
        complain(
            "serve: '%s' is no name for the path of a model: give NAME=FILE, with at most %d letters, digits, - or "
            "_ in NAME",
            name, MOST_NAME);
        return USAGE;
    }
    for (int k = 0; k < i; k++)
        if (!strcmp(a->of[k].name, name)) {
            complain("serve: two models are called '%s'; name one of them by NAME=%s", name, file_of(given));
            return USAGE;
        }
    return EXIT_OK;
}

/* --data NAME=FILE before --data FILE. */
static int read_background(session *s, const arguments *args, served *of)
{
    const char *value, *path = NULL, *own = NULL;
    for (int at = 0; (value = option_each(args, "data", &at));) {
        size_t n = name_length(value);
        if (n == 0) path = value;
        if (n == strlen(of->name) && !strncmp(value, of->name, n)) own = value + n + 1;
    }
    if (own) path = own;
    return path ? datafile_encode(s, args, of->model, path, 0, &of->background) : EXIT_OK;
}

static int check_data(const answers *a, const arguments *args)
{
    const char *value;
    for (int at = 0; (value = option_each(args, "data", &at));) {
        size_t n = name_length(value);
        int i = 0;
        while (i < a->n && (n != strlen(a->of[i].name) || strncmp(value, a->of[i].name, n) != 0)) i++;
        if (n == 0 || i < a->n) continue;
        complain("serve: --data %s: there is no model '%.*s'", value, (int)n, value);
        return USAGE;
    }
    return EXIT_OK;
}

static int open_models(session *s, const arguments *args, answers *a)
{
    a->of = allocate((size_t)args->operands, sizeof *a->of);
    a->n = args->operands;
    for (int i = 0; i < a->n; i++) a->of[i].name = name_of(operand(args, i));
    int code = check_data(a, args);
    for (int i = 0; i < a->n && code == EXIT_OK; i++) {
        code = check_name(a, i, operand(args, i));
        if (code == EXIT_OK) code = load_model(s, file_of(operand(args, i)), &a->of[i].model);
        if (code == EXIT_OK) code = read_background(s, args, &a->of[i]);
    }
    return code;
}

static void close_models(answers *a)
{
    for (int i = 0; i < a->n; i++) {
        rung_data_free(a->of[i].background);
        rung_model_free(a->of[i].model);
        free(a->of[i].name);
    }
    free(a->of);
}

/* ---- answering ---- */

/* A body becomes JSON values of some thirty times its size, in each worker. */
static size_t most_bytes(const session *s)
{
    int64_t most = s->memory > 0 ? s->memory / http_workers() / 64 : MOST_BYTES;
    return most > MOST_BYTES ? MOST_BYTES : most < LEAST_BYTES ? LEAST_BYTES : (size_t)most;
}

static void tell(const answers *a)
{
    bool explains = false;
    char *below = text_of(a->n > 1 ? "NAME/" : "");
    for (int i = 0; i < a->n; i++) explains |= a->of[i].background != NULL;
    complain("answers GET %shealth, POST %spredict%s%s%s at this address; press Ctrl-C to stop", below, below,
             explains ? " and POST " : "", explains ? below : "", explains ? "explain" : "");
    if (a->n > 1)
        for (int i = 0; i < a->n; i++) complain("model %s", a->of[i].name);
    free(below);
}

static int serve_answers(session *s, const arguments *args, answers *a)
{
    char token[MOST_TOKEN];
    const char *token_file = option_value(args, "token");
    http_server *server;
    http_options how = {
        .most_bytes = most_bytes(s), .verbose = s->verbose, .healthy = true, .answer = answers_give, .user = a};
    int code = http_port(s, args, &how.port);
    if (code == EXIT_OK && token_file) code = read_token(token_file, token);
    if (code != EXIT_OK) return code;
    if (token_file) how.token = token;
    CHECK(s, answers_open(a, s));
    code = http_start(s, &how, &server);
    if (code != EXIT_OK) return code;
    printf("%s\n", http_address(server));
    fflush(stdout);
    if (!s->quiet) tell(a);
    http_wait(server);
    answers_interrupt(a);
    http_stop(server);
    return EXIT_OK;
}

static int serve_run(session *s, const arguments *args)
{
    answers a = {0};
    int code = http_built(s);
    if (code == EXIT_OK) code = open_models(s, args, &a);
    if (code == EXIT_OK) code = serve_answers(s, args, &a);
    answers_close(&a);
    close_models(&a);
    return code;
}

static const example examples[] = {
    {"rung serve model.rung --port 8000", "answer predictions on port 8000 of this machine"},
    {"rung serve model.rung --data train.csv", "answer explanations as well"},
    {"rung serve stage.rung grade=fitted/new.rung", "two models: POST ADDRESS/stage/predict, ADDRESS/grade/predict"},
    {"curl -d '{\"rows\": [{\"size\": 0.3, \"weight\": null}]}' ADDRESS/predict",
     "one row, ADDRESS being what the command prints"},
    {0}};

const command command_serve = {
    .name = "serve",
    .operands = "[NAME=]MODEL...",
    .help = "answer predictions and explanations over HTTP, in JSON",
    .about =
        "Prints the address of the server, which contains a random token, and answers until Ctrl-C. It listens on "
        "127.0.0.1 only. A program may send the token in the header 'Authorization: Bearer TOKEN' instead of the "
        "path.\nPOST predict takes {\"rows\": [...]}: an object for each row, with a value for every column of the "
        "model and null where it is missing, or the list of these values. Other fields are ignored, but \"id\" comes "
        "back with the answer; \"id\": \"patient\" beside rows names another field for that. \"interval\": 0.9 "
        "beside rows asks for prediction intervals. The answer has the rows of 'rung predict --json --proba'.\nPOST "
        "explain takes the same, and \"fixed\" and \"samples\" as 'rung explain --row' does; it needs --data.\n"
        "GET health describes the model; without the token it only says {\"status\": \"ok\"}. GET openapi.json "
        "describes all requests and answers.\nOf several models each has its paths below its name, such as POST "
        "stage/predict; a model is named as its file is, or by NAME=MODEL.\n"
        "A request that cannot be answered gets a status from 400 on and {\"error\": \"...\"} with the reason. A "
        "request has at most 16 MiB and 10000 rows (explain: 100). 64 requests may wait for their turn; further ones "
        "get the status 503. --memory is shared among the requests that run at once.",
    .options = tables,
    .usual = "port data token",
    .examples = examples,
    .run = serve_run};
