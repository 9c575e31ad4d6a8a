/* sweep_choose.c: which goals run here: by tag, by name, and by shard, so that several machines
 * share a list of goals without talking to each other.
 *
 * Goals that need each other form a group, and a group stays whole: its shard is taken from
 * the first of its names in byte order, so it depends on neither the order of the files nor
 * on the machine. A goal that is chosen brings all that it needs with it, tagged or not. */
#include "agent/sweep/sweep.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static bool take_number(const char **at, int *ret)
{
    int n = 0, digits = 0;
    for (; **at >= '0' && **at <= '9' && digits < 5; ++*at, digits++) {
        n = n * 10 + (**at - '0');
    }
    *ret = n;
    return digits > 0;
}

enum ia_rc ia_sweep_shard_parse(const char *text, int *ret_shard, int *ret_shards,
                                struct ia_err *err)
{
    const char *at = text;
    int shard = 0, shards = 0;
    bool ok = take_number(&at, &shard) && *at++ == '/' && take_number(&at, &shards) &&
              *at == '\0' && shard >= 1 && shard <= shards && shards <= IA_SWEEP_SHARDS_MAX;
    if (!ok) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "--shard %.40s is not a valid K/N", text);
        ia_err_hint(err, "write 1/4, 2/4, 3/4 and 4/4 for four machines");
        return rc;
    }
    *ret_shard = shard;
    *ret_shards = shards;
    return IA_OK;
}

/* The first name, in byte order, of each group. */
static const char **first_names(const struct ia_goals *goals, size_t n)
{
    const char **first = ia_calloc(n, sizeof(*first));
    for (size_t i = 0; i < n; i++) {
        const struct ia_goal *g = ia_goals_at(goals, i);
        const char **name = &first[g->group];
        if (!*name || strcmp(g->req.name, *name) < 0) {
            *name = g->req.name;
        }
    }
    return first;
}

/* 0 to shards - 1. The bits of FNV are stirred, as its low ones alone are uneven. */
static int shard_of(const char *name, int shards)
{
    uint64_t h = ia_hash(IA_HASH_SEED, name, strlen(name));
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    return (int)(h % (uint64_t)shards);
}

static bool has_tag(const struct ia_goal *g, const struct ia_sweep_choice *choice)
{
    for (size_t i = 0; i < g->tag_count; i++) {
        for (size_t k = 0; k < choice->tag_count; k++) {
            if (strcmp(g->tags[i], choice->tags[k]) == 0) {
                return true;
            }
        }
    }
    return choice->tag_count == 0;
}

static bool is_named(const struct ia_goal *g, const struct ia_sweep_choice *choice)
{
    for (size_t i = 0; i < choice->name_count; i++) {
        if (strcmp(g->req.name, choice->names[i]) == 0) {
            return true;
        }
    }
    return choice->name_count == 0;
}

static bool in_file(const struct ia_goal *g, const struct ia_sweep_choice *choice)
{
    bool here = choice->file_count == 0;
    for (size_t i = 0; i < choice->file_count && !here; i++) {
        here = strcmp(g->file, choice->files[i]) == 0;
    }
    return here;
}

/* Chooses what goal i needs, and what that needs. */
static void choose_needs(const struct ia_goals *goals, size_t i, size_t *stack, bool *ret)
{
    size_t depth = 0;
    stack[depth++] = i;
    while (depth > 0) {
        const struct ia_goal *g = ia_goals_at(goals, stack[--depth]);
        for (size_t k = 0; k < g->need_count; k++) {
            /* Marked before it is visited, so each goal is on the stack at most once and n +
             * 1 places are enough. */
            if (!ret[g->needs[k]]) {
                ret[g->needs[k]] = true;
                stack[depth++] = g->needs[k];
            }
        }
    }
}

void ia_sweep_choose(const struct ia_goals *goals, const struct ia_sweep_choice *choice,
                     bool *ret)
{
    size_t n = ia_goals_count(goals);
    const char **first = first_names(goals, n);
    size_t *stack = ia_calloc(n + 1, sizeof(*stack));
    memset(ret, 0, n * sizeof(*ret));
    for (size_t i = 0; i < n; i++) {
        const struct ia_goal *g = ia_goals_at(goals, i);
        bool here = choice->shards == 0 ||
                    shard_of(first[g->group], choice->shards) == choice->shard - 1;
        if (here && has_tag(g, choice) && is_named(g, choice) && in_file(g, choice) &&
            !ret[i]) {
            ret[i] = true;
            choose_needs(goals, i, stack, ret);
        }
    }
    free(stack);
    free(first);
}
