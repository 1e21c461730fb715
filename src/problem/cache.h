// SPDX-License-Identifier: BSD-3-Clause
/* The cache of a problem: a list of derived objects, each with the settings it depends on. */
#ifndef RUNG_PROBLEM_CACHE_H
#define RUNG_PROBLEM_CACHE_H

#include "problem/problem.h"

typedef enum {
    ENTRY_GRAM,
    ENTRY_ROOT,
    ENTRY_LANDMARKS,
    ENTRY_EIGEN,
    ENTRY_EXHAUSTED,
    ENTRY_LISTS,
    ENTRY_EDGES,
    ENTRY_LAPLACIAN
} entry_kind;

/* Where distances are actually measured, after spaces that give the same graph are identified. */
typedef enum {
    PLACE_INPUT,     /* the rows */
    PLACE_STRETCHED, /* the rows, columns times sqrt of the precisions of k */
    PLACE_KERNEL,    /* the Gram matrix of k */
    PLACE_REDUCED,   /* its r leading components */
    PLACE_LANDMARKS  /* r of its landmark features */
} place_kind;

typedef struct {
    place_kind kind;
    kernel k; /* all but PLACE_INPUT */
    int64_t r, landmarks;
} place;

typedef struct {
    place at;
    problem_graph graph; /* ENTRY_EDGES, ENTRY_LAPLACIAN: but for its space */
    laplacian_norm norm; /* ENTRY_LAPLACIAN */
    bool constant;       /* ENTRY_ROOT */
    int64_t landmarks;   /* ENTRY_LANDMARKS: how many were asked for */
    int64_t at_least;    /* ENTRY_EIGEN: pairs, ENTRY_LISTS: neighbours */
} entry_key;

struct problem_entry {
    entry_kind kind;
    entry_key key;
    la_mat *gram; /* ENTRY_GRAM, ENTRY_ROOT */
    landmarks landmarks;
    eigenpairs eigen;
    bool exhausted; /* r leading components leave nothing out */
    neighbours lists;
    la_csr csr;
    double width;
    problem_entry *next;
};

/* In the problem itself, or in what it is a view of. */
const problem_entry *cache_find(const problem *p, entry_kind kind, const entry_key *key);
/* A new entry, not yet in the list; its contents are allocated in p->mem, then cache_keep adds it. */
rung_status cache_new(rung_ctx *ctx, problem *p, entry_kind kind, const entry_key *key, problem_entry **out);
void cache_keep(problem *p, problem_entry *entry);

#endif
