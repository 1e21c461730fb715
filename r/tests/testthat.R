# SPDX-License-Identifier: BSD-3-Clause
library(testthat)
library(rung)

results <- as.data.frame(test_check("rung", stop_on_failure = FALSE))
bad <- results$failed > 0 | results$error
cat("tests:", sum(!bad & !results$skipped), "passed,", sum(bad), "failed,", sum(results$skipped & !bad), "skipped\n")
if (any(bad)) quit(status = 1)
