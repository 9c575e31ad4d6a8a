/* faults.h: which fault is due now. Counts operations and reads; acts on nothing itself. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_FAULTS_H
#define IA_DRIVER_EMBEDDED_FAULT_FAULTS_H

#include "driver/embedded/fault/knobs.h"

struct ia_faults {
    struct ia_fault list[IA_FAULTS_MAX];
    int count;
    uint64_t random[IA_FAULTS_MAX]; /* state of each fault's own generator */
    int32_t ops, reads;
    int32_t still;      /* reads since the last operation */
    int32_t lost_calls; /* that are still to fail; -1: all of them */
};

/* Starts over with these. seed is used where the knobs have none. */
void ia_faults_set(struct ia_faults *f, const struct ia_knobs *k, uint64_t seed);
/* Counts one operation. Returns the set of enum ia_fault_kind that strike with it. */
uint32_t ia_faults_op(struct ia_faults *f);
/* Counts one read. Returns how many ms it takes; *ret_shift: the layout has moved meanwhile. */
int32_t ia_faults_read(struct ia_faults *f, bool *ret_shift);
/* True when this call finds the connection lost. */
bool ia_faults_lost(struct ia_faults *f);

#endif
