# SPDX-License-Identifier: BSD-3-Clause
# The numbers of tests/method/mixed/t_mixed.c, by clmm of the package ordinal, and the tables they are of.
# usage: Rscript clmm.R      in this folder
suppressMessages({library(ordinal); library(MASS)})
control <- clmm.control(method = "nlminb", innerCtrl = "noWarn", maxIter = 200, gradTol = 1e-9)
save <- function(table, name) write.csv(table, name, row.names = FALSE, quote = FALSE)
show <- function(what, m) {
    cat("##", what, sprintf("%.7f", m$logLik), "\n")
    error <- tryCatch(sqrt(diag(vcov(m))), error = function(e) rep(NA, length(m$coefficients)))
    cat(sprintf("  %-12s %12.6f %10.6f\n", names(coef(m)), coef(m), error[seq_along(coef(m))]), sep = "")
    for (k in names(VarCorr(m))) {
        v <- VarCorr(m)[[k]]
        cat(" ", k, "s.d.", sprintf("%.6f", attr(v, "stddev")), "correlation",
            sprintf("%.5f", cov2cor(v)[lower.tri(v)]), "\n")
    }
}
save(wine[, c("temp", "contact", "judge", "rating")], "wine.csv")
for (nodes in c(1, 7, -10))
    show(paste("wine", nodes), clmm(rating ~ temp + contact + (1 | judge), wine, nAGQ = nodes, control = control))
for (link in c("probit", "cloglog", "loglog", "cauchit"))
    show(link, clmm(rating ~ temp + contact + (1 | judge), wine, link = link, control = control))
m <- clmm(rating ~ temp + contact + (1 | judge), wine, control = control)
print(ranef(m)$judge[, 1], digits = 8)
print(sqrt(condVar(m)$judge[, 1]), digits = 8)
print(anova(clm(rating ~ temp + contact, data = wine), m))
show("slope", clmm(rating ~ temp + contact + (1 + temp | judge), wine, control = control))

b <- bacteria
b$y <- factor(b$y, levels = c("n", "y"))
save(b[, c("trt", "week", "ID", "y")], "bacteria.csv")
show("bacteria", clmm(y ~ trt + week + (1 | ID), b, nAGQ = 9, control = control))

tae <- read.csv("../../../data/tae/tae_raw.csv")
names(tae) <- c("native", "instructor", "course", "summer", "size", "label")
tae$label <- factor(tae$label)
show("tae", clmm(label ~ native + size + (1 | instructor) + (1 | course), tae, control = control))

set.seed(7)
n <- 400
x <- round(rnorm(n), 2)
person <- factor(sample(40, n, TRUE))
item <- factor(sample(12, n, TRUE))
value <- x + rnorm(40)[person] + 0.7 * rnorm(12)[item] + rlogis(n)
crossed <- data.frame(x, person, item, answer = cut(value, c(-Inf, -1.5, 0, 1.5, Inf), labels = FALSE))
save(crossed, "crossed.csv")
crossed$answer <- factor(crossed$answer)
show("crossed", clmm(answer ~ x + (1 | person) + (1 | item), crossed, control = control))
show("nested", clmm(answer ~ x + (1 | item) + (1 | item:person), crossed, control = control))
