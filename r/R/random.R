# SPDX-License-Identifier: BSD-3-Clause
# The random effects of a mixed model.

rung_random <- function(object) {
    if (!inherits(object, "rung")) refuse("rung_random() needs a model of rung()")
    terms <- .Call(C_r_random, handle(object))
    if (!length(terms)) {
        refuse("the model has no random effects: fit method = \"mixed\" with a term such as (1 | judge)")
    }
    names(terms) <- vapply(terms, `[[`, "", "name")
    lapply(terms, function(one) {
        dimnames(one$correlation) <- list(one$effects, one$effects)
        list(sd = data.frame(sd = one$sd, low = one$low, high = one$high, row.names = one$effects),
             correlation = one$correlation, test = c(chisq = one$chisq, df = one$df, p = one$p),
             modes = structure(one$modes, dimnames = list(one$groups, one$effects)),
             errors = structure(one$errors, dimnames = list(one$groups, one$effects)))
    })
}
