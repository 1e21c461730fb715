# SPDX-License-Identifier: BSD-3-Clause
# From a formula to a sheet.

# A taking is list(sheet, y, label, weights, groups, chosen, terms, row_names, places): the places of its rows among
# those of the data, NULL: all of them, in their order.
formula_data <- function(call, env) {
    wanted <- match(c("formula", "data", "subset", "weights", "groups", "na.action"), names(call), 0L)
    frame_call <- call[c(1L, wanted)]
    data <- eval(call$data, env)
    marks <- marks_of(data)
    if (!is.null(marks)) {
        frame_call$chosen <- data[[marks]] %in% "chosen"
        data <- data[-marks]
        frame_call$data <- data
    }
    bars <- bars_of(eval(call$formula, env))
    named <- unlist(lapply(bars$terms, function(one) all.vars(one[[3L]])))
    roles <- c(all.vars(call$weights), all.vars(call$groups), named)
    formula <- without_roles(bars$formula, data, roles)
    plan <- with_bars(plan_of_terms(stats::terms(formula, data = data), data, length(bars$terms) > 0L), bars)
    frame_call$formula <- plan$formula
    if (is.data.frame(data)) frame_call$place <- seq_len(nrow(data))
    if (is.null(call$na.action)) frame_call$na.action <- quote(stats::na.pass)
    frame_call$drop.unused.levels <- FALSE
    frame_call[[1L]] <- quote(stats::model.frame)
    frame <- eval(frame_call, env)
    terms <- attr(frame, "terms")
    label <- if (attr(terms, "response")) names(frame)[attr(terms, "response")] else "label"
    if (NCOL(model.response(frame)) == 2L) reject_bound_factors(terms[[2L]], data, env)
    attr(terms, "plan") <- plan[c("hidden", "derive", "random")]
    list(sheet = sheet_of_terms(terms, frame), y = model.response(frame), label = label,
         weights = frame[["(weights)"]], groups = frame[["(groups)"]], chosen = frame[["(chosen)"]], terms = terms,
         row_names = row.names(frame), places = frame[["(place)"]])
}

# The dot of a formula stands for the columns that have no other role: not for weights and groups.
without_roles <- function(formula, data, roles) {
    if (!inherits(formula, "formula") || !"." %in% all.vars(formula) || !is.data.frame(data)) return(formula)
    stats::formula(terms(formula, data = data[setdiff(names(data), roles)]))
}

# cbind() makes numbers of factors: their classes are lost.
reject_bound_factors <- function(ends, data, env) {
    for (end in as.list(ends)[-1L]) {
        if (!is.factor(eval(end, data, env))) next
        refuse("cbind() makes numbers of the factor ", deparse(end), ": write as.character(", deparse(end),
               ") and give the order of the classes, or fit by rung(x, data.frame(lower, upper))")
    }
}

# (1 | judge) is a random effect, for the method mixed; a logical or is written I(a | b). list(formula, terms): the
# formula without its random terms, and these.
bars_of <- function(formula) {
    found <- list()
    without <- function(part) {
        if (is.call(part) && identical(part[[1L]], as.name("("))) {
            inner <- part[[2L]]
            if (is.call(inner) && as.character(inner[[1L]])[1L] %in% c("|", "||")) {
                found[[length(found) + 1L]] <<- inner
                return(NULL)
            }
        }
        if (is.call(part) && identical(part[[1L]], as.name("+")) && length(part) == 3L) {
            left <- without(part[[2L]])
            right <- without(part[[3L]])
            return(if (is.null(left)) right else if (is.null(right)) left else call("+", left, right))
        }
        if (is.call(part) && as.character(part[[1L]])[1L] %in% c("|", "||"))
            refuse("write ", deparse_one(part), " in parentheses: a random effect; a logical or is I(",
                   deparse_one(part), ")")
        part
    }
    if (!inherits(formula, "formula")) return(list(formula = formula, terms = found))
    right <- without(formula[[length(formula)]])
    formula[[length(formula)]] <- if (is.null(right)) 1 else right
    list(formula = formula, terms = found)
}

