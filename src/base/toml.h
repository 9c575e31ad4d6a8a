/* toml.h: a TOML document as a sequence of keys with positions.
 *
 * The grammar is toml++'s (TOML 1.0.0). Any bytes may come in: size, depth and UTF-8 are
 * checked, and errors have line and column. */
#ifndef IA_BASE_TOML_H
#define IA_BASE_TOML_H

#include "base/base.h"
#include "base/err.h"

enum {
    IA_TOML_BYTES_MAX = 262144,
    IA_TOML_DEPTH_MAX = 16, /* dotted parts of one key, and nesting of values */
    IA_TOML_ITEMS_MAX = 1024
};

enum ia_toml_type {
    IA_TOML_TABLE, /* a [section]; its keys follow */
    IA_TOML_STRING,
    IA_TOML_INT,
    IA_TOML_REAL,
    IA_TOML_BOOL,
    IA_TOML_LIST,  /* an array of strings, perhaps empty */
    IA_TOML_ARRAY, /* only in a tree (toml_tree.h): any array */
    IA_TOML_OTHER  /* a date, another array, a string with a NUL */
};

/* One key. Everything is borrowed for the call. */
struct ia_toml_value {
    const char *path; /* "run.model"; a part that is not a bare key stands in quotes */
    enum ia_toml_type type;
    const char *type_name;    /* "a string", "an integer" … for messages */
    const char *s;            /* STRING */
    const char *const *items; /* LIST: count strings */
    size_t count;
    int64_t i;
    double r;
    bool b;
    unsigned line, column;             /* of the key, from 1; of an element itself */
    unsigned value_line, value_column; /* of what stands behind the key */
    const char *key;                   /* its last part; NULL for elements, or with a NUL */
    unsigned depth;                    /* 0 at the top */
};
typedef void ia_toml_visit(void *ctx, const struct ia_toml_value *v);

/* Calls visit for every key, a table before its keys, in no promised order otherwise.
 * IA_E_LIMIT, IA_E_PARSE: *ret_line and *ret_column say where (0 when the whole document is
 * meant); err says what, without the place. Nothing is visited then. */
enum ia_rc ia_toml_each(struct ia_str text, ia_toml_visit *visit, void *ctx, unsigned *ret_line,
                        unsigned *ret_column, struct ia_err *err);

/* The same, with an array (IA_TOML_ARRAY) followed by each of its elements, one deeper. */
enum ia_rc ia_toml_each_deep(struct ia_str text, ia_toml_visit *visit, void *ctx,
                             unsigned *ret_line, unsigned *ret_column, struct ia_err *err);

/* Part of both, in C++: parses a document of ASCII and visits. */
enum ia_rc ia_toml_walk(struct ia_str text, bool deep, ia_toml_visit *visit, void *ctx,
                        unsigned *ret_line, unsigned *ret_column, struct ia_err *err);

#endif
