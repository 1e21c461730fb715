// SPDX-License-Identifier: BSD-3-Clause
/* rung.h - ordinal regression with few labels.
 *
 *     rung_ctx *ctx;  rung_table *table;  rung_data *data;  rung_spec *spec;  rung_model *model;
 *     rung_ctx_new(&ctx);
 *     rung_table_read(ctx, "train.csv", NULL, &table);       file  -> table of columns
 *     rung_data_encode(ctx, table, NULL, &data);             table -> numbers and ranks
 *     rung_spec_new(ctx, "kdlor", 0, &spec);                 a method with its parameters
 *     rung_spec_set(ctx, spec, "gamma", "0.5");
 *     rung_model_fit(ctx, spec, data, &model);
 *     rung_model_save(ctx, model, "model.rung");
 *
 * Errors. A function that can fail returns a rung_status; rung_ctx_message(ctx) is the sentence that explains it. The
 * library never prints, exits or aborts. A required pointer that is NULL gives RUNG_EARG, and every function that
 * allocates may return RUNG_ENOMEM; what else a function may return is listed with it. After an interrupt all of them
 * return RUNG_EINTERRUPT (rung_ctx_interrupt).
 *
 * Ownership. What a function returns through its last argument belongs to the caller, who releases it with the matching
 * _free function (NULL is fine); on failure it is set to NULL. Arguments are only read, and copied where they must
 * last. Pointers returned by a getter belong to the object asked and live as long as it does. Functions without a
 * context cannot fail; their object must not be NULL.
 *
 * Threads. Use one context per thread. Tables, data, specs and models are read-only once made (a spec once its last
 * setter has returned), and threads that each have a context may then share them. rung_ctx_interrupt may be called from
 * any thread and from a signal handler. While a call runs, OpenBLAS is set to one thread (rung has its own threads);
 * afterwards it has its former number again.
 *
 * Text is UTF-8. Ranks count from 1 (0: unlabelled), rows and columns from 0.
 *
 * Compatibility. RUNG_ABI is the number in the name of the shared library. As long as it stays the same, a program that
 * uses this header runs with every newer library without being compiled again:
 *   - No function is removed and none changes its arguments. New ones may be added.
 *   - Constants keep their values. New ones may be added: treat an unknown status as a failure, ignore unknown flags.
 *   - Structs that begin with `size` grow at their end. Set size to the sizeof of the struct and everything that you do
 *     not use to 0: rung_output out = {.size = sizeof out, .rank = rank}. The library takes the struct of an older
 *     program, where fields that are not there count as 0. It takes that of a newer program as well, as long as the
 *     fields it does not know are 0 (RUNG_EARG otherwise), and sets them to 0 where they are results.
 *   - Structs that only the library makes (rung_method, rung_param, rung_metric, rung_point) grow at their end. Use
 *     them through the pointers it returns; never copy them or make arrays of them.
 *   - The other structs (rung_view, rung_reliability_bin) stay as they are.
 * Before version 1.0 the number may change with every minor version. rung/experimental.h declares what may change with
 * any version while the number stays: explanations, learning curves, suggestions, data larger than memory, several
 * processes, verification. */
#ifndef RUNG_H
#define RUNG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUNG_VERSION_MAJOR 0
#define RUNG_VERSION_MINOR 1
#define RUNG_VERSION_PATCH 0
#define RUNG_VERSION_NUMBER (RUNG_VERSION_MAJOR * 10000 + RUNG_VERSION_MINOR * 100 + RUNG_VERSION_PATCH)
#define RUNG_VERSION "0.1.0"
#define RUNG_ABI 0

#if defined(__GNUC__)
#define RUNG_CHECK __attribute__((warn_unused_result))
#define RUNG_API __attribute__((visibility("default")))
#else
#define RUNG_CHECK
#define RUNG_API
#endif

typedef enum {
    RUNG_OK = 0,
    RUNG_ENOMEM = 1,     /* the system has no memory left */
    RUNG_EARG = 2,       /* an argument, name or value is not valid */
    RUNG_EDATA = 3,      /* the data cannot be used as they are */
    RUNG_EIO = 4,        /* a file could not be read or written */
    RUNG_EFORMAT = 5,    /* a model file is damaged, foreign or newer than this library */
    RUNG_ESINGULAR = 6,  /* a factorisation failed */
    RUNG_ENOCONV = 7,    /* an iteration did not converge */
    RUNG_ELIMIT = 8,     /* the memory limit of the context would be exceeded */
    RUNG_EINTERRUPT = 9, /* rung_ctx_interrupt was called */
    RUNG_EINTERNAL = 10  /* a defect of the library */
} rung_status;

typedef struct rung_ctx rung_ctx;       /* threads, seed, limits, log, last message; one per thread */
typedef struct rung_table rung_table;   /* columns of numbers and text, as read */
typedef struct rung_files rung_files;   /* a list of files */
typedef struct rung_reader rung_reader; /* a file that is read in blocks */
typedef struct rung_data rung_data;     /* coded columns, ranks, classes: the input of a fit */
typedef struct rung_spec rung_spec;     /* one method and its parameter values */
typedef struct rung_model rung_model;   /* the result of a fit; complete in itself */
typedef struct rung_search rung_search; /* the points that a search tried */

/* ---- version ------------------------------------------------------------------------------------ */

/* These are of the library that was loaded. Compare them with RUNG_VERSION, RUNG_VERSION_NUMBER and RUNG_ABI, which are
 * of the header that the program was compiled with. */
RUNG_API const char *rung_version(void);
RUNG_API int rung_version_number(void);
RUNG_API int rung_abi(void);

/* A few words for a status, such as "out of memory"; "unknown status" for any other number. */
RUNG_API const char *rung_status_name(rung_status status);

/* Releases the text or bytes that a function returned; NULL is fine. */
RUNG_API void rung_free(char *text);

/* ---- context ------------------------------------------------------------------------------------ */

/* A context with seed 1, all cores, no memory limit, no log. RUNG_ENOMEM. */
RUNG_API RUNG_CHECK rung_status rung_ctx_new(rung_ctx **out);
/* Where memory comes from. Both functions are called from several threads at once, and must last until everything that
 * was made with the context is released: objects and texts go back to where they came from, with whatever context. */
typedef struct {
    size_t size;
    void *user;
    void *(*allocate)(void *user, size_t bytes, size_t alignment); /* alignment: a power of 2; NULL: there is none */
    void (*release)(void *user, void *block, size_t bytes);        /* a block of `allocate`, and its size */
} rung_allocator;
/* The same with memory of the caller's for all numbers, texts and objects of the library. What the libraries that it
 * uses take for themselves during a call (BLAS, OpenMP, Jansson, the C library) is not among it. The allocator is
 * copied. RUNG_EARG: a missing function; RUNG_ENOMEM. */
RUNG_API RUNG_CHECK rung_status rung_ctx_new_with(const rung_allocator *allocator, rung_ctx **out);
RUNG_API void rung_ctx_free(rung_ctx *ctx);

/* Why the last call failed, as one sentence; "" after success. Valid until the next call with this context. */
RUNG_API const char *rung_ctx_message(const rung_ctx *ctx);