# The columns of groups join those of the plan; the library reads the terms.
with_bars <- function(plan, bars) {
    if (!length(bars$terms)) return(plan)
    for (term in bars$terms) {
        if (identical(term[[1L]], as.name("||"))) refuse("the slopes of ", deparse_one(term), " are not correlated: ",
                                                         "mixed has only correlated ones, with |")
        for (name in all.vars(term[[3L]])) {
            here <- all.vars(plan$formula[[length(plan$formula)]])
            if (name %in% setdiff(here, plan$groups))
                refuse("'", name, "' is a predictor and names groups: give one of them a copy of the column")
            if (name %in% here) next
            right <- plan$formula[[length(plan$formula)]]
            plan$formula[[length(plan$formula)]] <- if (identical(right, 1)) as.name(name) else
                call("+", right, as.name(name))
            plan$groups <- c(plan$groups, name)
        }
    }
    plan$random <- vapply(bars$terms, deparse_one, "")
    plan
}

# The variables of a formula become columns as they are, which the library codes as it codes a file. Products and
# functions of them become its derived columns (docs/data.md), which the model file has. list(formula, hidden, derive):
# a formula of the variables alone, those that are no term themselves, and the expressions.
plan_of_terms <- function(terms, data, random = FALSE) {
    if (length(attr(terms, "offset"))) refuse("offset() is not supported in the formula of rung")
    used <- attr(terms, "factors") # variables by terms
    if (!length(used) && random) {
        return(list(formula = stats::formula(terms), hidden = character(), derive = character()))
    }
    if (!length(used)) refuse("the formula has no predictors")
    variables <- as.list(attr(terms, "variables"))[-1L]
    env <- environment(terms)
    predictors <- setdiff(seq_along(variables), attr(terms, "response"))
    parts <- vector("list", length(variables))
    parts[predictors] <- lapply(variables[predictors], derived_part, data = data, env = env)
    plain <- derive <- character()
    columns <- list()
    for (k in seq_len(ncol(used))) {
        of <- which(used[, k] > 0L)
        texts <- vapply(parts[of], `[[`, "", "text")
        derived <- length(of) > 1L || parts[[of]]$derived
        columns <- c(columns, unlist(lapply(parts[of], `[[`, "columns"), recursive = FALSE))
        if (derived) derive <- c(derive, products_of(parts[of], texts))
        else plain <- c(plain, deparse_one(variables[[of]]))
    }
    columns <- columns[!duplicated(vapply(columns, deparse_one, ""))]
    names <- vapply(columns, deparse_one, "")
    columns <- columns[order(!names %in% plain)] # the features first, in their order
    right <- Reduce(function(a, b) call("+", a, b), columns)
    formula <- if (attr(terms, "response")) call("~", variables[[attr(terms, "response")]], right) else call("~", right)
    list(formula = stats::as.formula(formula, env), hidden = setdiff(names, plain), derive = derive)
}

deparse_one <- function(expression) paste(deparse(expression, width.cutoff = 500L), collapse = " ")

# A variable that is a matrix has a column for each of its own, and so have its products.
products_of <- function(parts, texts) {
    widths <- lapply(parts, function(part) if (is.null(part$names)) NULL else vapply(part$names, quoted, ""))
    for (k in seq_along(parts)) if (is.null(widths[[k]])) widths[[k]] <- texts[k]
    do.call(paste, c(expand.grid(widths, stringsAsFactors = FALSE), sep = ":"))
}

quoted <- function(name) {
    if (grepl("`", name, fixed = TRUE)) refuse("the column '", name, "' has a backtick in its name")
    if (grepl("^[A-Za-z_.][A-Za-z0-9_.]*$", name)) name else paste0("`", name, "`")
}

# A variable of a formula as a factor of derived columns: list(text, derived, columns, names): whether it is more than a
# column, the columns it needs, and the names of those of a matrix. What the language of the library does not cover is
# computed here, and is a column of its own.
derived_part <- function(variable, data, env) {
    if (!is.symbol(variable)) {
        said <- expression_text(variable, data, env)
        if (!is.null(said) && length(said$columns) && said$level > 0L) {
            return(list(text = said$text, derived = TRUE, columns = lapply(said$columns, as.name)))
        }
    }
    name <- if (is.symbol(variable)) as.character(variable) else deparse_one(variable)
    value <- tryCatch(eval(variable, data, env), error = function(e) NULL)
    own <- if (is.matrix(value) || is.data.frame(value)) {
        paste(name, if (is.null(colnames(value))) seq_len(ncol(value)) else colnames(value), sep = ".")
    }
    list(text = quoted(name), derived = FALSE, columns = list(variable), names = own)
}

