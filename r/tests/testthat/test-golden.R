# SPDX-License-Identifier: BSD-3-Clause
# R and the command give the same model files and the same numbers, to the last bit, on every golden case.

cases <- function() {
    folder <- Sys.getenv("RUNG_GOLDEN")
    skip_if(folder == "", "RUNG_GOLDEN is not set")
    found <- sort(list.files(folder, "^case\\.json$", recursive = TRUE, full.names = TRUE))
    expect_gt(length(found), 50)
    dirname(found)
}

read_table <- function(file) {
    frame <- read.csv(file, check.names = FALSE, na.strings = "")
    frame[] <- lapply(frame, as.double)
    frame
}

param_words <- function(params) unlist(Map(function(name, value) c("-p", paste0(name, "=", rung:::value_text(value))),
                                           names(params), params), use.names = FALSE)

# The columns of the command's answer, as text.
said <- function(model, file, options) {
    answer <- do.call(command, as.list(c("predict", model, file, options)))
    read.csv(text = answer, check.names = FALSE, colClasses = "character")
}

test_that("every golden case", {
    for (folder in cases()) {
        case <- rung:::parse_json(paste(readLines(file.path(folder, "case.json"), warn = FALSE), collapse = "\n"))
        options <- unlist(case$options)
        real <- "--real" %in% options
        train <- read_table(file.path(folder, "train.csv"))
        test_file <- file.path(folder, "test.csv")
        test <- if (file.exists(test_file)) read_table(test_file) else train
        scratch <- tempfile("golden")
        dir.create(scratch)
        files <- file.path(scratch, c("train.csv", "test.csv", "command.rung", "r.rung"))
        write_exact(train, files[1])
        write_exact(test, files[2])
        do.call(command, as.list(c("fit", files[1], "-q", "-m", case$method, "-o", files[3], "--anonymous", options,
                                   param_words(case$params))))
        features <- names(train) != "label"
        arguments <- list(x = train[features], y = train$label, method = case$method,
                          scale = if ("none" %in% options) "none" else "standard", real = real)
        model <- quietly(do.call(rung, c(arguments, case$params)))
        rung_save(model, files[4])
        expect_identical(bytes_of(files[4]), bytes_of(files[3]), label = folder)
        proba <- model$info$probabilities
        answer <- said(files[4], files[2], if (proba) "--proba")
        rows <- test[names(test) != "label"]
        score <- predict(model, rows, "score")
        expect_identical(number_text(score), unname(unlist(answer[startsWith(names(answer), "score")])), label = folder)
        if (model$info$ranks) expect_identical(as.character(predict(model, rows)), answer$label, label = folder)
        if (proba) {
            expect_identical(number_text(predict(model, rows, "prob")),
                             unname(unlist(answer[startsWith(names(answer), "p(")])), label = folder)
        }
        unlink(scratch, recursive = TRUE)
    }
})