/* What the message is about, for a front end that has words of its own for it; "" where it names nothing. One line per
 * thing, each valid until the next call:
 *     parameter NAME        a parameter of the method, which the message writes as NAME=VALUE
 *     option NAME           an option, a field of the structs below or a setter, that would help
 *     option NAME=VALUE     the same with a value that would help, such as order=low<mid<high
 *     methods               the list of methods would help
 *     method NAME           the list of the parameters of this method would help
 * While the log function runs, this is the detail of the sentence it is given. */
RUNG_API const char *rung_ctx_detail(const rung_ctx *ctx);

/* The seed of all random numbers. The same input and seed give the same bits, for any number of threads. */
RUNG_API void rung_ctx_set_seed(rung_ctx *ctx, uint64_t seed);
/* The number of threads; 0 or less: all cores. */
RUNG_API void rung_ctx_set_threads(rung_ctx *ctx, int threads);
/* Data and work that would need more memory are rejected with RUNG_ELIMIT; 0 or less: no limit. */
RUNG_API void rung_ctx_set_memory(rung_ctx *ctx, int64_t bytes);

/* A fact about how models are made with this context, such as "command" and the command line: the models of later fits,
 * searches and updates keep it (rung_model_note_at). A later value of the same name replaces it; NULL removes it. The
 * library itself notes the seed, and the rows with their checksum. RUNG_EARG: an empty name, a text that is not UTF-8.
 */
RUNG_API RUNG_CHECK rung_status rung_ctx_set_note(rung_ctx *ctx, const char *name, const char *value);

typedef enum { RUNG_LOG_ERROR = 0, RUNG_LOG_WARNING = 1, RUNG_LOG_INFO = 2, RUNG_LOG_DEBUG = 3 } rung_log_level;
/* text is valid while the function runs. It is called in the thread of the call, never from two at once. */
typedef void rung_log_fn(void *user, rung_log_level level, const char *text);
/* stage: a word such as "searching"; done: 0 to 1. */
typedef void rung_progress_fn(void *user, const char *stage, double done);
/* log receives warnings and notes about data and fits, fn the progress of long calls; NULL: neither. user is handed on
 * and must live as long as the context uses it. */
RUNG_API void rung_ctx_set_log(rung_ctx *ctx, rung_log_fn *log, void *user);
RUNG_API void rung_ctx_set_progress(rung_ctx *ctx, rung_progress_fn *fn, void *user);

/* Stops the call that runs with this context: it soon returns RUNG_EINTERRUPT and leaves nothing half done. The request
 * stays until rung_ctx_clear_interrupt: all later calls return RUNG_EINTERRUPT at once. */
RUNG_API void rung_ctx_interrupt(rung_ctx *ctx);
RUNG_API void rung_ctx_clear_interrupt(rung_ctx *ctx);

/* ---- methods ------------------------------------------------------------------------------------ */

typedef enum { RUNG_TYPE_REAL = 0, RUNG_TYPE_INT = 1, RUNG_TYPE_CHOICE = 2, RUNG_TYPE_TEXT = 3 } rung_type;

typedef enum {
    RUNG_PARAM_OPEN_LOW = 1,      /* the lower bound itself is not allowed */
    RUNG_PARAM_LOG = 2,           /* search it on a log scale */
    RUNG_PARAM_AUTO = 4,          /* the word `auto` is allowed */
    RUNG_PARAM_NO_EFFECT = 8,     /* never changes a rank: do not search it */
    RUNG_PARAM_OPTIONAL = 16,     /* may be left unset: the default is empty */
    RUNG_PARAM_PER_COLUMN = 32,   /* may be written c/d: c over the number of columns that vary */
    RUNG_PARAM_SMOOTH_UP = 64,    /* a larger value gives a smoother model */
    RUNG_PARAM_SMOOTH_DOWN = 128, /* a smaller one does */
    RUNG_PARAM_CHEAP = 256        /* fits that differ in it alone share the costly part: nearly free in a search */
} rung_param_flag;

typedef struct {
    const char *name, *help;
    rung_type type;
    const char *default_value; /* as text; NULL: unset */
    const char *published;     /* the value in the paper of the method; NULL: unset */
    double low, high;          /* of numbers: the allowed range */
    unsigned flags;            /* of rung_param_flag */
    const char *choices; /* RUNG_TYPE_CHOICE: "kernel|identity"; RUNG_TYPE_INT: a word that stands for 0, or NULL */
    const char *grid;    /* values worth trying, "0.1,1,10"; NULL: not searched */
    const char *published_grid; /* the values searched in the paper; NULL: none */
} rung_param;

typedef enum {
    RUNG_METHOD_NEEDS_LABELS = 1,
    RUNG_METHOD_NEEDS_TWO_CLASSES = 2,
    RUNG_METHOD_REAL_TARGETS = 4, /* also learns real numbers */
    RUNG_METHOD_TRANSDUCTIVE = 8,
    RUNG_METHOD_WEIGHTS = 16,       /* takes class and row weights */
    RUNG_METHOD_UPDATABLE = 32,     /* rung_model_update */
    RUNG_METHOD_PROBABILITIES = 64, /* has probabilities of its own, without calibration */
    RUNG_METHOD_USES_UNLABELLED = 128,
    RUNG_METHOD_EVIDENCE = 256,  /* reports the log evidence of the labels, which a search can decide by */
    RUNG_METHOD_INTERVALS = 512, /* takes labels that are intervals of classes, such as 2..4 */
    RUNG_METHOD_PASSES = 1024,   /* can be fitted to data larger than memory (rung_data_open, experimental.h) */
    RUNG_METHOD_NO_ROWS = 2048   /* its models need no training rows (rung_spec_set_keep_rows, experimental.h) */
} rung_method_flag;

typedef struct {
    const char *name, *title, *reference, *cost;
    unsigned flags; /* of rung_method_flag */
} rung_method;

/* The table of methods, by index from 0; NULL past the end. */
RUNG_API const rung_method *rung_method_at(int index);
/* By name or alias; NULL: there is none. */
RUNG_API const rung_method *rung_method_find(const char *name);
/* The method to take unless there is a reason for another; real != 0: for targets that are real numbers. */
RUNG_API const rung_method *rung_method_default(int real);
/* The parameters of a method, by index from 0 (NULL past the end) or by name (NULL: it has none of that name). */
RUNG_API const rung_param *rung_method_param_at(const rung_method *method, int index);
RUNG_API const rung_param *rung_method_param_find(const rung_method *method, const char *name);

/* ---- tables ------------------------------------------------------------------------------------- */

/* Whether the first row of a file holds the names of the columns. */
typedef enum { RUNG_HEADER_AUTO = 0, RUNG_HEADER_PRESENT = 1, RUNG_HEADER_ABSENT = 2 } rung_header;

typedef struct { /* zeros: the default */
    size_t size;
    const char *format; /* "csv", "libsvm", "arff", "orca", "spss", "stata", "sas", "xlsx"; NULL: by name and content */
    char delimiter;     /* of cells; 0: detected */
    char decimal;       /* ',' for 3,14; 0: '.' */
    rung_header header; /* RUNG_HEADER_AUTO: detected */
    int may_be_empty;   /* 1: for rung_reader_open, a file without rows is no error */
    int text;           /* 1: every column as text, as it stands: 007, 1.50, NA */
    const char *sheet;  /* of a workbook: its name or its number, from 1; NULL: the first */
    /* of a text file: "utf-8", "utf-16", "cp1252" (also for "latin1", which it contains); NULL: recognised, UTF-16 by
     * its byte order mark */
    const char *encoding;
    int missing_columns; /* 1: of a file for a model: columns that it lacks are missing in all rows, with a warning */
} rung_read_options;

