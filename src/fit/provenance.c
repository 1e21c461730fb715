// SPDX-License-Identifier: BSD-3-Clause
/* How a model was made: what the caller noted in the context, the seed, and the rows with their checksum, so that a fit
 * can be repeated and the repetition be checked. */
#include <stdio.h>
#include <string.h>

#include "fit/fit.h"

static const char *note_of(const rung_model *m, const char *name)
{
    for (int i = 0; m && i < m->n_notes; i++)
        if (strcmp(m->notes[i].name, name) == 0) return m->notes[i].value;
    return NULL;
}

static rung_status add(rung_ctx *ctx, const rung_model *before, const char *name, const char *value, rung_model *model)
{
    model_param *note = &model->notes[model->n_notes++];
    const char *old = note_of(before, name);
    TRY(pool_text(ctx, &model->mem, name, &note->name));
    return old ? pool_printf(ctx, &model->mem, &note->value, "%s; %s", old, value)
               : pool_text(ctx, &model->mem, value, &note->value);
}

rung_status provenance_note(rung_ctx *ctx, const rung_model *before, const rung_data *data, rung_model *model)
{
    char seed[32], rows[ROWS_NOTE];
    model->n_notes = 0;
    TRY(NEW(ctx, &model->mem, model->notes, ctx->n_notes + 2 + (before ? before->n_notes : 0)));
    for (int i = 0; i < ctx->n_notes; i++) TRY(add(ctx, before, ctx->notes[i].name, ctx->notes[i].value, model));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)ctx->seed);
    rows_note(data, rows);
    TRY(add(ctx, before, "seed", seed, model));
    TRY(add(ctx, before, "data", rows, model));
    for (int i = 0; before && i < before->n_notes; i++) /* what this step has nothing to add to */
        if (!note_of(model, before->notes[i].name))
            TRY(add(ctx, NULL, before->notes[i].name, before->notes[i].value, model));
    return RUNG_OK;
}