FUNCTIONS_OF_LIBRARY <- c("log", "log2", "log10", "log1p", "sqrt", "exp", "abs")

# An expression of numbers in the language of derived columns: list(text, columns, level), level 0 being a number or
# column, 1 a function or product of them. NULL: it is not covered, or no numbers.
expression_text <- function(x, data, env) {
    if (is.numeric(x) && length(x) == 1L && is.finite(x)) {
        return(list(text = value_text_each(x), columns = character(), level = 0L))
    }
    if (is.symbol(x)) {
        name <- as.character(x)
        value <- tryCatch(eval(x, data, env), error = function(e) NULL)
        if (!is_numbers(value) || grepl("`", name, fixed = TRUE)) return(NULL)
        return(list(text = quoted(name), columns = name, level = 0L))
    }
    if (!is.call(x) || !is.symbol(x[[1L]])) return(NULL)
    name <- as.character(x[[1L]])
    if (identical(name, "poly")) return(poly_text(x, data, env))
    if (!is.null(names(x)) && any(nzchar(names(x)))) return(NULL)
    said <- lapply(as.list(x)[-1L], expression_text, data = data, env = env)
    if (!length(said) || any(vapply(said, is.null, NA))) return(NULL)
    call_text(name, x, said)
}

is_numbers <- function(value) {
    is.null(dim(value)) && (is.logical(value) || (is.numeric(value) && !is.object(value)))
}

call_text <- function(name, x, said) {
    texts <- vapply(said, `[[`, "", "text")
    columns <- unique(unlist(lapply(said, `[[`, "columns")))
    several <- sum(vapply(said, function(one) length(one$columns), 0L)) > 1L
    give <- function(...) list(text = paste0(...), columns = columns, level = 1L)
    if (name %in% c("I", "(") && length(said) == 1L) return(give("(", texts, ")"))
    if (name == "*" && length(said) == 2L) return(give("(", texts[1L], ")*(", texts[2L], ")"))
    if (name == "/" && length(said) == 2L) return(give("(", texts[1L], ")/(", texts[2L], ")"))
    if (name == "^" && length(said) == 2L) {
        power <- x[[3L]]
        whole <- is.numeric(power) && power == floor(power) && power >= 1 && power <= 99
        return(if (whole && length(columns)) give("(", texts[1L], ")^", power))
    }
    if (several || !length(columns)) return(NULL) # sums of columns, functions of several
    if (name %in% FUNCTIONS_OF_LIBRARY && length(said) == 1L) return(give(name, "(", texts, ")"))
    if (name == "-" && length(said) == 1L) return(give("-(", texts, ")"))
    if (name %in% c("+", "-") && length(said) == 2L) return(give("(", texts[1L], ")", name, "(", texts[2L], ")"))
    NULL
}

# poly(x, 3) of a column and a number; its columns are powers of the column minus its mean, which say the same.
poly_text <- function(x, data, env) {
    if (length(x) != 3L || !all(names(x) %in% c("", "degree"))) return(NULL)
    if (!is.symbol(x[[2L]]) || !is.numeric(x[[3L]])) return(NULL)
    said <- expression_text(x[[2L]], data, env)
    if (is.null(said)) return(NULL)
    list(text = paste0("poly(", said$text, ", ", value_text_each(x[[3L]]), ")"), columns = said$columns, level = 1L)
}

sheet_of_terms <- function(terms, frame) {
    plan <- attr(terms, "plan")
    columns <- frame[names(frame) %in% labels_of_frame(terms)]
    out <- sheet(columns)
    width <- vapply(columns, function(column) if (is.matrix(column) || is.data.frame(column)) ncol(column) else 1L, 0L)
    c(out, list(hidden = which(rep(names(columns) %in% unquoted(plan$hidden), width)), derive = plan$derive,
           random = plan$random))
}

# The variables of a formula of variables alone, as model.frame names them.
labels_of_frame <- function(terms) {
    variables <- as.list(attr(terms, "variables"))[-1L]
    if (attr(terms, "response")) variables <- variables[-attr(terms, "response")]
    vapply(variables, function(one) if (is.symbol(one)) as.character(one) else deparse_one(one), "")
}

unquoted <- function(names) gsub("^`(.*)`$", "\\1", names)
