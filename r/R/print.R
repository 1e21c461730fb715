# SPDX-License-Identifier: BSD-3-Clause

print.rung <- function(x, digits = 3L, ...) {
    info <- x$info
    if (!is.null(x$call)) {
        cat("Call: ", paste(deparse(x$call, width.cutoff = 100L), collapse = "\n      "), "\n\n", sep = "")
    }
    cat("method    ", info$method, "\n", sep = "")
    cat("rows      ", info$rows, ", ", info$labelled, " labelled; ", info$features, " coded columns\n", sep = "")
    if (length(info$classes)) {
        counts <- if (is.null(x$y)) "" else paste0(" (", tabulate(one_class(x), length(info$classes)), ")")
        intervals <- if (!is.null(x$upper)) paste0("; ", sum(x$upper > x$y, na.rm = TRUE), " labels are intervals")
        cat("classes   ", paste0(info$classes, counts, collapse = " < "), intervals, "\n", sep = "")
    }
    cv <- info$cv
    if (!is.null(cv)) {
        cat("error     mae ", if (cv[["intervals"]] > 0) "at least ", format(cv[["mae"]], digits = digits), " (95 % ",
            format(cv[["mae_low"]], digits = digits), " to ", format(cv[["mae_high"]], digits = digits), "), accuracy ",
            format(cv[["acc"]], digits = digits), ", on ", cv[["n"]], " rows held out in turn\n", sep = "")
        median <- info$cv_median
        if (!is.null(median)) {
            cat("median    mae ", format(median[["mae"]], digits = digits), " on these rows, the same class always\n",
                sep = "")
        }
    }
    invisible(x)
}
