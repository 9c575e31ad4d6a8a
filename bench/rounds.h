/* rounds.h: what the benchmarks of devices share: repeats an operation and measures how long it takes. */
#ifndef IA_BENCH_ROUNDS_H
#define IA_BENCH_ROUNDS_H

#include "driver/device.h"

enum { ROUNDS = 1000, TREE_ROUNDS = 200 };

struct took {
    double p50, p99; /* us */
};
typedef void round_fn(struct ia_device *d);

extern const struct ia_deadline no_limit;

/* Ends the program. */
_Noreturn void die(const char *what, const char *why);
void check(enum ia_rc rc, const struct ia_err *err);

struct took measure(round_fn *fn, struct ia_device *d, int rounds);
/* The same on two devices alternately, so that a slow moment of the machine affects both. */
void measure_both(round_fn *fn, struct ia_device *a, struct ia_device *b, int rounds,
                  struct took *ret_a, struct took *ret_b);
void show(const char *what, struct took t);

/* Rounds: a tap at the corner, a tree, a tree to the text that a model sees. */
void tap(struct ia_device *d);
void tree(struct ia_device *d);
void tree_text(struct ia_device *d);
struct ia_tree *take_tree(struct ia_device *d);

#endif
