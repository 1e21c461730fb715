# SPDX-License-Identifier: BSD-3-Clause
# The figures of `rung plot`: of a model, and of a label curve.

plot.rung <- function(x, type = c("projection", "confusion", "reliability", "effects"), newdata = NULL, y = NULL,
                      columns = NULL, main = NULL, ...) {
    type <- match.arg(type)
    if (type == "effects") {
        if (is.null(columns)) {
            named <- all(x$info$columns != "")
            columns <- head(if (named) x$info$columns else seq_along(x$info$columns), MOST_PANELS)
        }
        plot(rung_explain(x, newdata, "effects", columns = columns), main = main)
        return(invisible(x))
    }
    if (!length(x$info$classes) || !x$info$ranks) {
        refuse("this model predicts numbers, not classes: only \"effects\" are drawn")
    }
    ground <- ground_truth(x, newdata, y, need = type != "projection")
    named <- function(title) if (is.null(main)) paste0(title, " (", x$info$method, ")") else main
    switch(type,
        projection = draw_projection(x, ground, named("Scores by class")),
        confusion = draw_confusion(x, ground, named("True and predicted classes")),
        reliability = draw_reliability(x, ground, named("Calibration of the probabilities")))
    invisible(x)
}

# The rows to show and their labels, list(y, upper) of ranks or real targets (NA: unlabelled): those given, or those of
# the fit.
ground_truth <- function(object, newdata, y, need = TRUE) {
    sheet <- rows_of(object, newdata)
    if (is.null(newdata)) {
        return(list(answers = function(wanted) answers_of_training(object, wanted), truth = object[c("y", "upper")],
                    sheet = sheet))
    }
    if (is.null(y)) {
        name <- object$info$label
        if (!name %in% colnames(newdata)) {
            if (need) refuse("newdata has no column '", name, "' of labels: give y")
            y <- rep(NA, nrow(newdata))
        } else {
            y <- if (is.data.frame(newdata)) newdata[[name]] else newdata[, name]
        }
    }
    if (NROW(y) != nrow(newdata)) refuse(NROW(y), " labels for ", nrow(newdata), " rows")
    truth <- if (object$info$real) list(y = as.double(y)) else ranks_among(y, object$info$classes)
    if (need && all(is.na(truth$y))) refuse("none of the labels is a class of the model")
    list(answers = function(wanted) answers(object, sheet, wanted), truth = truth, sheet = sheet)
}

# ---- projection ----

# A strip per class, the highest on top, each a histogram scaled to its own height.
draw_projection <- function(object, ground, main) {
    info <- object$info
    classes <- info$classes
    k <- length(classes)
    score <- ground$answers("score")$score[, 1L]
    truth <- if (is.null(ground$truth$y)) rep(NA, length(score)) else one_class(ground$truth)
    strips <- c(if (anyNA(truth)) NA, seq_len(k))
    names <- ifelse(is.na(strips), "unlabelled", classes[strips])
    expected <- info$scorer %in% c("average", "neighbours")
    room <- if (diff(range(score)) > 0) 0.02 * diff(range(score)) else 0.5
    xlim <- if (expected) c(0.5, k + 0.5) else range(score) + c(-room, room)
    restore <- open_figure(c(names, "999 rows"), top = 5)
    on.exit(par(restore))
    open_window(xlim, c(0, length(strips)))
    if (expected) {
        draw_bands(classes, seq_len(k - 1L) + 0.5, seq_len(k), "nearest")
    } else if (!info$by_costs) { # where costs decide, no threshold does
        draw_bands(classes, info$thresholds, which(info$present), "answer")
    }
    ticks <- if (expected) seq_len(k) else pretty(xlim)
    grid_lines(x = ticks[ticks > xlim[1L] & ticks < xlim[2L]])
    breaks <- seq(xlim[1L], xlim[2L], length.out = 1L + as.integer(max(12, min(90, 2.2 * sqrt(length(score))))))
    for (i in seq_along(strips)) {
        rows <- if (is.na(strips[i])) is.na(truth) else which(truth == strips[i])
        draw_strip(score[rows], breaks, i - 1, if (is.na(strips[i])) GREY else class_colours(k)[strips[i]])
    }
    counts <- c(if (anyNA(truth)) sum(is.na(truth)), tabulate(truth, k))
    at <- seq_along(strips) - 0.5
    beside(names, at + 0.12)
    mtext(paste(counts, ifelse(counts == 1L, "row", "rows")), 2, 0.5, at = at - 0.2, cex = 0.75 * par("cex"),
          col = SOFT_INK)
    if (!expected && !info$by_costs) segments(info$thresholds, 0, info$thresholds, length(strips), lty = 2, col = INK)
    axis(1, ticks, if (expected) classes else TRUE, col = NA, col.ticks = SOFT_INK)
    headings(main, c("one strip per true class, each scaled to its own height", "true classes, top to bottom"),
             paste(if (expected) "expected rank by" else if (info$outputs > 1L) "score 1 of" else "score of",
                   info$method))
}