/* Reads a whole file, "-" being standard input, plain or gzip. options: NULL: the default.
 * RUNG_EARG: an option; RUNG_EIO: the file cannot be read; RUNG_EDATA: it is no such table; RUNG_ELIMIT. */
RUNG_API RUNG_CHECK rung_status rung_table_read(rung_ctx *ctx, const char *path, const rung_read_options *options,
                                                rung_table **out);

/* The files that names stand for, in the order given: a file; a folder, for the files in it whose names do not begin
 * with . or _ (where some names say a format, such as a.csv, only those, with a warning); a pattern with *, ? or [], as
 * the shell has them. Those of a folder or a pattern are in bytewise order. names ends with NULL. "-", standard input,
 * stands alone. RUNG_EIO: nothing matches, a folder is empty or cannot be read; RUNG_EARG: a file is given twice. */
RUNG_API RUNG_CHECK rung_status rung_files_new(rung_ctx *ctx, const char *const *names, rung_files **out);
RUNG_API const char *rung_files_at(const rung_files *files, int64_t index); /* from 0; NULL past the last one */
RUNG_API void rung_files_free(rung_files *files);
/* Reads several files as one table, in bytewise order of their names, so that the order given does not matter. They
 * must have the same columns, by name (in any order) or by position; files without rows are left out with a warning.
 * One file is read as by rung_table_read. RUNG_EDATA: a file has other columns; errors of rung_table_read. */
RUNG_API RUNG_CHECK rung_status rung_table_read_files(rung_ctx *ctx, const rung_files *files,
                                                      const rung_read_options *options, rung_table **out);

/* The same with the coding of a model: what it predicts, is compared on or updated with is read so. Its columns are
 * read as it needs them and all others, the label too, as text; the decimal point and the delimiter are those that the
 * caller gave for the training files, unless options say otherwise. RUNG_EDATA: a column is missing, or holds what the
 * model cannot read; errors of rung_table_read_files. */
RUNG_API RUNG_CHECK rung_status rung_model_read(rung_ctx *ctx, const rung_model *model, const rung_files *files,
                                                const rung_read_options *options, rung_table **out);
/* The same with the coding of data that rung_data_encode has made: test files are read as the training file was. */
RUNG_API RUNG_CHECK rung_status rung_data_read_like(rung_ctx *ctx, const rung_data *like, const rung_files *files,
                                                    const rung_read_options *options, rung_table **out);

/* A table from memory: its columns are added one by one, all with a name or all without (NULL).
 * RUNG_EARG: a negative number of rows. */
RUNG_API RUNG_CHECK rung_status rung_table_new(rung_ctx *ctx, int64_t rows, rung_table **out);
/* Adds a column of numbers: row i at v[i * step], NaN: missing. RUNG_EARG: the name. */
RUNG_API RUNG_CHECK rung_status rung_table_add_numbers(rung_ctx *ctx, rung_table *table, const char *name,
                                                       const double *v, int64_t step);
/* Adds a column of text: row i is values[code[i]], code -1: missing. ordered != 0: the values are in order, lowest
 * first: the classes where the column holds the labels, else the words of an ordinal feature. RUNG_EARG: the name, a
 * code outside the values. */
RUNG_API RUNG_CHECK rung_status rung_table_add_text(rung_ctx *ctx, rung_table *table, const char *name,
                                                    const int32_t *code, const char *const *values, int32_t n_values,
                                                    int ordered);
/* Adds a column of cells as a file has them, one per row (NULL: empty), which are read so: numbers if all that are not
 * missing are numbers (12.5, not 007), else text. RUNG_EARG: the name; RUNG_EDATA: text that is not UTF-8. */
RUNG_API RUNG_CHECK rung_status rung_table_add_cells(rung_ctx *ctx, rung_table *table, const char *name,
                                                     const char *const *cells);
RUNG_API void rung_table_free(rung_table *table);

RUNG_API int64_t rung_table_rows(const rung_table *table);
RUNG_API int64_t rung_table_columns(const rung_table *table);
/* The name of a column; "" where there is no header and outside the table. */
RUNG_API const char *rung_table_name(const rung_table *table, int64_t column);
/* Copies the text of a cell (a number as its shortest text; "" outside the table), at most size bytes with the final 0.
 * Returns the length of the whole text. */
RUNG_API int64_t rung_table_cell(const rung_table *table, int64_t row, int64_t column, char *text, int64_t size);

/* Opens a file that is read once, in blocks, with constant memory. With a model its columns are read as the model needs
 * them and all others as text; model and options may be NULL. The model must outlive the reader.
 * Errors as in rung_table_read. */
RUNG_API RUNG_CHECK rung_status rung_reader_open(rung_ctx *ctx, const char *path, const rung_read_options *options,
                                                 const rung_model *model, rung_reader **out);
/* The next rows, at most `rows` of them, as a table that the caller frees; RUNG_OK and NULL after the last row. From a
 * pipe those that have arrived, waiting for the first one only. */
RUNG_API RUNG_CHECK rung_status rung_reader_next(rung_ctx *ctx, rung_reader *reader, int64_t rows, rung_table **out);
RUNG_API void rung_reader_free(rung_reader *reader);

/* ---- data --------------------------------------------------------------------------------------- */

/* A column of a table is called by its name or, where none has that name, by its position from 1. Lists end with NULL.
 */
typedef struct { /* zeros: the default */
    size_t size;
    const char *label;         /* column of the labels; NULL: `label`, else the last */
    const char *order;         /* the classes, lowest first: "low<mid<high"; NULL: numbers order themselves */
    const char *const *ignore; /* columns to leave out */
    const char *weights;       /* column of row weights */
    const char *groups;        /* column that says which rows belong together; not a feature */
    int missing_error;         /* 1: reject missing feature cells instead of filling them with the median */
    int unlabelled;            /* 1: there is no label column */
    int real;                  /* 1: the label column holds real numbers, to be predicted as such */
    int bins;                  /* > 0: real numbers, cut into this many classes of equal frequency ... */
    int bins_width;            /* ... or, 1: of equal width */
    /* What feature columns are, where their cells do not say it right. */
    const char *const *nominal; /* categories, whatever they look like: "ward", or with the one that coefficients
                                 * compare the others with "ward=north" (otherwise the first in the alphabet) */
    const char *const *numeric; /* numbers: commas between thousands, codes such as 007, columns that only count the
                                 * rows */
    const char *const *dates;   /* dates: "day", or with a way to read them "day=cyclic": days (the default), cyclic
                                 * (also the place in year and week), dmy, mdy (which part is the day), ymd, compact */
    const char *const *ordinal; /* words in an order: "size=small<medium<large" */
    /* Columns by place alone, where names may be numbers. */
    int64_t label_place; /* the column of the labels, from 1, instead of label; 0: as that says */
    const int *left_out; /* a flag per column, not 0: left out beside those of ignore; NULL: none */
    /* Columns that are computed from others, beside these: "age:sex" (a product, with a column per category), "x^2",
     * "log(x)", "(x-50)/10", "poly(x, 3)"; docs/data.md describes the language. A column that is left out as a feature
     * may be a part of them. They belong to the coding of the model. Ends with NULL. */
    const char *const *derive;
    /* "grade ~ age*sex + poly(bmi, 2)", as in R: says label, ignore, derive and (by factor(x)) nominal at once; columns
     * that it does not name are left out. docs/data.md describes the language. NULL: none. */
    const char *formula;
    /* For the method mixed: columns whose cells name groups, which get effects of their own and are no features.
     * "judge": an intercept for each group; "school/class": for each school, and for each class in it;
     * "school:class": for each pair; "(temp | judge)": also a coefficient of the feature temp for each group. R's
     * "(1 | judge)" is "judge". Ends with NULL. Unless `groups` names a column, the groups of the (outermost) column
     * are held out together, so that the error is that of new groups; with known_groups rows are held out one by one:
     * the error of new rows of groups that the model knows. */
    const char *const *random;
    int known_groups;
} rung_encode_options;

