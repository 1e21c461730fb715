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
    names <- c(paste(cuts$column, cuts$part, sep = "|"),
               paste0(ifelse(slopes$at == "", "", paste0(slopes$at, ".")), slopes$column, slopes$part))
    together <- Map(c, cuts, slopes)
    structure(cbind(together$value, together$error, together$z, together$p),
              dimnames = list(names[seq_along(together$value)], c("Estimate", "Std. Error", "z value", "Pr(>|z|)")),
              place = together$place, range = cbind(together$low, together$high))
}

# ---- what R knows of a fitted likelihood ----

likelihood_of <- function(object) {
    fit <- .Call(C_r_linear_fit, handle(object))
    if (is.na(fit[1L])) refuse(object$info$method, " has no likelihood; method = \"pom\" has")
    fit
}

logLik.rung <- function(object, ...) {
    fit <- likelihood_of(object)
    structure(fit[1L], df = fit[5L], nobs = fit[6L], class = "logLik")
}

deviance.rung <- function(object, ...) -2 * likelihood_of(object)[1L]

vcov.rung <- function(object, ...) {
    table <- coefficient_table(object)
    covariance <- .Call(C_r_covariance, handle(object))
    if (is.null(covariance)) refuse(object$info$method, " has no standard errors; method = \"pom\" has")
    place <- attr(table, "place")
    structure(covariance[place, place, drop = FALSE], dimnames = list(rownames(table), rownames(table)))
}

# Of the profile likelihood where the fit has it and the level is its, as confint of clm, else estimate and error.
confint.rung <- function(object, parm, level = 0.95, type = c("profile", "Wald"), ...) {
    type <- match.arg(type)
    table <- coefficient_table(object)
    half <- stats::qnorm((1 + level) / 2) * table[, 2L]
    out <- cbind(table[, 1L] - half, table[, 1L] + half)
    profile <- attr(table, "range")
    known <- !is.na(profile[, 1L]) & type == "profile" & level == 0.95
    out[known, ] <- profile[known, ]
    shares <- c((1 - level) / 2, (1 + level) / 2)
    dimnames(out) <- list(rownames(table), paste(format(100 * shares, trim = TRUE, digits = 3L), "%"))
    if (base::missing(parm)) out else out[parm, , drop = FALSE]
}

# What the model loses without each predictor.
drop1.rung <- function(object, scope, ...) {
    if (!base::missing(scope)) refuse("drop1 tests every predictor: it takes no scope")
    tests <- .Call(C_r_column_tests, handle(object))
    if (!length(tests$column)) refuse("the model has no tests of its predictors; method = \"pom\" has")
    wald <- is.na(likelihood_of(object)[5L])
    table <- data.frame(tests$df, tests$chi2, tests$p, row.names = make.unique(tests$column))
    names(table) <- c("Df", if (wald) "Wald" else "LRT", "Pr(>Chi)")
    structure(table, class = c("anova", "data.frame"),
              heading = if (wald) "Wald tests, robust standard errors" else "Likelihood-ratio tests")
}

# Likelihood-ratio tests of nested models, the smallest first.
anova.rung <- function(object, ...) {
    models <- list(object, ...)
    if (length(models) < 2L) return(drop1.rung(object))
    fits <- vapply(models, likelihood_of, numeric(6L))
    if (anyNA(fits[5L, ])) refuse("likelihood ratios need independent rows; these standard errors are robust")
    if (length(unique(fits[6L, ])) > 1L) refuse("the models were fitted to different numbers of rows")
    if (any(vapply(models, function(one) !inherits(one, "rung"), NA))) refuse("anova compares models of rung")
    fits <- fits[, order(fits[5L, ]), drop = FALSE]
    ratio <- c(NA, 2 * diff(fits[1L, ]))
    df <- c(NA, diff(fits[5L, ]))
    table <- data.frame(fits[5L, ], 2 * fits[5L, ] - 2 * fits[1L, ], fits[1L, ], ratio, df,
                        stats::pchisq(ratio, df, lower.tail = FALSE))
    names(table) <- c("no.par", "AIC", "logLik", "LR.stat", "df", "Pr(>Chisq)")
    structure(table, class = c("anova", "data.frame"), heading = "Likelihood-ratio tests")
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
    if (!is.null(table)) attr(table, "place") <- attr(table, "range") <- NULL
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
