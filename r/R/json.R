# SPDX-License-Identifier: BSD-3-Clause
# Reads the JSON that the library writes: objects as named lists, arrays as lists or, of numbers or texts alone, as
# vectors (null: NA).

parse_json <- function(text) {
    pattern <- '"(?:[^"\\\\]|\\\\.)*"|[][{}:,]|[-+0-9.eE]+|true|false|null'
    tokens <- regmatches(text, gregexpr(pattern, text, perl = TRUE))[[1L]]
    place <- 0L
    take <- function() tokens[place <<- place + 1L]
    peek <- function() tokens[place + 1L]
    value <- function() {
        token <- take()
        switch(substr(token, 1L, 1L),
            "{" = members(),
            "[" = elements(),
            "\"" = json_text(token),
            "t" = TRUE,
            "f" = FALSE,
            "n" = NULL,
            as.numeric(token))
    }
    members <- function() {
        out <- list()
        while (peek() != "}") {
            name <- json_text(take())
            take() # the colon
            out[name] <- list(value())
            if (peek() == ",") take()
        }
        take()
        out
    }
    elements <- function() {
        out <- list()
        flat <- TRUE
        while (peek() != "]") {
            flat <- flat && !peek() %in% c("[", "{")
            out[length(out) + 1L] <- list(value())
            if (peek() == ",") take()
        }
        take()
        if (!flat || !length(out)) return(out)
        if (all(vapply(out, function(one) is.null(one) || is.numeric(one), NA))) return(vapply(out, number_or_na, 0))
        if (all(vapply(out, is.character, NA))) unlist(out) else out
    }
    value()
}

number_or_na <- function(one) if (is.null(one)) NA_real_ else one

json_text <- function(token) {
    text <- substr(token, 2L, nchar(token) - 1L)
    if (!grepl("\\", text, fixed = TRUE)) return(text)
    parts <- regmatches(text, gregexpr("\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+", text, perl = TRUE))[[1L]]
    short <- c(n = "\n", t = "\t", r = "\r", b = "\b", f = "\f")
    paste(vapply(parts, function(part) {
        if (!startsWith(part, "\\")) return(part)
        key <- substr(part, 2L, 2L)
        if (key == "u") return(intToUtf8(strtoi(substring(part, 3L), 16L)))
        if (key %in% names(short)) short[[key]] else key
    }, ""), collapse = "")
}