/* n rows of d numbers that belong to the caller: row i, column j at v[i * row + j * col]. NaN is a missing cell: it
 * takes the median of the training rows, or goes to the method as it is if that can use it (boost). Infinite
 * numbers are RUNG_EDATA; so is NaN among the values of a kernel (kernel=precomputed). */
typedef struct {
    const double *v;
    int64_t n, d, row, col;
} rung_view;

/* Codes a table: numbers as they are, text one-of-k, missing cells by the median, labels as ranks. options: NULL: the
 * default. RUNG_EARG: an option; RUNG_EDATA: the table does not hold what the options say, or labels without order. */
RUNG_API RUNG_CHECK rung_status rung_data_encode(rung_ctx *ctx, const rung_table *table,
                                                 const rung_encode_options *options, rung_data **out);
/* What is done with the label column of rows that are coded as others were. */
typedef enum {
    RUNG_LABELS_IGNORED = 0,
    RUNG_LABELS_OPTIONAL = 1, /* read if it is there, rank 0 where it is empty */
    RUNG_LABELS_REQUIRED = 2, /* it must be there */
    RUNG_LABELS_UPDATE = 3    /* for rung_model_update: it must be there, as must the columns of weights and groups if
                               * training had them, and marks of suggested rows count */
} rung_labels;
/* Codes a table as a model was trained: columns by name (by position where there are no names), with the categories and
 * fill values of the model. RUNG_EDATA: a column is missing or holds what the model cannot read. */
RUNG_API RUNG_CHECK rung_status rung_model_encode(rung_ctx *ctx, const rung_model *model, const rung_table *table,
                                                  rung_labels labels, rung_data **out);

/* The same with the coding of other data. */
RUNG_API RUNG_CHECK rung_status rung_data_encode_like(rung_ctx *ctx, const rung_data *like, const rung_table *table,
                                                      rung_labels labels, rung_data **out);

/* The classes that n labels name (texts, "" where there is none; intervals too) as an order, "1<2<3", to be freed by
 * rung_free: the scale on which labels of several sources are compared. Whole numbers become a scale without gaps: 1, 2
 * and 5 give 1<2<3<4<5, the step being the largest number that divides them all (10, 20, 40: 10<20<30<40), and a
 * warning says so. RUNG_EDATA: words, which have no order. */
RUNG_API RUNG_CHECK rung_status rung_labels_order(rung_ctx *ctx, int64_t n, const char *const *labels, char **out);

/* Data from memory: rank[i] in 1..classes, 0: unlabelled; weight: one per row, or NULL. Everything is copied.
 * RUNG_EARG: a rank outside the classes, a number of rows below 1; RUNG_EDATA: an infinite number, a weight that is no
 * finite number >= 0. */
RUNG_API RUNG_CHECK rung_status rung_data_new(rung_ctx *ctx, const rung_view *X, const int *rank, const double *weight,
                                              int classes, rung_data **out);
/* The same with real targets, NaN: unlabelled. */
RUNG_API RUNG_CHECK rung_status rung_data_new_real(rung_ctx *ctx, const rung_view *X, const double *target,
                                                   const double *weight, rung_data **out);
/* Names for data from memory, before they are used: of the feature columns, of the label column, of the classes (lowest
 * first). NULL: left as it is. Without names columns go by position and the classes are called 1, 2, ...
 * RUNG_EARG: a name that is empty, or twice there. */
RUNG_API RUNG_CHECK rung_status rung_data_set_names(rung_ctx *ctx, rung_data *data, const char *const *columns,
                                                    const char *label, const char *const *classes);
/* Rows that belong together (of one patient, one school), before the data are used: a number per row, equal for rows of
 * one group; copied. Every fit, search and importance holds them out together. NULL: none. */
RUNG_API RUNG_CHECK rung_status rung_data_set_groups(rung_ctx *ctx, rung_data *data, const int *group);
/* Makes intervals of the labels of data from memory, before they are used: the label of row i is one of
 * rank[i]..upper[i] (upper[i] = rank[i]: that class; 0: unlabelled). An interval of all classes means unlabelled. Label
 * cells of a file may be intervals, too: 2..4, <=2, >=4, low..mid. RUNG_EDATA: an upper end below its rank, or outside
 * the classes. */
RUNG_API RUNG_CHECK rung_status rung_data_set_upper(rung_ctx *ctx, rung_data *data, const int *upper);
/* The ranks low..high that a label allows where the classes are known, lowest first: a class, or an interval of them
 * (2..4, <=2, low..mid). Returns 0 where it is neither, else 1. */
RUNG_API int rung_label_ranks(int classes, const char *const *names, const char *label, int *low, int *high);
/* Numbers that are classes without having been declared are at most so many. */
enum { RUNG_MOST_NUMERIC_CLASSES = 50 };
/* Reads n labels as a fit reads the cells of a label column, so that a text means the same everywhere: a class, an
 * interval of classes (2..4, <=2, >=4, low..mid), or no label (NULL, "", NA, ...). order: as in rung_encode_options;
 * NULL: numbers order themselves, and of words the classes alone are read, in the order in which they first occur, ends
 * of intervals last, and no ranks. *out has no columns of use: rung_data_classes, rung_data_class_name, rung_data_ranks
 * and rung_data_uppers say what was read. RUNG_EARG: a number of labels below 1, the order; RUNG_EDATA: a label that is
 * neither. */
RUNG_API RUNG_CHECK rung_status rung_data_new_labels(rung_ctx *ctx, int64_t n, const char *const *labels,
                                                     const char *order, rung_data **out);
/* Some rows of a data set (n row numbers from 0), with its columns and classes; what stands for a missing cell is the
 * median of these rows. hidden: n flags, not 0: without its label; may be NULL. RUNG_EARG: a row that is not there. */
RUNG_API RUNG_CHECK rung_status rung_data_subset(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows,
                                                 const int *hidden, rung_data **out);
RUNG_API void rung_data_free(rung_data *data);

RUNG_API int64_t rung_data_rows(const rung_data *data);
RUNG_API int64_t rung_data_features(const rung_data *data); /* coded columns */
RUNG_API int rung_data_classes(const rung_data *data);      /* 0: real targets, or no labels */
/* The name of a class, by rank; "" for any other number. */
RUNG_API const char *rung_data_class_name(const rung_data *data, int rank);
/* Copies the name of a coded column, at most size bytes with the final 0. */
RUNG_API void rung_data_feature_name(const rung_data *data, int64_t column, char *text, int64_t size);
RUNG_API const int *rung_data_ranks(const rung_data *data); /* one per row, 0: unlabelled */
/* The upper ends of labels that are intervals, rung_data_ranks being the lower ones; NULL: every label is one class. */
RUNG_API const int *rung_data_uppers(const rung_data *data);
RUNG_API const double *rung_data_targets(const rung_data *data); /* real targets, NaN: unlabelled; NULL: classes */
RUNG_API const int *rung_data_groups(const rung_data *data);     /* a number per row; NULL: none */
RUNG_API const double *rung_data_weights(const rung_data *data); /* one per row; NULL: all 1 */
RUNG_API rung_view rung_data_view(const rung_data *data);        /* the coded rows */

