/* rounds.c: wall times. A tenth of the rounds runs before the measurement, to warm up. */
#include "rounds.h"

#include "base/clock.h"
#include "driver/session/session.h"

#include <stdio.h>
#include <stdlib.h>

const struct ia_deadline no_limit = {.cancel = NULL, .at_us = IA_NO_DEADLINE};

void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

void check(enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK) {
        die("a request failed", err->msg);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct took sum_up(double *us, int rounds)
{
    qsort(us, (size_t)rounds, sizeof(*us), by_size);
    return (struct took){us[rounds / 2], us[rounds * 99 / 100]};
}

static double one(round_fn *fn, struct ia_device *d)
{
    int64_t from = ia_mono_us(ia_clock_system());
    fn(d);
    return (double)(ia_mono_us(ia_clock_system()) - from);
}

struct took measure(round_fn *fn, struct ia_device *d, int rounds)
{
    struct took t;
    measure_both(fn, d, NULL, rounds, &t, NULL);
    return t;
}

void measure_both(round_fn *fn, struct ia_device *a, struct ia_device *b, int rounds,
                  struct took *ret_a, struct took *ret_b)
{
    double *us_a = ia_alloc((size_t)rounds * sizeof(*us_a));
    double *us_b = ia_calloc((size_t)rounds, sizeof(*us_b));
    for (int i = -(rounds / 10); i < rounds; i++) {
        double took_a = one(fn, a), took_b = b ? one(fn, b) : 0;
        if (i >= 0) {
            us_a[i] = took_a;
            us_b[i] = took_b;
        }
    }
    *ret_a = sum_up(us_a, rounds);
    if (b) {
        *ret_b = sum_up(us_b, rounds);
    }
    free(us_a);
    free(us_b);
}

void show(const char *what, struct took t)
{
    printf("%-58s %8.0f us %8.0f us\n", what, t.p50, t.p99);
}

void tap(struct ia_device *d)
{
    struct ia_err err = {0};
    check(ia_device_tap(d, &no_limit, (struct ia_point){1, 1}, &err), &err);
}

struct ia_tree *take_tree(struct ia_device *d)
{
    struct ia_err err = {0};
    struct ia_tree *t = NULL;
    check(ia_device_tree(d, &no_limit, &t, &err), &err);
    return t;
}

void tree(struct ia_device *d)
{
    ia_tree_free(take_tree(d));
}

void tree_text(struct ia_device *d)
{
    struct ia_tree *t = take_tree(d);
    struct ia_refs *refs = ia_refs_new();
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    ia_snapshot_text(s, 0, &text);
    ia_snapshot_free(s);
    ia_buf_fini(&text);
    ia_refs_free(refs);
    ia_tree_free(t);
}
