// SPDX-License-Identifier: BSD-3-Clause
#include "data/random_terms.h"

static const char *name_of(const coding *code, int64_t j) { return code->columns[j].name; }

static rung_status add_name(rung_ctx *ctx, const coding *code, int64_t j, const char *between, const char **out)
{
    const char *name = name_of(code, j);
    if (*name) return pool_printf(ctx, &ctx->scratch, out, "%s%s%s", *out, between, name);
    return pool_printf(ctx, &ctx->scratch, out, "%s%s%lld", *out, between, (long long)code->columns[j].position + 1);
}

rung_status random_term_name(rung_ctx *ctx, pool *mem, const coding *code, const random_term *t, const char **out)
{
    const char *text = "";
    for (int k = 0; k < t->n_slopes; k++) TRY(add_name(ctx, code, t->slope[k], k ? " + " : "", &text));
    for (int k = 0; k < t->n_factors; k++)
        TRY(add_name(ctx, code, t->factor[k], k ? ":" : t->n_slopes ? " | " : "", &text));
    return pool_text(ctx, mem, text, out);
}

static rung_status check_term(rung_ctx *ctx, const coding *code, const random_term *t, rung_status status)
{
    if (t->n_factors < 1 || t->n_factors > RANDOM_FACTORS || t->n_slopes < 0 || t->n_slopes > RANDOM_SLOPES)
        return set_error(ctx, status, "a random term of %d columns of groups and %d slopes", t->n_factors, t->n_slopes);
    for (int k = 0; k < t->n_factors; k++)
        if (t->factor[k] < 0 || t->factor[k] >= code->n_columns || code->columns[t->factor[k]].form != FORM_LEVEL ||
            code->columns[t->factor[k]].nominal)
            return set_error(ctx, status, "a random term of column %lld, which does not name groups",
                             (long long)t->factor[k] + 1);
    for (int k = 0; k < t->n_slopes; k++)
        if (t->slope[k] < 0 || t->slope[k] >= code->n_columns ||
            (code->columns[t->slope[k]].form == FORM_LEVEL && !code->columns[t->slope[k]].nominal))
            return set_error(ctx, status, "a random slope of column %lld, which is no feature",
                             (long long)t->slope[k] + 1);
    return RUNG_OK;
}

rung_status random_check(rung_ctx *ctx, const coding *code, rung_status status)
{
    if (code->n_random < 0 || code->n_random > RANDOM_TERMS)
        return set_error(ctx, status, "%d random terms: at most %d are possible", code->n_random, RANDOM_TERMS);
    for (int i = 0; i < code->n_random; i++) TRY(check_term(ctx, code, &code->random[i], status));
    return RUNG_OK;
}
