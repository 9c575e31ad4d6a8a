/* faults.c: counts operations and reads, and says which faults are due. Each fault has a generator
 * of its own, so that one fault's dice do not change when another is added. */
#include "driver/embedded/fault/faults.h"

#include "base/rand.h"

#include <string.h>

/* Reads after which a caller relies on what it saw: two equal ones. */
enum { READS_TO_BE_SURE = 2 };

void ia_faults_set(struct ia_faults *f, const struct ia_knobs *k, uint64_t seed)
{
    *f = (struct ia_faults){.count = k->fault_count};
    memcpy(f->list, k->faults, sizeof(f->list));
    for (int i = 0; i < f->count; i++) {
        f->random[i] = (k->seed ? k->seed : seed) + (uint64_t)i * UINT64_C(0x51ED2701);
    }
}

static bool due(struct ia_faults *f, int i, int32_t n)
{
    const struct ia_fault *fault = &f->list[i];
    if (fault->percent) {
        struct ia_rand r = ia_rand_seeded(&f->random[i]);
        return ia_rand_next(&r) % 100 < fault->percent;
    }
    if (fault->at == 0) {
        return true;
    }
    return fault->every ? n % fault->at == 0 : n == fault->at;
}

uint32_t ia_faults_op(struct ia_faults *f)
{
    uint32_t set = 0;
    f->ops++;
    f->still = 0;
    for (int i = 0; i < f->count; i++) {
        const struct ia_fault *fault = &f->list[i];
        if (fault->kind == IA_FAULT_SLOW_TREE || fault->kind == IA_FAULT_STALE_REF ||
            !due(f, i, f->ops)) {
            continue;
        }
        set |= UINT32_C(1) << fault->kind;
        if (fault->kind == IA_FAULT_LOST) {
            f->lost_calls = fault->value ? fault->value : -1;
        }
    }
    return set;
}

int32_t ia_faults_read(struct ia_faults *f, bool *ret_shift)
{
    int32_t ms = 0;
    f->reads++;
    f->still++;
    *ret_shift = false;
    for (int i = 0; i < f->count; i++) {
        const struct ia_fault *fault = &f->list[i];
        if (fault->kind == IA_FAULT_SLOW_TREE && due(f, i, f->reads)) {
            ms += fault->value;
        }
        /* Counted by operations: the one that is about to follow these reads. */
        if (fault->kind == IA_FAULT_STALE_REF && f->still == READS_TO_BE_SURE + 1 &&
            due(f, i, f->ops + 1)) {
            *ret_shift = true;
        }
    }
    return ms;
}

bool ia_faults_lost(struct ia_faults *f)
{
    if (f->lost_calls > 0) {
        f->lost_calls--;
        return true;
    }
    return f->lost_calls < 0;
}
