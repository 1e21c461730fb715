// SPDX-License-Identifier: BSD-3-Clause
/* The methods: one line each. */
#include <string.h>

#include "base/text.h"
#include "fit/method.h"

extern const method method_kda, method_skda, method_kdlor, method_ws_dl, method_s_dl, method_ces_dl, method_es_dl,
    method_kes_dl, method_lda, method_lpp, method_npe, method_isoproj, method_orml, method_mlda, method_tlpp,
    method_tnpe, method_mie, method_orml_m, method_krr, method_kpca, method_ot, method_tld, method_sosvm, method_lapsvm,
    method_svorim, method_svorex, method_isvor, method_plp, method_llgc, method_sbor, method_isbor, method_gpor,
    method_pom, method_mixed, method_boost, method_ckr, method_ogp, method_median, method_auto;

const method *const method_table[] = {&method_kda,    &method_skda,    &method_kdlor,  &method_ws_dl,  &method_s_dl,
                                      &method_ces_dl, &method_es_dl,   &method_kes_dl, &method_lda,    &method_lpp,
                                      &method_npe,    &method_isoproj, &method_orml,   &method_mlda,   &method_tlpp,
                                      &method_tnpe,   &method_mie,     &method_orml_m, &method_krr,    &method_kpca,
                                      &method_ot,     &method_tld,     &method_sosvm,  &method_lapsvm, &method_svorim,
                                      &method_svorex, &method_isvor,   &method_plp,    &method_llgc,   &method_sbor,
                                      &method_isbor,  &method_gpor,    &method_pom,    &method_mixed,  &method_boost,
                                      &method_ckr,    &method_ogp,     &method_median, &method_auto,   NULL};

static const struct {
    const char *alias, *name;
} aliases[] = {{"dl", "kdlor"}, {"svor", "svorim"}, {"obt", "boost"}};

const method *method_find(const char *name)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (text_equal(name, aliases[i].alias)) name = aliases[i].name;
    for (int i = 0; method_table[i]; i++)
        if (text_equal(name, method_table[i]->info.name)) return method_table[i];
    return NULL;
}

const method *method_default(bool real) { return real ? &method_krr : &method_auto; }
