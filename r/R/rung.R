# SPDX-License-Identifier: BSD-3-Clause
# Fitting a model.

rung <- function(x, ...) UseMethod("rung")

rung.formula <- function(formula, data, method = "auto", ..., weights = NULL, groups = NULL, subset = NULL,
                         na.action = na.pass, order = NULL, nominal = NULL, numeric = NULL, dates = NULL,
                         ordinal = NULL, class_weights = NULL, scale = "standard", equal_rows = "auto",
                         keep_rows = TRUE, as_published = FALSE, missing = c("median", "error"), real = FALSE,
                         seed = 1, threads = 0, memory = 0, progress = interactive()) {
    call <- match.call()
    taken <- formula_data(call, parent.frame())
    if (missing_method(call)) method <- default_method(real)
    options <- fit_options(method, list(...), class_weights, scale, equal_rows, keep_rows, as_published)
    fit(taken, options, order, match.arg(missing), real, session(seed, threads, memory, progress),
        said_of_columns(nominal, numeric, dates, ordinal), as_called(call, "rung"))
}

rung.default <- function(x, y, method = "auto", ..., weights = NULL, groups = NULL, order = NULL, nominal = NULL,
                         numeric = NULL, dates = NULL, ordinal = NULL, class_weights = NULL, scale = "standard",
                         equal_rows = "auto", keep_rows = TRUE, as_published = FALSE,
                         missing = c("median", "error"), real = FALSE, seed = 1, threads = 0, memory = 0,
                         progress = interactive()) {
    call <- match.call()
    taken <- rows_data(x, if (!base::missing(y)) y, weights, groups)
    if (missing_method(call)) method <- default_method(real)
    options <- fit_options(method, list(...), class_weights, scale, equal_rows, keep_rows, as_published)
    fit(taken, options, order, match.arg(missing), real, session(seed, threads, memory, progress),
        said_of_columns(nominal, numeric, dates, ordinal), as_called(call, "rung"))
}

# The call as the user wrote it, by the name of the generic.
as_called <- function(call, name) {
    call[[1L]] <- as.name(name)
    call
}

missing_method <- function(call) is.null(call$method)

default_method <- function(real) .Call(C_r_default_method, isTRUE(real))

# ---- what the interfaces share ----

# The number of the column that marks the rows of rung_suggest: `suggested`, in any case of its letters, is no
# predictor.
marks_of <- function(data) {
    marks <- c("chosen", "random")
    called <- if (is.data.frame(data)) which(tolower(names(data)) == "suggested")
    Find(function(j) any(data[[j]] %in% marks) && all(data[[j]] %in% c(marks, "", NA)), called)
}

rows_data <- function(x, y, weights, groups) {
    marks <- marks_of(x)
    chosen <- if (!is.null(marks)) x[[marks]] %in% "chosen"
    if (!is.null(marks)) x <- x[-marks]
    sheet <- sheet_of_rows(x)
    if (is.data.frame(y) && ncol(y) == 1L) y <- y[[1L]]
    if (!is.null(y) && NROW(y) != nrow(x)) refuse(NROW(y), " labels for ", nrow(x), " rows")
    list(sheet = sheet, y = y, label = "label", weights = weights, groups = groups, chosen = chosen, terms = NULL,
         row_names = rownames(x))
}

# What the caller says of columns, by option of the library.
said_of_columns <- function(nominal, numeric, dates, ordinal) {
    if (length(ordinal) && is.null(names(ordinal))) {
        refuse("ordinal names its columns, as in ordinal = list(size = c(\"small\", \"large\"))")
    }
    list(nominal = nominal, numeric = numeric, dates = dates, ordinal = as.list(ordinal))
}

fit_options <- function(methods, params, class_weights, scale, equal_rows, keep_rows = TRUE,
                        as_published = FALSE) {
    list(methods = as.character(methods), fixed = assignments(params),
         weights = if (identical(class_weights, "balanced")) "balanced" else
             assignments(as.list(class_weights), "class"), scale = one_text(scale, "scale"),
         equal_rows = one_text(equal_rows, "equal_rows"), keep_rows = if (isFALSE(keep_rows)) "no" else "yes",
         as_published = as.integer(isTRUE(as_published)))
}

