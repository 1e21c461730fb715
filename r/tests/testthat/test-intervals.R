# SPDX-License-Identifier: BSD-3-Clause
# Labels that are intervals of classes.

# Some of the labels of toy as intervals: list(x, text, low, high), low and high being ranks.
vague <- function() {
    data <- toy(unlabelled = 0.6)
    low <- high <- as.integer(data$label)
    some <- which(!is.na(low))[seq(1, 90, 3)]
    low[some] <- pmax(low[some] - 1L, 1L)
    high[some] <- pmin(high[some] + 1L, 5L)
    text <- ifelse(low == high, low, paste0(low, "..", high))
    open <- some[1:6]
    low[open] <- NA
    text[open] <- paste0("<=", high[open])
    list(x = data[c("x1", "x2")], text = text, low = low, high = high)
}

test_that("text and two columns are the same labels, and those of the command", {
    v <- vague()
    data <- cbind(v$x, label = v$text, low = v$low, high = v$high)
    model <- quietly(rung(label ~ x1 + x2, data, method = "pom"))
    expect_identical(quietly(rung(v$x, cbind(v$low, v$high), method = "pom"))$bytes, model$bytes)
    expect_identical(quietly(rung(v$x, data[c("low", "high")], method = "pom"))$bytes, model$bytes)
    by_columns <- quietly(rung(cbind(low, high) ~ x1 + x2, data, method = "pom"))
    expect_identical(predict(by_columns, data, "prob"), predict(model, data, "prob"))
    expect_output(print(model), "labels are intervals")
    files <- tempfile(fileext = c(".csv", ".rung"))
    write_exact(data[c("x1", "x2", "label")], files[1])
    command("fit", files[1], "-m", "pom", "-q", "--anonymous", "-o", files[2])
    expect_identical(model$bytes, bytes_of(files[2]))
})

test_that("classes with names need an order, or ordered factors", {
    v <- vague()
    names <- c("a", "b", "c", "d", "e")
    text <- v$text
    for (k in 1:5) text <- gsub(k, names[k], text)
    model <- quietly(rung(v$x, text, method = "pom", order = names))
    graded <- function(rank) factor(names[rank], levels = names, ordered = TRUE)
    ends <- data.frame(graded(v$low), graded(v$high))
    expect_identical(quietly(rung(v$x, ends, method = "pom"))$bytes, model$bytes)
    expect_error(rung(v$x, text, method = "pom"), 'c\\("a", "b", "c", "d", "e"\\)')
    expect_error(rung(v$x, replace(text, 1, "b..q"), method = "pom", order = names), "'q' is not one of the classes",
                 class = "rung_data_error")
    expect_error(rung(v$x, text, method = "kdlor", order = names), "cannot learn from interval labels")
    bound <- cbind(v$x, low = ends[[1]], high = ends[[2]])
    expect_error(rung(cbind(low, high) ~ x1 + x2, bound, method = "pom"), "makes numbers of the factor low")
    money <- quietly(rung(v$x, ifelse(v$x$x1 > 0.5, "<=50K", ">50K"), method = "pom", order = c("<=50K", ">50K")))
    expect_identical(money$info$classes, c("<=50K", ">50K"))
    expect_null(money$upper)
})

test_that("the error of an interval is the distance to it", {
    graded <- function(rank) factor(rank, levels = 1:4, ordered = TRUE)
    expect_identical(rung_metrics(c("1..2", "3", NA), graded(c(3, 3, 1)))[["mae"]], 0.5)
    expect_identical(rung_metrics(cbind(c(1, 3, NA), c(2, 3, NA)), graded(c(3, 3, 1)))[["mae"]], 0.5)
    expect_identical(rung_metrics(c(">=3", "2"), graded(c(4, 2)))[["mae"]], 0)
    expect_error(rung_metrics(c("1..2", "3"), c(1, 3)), "ordered factor")
    v <- vague()
    model <- quietly(rung(v$x, v$text, method = "pom"))
    metrics <- rung_metrics(v$text, predict(model))
    expect_equal(mean(abs(residuals(model)), na.rm = TRUE), metrics[["mae"]])
    expect_true(all(abs(residuals(model, "probability")) <= 1, na.rm = TRUE))
    expect_identical(attr(quietly(rung_suggest(v$x, v$text, n = 2, method = "pom", more = 0)), "labels"),
                     c(as.integer(metrics[["n"]]), 300L))
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    for (type in c("confusion", "projection", "reliability")) expect_silent(plot(model, type))
    expect_silent(plot(model, "confusion", cbind(v$x, label = v$text)))
})