draw_strip <- function(score, breaks, bottom, colour) {
    inside <- pmin(pmax(score, breaks[1L]), breaks[length(breaks)])
    height <- hist(inside, breaks, plot = FALSE)$counts
    shown <- height > 0L
    if (any(shown)) {
        rect(breaks[-length(breaks)][shown], bottom, breaks[-1L][shown], bottom + 0.88 * height[shown] / max(height),
             col = colour, border = INK, lwd = 0.4)
    }
    segments(breaks[1L], bottom, breaks[length(breaks)], bottom, col = SOFT_INK, lwd = 0.75)
}

# The predicted class between the thresholds, behind the strips and named above them.
draw_bands <- function(classes, cuts, answer, heading) {
    if (!length(cuts)) return(invisible())
    box <- par("usr")
    ends <- pmin(pmax(c(box[1L], cuts, box[2L]), box[1L]), box[2L])
    line <- par("cxy")[2L]
    for (i in seq_along(answer)) {
        left <- ends[i]
        right <- ends[i + 1L]
        if (is.na(left) || is.na(right) || right <= left) next
        colour <- class_colours(length(classes))[answer[i]]
        rect(left, box[3L], right, box[4L], col = paler(colour, 0.72), border = NA)
        rect(left, box[4L], right, box[4L] + 0.25 * line, col = colour, border = NA, xpd = NA)
        if (strwidth(classes[answer[i]], cex = SMALL) <= 0.95 * (right - left)) {
            text((left + right) / 2, box[4L] + 0.8 * line, classes[answer[i]], cex = SMALL, col = INK, xpd = NA)
        }
    }
    text(box[1L] - 0.6 * par("cxy")[1L], box[4L] + 0.8 * line, heading, adj = c(1, 0.5), cex = SMALL, col = SOFT_INK,
         xpd = NA)
}

# ---- confusion ----

draw_confusion <- function(object, ground, main) {
    classes <- object$info$classes
    k <- length(classes)
    predicted <- ground$answers("rank")$rank
    unsure <- sum(predicted == 0L & !is.na(ground$truth$y))
    counts <- table(factor(nearest(ground$truth, predicted), seq_len(k)), factor(predicted, seq_len(k)))
    rows <- rowSums(counts)
    share <- counts / pmax(rows, 1)
    restore <- open_figure(classes, titled = TRUE, top = 6, bottom = 1, right = 3.5)
    on.exit(par(restore))
    open_window(c(0.5, k + 0.5), c(k + 0.5, 0.5))
    cex <- min(1, 0.3 * par("pin")[2L] / k / par("csi"), 0.8 / max(strwidth(c(counts, "100 %"))))
    for (i in seq_len(k)) for (j in seq_len(k)) draw_cell(i, j, counts[i, j], share[i, j], cex)
    rect(seq_len(k) - 0.5, seq_len(k) - 0.5, seq_len(k) + 0.5, seq_len(k) + 0.5, border = INK, lwd = 1.5)
    cell <- par("pin")[1L] / k
    turned <- max(strwidth(classes, "inches")) > 0.95 * cell
    mtext(fitted_names(classes, if (turned) 2 * par("csi") else cell), 3, 0.3, at = seq_len(k), cex = par("cex"),
          col = INK, las = if (turned) 2 else 1)
    beside(classes, seq_len(k))
    mtext("predicted", 3, if (turned) 2.4 else 1.4, font = 2, cex = par("cex"), col = INK)
    mtext("true", 2, par("mar")[2L] - 1.3, font = 2, cex = par("cex"), col = INK, las = 0)
    mtext("rows", 4, 0.5, at = 0.5 - 0.8 * k * par("csi") / par("pin")[2L], cex = SMALL * par("cex"), col = SOFT_INK)
    mtext(rows, 4, 0.5, at = seq_len(k), cex = SMALL * par("cex"), col = SOFT_INK)
    headings(main, paste0("rows, and their share of the true class",
                          if (unsure) paste0("; ", unsure, " without answer")))
}

draw_cell <- function(i, j, count, share, cex) {
    back <- share_colour(share)
    rect(j - 0.5, i - 0.5, j + 0.5, i + 0.5, col = back, border = RULE)
    if (count == 0) return(text(j, i, "0", col = SOFT_INK, cex = cex))
    ink <- if (share > 0.5) "#ffffff" else "#000000"
    # neither none nor all where some are
    rounded <- sprintf("%.0f %%", 100 * share)
    percent <- if (share < 0.005) "< 1 %" else if (share < 1 && share >= 0.995) "> 99 %" else rounded
    text(j, i - 0.12, count, col = ink, cex = cex, font = if (i == j) 2L else 1L)
    text(j, i + 0.2, percent, col = ink, cex = 0.75 * cex)
}

# ---- reliability ----