/* ---- specs -------------------------------------------------------------------------------------- */

/* A method with its default parameters; as_published != 0: with those of its paper. RUNG_EARG: an unknown method. */
RUNG_API RUNG_CHECK rung_status rung_spec_new(rung_ctx *ctx, const char *method, int as_published, rung_spec **out);
/* Sets a parameter. Numbers are written with a decimal point, whatever the locale. RUNG_EARG: the method has no such
 * parameter, or the value is not allowed; the spec is as before. */
RUNG_API RUNG_CHECK rung_status rung_spec_set(rung_ctx *ctx, rung_spec *spec, const char *name, const char *value);
/* How feature columns are scaled: "standard" (the default), "minmax", "rank", "relevance" (standard, then
 * weighted by the gains of small boosted trees; learned again in every fold), "none". RUNG_EARG: anything else. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_scale(rung_ctx *ctx, rung_spec *spec, const char *scale);
/* What labelled rows that agree in every column are: "together" (copies of one object: they are held out together, so
 * that errors are those of new objects), "apart" (replicates, such as rows of a design or a survey: they are held out
 * one by one, because new rows will repeat them as often), "auto" (the default: decided by counts). RUNG_EARG: anything
 * else. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_equal_rows(rung_ctx *ctx, rung_spec *spec, const char *rule);
/* The weight of a class, 1 by default. RUNG_EARG: a method without weights, a weight below 0. A class that the data do
 * not have is found by the fit. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_class_weight(rung_ctx *ctx, rung_spec *spec, const char *class_name,
                                                           double weight);
/* Class weights that make all classes count the same, labelled rows / (classes x rows of the class); those of
 * rung_spec_set_class_weight multiply them. RUNG_EARG: a method without weights. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_balanced(rung_ctx *ctx, rung_spec *spec, int balanced);
/* keep != 0: the model keeps its labelled rows, so that rung_model_update can add to them. RUNG_EARG: a method that is
 * not RUNG_METHOD_UPDATABLE. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_keep_data(rung_ctx *ctx, rung_spec *spec, int keep);
/* The costs of wrong answers (classes x classes, by rows: truth, answer; copied) and, if above 0, of no answer. The
 * model keeps them and answers what is expected to cost least. RUNG_EARG: cost is not as rung_cost_parse makes it. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_cost(rung_ctx *ctx, rung_spec *spec, int classes, const double *cost,
                                                   double abstain);
/* wanted != 0: a fit that learns from unlabelled rows also reports the cross-validated error of label propagation alone
 * (propagation_cv_mae), which the method should beat. RUNG_EARG: a method that ignores unlabelled rows. */
RUNG_API RUNG_CHECK rung_status rung_spec_set_baseline(rung_ctx *ctx, rung_spec *spec, int wanted);
/* A spec with the same method, values and settings, to be changed without the other. */
RUNG_API RUNG_CHECK rung_status rung_spec_copy(rung_ctx *ctx, const rung_spec *spec, rung_spec **out);
RUNG_API void rung_spec_free(rung_spec *spec);

RUNG_API const rung_method *rung_spec_method(const rung_spec *spec);
/* The text of a parameter; NULL: unset, or the method has none of that name. Lives until the parameter is set. */
RUNG_API const char *rung_spec_value(const rung_spec *spec, const char *name);

/* ---- fit ---------------------------------------------------------------------------------------- */

/* RUNG_EARG: parameters that do not go together, data of the wrong kind for the method; RUNG_EDATA: too few labels,
 * numbers that overflow; RUNG_EIO: files that are read in passes changed; RUNG_ELIMIT, RUNG_ESINGULAR, RUNG_ENOCONV. */
RUNG_API RUNG_CHECK rung_status rung_model_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                               rung_model **out);
RUNG_API void rung_model_free(rung_model *model);

/* New labelled rows (coded by rung_model_encode) join a model that kept its own: the model of a fit to all of them with
 * the scaling of the first fit, found from where that ended. The model given stays as it is. RUNG_EARG: see
 * rung_model_updatable; errors of rung_model_fit. */
RUNG_API RUNG_CHECK rung_status rung_model_update(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                                  rung_model **out);
/* RUNG_OK: the model can be updated. RUNG_EARG: it cannot; the message says why. */
RUNG_API RUNG_CHECK rung_status rung_model_updatable(rung_ctx *ctx, const rung_model *model);
/* *out = 1 where the rows (coded by rung_model_encode, with their labels) are those the model was fitted to, all of
 * them in their order, so that its error on them is too small. 0 also for some of them, which cannot be told. */
RUNG_API RUNG_CHECK rung_status rung_model_fitted_to(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                                     int *out);

/* ---- model files -------------------------------------------------------------------------------- */

/* Writes a model file: all of it or, on failure (RUNG_EIO), nothing; a former file of that name is replaced at once. */
RUNG_API RUNG_CHECK rung_status rung_model_save(rung_ctx *ctx, const rung_model *model, const char *path);
/* RUNG_EIO: the file cannot be read; RUNG_EFORMAT: it is no model, damaged, or newer than this library. */
RUNG_API RUNG_CHECK rung_status rung_model_load(rung_ctx *ctx, const char *path, rung_model **out);

/* The same in memory: the bytes of a model file and their number; release them with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_model_save_memory(rung_ctx *ctx, const rung_model *model, char **bytes,
                                                       int64_t *size);
/* RUNG_EARG: a negative size; RUNG_EFORMAT as above. */
RUNG_API RUNG_CHECK rung_status rung_model_load_memory(rung_ctx *ctx, const char *bytes, int64_t size,
                                                       rung_model **out);

/* ---- prediction --------------------------------------------------------------------------------- */

typedef struct { /* zeros: the default */
    size_t size;
    double level; /* of the ranges of ranks, above 0, below 1: no range without one */
    int by_class; /* 1: ranges contain the true rank with the probability `level` in every class with enough labels
                   * (0.9: nine), not only over all rows: those of rows that may be of a rare class are wider */
    /* Answers that cost least under the probabilities, see rung_cost_parse: classes x classes; NULL: those of the
     * model, if it has some. abstain > 0: rank 0 ("unsure") where every answer is expected to cost more than that. */
    const double *cost;
    double abstain;
} rung_predict_options;
typedef struct { /* where to write; NULL: not wanted */
    size_t size;
    int *rank;       /* n:                    1..classes */
    double *score;   /* n x outputs, by rows */
    double *proba;   /* n x classes, by rows */
    double *sd;      /* n: the standard deviation of the latent value whose mean is the score */
    int *low, *high; /* n: a range of ranks that contains the true one with the probability `level` */
} rung_output;
/* Predicts rows that are coded as the model was trained: the view of rung_model_encode, or numbers from memory. A row
 * gets the same answer whatever rows come with it. options: NULL: the default. RUNG_EARG: an option, the model has not
 * what is wanted, or the rows have another number of columns; RUNG_EDATA: an infinite number, or scores that overflow.
 *
 * To serve rows one by one: load the model once and share it; give each thread a context that it keeps, with
 * rung_ctx_set_threads(ctx, 1), so that a call starts no threads of its own. Where all columns are numbers, a view of
 * the row is all that a call needs. Where some are text, a table of one row (rung_table_new, rung_table_add_cells) is
 * coded by rung_model_encode. Rows that wait together are faster in one call. */
