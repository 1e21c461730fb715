# SPDX-License-Identifier: BSD-3-Clause
groups <- local({
    data <- toy()
    data$judge <- factor(rep(1:12, length.out = nrow(data)))
    data
})

test_that("random terms of a formula are effects of groups", {
    model <- quietly(rung(label ~ x1 + x2 + (1 | judge), groups, method = "mixed", calibrate = 0))
    effects <- rung_random(model)
    expect_identical(names(effects), "judge")
    expect_identical(dim(effects$judge$modes), c(12L, 1L))
    expect_identical(sort(rownames(effects$judge$modes)), sort(levels(groups$judge)))
    expect_true(all(effects$judge$errors > 0) || effects$judge$sd$sd < 1e-3)
    expect_identical(length(coef(model)), 6L)
    expect_equal(unname(rowSums(predict(model, groups, "prob"))), rep(1, nrow(groups)))
    new <- groups[1:3, ]
    new$judge <- c("1", "new", NA)
    p <- predict(model, new, "prob")
    expect_identical(dim(p), c(3L, 5L))
})

test_that("slopes and what cannot be", {
    model <- quietly(rung(label ~ x1 + x2 + (x1 | judge), groups, method = "mixed", calibrate = 0))
    expect_identical(rownames(rung_random(model)$`x1 | judge`$sd), c("(Intercept)", "x1"))
    expect_error(rung(label ~ x1 + judge + (1 | judge), groups, method = "mixed"), "is a predictor and names groups")
    expect_error(rung(label ~ x1 + (x1 || judge), groups, method = "mixed"), "only correlated ones")
    expect_error(rung_random(quietly(rung(label ~ x1 + x2, groups, method = "pom"))), "no random effects")
})