# Of the most probable class, in ten parts, with Wilson intervals of 95 %, and the rows of every part below.
draw_reliability <- function(object, ground, main) {
    check_type(object, "prob")
    truth <- one_class(ground$truth)
    truth[is.na(truth)] <- 0L
    session <- session()
    found <- finish(session, .Call(C_r_reliability, session, truth, ground$answers("proba")$proba))
    z <- 1.96
    n <- found$n
    share <- found$accuracy
    centre <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
    half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
    restore <- open_figure("0.0", titled = TRUE)
    on.exit(par(restore))
    open_window(c(0, 1), c(-0.34, 1))
    ticks <- seq(0, 1, 0.2)
    segments(ticks, -0.34, ticks, 1, col = RULE)
    segments(0, ticks, 1, ticks, col = ifelse(ticks == 0, SOFT_INK, RULE))
    segments(0, 0, 1, 1, lty = 2, col = SOFT_INK)
    arrows(found$confidence, pmax(0, centre - half), found$confidence, pmin(1, centre + half), 0.04, 90, 3, THINGS[1L],
           lwd = 1.5)
    points(found$confidence, share, pch = 21, bg = THINGS[1L], col = "#ffffff", cex = 1.4, xpd = NA)
    top <- -0.34 + 0.24 * n / max(n)
    rect(found$low + 0.003, -0.34, found$high - 0.003, top, col = paler(THINGS[1L], 0.45), border = NA)
    text((found$low + found$high) / 2, top + 0.035, n, cex = 0.75, col = SOFT_INK)
    axis(1, ticks, col = SOFT_INK)
    axis(2, ticks, col = NA, col.ticks = SOFT_INK)
    mtext("rows", 2, 0.5, at = -0.31, cex = SMALL * par("cex"), col = SOFT_INK)
    notes <- c("expected calibration error %.3f; whiskers: 95 %% intervals", "ECE %.3f")
    headings(main, sprintf(notes, found$ece), "probability of the most probable class",
             list(text = "share correct", at = 0.5))
}

# ---- label curves ----

plot.rung_curve <- function(x, main = "Error by number of labels", ...) {
    rows <- as.data.frame(x)
    methods <- unique(rows$method)
    lines <- split(rows, factor(paste(rows$method, rows$unlabelled), unique(paste(rows$method, rows$unlabelled))))
    looks <- lapply(lines, function(line) {
        method <- match(line$method[1L], methods)
        rival <- length(unique(rows$unlabelled[rows$method == line$method[1L]])) > 1L
        list(colour = THINGS[(method - 1L) %% length(THINGS) + 1L],
             marker = MARKERS[(method - 1L) %% length(MARKERS) + 1L], faint = rival && line$unlabelled[1L] == "without",
             name = paste0(line$method[1L], if (rival) paste0(", ", line$unlabelled[1L], " unlabelled rows")))
    })
    sizes <- sort(unique(rows$labels))
    wide <- sizes[1L] > 0 && max(sizes) / sizes[1L] >= 8
    se <- ifelse(is.na(rows$se), 0, rows$se)
    ylim <- range(rows$mean - se, rows$mean + se)
    if (ylim[1L] > 0 && ylim[1L] < 0.35 * ylim[2L]) ylim[1L] <- 0
    restore <- open_figure("0.00", titled = TRUE, top = 4 + 0.9 * length(looks))
    on.exit(par(restore))
    open_curve(sizes, ylim, wide)
    for (i in seq_along(lines)) draw_line(lines[[i]], looks[[i]])
    axis(1, sizes, col = SOFT_INK)
    axis(2, col = NA, col.ticks = SOFT_INK)
    headings(main, "bands: one standard error up and down", "labelled rows",
             list(text = x$metric, at = mean(par("usr")[3:4])))
    look <- function(key) vapply(looks, function(one) as.character(one[[key]]), "", USE.NAMES = FALSE)
    faint <- vapply(looks, `[[`, NA, "faint")
    legend(grconvertX(0.02, "nfc", "user"), grconvertY(1, "npc", "user"), look("name"), col = look("colour"),
           pt.bg = ifelse(faint, "#ffffff", look("colour")), pch = as.integer(look("marker")),
           lty = ifelse(faint, 2, 1), bty = "n", cex = SMALL, xjust = 0, yjust = 0, xpd = NA)
    invisible(x)
}

open_curve <- function(sizes, ylim, wide) {
    par(new = TRUE)
    plot.new()
    room <- if (wide) 1.08 else 0.03 * diff(range(sizes)) + (length(sizes) == 1L)
    xlim <- if (wide) c(sizes[1L] / room, max(sizes) * room) else range(sizes) + c(-room, room)
    plot.window(xlim, ylim, log = if (wide) "x" else "", xaxs = "i")
    abline(v = sizes, h = pretty(ylim), col = RULE)
}

draw_line <- function(line, look) {
    se <- ifelse(is.na(line$se), 0, line$se)
    polygon(c(line$labels, rev(line$labels)), c(line$mean - se, rev(line$mean + se)), border = NA,
            col = paste0(look$colour, if (look$faint) "1a" else "2e"))
    lines(line$labels, line$mean, col = look$colour, lty = if (look$faint) 2 else 1, lwd = if (look$faint) 1.5 else 2)
    points(line$labels, line$mean, pch = look$marker, col = look$colour,
           bg = if (look$faint) "#ffffff" else look$colour)
}
