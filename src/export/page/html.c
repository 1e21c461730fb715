// SPDX-License-Identifier: BSD-3-Clause
/* A program as a page that predicts in the browser: page.html, where {{name}} stands for a part. In it is the program
 * as JSON, which has no character that ends a script. */
#include <stdio.h>
#include <string.h>

#include "export/runtime.h"
#include "export/target.h"

/* Text between tags or in quotes. */
static void write_html_text(writer *w, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const instead[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (const char *p = text; *p; p++) {
        const char *found = strchr(special, *p);
        if (found)
            write_text(w, instead[found - special]);
        else
            write_bytes(w, p, 1);
    }
}

typedef struct {
    const program *p;
    const export_words *words;
    writer *w;
} page;

static void put_version(const page *at) { write_text(at->w, rung_version()); }
static void put_checksum(const page *at) { write_text(at->w, at->p->checksum); }
static void put_css(const page *at) { write_text(at->w, runtime_page_css); }

static void put_title(const page *at)
{
    const char *label = at->p->model->code.label;
    if (at->words->title) {
        write_html_text(at->w, at->words->title);
        return;
    }
    write_text(at->w, "Prediction of ");
    write_html_text(at->w, *label ? label : "a class");
}

static void put_text(const page *at)
{
    if (at->words->text) write_html_text(at->w, at->words->text);
}

static void put_disclaimer(const page *at)
{
    write_html_text(at->w, at->words->disclaimer
                               ? at->words->disclaimer
                               : "This is the answer of a statistical model. It can be wrong, and it knows nothing but "
                                 "the values above. It does not replace the judgement of a person.");
}

static void put_about(const page *at)
{
    write_format(at->w, "Model %s of rung %s, checksum %s.", at->p->model->method, rung_version(), at->p->checksum);
    if (at->p->contains_rows) write_text(at->w, " This file contains training rows.");
}

static void put_model(const page *at) { export_json(at->p, at->words, at->w); }

static void put_engine(const page *at)
{
    write_text(at->w, runtime_engine_js);
    write_text(at->w, runtime_cells_js);
    write_text(at->w, runtime_answer_js);
}

static void put_page(const page *at) { write_text(at->w, runtime_page_js); }

static const struct {
    const char *name;
    void (*put)(const page *at);
} parts[] = {{"version", put_version}, {"checksum", put_checksum}, {"title", put_title},
             {"css", put_css},         {"text", put_text},         {"disclaimer", put_disclaimer},
             {"about", put_about},     {"model", put_model},       {"engine", put_engine},
             {"page", put_page}};

/* The part that {{name}} at the place stands for, after which the text goes on. */
static const char *put_part(const page *at, const char *place)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = strlen(parts[i].name);
        if (strncmp(place + 2, parts[i].name, n) != 0 || strncmp(place + 2 + n, "}}", 2) != 0) continue;
        parts[i].put(at);
        return place + n + 4;
    }
    at->w->status = set_error(at->w->ctx, RUNG_EINTERNAL, "no part %.20s", place);
    return place + strlen(place);
}

void export_html(const program *p, const export_words *words, writer *w)
{
    const page at = {.p = p, .words = words, .w = w};
    for (const char *from = runtime_page_html; w->status == RUNG_OK && *from;) {
        const char *place = strstr(from, "{{");
        write_bytes(w, from, place ? place - from : (int64_t)strlen(from));
        if (!place) break;
        from = put_part(&at, place);
    }
}
