// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "data/datafile.h"
#include "serve/answers.h"

enum { MOST_BYTES = 16 << 20, MOST_TOKEN = 203 };

#define GROUP "Serving"
static const option serve_options[] = {
    {"data", 0, "FILE", "the rows that /explain compares with, such as the training data", GROUP},
    {"token", 0, "FILE", "take the token of the address from the first line of FILE (default: a random one)", GROUP},
    {0}};
static const option *const tables[] = {http_port_options, serve_options, reader_options, global_options, NULL};

/* Letters that stand for themselves in an address, at least 16 of them. */
static int read_token(const char *path, char *token)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    FILE *file = fopen(path, "r");
    token[0] = 0;
    if (!file || !fgets(token, MOST_TOKEN, file)) token[0] = 0;
    if (file) fclose(file);
    token[strcspn(token, "\r\n")] = 0;
    if (strlen(token) >= 16 && strlen(token) < MOST_TOKEN - 2 && strspn(token, letters) == strlen(token))
        return EXIT_OK;
    complain("serve: --token %s: expected a file whose first line has 16 to %d letters, digits, - or _", path,
             MOST_TOKEN - 3);
    return FAILED;
}

static int read_background(session *s, const arguments *args, const rung_model *model, rung_data **out)
{
    const char *path = option_value(args, "data");
    return path ? datafile_encode(s, args, model, path, 0, out) : EXIT_OK;
}

static int serve_answers(session *s, const arguments *args, answers *a)
{
    char token[MOST_TOKEN];
    const char *token_file = option_value(args, "token");
    http_server *server;
    http_options how = {.most_bytes = MOST_BYTES, .verbose = s->verbose, .answer = answers_give, .user = a};
    int code = http_port(s, args, &how.port);
    if (code == EXIT_OK && token_file) code = read_token(token_file, token);
    if (code != EXIT_OK) return code;
    if (token_file) how.token = token;
    CHECK(s, answers_open(a, s));
    code = http_start(s, &how, &server);
    if (code != EXIT_OK) return code;
    printf("%s\n", http_address(server));
    fflush(stdout);
    if (!s->quiet)
        complain("answers GET health, POST predict%s at this address; press Ctrl-C to stop",
                 a->background ? " and POST explain" : "");
    http_wait(server);
    answers_interrupt(a);
    http_stop(server);
    return EXIT_OK;
}

static int serve_run(session *s, const arguments *args)
{
    rung_model *model = NULL;
    rung_data *background = NULL;
    answers a = {0};
    int code = http_built(s);
    if (code == EXIT_OK) code = load_model(s, operand(args, 0), &model);
    if (code == EXIT_OK) code = read_background(s, args, model, &background);
    a.model = model;
    a.background = background;
    if (code == EXIT_OK) code = serve_answers(s, args, &a);
    answers_close(&a);
    rung_data_free(background);
    rung_model_free(model);
    return code;
}

static const example examples[] = {
    {"rung serve model.rung --port 8000", "answer predictions on port 8000 of this machine"},
    {"rung serve model.rung --data train.csv", "answer explanations as well"},
    {"curl -d '{\"rows\": [{\"size\": 0.3, \"weight\": null}]}' ADDRESS/predict",
     "one row, ADDRESS being what the command prints"},
    {0}};

const command command_serve = {
    .name = "serve",
    .operands = "MODEL",
    .help = "answer predictions and explanations over HTTP, in JSON",
    .about =
        "Prints the address of the server, which contains a random token, and answers until Ctrl-C. It listens on "
        "127.0.0.1 only. A program may send the token in the header 'Authorization: Bearer TOKEN' instead of the "
        "path.\nPOST predict takes {\"rows\": [...]}: an object for each row, with a value for every column of the "
        "model and null where it is missing, or the list of these values. \"interval\": 0.9 beside rows asks for "
        "prediction intervals. The answer has the rows of 'rung predict --json --proba'.\nPOST explain takes the same, "
        "and "
        "\"fixed\" and \"samples\" as 'rung explain --row' does; it needs --data.\nGET health describes the model.\n"
        "A request that cannot be answered gets a status from 400 on and {\"error\": \"...\"} with the reason. A "
        "request has at most 16 MiB and 10000 rows (explain: 100). 64 requests may wait for their turn; further ones "
        "get the status 503.",
    .options = tables,
    .usual = "port data token",
    .examples = examples,
    .run = serve_run};
