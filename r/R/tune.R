# SPDX-License-Identifier: BSD-3-Clause
# The search for method and parameters by cross-validation, and the error against the number of labels.

tune <- function(x, ...) UseMethod("tune")

tune.formula <- function(formula, data, methods = NULL, grid = NULL, fixed = NULL, metric = "mae", folds = 0,
                         repeats = 0, one_se = FALSE, nested = FALSE, ..., weights = NULL, groups = NULL, subset = NULL,
                         na.action = na.pass, order = NULL, nominal = NULL, numeric = NULL, dates = NULL,
                         ordinal = NULL, class_weights = NULL, scale = "standard", equal_rows = "auto",
                         missing = c("median", "error"), seed = 1, threads = 0, memory = 0, progress = interactive()) {
    reject_unknown("tune", ...)
    call <- match.call()
    options <- search_options(methods, grid, fixed, metric, folds, repeats, one_se, nested, class_weights, scale,
                              equal_rows)
    search(formula_data(call, parent.frame()), options, order, match.arg(missing),
           session(seed, threads, memory, progress), said_of_columns(nominal, numeric, dates, ordinal),
           as_called(call, "tune"))
}

tune.default <- function(x, y, methods = NULL, grid = NULL, fixed = NULL, metric = "mae", folds = 0, repeats = 0,
                         one_se = FALSE, nested = FALSE, ..., weights = NULL, groups = NULL, order = NULL,
                         nominal = NULL, numeric = NULL, dates = NULL, ordinal = NULL, class_weights = NULL,
                         scale = "standard", equal_rows = "auto", missing = c("median", "error"), seed = 1, threads = 0,
                         memory = 0, progress = interactive()) {
    reject_unknown("tune", ...)
    options <- search_options(methods, grid, fixed, metric, folds, repeats, one_se, nested, class_weights, scale,
                              equal_rows)
    search(rows_data(x, y, weights, groups), options, order, match.arg(missing),
           session(seed, threads, memory, progress), said_of_columns(nominal, numeric, dates, ordinal),
           as_called(match.call(), "tune"))
}

reject_unknown <- function(name, ...) {
    if (!...length()) return(invisible())
    names <- names(list(...))
    if (is.null(names)) refuse(name, "() takes no further arguments")
    refuse(name, "() has no argument ", paste0("'", names, "'", collapse = ", "))
}

search_options <- function(methods, grid, fixed, metric, folds, repeats, one_se, nested, class_weights, scale,
                           equal_rows) {
    c(fit_options(if (is.null(methods)) default_method(FALSE) else methods, fixed, class_weights, scale, equal_rows),
      list(grids = assignments(grid), metric = one_text(metric, "metric"), one_se = as.integer(one_se),
           nested = as.integer(nested)),
      whole(folds = folds, least = -1), whole(repeats = repeats))
}

search <- function(taken, options, order, missing, session, said, call) {
    ready <- prepare(taken, order, missing, FALSE, session, said)
    found <- finish(session, .Call(C_r_tune, session, ready$data, options))
    object <- fitted_object(session, found$model, taken, ready, call)
    object$report <- parse_json(found$report)
    object$points <- tried_points(object$report$points)
    class(object) <- c("rung_tune", "rung")
    object
}

# Everything tried, best first: method, its parameters, the mean over the folds and its standard error.
tried_points <- function(points) {
    number <- function(name) vapply(points, function(p) if (is.null(p[[name]])) NA_real_ else p[[name]], 0)
    params <- vapply(points, function(p) paste(names(p$params), unlist(p$params), sep = " = ", collapse = ", "), "")
    data.frame(method = vapply(points, `[[`, "", "method"), parameters = params, value = number("value"),
               se = number("se"), stringsAsFactors = FALSE)
}

print.rung_tune <- function(x, points = 5L, digits = 3L, ...) {
    NextMethod()
    shown <- x$points[order(if (isTRUE(x$report$more_is_better)) -x$points$value else x$points$value), ]
    cat("\nbest of ", nrow(shown), " points by ", x$report$metric, " (", x$report$folds, " folds, ", x$report$repeats,
        " repeats):\n", sep = "")
    print(head(shown, points), digits = digits, row.names = FALSE)
    if (!is.null(x$report$corrected))
        cat("\nMAE corrected for the choice ", format(x$report$corrected$mae, digits = digits),
            ": that of the best point alone, ", format(x$report$cv$mae, digits = digits), ", is too small\n", sep = "")
    invisible(x)
}

# ---- label curves ----

rung_curve <- function(x, ...) UseMethod("rung_curve")

rung_curve.formula <- function(formula, data, methods = NULL, sizes = NULL, repeats = 0, fixed = NULL, metric = "mae",
                               ..., weights = NULL, subset = NULL, na.action = na.pass, order = NULL, nominal = NULL,
                               numeric = NULL, dates = NULL, ordinal = NULL, class_weights = NULL, scale = "standard",
                               equal_rows = "auto", missing = c("median", "error"), seed = 1, threads = 0, memory = 0,
                               progress = interactive()) {
    reject_unknown("rung_curve", ...)
    curve(formula_data(match.call(), parent.frame()), methods, sizes, repeats, fixed, metric, order, class_weights,
          scale, equal_rows, match.arg(missing), session(seed, threads, memory, progress),
          said_of_columns(nominal, numeric, dates, ordinal))
}

rung_curve.default <- function(x, y, methods = NULL, sizes = NULL, repeats = 0, fixed = NULL, metric = "mae", ...,
                               weights = NULL, order = NULL, nominal = NULL, numeric = NULL, dates = NULL,
                               ordinal = NULL, class_weights = NULL, scale = "standard", equal_rows = "auto",
                               missing = c("median", "error"), seed = 1, threads = 0, memory = 0,
                               progress = interactive()) {
    reject_unknown("rung_curve", ...)
    curve(rows_data(x, y, weights, NULL), methods, sizes, repeats, fixed, metric, order, class_weights, scale,
          equal_rows, match.arg(missing), session(seed, threads, memory, progress),
          said_of_columns(nominal, numeric, dates, ordinal))
}

curve <- function(taken, methods, sizes, repeats, fixed, metric, order, class_weights, scale, equal_rows, missing,
                  session, said) {
    options <- fit_options(if (is.null(methods)) default_method(FALSE) else methods, fixed, class_weights, scale,
                           equal_rows)
    options <- c(options, list(metric = one_text(metric, "metric")), whole(repeats = repeats))
    if (!is.null(sizes)) options$sizes <- vapply(sizes, function(size) whole(sizes = size, least = 1)[[1L]], 1L)
    ready <- prepare(taken, order, missing, FALSE, session, said)
    report <- finish(session, .Call(C_r_curve, session, ready$data, options))
    structure(parse_json(report), class = "rung_curve")
}

as.data.frame.rung_curve <- function(x, ...) {
    labels <- vapply(x$sizes, `[[`, 0, "labels")
    do.call(rbind, lapply(x$lines, function(line) {
        se <- vapply(line$values, function(one) stats::sd(one) / sqrt(length(one)), 0)
        data.frame(method = line$method, unlabelled = if (isTRUE(line$unlabelled)) "with" else "without",
                   labels = labels, mean = vapply(line$values, mean, 0), se = se, stringsAsFactors = FALSE)
    }))
}

print.rung_curve <- function(x, digits = 3L, ...) {
    cat(x$metric, " by number of labels; ", x$repeats, " repeats, ", x$test_rows, " rows held out in each\n", sep = "")
    print(as.data.frame(x), digits = digits, row.names = FALSE)
    invisible(x)
}