RUNG_API RUNG_CHECK rung_status rung_model_predict(rung_ctx *ctx, const rung_model *model, const rung_view *X,
                                                   const rung_predict_options *options, const rung_output *out);
/* The answers of a transductive fit for its own training rows, in their order: rung_model_training_rows of them. A row
 * whose label was given keeps it. RUNG_EARG: the model has not what is wanted, or no such answers. */
RUNG_API RUNG_CHECK rung_status rung_model_predict_training(rung_ctx *ctx, const rung_model *model,
                                                            const rung_predict_options *options,
                                                            const rung_output *out);

/* ---- what is in a model ------------------------------------------------------------------------- */

RUNG_API const char *rung_model_method(const rung_model *model);
/* The parameters it was fitted with, by index from 0: the name, and in *value the text; NULL past the last one. */
RUNG_API const char *rung_model_param_at(const rung_model *model, int index, const char **value);
/* The same by name; NULL: unset, or the method has none of that name. */
RUNG_API const char *rung_model_param(const rung_model *model, const char *name);

RUNG_API int rung_model_classes(const rung_model *model); /* 0: real targets, or no labels */
/* The name of a class, by rank; "" for any other number. */
RUNG_API const char *rung_model_class_name(const rung_model *model, int rank);
RUNG_API int rung_model_class_present(const rung_model *model, int rank); /* 1: a training row was of this class */
RUNG_API int rung_model_is_real(const rung_model *model);      /* 1: real targets; the score is the prediction */
RUNG_API int64_t rung_model_rows(const rung_model *model);     /* rows it was fitted to */
RUNG_API int64_t rung_model_labelled(const rung_model *model); /* those of them that had a label */
RUNG_API int64_t rung_model_features(const rung_model *model); /* coded columns, which rung_model_predict takes */
/* Columns before they are coded, as methods see them: features of a table, then those that are derived from others. */
RUNG_API int64_t rung_model_columns(const rung_model *model);
RUNG_API int rung_model_column_derived(const rung_model *model, int64_t column); /* 1: it is derived */
/* The columns of a table that the model needs, in the order of the training file. Their number, and which column of the
 * model each of them is (for rung_model_column and the like); those that others are only derived from come behind
 * rung_model_columns. -1: there is none. */
RUNG_API int64_t rung_model_inputs(const rung_model *model);
RUNG_API int64_t rung_model_input(const rung_model *model, int64_t index);
/* The name of such a column, from 0; "": the columns have no names, or there is no such column. *is_text (unless NULL):
 * 1: a column of text: categories, ordered words, dates. */
RUNG_API const char *rung_model_column(const rung_model *model, int64_t column, int *is_text);
/* The categories of a column of text or of ordered words, by index from 0 ("": missing cells are a category of their
 * own); NULL past the last one. */
RUNG_API const char *rung_model_category(const rung_model *model, int64_t column, int index);
RUNG_API const char *rung_model_label(const rung_model *model); /* the name of the label column; "": none */
RUNG_API const char *rung_model_scale(const rung_model *model); /* as in rung_spec_set_scale */

RUNG_API int rung_model_outputs(const rung_model *model);   /* score columns */
RUNG_API int rung_model_has_ranks(const rung_model *model); /* 0: scores only */
RUNG_API int rung_model_has_probabilities(const rung_model *model);
/* 1: predicted probabilities are flattened as held-out rows justify, so they are not those of the coefficients. */
RUNG_API int rung_model_tempered(const rung_model *model);
RUNG_API int rung_model_has_latent(const rung_model *model); /* 1: it has rung_output.sd */
/* How a score becomes a rank: "none", "thresholds", "calibrated", "constant", "nearest-mean", "argmax", "median". */
RUNG_API const char *rung_model_decision(const rung_model *model);
/* Where the ranges of ranks (rung_output.low, high) come from: "cross-conformal" (rows held out: the ranges contain the
 * true rank with the stated probability even if the probabilities are wrong), "credible" (no rows were held out: the
 * posterior of the method); NULL: the model has none. */
RUNG_API const char *rung_model_interval(const rung_model *model);
/* The thresholds on the score between the classes that had labels, ascending; -inf, inf: a class beyond is always, or
 * never, predicted. Writes at most `room` of them to out (which may be NULL where room is 0) and returns how many there
 * are; 0: the decision is no matter of thresholds. */
RUNG_API int rung_model_thresholds(const rung_model *model, int room, double *out);
/* With the decision "nearest-mean": the means of the classes that had labels, outputs numbers each, one class after the
 * other. Returns how many numbers there are; 0: none. */
RUNG_API int64_t rung_model_means(const rung_model *model, int64_t room, double *out);
/* The calibration: P(y > q) = 1 / (1 + exp(-(slope s - cut_q))), s being the score on the scale of the ranks. Writes
 * the slope (unless that is NULL) and at most `room` cuts; returns how many cuts there are; 0: not calibrated. */
RUNG_API int rung_model_calibration(const rung_model *model, double *slope, int room, double *cuts);
/* The numbers that the method reported about its fit, by index from 0: the name, and in *values and *count a list;
 * *count -1: a single number, values[0]. NULL past the last one. */
RUNG_API const char *rung_model_report_at(const rung_model *model, int index, const double **values, int64_t *count);
RUNG_API int64_t rung_model_training_rows(const rung_model *model); /* of rung_model_predict_training; 0: none */

/* A coefficient of a model whose score is linear in the columns ("linear"), or a threshold, on the scale of the data:
 *     score = sum of value x,   P(y <= q) = L(threshold_q - score),   L the distribution of the link (pom).
 * Where the scaling ranks the columns, x is the share of training rows below. What a model does not have is NaN: only
 * pom has standard errors, and only with link=logit is exp(value) a ratio of odds. */
typedef struct {
    size_t size;
    int64_t column; /* of the table, from 0; -1: a threshold */
    int part;       /* a date with its place in year and week has several coefficients: which one, from 0 */
    int category;   /* of the column (rung_model_category): its difference from the category `against`; -1: a number */
    int against;
    int rank;                         /* of a threshold: of the class below it; 0: a coefficient */
    double value, error, z, p;        /* estimate, standard error, value / error, two-sided p of value = 0 */
    double odds, odds_low, odds_high; /* exp(value) and its 95 % range */
} rung_coefficient;
/* Fills in the coefficient of an index from 0 in an output (score column) from 0; returns 0 past the last one, where
 * the score is not linear, or where out->size is not set, else 1. */
RUNG_API int rung_model_coefficient(const rung_model *model, int output, int index, rung_coefficient *out);
/* The same for the thresholds between the classes that had labels. They belong to the coefficients and are on the scale
 * of the data, as these are; those of rung_model_thresholds are on the scale of the score. */
