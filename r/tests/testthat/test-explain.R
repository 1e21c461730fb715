# SPDX-License-Identifier: BSD-3-Clause
# What rung_explain reports is what `rung explain` reports.

# The report of the command on the same model and rows.
reported <- function(model, data, ...) {
    files <- tempfile(fileext = c(".rung", ".csv"))
    rung_save(model, files[1])
    write_exact(data, files[2])
    rung:::parse_json(paste(command("explain", files[1], files[2], "--json", ...), collapse = "\n"))
}

mixed <- function() {
    data <- toy()
    data$kind <- factor(rep(c("a", "b", "c"), 100))
    data$kind[seq(1, 300, 7)] <- NA
    data$nothing <- rep(c(0, 1), 150)
    data
}

test_that("importance", {
    data <- mixed()
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    new <- transform(mixed(), x1 = rev(x1), x2 = rev(x2), label = rev(label))
    found <- rung_explain(model, new)
    expect_true(all(found$low <= found$mae & found$mae <= found$high))
    expect_false(attr(found, "seen"))
    expect_output(print(rung_explain(model)), "which the model was fitted to")
    said <- reported(model, new)
    expect_identical(found$column, vapply(said$columns, `[[`, "", "name"))
    expect_identical(found$mae, vapply(said$columns, function(one) one$mae$mean, 0))
    expect_identical(found$rps, vapply(said$columns, function(one) one$rps$mean, 0))
    expect_identical(rung_explain(model, new[names(new) != "label"], y = new$label), found)
    expect_error(rung_explain(model, new[names(new) != "label"]), "no column 'label'")
})

test_that("related columns are permuted together, and real targets are explained", {
    data <- toy()
    data$twin <- data$x1 + 1e-3 * data$x2
    model <- quietly(rung(x2 ~ x1 + twin, data, real = TRUE))
    found <- rung_explain(model, data)
    expect_identical(attr(found, "together")$column, "x1 + twin")
    expect_output(print(found), "related columns")
    expect_identical(names(rung_explain(model, data, "effects")$x1), c("value", "rows", "dependence", "local"))
    expect_null(rung_explain(model, data, "row")$class)
})

test_that("effects", {
    data <- mixed()
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    found <- rung_explain(model, data, "effects", columns = c("x1", "kind"))
    said <- reported(model, data, "--effects", "x1,kind")
    expect_identical(names(found), c("x1", "kind"))
    expect_identical(found$x1$local, said$columns[[1]]$local)
    expect_identical(found$x1$dependence, said$columns[[1]]$dependence)
    expect_identical(found$kind$value, said$columns[[2]]$values)
    expect_equal(rowSums(found$kind[5:9]), rep(1, 4), ignore_attr = TRUE)
    expect_identical(rung_explain(model, data, "effects", columns = c(1, 3)), found)
    every <- rung_explain(model, type = "effects", points = 3, rows = 20)
    expect_identical(names(every), c("x1", "x2", "kind", "nothing"))
    expect_output(print(found), "expected rank averaged over 300 rows")
    expect_error(rung_explain(model, data, "effects", columns = "x3"), "x1, x2, kind, nothing")
    expect_error(rung_explain(model, data, "effects", columns = 7), "no column '7'")
})

test_that("the joint effect of two columns", {
    data <- mixed()
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    found <- rung_explain(model, data, "effects", columns = c("x1", "x2"), pair = TRUE)
    said <- reported(model, data, "--pair", "x1,x2")
    expect_identical(as.vector(t(found)), unlist(said$map))
    expect_identical(names(dimnames(found)), c("x1", "x2"))
    expect_output(print(found), "% of the differences")
    expect_error(rung_explain(model, data, "effects", columns = "x1", pair = TRUE), class = "rung_argument_error")
})

test_that("a row", {
    data <- mixed()
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    found <- rung_explain(model, data, "row", row = 12)
    said <- reported(model, data, "--row", "12")
    expect_identical(found$columns$contribution, vapply(said$columns, `[[`, 0, "contribution"))
    expect_equal(sum(found$columns$contribution), found$answer - found$average)
    expect_identical(found$class, as.character(predict(model, data[12, ])))
    expect_equal(found$prob, predict(model, data[12, ], "prob")[1, ])
    kept <- rung_explain(model, data, "row", row = 12, fixed = c("x1", "x2", "kind", "nothing"))
    expect_null(kept$up)
    expect_output(print(kept), "no change of at most three columns was found")
    expect_output(print(rung_explain(model, data, "row", row = which(predict(model, data) == "5")[1])), "no such class")
    expect_error(rung_explain(model, data, "row", row = 999), "999")
    expect_true(found$exact)
    expect_output(print(found), "exact against all 300 rows")
    alone <- rung_explain(model, data[12, ], "row", background = data)
    expect_identical(alone$columns, found$columns)
    expect_error(rung_explain(model, data[12, ], "row"), "give a background")
    few <- rung_explain(model, data, "row", row = 12, rows = 40)
    expect_false(few$exact)
    expect_true(any(few$columns$error > 0))
    expect_output(print(few), "against 40 of 300 rows")
})

test_that("figures of explanations draw", {
    data <- mixed()
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    grDevices::pdf(tempfile(fileext = ".pdf"))
    on.exit(grDevices::dev.off())
    before <- graphics::par(no.readonly = TRUE)
    for (one in list(rung_explain(model, data), rung_explain(model, data, "effects", rows = 50),
                     rung_explain(model, data, "effects", columns = 1:2, pair = TRUE),
                     rung_explain(model, data, "row"))) {
        expect_identical(plot(one), one)
    }
    graphics::par(mfrow = c(1, 2)) # stays as it is
    plot(model, "effects", columns = "x1")
    expect_identical(graphics::par("mfrow"), c(1L, 2L))
    graphics::par(mfrow = c(1, 1))
    expect_identical(graphics::par("mar", "fg", "las"), before[c("mar", "fg", "las")])
})

test_that("a column may have a comma in its name", {
    data <- toy()
    x <- data.frame(a = data$x1, b = data$x2, c = seq_len(nrow(data)) %% 7)
    names(x) <- c("weight, kg", "x", "id, no")
    model <- quietly(rung(x, data$label, method = "pom", nominal = "id, no"))
    expect_true("id, no1" %in% names(coef(model)))
    found <- rung_explain(model, type = "effects", columns = c("weight, kg", "id, no"))
    expect_equal(names(found), c("weight, kg", "id, no"))
    expect_no_error(rung_explain(model, type = "row", fixed = "weight, kg"))
})