one_text <- function(value, name) {
    if (length(value) != 1L || is.na(value)) refuse(name, " is one word, not ", deparse(value)[1L])
    as.character(value)
}

# name=value for every element of a list; a parameter with a hyphen is written with an underscore in R.
assignments <- function(values, what = "parameter") {
    if (!length(values)) return(NULL)
    if (is.null(names(values)) || any(names(values) == "")) refuse("a ", what, " has no name")
    values <- values[!vapply(values, is.null, NA)] # as if it were not given
    if (!length(values)) return(NULL)
    keys <- if (what == "class") names(values) else gsub("[_.]", "-", names(values))
    number <- vapply(values, function(one) is.numeric(one) && length(one) == 1L && !is.na(one), NA)
    if (what == "class" && !all(number)) refuse("the weight of class '", keys[!number][1L], "' is not a number")
    texts <- vapply(values, value_text, "", USE.NAMES = FALSE)
    paste(keys, texts, sep = "=")
}

value_text <- function(value) {
    if (is.logical(value)) return(if (isTRUE(value)) "yes" else "no")
    paste(if (is.numeric(value)) value_text_each(value) else as.character(value), collapse = ",")
}

# The shortest texts that read back as the same numbers.
value_text_each <- function(numbers) .Call(C_r_number_text, as.double(numbers))

# The coded data of a taking, and its labels.
prepare <- function(taken, order, missing, real, session, said) {
    y <- if (!is.null(taken$y)) response(taken$y, order, real, taken$label)
    data <- training_data(session, taken$sheet, y, taken$label, taken$weights, taken$groups, real, missing,
                          said)
    if (!is.null(taken$chosen)) finish(session, .Call(C_r_set_chosen, session, data, as.integer(taken$chosen)))
    c(list(data = data), if (!is.null(y)) labels_of(data))
}

# Ranks or targets, and the upper ranks where labels are intervals; NA: unlabelled.
labels_of <- function(data) {
    lapply(list(y = .Call(C_r_labels, data), upper = .Call(C_r_uppers, data)), function(ranks) {
        if (is.integer(ranks)) ranks[ranks == 0L] <- NA_integer_
        ranks
    })
}

fit <- function(taken, options, order, missing, real, session, said, call) {
    if (length(options$methods) != 1L) refuse("method is one name; tune() compares several")
    ready <- prepare(taken, order, missing, real, session, said)
    model <- finish(session, .Call(C_r_fit, session, ready$data, options))
    fitted_object(session, model, taken, ready, call)
}

fitted_object <- function(session, model, taken, labels, call) {
    object <- model_object(session, model)
    object$call <- call
    object$terms <- taken$terms
    object$y <- labels$y
    object$upper <- labels$upper
    object$sheet <- taken$sheet
    object$row_names <- taken$row_names
    object
}

# ---- the object ----

# The model travels as its bytes; the handle beside them is made again where it is gone (readRDS, another process).
model_object <- function(session, model, bytes = finish(session, .Call(C_r_bytes, session, model))) {
    cache <- new.env(parent = emptyenv())
    cache$model <- model
    structure(list(call = NULL, bytes = bytes, info = .Call(C_r_info, model), cache = cache), class = "rung")
}

handle <- function(object) {
    if (!.Call(C_r_alive, object$cache$model)) {
        session <- session()
        object$cache$model <- finish(session, .Call(C_r_model, session, object$bytes))
    }
    object$cache$model
}

rung_save <- function(object, file) {
    session <- session()
    finish(session, .Call(C_r_save, session, handle(object), path.expand(file)))
    invisible(object)
}

rung_load <- function(file) {
    session <- session()
    model <- finish(session, .Call(C_r_load, session, path.expand(file)))
    model_object(session, model)
}

nobs.rung <- function(object, ...) object$info$labelled