RUNG_API int rung_model_threshold_coefficient(const rung_model *model, int index, rung_coefficient *out);
/* The log likelihood of the training rows, without the penalty; NaN: the method does not report it. */
RUNG_API double rung_model_log_likelihood(const rung_model *model);
/* What the standard errors assume. "model": rows are independent, weights are counts. "groups": only the groups that
 * the data name are independent. "rows": rows are, whatever their weights mean. NULL: the model has none. units, unless
 * NULL: the number of rows or groups. */
RUNG_API const char *rung_model_standard_errors(const rung_model *model, int64_t *units);
/* The covariance of the coefficients and thresholds, in the order of their indices: out (unless NULL) has room for n x
 * n numbers. Returns n; 0: the model has none. */
RUNG_API int rung_model_covariance(const rung_model *model, double *out);
/* Are the odds proportional: is one coefficient right for all thresholds? For pom with standard errors of the model:
 * twice the log likelihood that a coefficient for each threshold gains (with very many rows the score statistic). A
 * small p speaks against it. */
typedef struct {
    size_t size;
    int64_t column; /* of the table, from 0; -1: all columns together */
    double chi2, p; /* NaN: cannot be tested */
    int df;         /* degrees of freedom */
} rung_parallel_test;
/* Fills in the test of an index from 0, the first being that of all columns; returns 0 past the last one (or where
 * there is none, or out->size is not set), else 1. */
RUNG_API int rung_model_parallel(const rung_model *model, int index, rung_parallel_test *out);
/* Training rows that the model and its file contain; 0: none. */
RUNG_API int64_t rung_model_stored_rows(const rung_model *model);
/* The names of groups of rows that the model keeps for updates; 0: none. */
RUNG_API int64_t rung_model_stored_groups(const rung_model *model);
RUNG_API const char *rung_model_library(const rung_model *model); /* the version of rung that fitted it */
RUNG_API int rung_model_format(void);                             /* of the model files this library writes */

/* How the model was made, by index from 0: the name of a fact ("command", "seed", "data", ...), and in *value the text;
 * NULL past the last one. After an update there is a text for each step, with "; " between them. */
RUNG_API const char *rung_model_note_at(const rung_model *model, int index, const char **value);
/* The costs it answers by: classes x classes, by rows: truth, answer; NULL: none. *abstain (unless NULL): the cost of
 * no answer, 0: it always answers. */
RUNG_API const double *rung_model_cost(const rung_model *model, double *abstain);

/* The whole description, as one JSON object; release it with rung_free. RUNG_EDATA: a text that is not UTF-8. */
RUNG_API RUNG_CHECK rung_status rung_model_describe(rung_ctx *ctx, const rung_model *model, char **json);

/* ---- costs ------------------------------------------------------------------------------------- */

/* The matrix (classes x classes, by rows: truth, answer) of "absolute" (|truth - answer|), "squared", "zero-one", or
 * "up=2,down=1": so much per class that the answer is too high or too low. RUNG_EARG: anything else. */
RUNG_API RUNG_CHECK rung_status rung_cost_parse(rung_ctx *ctx, const char *text, int classes, double *cost);
/* RUNG_EARG, with a sentence: a cost that is negative or not finite, or a mistake that is cheaper than the right
 * answer. */
RUNG_API RUNG_CHECK rung_status rung_cost_check(rung_ctx *ctx, int classes, const double *cost, double abstain);

/* ---- metrics ------------------------------------------------------------------------------------ */

typedef enum {
    RUNG_METRIC_LARGER_BETTER = 1,       /* otherwise smaller is better */
    RUNG_METRIC_NEEDS_PROBABILITIES = 2, /* NaN without */
    RUNG_METRIC_BOUND = 4,               /* an end of the bootstrap range of mae: nothing to search by */
    RUNG_METRIC_ANY_ORDER = 8            /* the same whatever the order of the classes */
} rung_metric_flag;

typedef struct {
    const char *key;   /* "mae", as the field of rung_metrics is called */
    const char *title; /* "mean absolute error" */
    const char *help;  /* what it is, in a few words */
    unsigned flags;    /* of rung_metric_flag */
} rung_metric;
/* The table of metrics, by index from 0; NULL past the end. */
RUNG_API const rung_metric *rung_metric_at(int index);
RUNG_API const rung_metric *rung_metric_find(const char *key); /* NULL: there is none */

/* Definitions: docs/metrics.md. NaN where a value is undefined (no probabilities, a single class, ...). */
typedef struct {
    size_t size;
    int64_t n; /* rows */
    double mae, mze, acc, amae, mmae, mse, gm, ms, rps, tau, spearman, kappa, qkappa, off1;
    double mae_low, mae_high; /* bootstrap, 95 %; of rows held out of a fit wider, because fits differ */
    /* Of the n rows, those whose true label is an interval. Their errors are distances to it, so that with any of them
     * the errors are lower bounds. */
    int64_t intervals;
} rung_metrics;
/* The value of a metric by its key; NaN: undefined, or there is no such key. */
RUNG_API double rung_metrics_value(const rung_metrics *metrics, const char *key);

typedef struct { /* zeros: none of these */
    size_t size;
    const int *upper;     /* true labels may be intervals truth[i]..upper[i] */
    const double *proba;  /* n x classes, by rows */
    const double *weight; /* of each row, >= 0: a row with the weight 3 counts as three rows */
    const int *group; /* a number per row, equal for rows of one patient or school: the range of mae resamples groups */
} rung_metrics_options;
/* Compares n predicted ranks with the true ones; rows whose truth is 0 are left out. A row whose label is an interval
 * counts as the class of the interval that is nearest to the prediction, so its error is the distance to the interval;
 * the ranked probability score skips the thresholds inside. n of the result counts rows. options: NULL: the default.
 * RUNG_EARG: a rank outside the classes, an upper end below its truth, a weight below 0, out->size; RUNG_EDATA: no
 * labelled row (with a weight above 0). */
RUNG_API RUNG_CHECK rung_status rung_metrics_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth,
                                                     const int *predicted, const rung_metrics_options *options,
                                                     rung_metrics *out);
/* The rank with the smallest mean absolute error on n labels, their median (of two the lower one): what always
 * predicting it achieves is what a model must beat. 0: no label (with a weight above 0). options: upper and weight
 * count. Errors as above. */
RUNG_API RUNG_CHECK rung_status rung_metrics_median(rung_ctx *ctx, int64_t n, int classes, const int *truth,
                                                    const rung_metrics_options *options, int *out);
/* The same for two columns of a table, by name or position from 1. order: the classes, as in rung_encode_options; NULL:
 * those of both columns. */
RUNG_API RUNG_CHECK rung_status rung_metrics_compute_table(rung_ctx *ctx, const rung_table *table, const char *truth,
                                                           const char *predicted, const char *order, rung_metrics *out);
/* The metrics of the rows that the fit held out in turn; where at least ten of them have a label that is no interval,
 * of these alone. Returns 0 (and leaves out alone) where it held out none (calibrate=0, real targets) or out->size is
 * not set, else 1. */
RUNG_API int rung_model_cv(const rung_model *model, rung_metrics *out);
/* The metrics of always predicting the median of the labels, on the same rows, with the same weights and groups.
 * Returns its rank; 0 (and leaves out alone) as above, and for models of versions that did not measure it. */
RUNG_API int rung_model_cv_median(const rung_model *model, rung_metrics *out);

