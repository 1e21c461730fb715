# SPDX-License-Identifier: BSD-3-Clause
# Coefficients of linear scores, and the summary that shows them.

# The thresholds between the classes, then by how much the score rises with each column; a level of a factor against the
# reference level, as treatment contrasts.
coef.rung <- function(object, ...) {
    table <- coefficient_table(object)
    structure(table[, "Estimate"], names = rownames(table))
}

coefficient_table <- function(object) {
    slopes <- .Call(C_r_coefficients, handle(object))
    if (!length(slopes$value)) {
        refuse("coefficients exist where the score is linear in the columns, as with pom; ", object$info$method,
               " has another kind of score")
    }
    cuts <- .Call(C_r_thresholds, handle(object))
    slopes <- lapply(slopes, `[`, order_of_terms(object, slopes))
    names <- c(paste(cuts$column, cuts$part, sep = "|"), paste0(slopes$column, slopes$part))
    together <- Map(c, cuts, slopes)
    structure(cbind(together$value, together$error, together$z, together$p),
              dimnames = list(names[seq_along(together$value)], c("Estimate", "Std. Error", "z value", "Pr(>|z|)")))
}

# The levels of a factor in their order, as R shows them; the library has them in alphabetical order.
order_of_terms <- function(object, slopes) {
    place <- vapply(seq_along(slopes$column), function(i) {
        at <- match(slopes$column[i], object$sheet$names)
        levels <- if (!is.na(at)) levels(object$sheet$columns[[at]])
        as.double(match(slopes$part[i], levels, length(levels) + 1L))
    }, 0)
    order(match(slopes$column, unique(slopes$column)), place)
}

summary.rung <- function(object, ...) {
    table <- tryCatch(coefficient_table(object), rung_error = function(e) NULL)
    fit <- .Call(C_r_linear_fit, handle(object))
    thresholds <- .Call(C_r_thresholds, handle(object))
    structure(list(object = object, coefficients = table, thresholds = length(thresholds$value),
                   log_likelihood = fit[1L], proportional_odds = c(chisq = fit[2L], df = fit[3L], p = fit[4L])),
              class = "summary.rung")
}

print.summary.rung <- function(x, digits = 4L, ...) {
    info <- x$object$info
    print(x$object)
    set <- info$params[!is.na(info$params)]
    if (length(set)) {
        cat("\nParameters: ", paste(gsub("-", "_", names(set)), set, sep = " = ", collapse = ", "), "\n", sep = "")
    }
    if (!is.null(x$coefficients)) print_coefficients(x, digits)
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

print_coefficients <- function(x, digits) {
    cuts <- seq_len(x$thresholds)
    show <- function(table) {
        if (all(is.na(table[, 2L]))) print(table[, 1L], digits = digits) else printCoefmat(table, digits = digits)
    }
    cat("\nCoefficients:\n")
    show(if (length(cuts)) x$coefficients[-cuts, , drop = FALSE] else x$coefficients)
    if (length(cuts)) {
        cat("\nThresholds:\n")
        known <- if (all(is.na(x$coefficients[cuts, 2L]))) 1L else 1:3
        print(x$coefficients[cuts, known], digits = digits)
    }
    if (!is.na(x$log_likelihood)) cat("\nlog likelihood ", format(x$log_likelihood, digits = 6L), "\n", sep = "")
    test <- x$proportional_odds
    if (!is.na(test[["p"]])) {
        cat("proportional odds (likelihood ratio): chi-squared ", format(test[["chisq"]], digits = digits), ", ",
            test[["df"]], " degrees of freedom, p = ", format.pval(test[["p"]], digits = 3L), "\n", sep = "")
    }
}
