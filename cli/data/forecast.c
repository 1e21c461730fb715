// SPDX-License-Identifier: BSD-3-Clause
#include "data/forecast.h"

#include "core/common.h"
#include "core/json_out.h"

void forecast_say(FILE *file, const rung_forecast *f)
{
    say(file, "%lld more label%s: mae %.3f to %.3f, now %.3f (%.3f to %.3f) with %lld\n", (long long)f->more,
        plural(f->more), f->low, f->high, f->now, f->now_low, f->now_high, (long long)f->labels);
}

json_t *forecast_json(const rung_forecast *f)
{
    json_t *all = json_object();
    json_object_set_new(all, "labels", json_integer(f->labels));
    json_object_set_new(all, "more", json_integer(f->more));
    json_object_set_new(all, "now", jout_number(f->now));
    json_object_set_new(all, "now_low", jout_number(f->now_low));
    json_object_set_new(all, "now_high", jout_number(f->now_high));
    json_object_set_new(all, "value", jout_number(f->value));
    json_object_set_new(all, "low", jout_number(f->low));
    json_object_set_new(all, "high", jout_number(f->high));
    return all;
}