/* Whether two sets of paired numbers differ: Wilcoxon's signed-rank test. */
typedef struct {
    size_t size;
    int64_t n;          /* pairs that differ */
    int64_t zeros;      /* pairs that do not: left out */
    double plus, minus; /* sums of the ranks of |a - b| where a > b, a < b; equal ones share the mean rank */
    double z;           /* of the normal approximation, its variance corrected for ties; NaN where n is 0 */
    double p;           /* two-sided; 1 where n is 0 */
    int exact;          /* 1 (n <= 50): from the distribution of the rank sum itself, ties included; else from z */
} rung_wilcoxon_test;
/* RUNG_EARG: out->size, a number that is not finite. */
RUNG_API RUNG_CHECK rung_status rung_wilcoxon(rung_ctx *ctx, int64_t n, const double *a, const double *b,
                                              rung_wilcoxon_test *out);
/* Holm's correction of n p-values for several comparisons, in place. RUNG_EARG: a number outside of 0..1. */
RUNG_API RUNG_CHECK rung_status rung_holm(rung_ctx *ctx, int n, double *p);
/* Which of two sets of predicted ranks is better on the same rows. */
typedef struct {
    size_t size;
    int64_t n;              /* labelled rows */
    double difference;      /* of the mean absolute errors, b - a ... */
    double low, high;       /* ... its 95 % range: a paired bootstrap over rows, by the seed */
    double wilcoxon;        /* p of Wilcoxon's test of the absolute errors */
    int64_t only_a, only_b; /* rows that only a, or only b, gets right ... */
    double mcnemar;         /* ... p of McNemar's exact test of them */
    double mae_p;           /* p of the difference itself, each row's changing its sign with probability 1/2 */
} rung_difference;
/* Rows whose truth is 0 are left out. upper: as in rung_metrics_options, or NULL. RUNG_EARG: a rank outside
 * the classes, an upper end below its truth, out->size; RUNG_EDATA: no row is left. */
RUNG_API RUNG_CHECK rung_status rung_compare(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *upper,
                                             const int *a, const int *b, rung_difference *out);

/* Real targets. r2 is NaN where all true values are equal. */
typedef struct {
    size_t size;
    int64_t n; /* rows */
    double mae, mse, rmse, r2;
} rung_real_metrics;
/* Rows whose truth is NaN are left out. RUNG_EARG: a prediction that is not finite, out->size; RUNG_EDATA: no row. */
RUNG_API RUNG_CHECK rung_status rung_real_metrics_compute(rung_ctx *ctx, int64_t n, const double *truth,
                                                          const double *predicted, rung_real_metrics *out);

typedef struct {
    double low, high;            /* of the probability */
    double confidence, accuracy; /* mean probability; share of the rows that are of this class; NaN without rows */
    int64_t n;
} rung_reliability_bin;
/* Whether probabilities are honest. Groups the rows by the probability of their most probable class, in `bins` equal
 * parts of 0..1, for which out has room. ece: the expected calibration error, the mean over the rows of
 * |confidence - accuracy| of their part. Rows whose truth is 0 are left out. RUNG_EARG: bins below 1, a rank outside
 * the classes; RUNG_EDATA: no row is left. */
RUNG_API RUNG_CHECK rung_status rung_reliability_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth,
                                                         const double *proba, int bins, rung_reliability_bin *out,
                                                         double *ece);

/* ---- searches ------------------------------------------------------------------------ */

/* Lists end with NULL. */
typedef struct { /* zeros: the default */
    size_t size;
    const char *const *methods; /* NULL: the default method */
    const char *const *fixed;   /* "ridge=0.1": not searched */
    const char *const *grids;   /* "gamma=0.1,1,10": instead of the method's own grid */
    const char *const *weights; /* class weights: "high=2", "balanced" */
    const char *scale;          /* as in rung_spec_set_scale */
    const char *metric;         /* key of rung_metric_at, or "evidence" (no folds then); NULL: mae */
    int as_published;           /* 1: published values and grids, and the first minimum in grid order */
    int folds;                  /* 0: 5 */
    int leave_one_out;          /* 1: instead of folds */
    int repeats;                /* 0: 5 up to 60 labelled rows, 2 up to 150, else 1 */
    const int *groups;          /* a number per row: rows of one group are held out together; NULL: none */
    const int *own_folds;       /* own_repeats x rows: the fold (from 0) that holds a row out, < 0: none */
    int own_repeats;
    int one_se;         /* 1: the smoothest model within one standard error of the best */
    int nested;         /* 1: also cross-validate the search itself, for an honest error */
    const double *cost; /* as in rung_spec_set_cost, of the winner; with the metric "cost" it also decides by it */
    double abstain;
    const char *equal_rows; /* as in rung_spec_set_equal_rows; NULL: auto */
} rung_tune_options;
/* Searches for the best method and parameters by cross-validation. options: NULL: the default. out: the winner, fitted
 * to all rows and calibrated on its out-of-fold scores. found: everything that was tried. RUNG_EARG: an option;
 * RUNG_EDATA: too few labels; errors of rung_model_fit if no point can be fitted. */
RUNG_API RUNG_CHECK rung_status rung_tune_run(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data,
                                              rung_model **out, rung_search **found);
RUNG_API void rung_search_free(rung_search *search);

typedef struct { /* a method with the values of its parameters */
    const char *method;
    double value;      /* the metric on held-out rows; NaN: undefined, or it could not be fitted */
    double se;         /* its standard error over the folds; NaN: unknown */
    const char *error; /* why it could not be fitted; NULL: it could */
} rung_point;
/* The points, by index from 0; NULL past the last one. */
RUNG_API const rung_point *rung_search_at(const rung_search *search, int point);
/* The parameters of a point that were searched or set, or differ from their default, by index from 0: the name, and in
 * *value the text; NULL past the last one. */
RUNG_API const char *rung_search_param_at(const rung_search *search, int point, int index, const char **value);
RUNG_API int rung_search_winner(const rung_search *search); /* its index */
/* The criterion. The log evidence has the key "evidence", which is not in the table of metrics. */
RUNG_API const rung_metric *rung_search_metric(const rung_search *search);
RUNG_API int rung_search_folds(const rung_search *search); /* 0: the log evidence of all labels decides */
RUNG_API int rung_search_repeats(const rung_search *search);
/* The metrics of the search, corrected for the choice, as in rung_model_cv. The winner is the best of many points, so
 * that its own metrics are too good; by how much is measured by searches without each fifth of the rows, whose winners
 * predict it. Returns 0 (and leaves out alone) where there is no choice to correct (a single point, the evidence, too
 * few labels) or out->size is not set, else 1. */
RUNG_API int rung_search_corrected(const rung_search *search, rung_metrics *out);
/* The metrics of nested cross-validation: the whole search, with scaling and fits, repeated without the rows measured.
 * Returns 0 (and leaves out alone) where it was not asked for or out->size is not set, else 1. */
RUNG_API int rung_search_nested(const rung_search *search, rung_metrics *out);
/* What the search chose in the outer folds, by index from 0: method and parameters as text; NULL past the last one. */
RUNG_API const char *rung_search_nested_choice(const rung_search *search, int index);
/* All of it, as one JSON object; release it with rung_free. */
RUNG_API RUNG_CHECK rung_status rung_search_describe(rung_ctx *ctx, const rung_search *search, char **json);

#ifdef __cplusplus
}
#endif
#endif
