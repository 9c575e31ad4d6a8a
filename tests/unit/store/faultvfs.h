/* faultvfs.h: an SQLite VFS in front of the system's own, whose nth write fails.
 *
 * Counted are writes, syncs, truncations and size hints of every file, in the order in which
 * SQLite asks for them. Syncs never reach the disk: nothing here is about power loss. */
#ifndef IA_TESTS_UNIT_STORE_FAULTVFS_H
#define IA_TESTS_UNIT_STORE_FAULTVFS_H

#include <stdbool.h>

enum fault {
    FAULT_FULL,      /* the nth says that the disk is full */
    FAULT_IO,        /* the nth says that the disk is broken */
    FAULT_TORN,      /* the nth writes half of its bytes and says that the disk is broken */
    FAULT_DEAD,      /* the nth and all that follow */
    FAULT_FULL_LONG, /* the same with a full disk */
    FAULT_SYNC,      /* the nth sync says that the disk is broken; only syncs are counted */
    FAULT_COUNT
};

/* Becomes the process's default VFS; the first call registers it. */
void faultvfs_install(void);
/* Counts from now on; the nth fails, 0: none. */
void faultvfs_arm(enum fault fault, int nth);
/* Nothing fails any more. Returns how many operations there were since faultvfs_arm. */
int faultvfs_heal(void);
/* Whether one has failed since faultvfs_arm. */
int faultvfs_hit(void);
/* Syncs that begin from now on end when this is taken back; returns how many began so far. */
int faultvfs_hold(bool hold);
/* Each sync takes so long from now on. */
void faultvfs_slow(int ms);

#endif
