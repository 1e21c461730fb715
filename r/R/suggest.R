# SPDX-License-Identifier: BSD-3-Clause
# Which rows to label next, and what that will buy, as `rung suggest` reports it.

rung_suggest <- function(x, ...) UseMethod("rung_suggest")

rung_suggest.formula <- function(formula, data, n = 20, method = "auto", ..., random = NULL, more = n, weights = NULL,
                                 groups = NULL, subset = NULL, na.action = na.pass, order = NULL, nominal = NULL,
                                 numeric = NULL, dates = NULL, ordinal = NULL, class_weights = NULL, scale = "standard",
                                 equal_rows = "auto", missing = c("median", "error"), seed = 1, threads = 0, memory = 0,
                                 progress = interactive()) {
    options <- fit_options(method, list(...), class_weights, scale, equal_rows)
    suggest(formula_data(match.call(), parent.frame()), options, n, random, more, order, match.arg(missing),
            session(seed, threads, memory, progress),
            said_of_columns(nominal, numeric, dates, ordinal))
}

rung_suggest.default <- function(x, y = NULL, n = 20, method = "auto", ..., random = NULL, more = n, weights = NULL,
                                 groups = NULL, order = NULL, nominal = NULL, numeric = NULL, dates = NULL,
                                 ordinal = NULL, class_weights = NULL, scale = "standard", equal_rows = "auto",
                                 missing = c("median", "error"), seed = 1, threads = 0, memory = 0,
                                 progress = interactive()) {
    options <- fit_options(method, list(...), class_weights, scale, equal_rows)
    suggest(rows_data(x, y, weights, groups), options, n, random, more, order, match.arg(missing),
            session(seed, threads, memory, progress),
            said_of_columns(nominal, numeric, dates, ordinal))
}

suggest <- function(taken, options, n, random, more, order, missing, session, said) {
    if (length(options$methods) != 1L) refuse("method is one name")
    options <- c(options, whole(n = n, least = 1), whole(more = more),
                 list(random = if (is.null(random)) 0 else as.double(random), no_random = identical(random == 0, TRUE)))
    if (!is.null(taken$y) && all(is.na(taken$y))) taken["y"] <- list(NULL) # no label yet
    ready <- prepare(taken, order, missing, FALSE, session, said)
    found <- finish(session, .Call(C_r_suggest, session, ready$data, options))
    classes <- .Call(C_r_classes, ready$data)
    place <- if (is.null(taken$places)) found$row else taken$places[found$row]
    rows <- data.frame(row = place, suggested = ifelse(found$random == 1L, "random", "chosen"), score = found$score,
                       guess = factor(classes[found$guess], levels = classes, ordered = TRUE), reason = found$reason,
                       stringsAsFactors = FALSE)
    names <- c("labels", "more", "now", "now_low", "now_high", "value", "low", "high")
    structure(rows, forecast = if (!is.null(found$forecast)) structure(found$forecast, names = names),
              labels = c(sum(!is.na(ready$y)), taken$sheet$rows), class = c("rung_suggest", "data.frame"))
}

print.rung_suggest <- function(x, digits = 3L, ...) {
    labels <- attr(x, "labels")
    if (length(labels)) cat("labels    ", labels[1L], " of ", labels[2L], " rows\n", sep = "")
    cat("suggested ", nrow(x), " rows, ", sum(x$suggested == "random"), " of them at random\n", sep = "")
    f <- attr(x, "forecast")
    if (!is.null(f)) {
        number <- function(name) format(f[[name]], digits = digits)
        cat("forecast  ", f[["more"]], " more labels: mae ", number("low"), " to ", number("high"), ", now ",
            number("now"), " (", number("now_low"), " to ", number("now_high"), ")\n", sep = "")
    }
    cat("\n")
    print.data.frame(x, digits = digits, row.names = FALSE, right = FALSE)
    invisible(x)
}
