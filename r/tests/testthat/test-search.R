# SPDX-License-Identifier: BSD-3-Clause
test_that("tune finds what the command finds", {
    data <- toy(unlabelled = 0.8)
    found <- quietly(tune(label ~ ., data, methods = c("kdlor", "pom"), grid = list(ridge = c(0.01, 0.1))))
    expect_s3_class(found, c("rung_tune", "rung"), exact = TRUE)
    expect_identical(sort(unique(found$points$method)), c("kdlor", "pom"))
    expect_output(print(found), "best of")
    file <- tempfile(fileext = ".csv")
    write_exact(transform(data, label = as.integer(label)), file)
    model <- tempfile(fileext = ".rung")
    command("tune", file, "-m", "kdlor,pom", "--grid", "ridge=0.01,0.1", "-o", model, "-q", "--anonymous")
    path <- tempfile(fileext = ".rung")
    rung_save(found, path)
    expect_identical(bytes_of(path), bytes_of(model))
})

test_that("the label curve", {
    curve <- quietly(rung_curve(label ~ ., toy(), methods = c("kdlor", "s-dl"), sizes = c(5, 10), repeats = 3))
    rows <- as.data.frame(curve)
    expect_identical(names(rows), c("method", "unlabelled", "labels", "mean", "se"))
    expect_identical(nrow(rows), 8L)
    expect_true(all(rows$mean > 0))
    expect_output(print(curve), "3 repeats")
})

test_that("metrics", {
    data <- toy()
    model <- quietly(rung(label ~ ., data, method = "kdlor"))
    found <- rung_metrics(data$label, predict(model, data), predict(model, data, "prob"))
    wrong <- abs(as.integer(data$label) - as.integer(predict(model, data)))
    expect_equal(found[["mae"]], mean(wrong))
    expect_equal(found[["acc"]], mean(wrong == 0))
    expect_equal(found[["n"]], 300)
    expect_false(is.na(found[["rps"]]))
    ranks <- as.numeric(data$label)
    by_rank <- rung_metrics(ranks, as.numeric(predict(model, data)), predict(model, data, "prob"))
    expect_identical(by_rank, found)
    expect_error(rung_metrics(data$label, 1:300), "both")
    expect_error(rung_metrics(data$label, predict(model, data)[-1]), "300 true and 299")
})

test_that("print and summary", {
    model <- quietly(rung(label ~ ., toy(), method = "pom"))
    expect_output(print(model), "method    pom")
    expect_output(print(summary(model)), "Thresholds")
})

test_that("figures draw", {
    data <- toy(unlabelled = 0.5)
    model <- quietly(rung(label ~ ., data))
    file <- tempfile(fileext = ".pdf")
    grDevices::pdf(file)
    on.exit(grDevices::dev.off())
    for (type in c("projection", "confusion", "reliability", "effects")) expect_identical(plot(model, type), model)
    plot(model, "confusion", newdata = toy())
    plot(model, "effects", columns = "x2")
    expect_error(plot(model, "effects", columns = "x3"), "x1, x2")
    curve <- quietly(rung_curve(label ~ ., toy(), methods = "kdlor", sizes = 5, repeats = 2))
    expect_identical(plot(curve), curve)
})

test_that("JSON", {
    text <- '{"a": [1, null, 2.5], "b": {"c": "x\\"\\u00e9\\n"}, "d": [], "e": null, "f": [[1]]}'
    expect_identical(rung:::parse_json(text),
                     list(a = c(1, NA, 2.5), b = list(c = "x\"\u00e9\n"), d = list(), e = NULL, f = list(1)))
})
