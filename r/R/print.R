# SPDX-License-Identifier: BSD-3-Clause

print.rung <- function(x, digits = 3L, ...) {
    info <- x$info
    if (!is.null(x$call)) cat("Call: ", paste(deparse(x$call, width.cutoff = 100L), collapse = "\n      "), "\n\n", sep = "")
    cat("method    ", info$method, "\n", sep = "")
    cat("rows      ", info$rows, ", ", info$labelled, " labelled; ", info$features, " coded columns\n", sep = "")
    if (length(info$classes)) {
        counts <- if (is.null(x$y)) "" else paste0(" (", tabulate(x$y, length(info$classes)), ")")
        cat("classes   ", paste0(info$classes, counts, collapse = " < "), "\n", sep = "")
    }
    cv <- info$cv
    if (!is.null(cv)) {
        cat("error     mae ", format(cv[["mae"]], digits = digits), " (95 % ", format(cv[["mae_low"]], digits = digits),
            " to ", format(cv[["mae_high"]], digits = digits), "), accuracy ", format(cv[["acc"]], digits = digits),
            ", on rows held out in turn\n", sep = "")
    }
    invisible(x)
}

summary.rung <- function(object, ...) {
    coefficients <- tryCatch(coef(object), rung_error = function(e) NULL)
    structure(list(object = object, coefficients = coefficients), class = "summary.rung")
}

print.summary.rung <- function(x, digits = 4L, ...) {
    info <- x$object$info
    print(x$object)
    set <- info$params[!is.na(info$params)]
    if (length(set)) {
        cat("\nParameters: ", paste(gsub("-", "_", names(set)), set, sep = " = ", collapse = ", "), "\n", sep = "")
    }
    if (!is.null(x$coefficients)) {
        cuts <- seq_along(info$thresholds)
        cat("\nCoefficients:\n")
        print(x$coefficients[-cuts], digits = digits)
        cat("\nThresholds:\n")
        print(x$coefficients[cuts], digits = digits)
    }
    single <- Filter(function(one) length(one) == 1L, info$report)
    if (length(single)) {
        cat("\nReported by the fit:\n")
        print(unlist(single), digits = digits)
    }
    if (!is.null(info$cv)) {
        cat("\nRows held out in turn:\n")
        print(info$cv[!is.na(info$cv)], digits = digits)
    }
    invisible(x)
}
