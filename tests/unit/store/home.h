/* home.h: a store in a folder of its own, for one test. */
#ifndef IA_TESTS_UNIT_STORE_HOME_H
#define IA_TESTS_UNIT_STORE_HOME_H

#include "test.h"

#include "base/buf.h"
#include "store/store.h"

struct home {
    char dir[64];
    char db[96]; /* path of the database file */
};

/* cmocka setup and teardown: *state is a struct home. */
int home_make(void **state);
int home_remove(void **state);

/* Opens the store there, failing the test when it cannot. */
struct ia_store *home_open(const struct home *h);
struct ia_store *home_open_as(const struct home *h, const char *command, int busy_ms);

/* Adds a queued run on the lane and returns its id in id. */
void add_run(struct ia_store *s, const char *lane, char id[IA_ID_SIZE]);
/* Adds a run and moves it to running. */
void start_run(struct ia_store *s, const char *lane, char id[IA_ID_SIZE]);
/* Moves a run in a transaction of its own. */
enum ia_rc move_run(struct ia_store *s, const char *id, enum ia_run_state to,
                    struct ia_err *err);

struct ia_tx *begin(struct ia_store *s);
void commit(struct ia_tx *tx);

/* Runs SQL on the file with a connection of its own, failing the test on an error. */
void raw_sql(const char *path, const char *sql);
/* The error text of SQL that must fail; free(). */
char *raw_sql_error(const char *path, const char *sql);
/* First column of the first row. */
int64_t raw_int(const char *path, const char *sql);

void write_file(const char *path, const void *bytes, size_t n);
void read_file(const char *path, struct ia_buf *ret);

#define assert_rc(expected, actual)                                                            \
    assert_string_equal(ia_rc_name(expected), ia_rc_name(actual))
#define assert_contains(text, part)                                                            \
    do {                                                                                       \
        if (!strstr((text), (part))) {                                                         \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part));                        \
        }                                                                                      \
    } while (0)

#endif
