/* refs.h: the registry that gives out refs and remembers whose they are. */
#ifndef IA_DRIVER_SNAPSHOT_REFS_H
#define IA_DRIVER_SNAPSHOT_REFS_H

#include "driver/snapshot/model.h"

/* Beyond this the oldest half is forgotten, but for what was on the screen lately; a forgotten element
 * gets a new ref if it returns. */
enum { IA_REFS_MAX = 8192, IA_REF_LABEL_SIZE = 64 };

/* What is remembered of an element after it is gone. */
struct ia_ref_entry {
    uint64_t self, screen, before, after, place;
    struct ia_rect frame;
    uint32_t ref;
    uint32_t alike; /* elements of its last snapshot with the same self */
    uint32_t seen;  /* number of the snapshot that had it last */
    int32_t next;   /* index of the next entry with the same bucket, -1 */
    uint8_t role;
    bool scrolls;
    char label[IA_REF_LABEL_SIZE];
    char identifier[IA_REF_LABEL_SIZE];
};

/* The entry of a ref that was given out and is remembered, else NULL. */
const struct ia_ref_entry *ia_refs_entry(const struct ia_refs *r, uint32_t ref);
/* Gives refs from `first` on; those below that it did not give count as given and gone. */
void ia_refs_skip(struct ia_refs *r, uint32_t first);
/* Remembers what the lines of a text form say of refs that were skipped. Once, before the first
 * snapshot. */
void ia_refs_recall(struct ia_refs *r, struct ia_str text);
/* The highest ref that was given, 0 before. */
uint32_t ia_refs_last(const struct ia_refs *r);
/* True when the ref was ever given out. */
bool ia_refs_given(const struct ia_refs *r, uint32_t ref);

#endif
