/* adapt.h: what the fuzz targets of the adapters share: any bytes give an error that says why,
 * or a tree that is within its caps and can be shown. */
#ifndef IA_TESTS_FUZZ_ADAPT_H
#define IA_TESTS_FUZZ_ADAPT_H

#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(const struct ia_tree *t)
{
    enum { BYTES = 700 };
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_buf b = IA_BUF(1 << 20);
    ia_snapshot_text(s, BYTES, &b);
    if (b.len > BYTES) {
        abort();
    }
    ia_buf_fini(&b);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static int fuzz_adapter(enum ia_source source, const uint8_t *data, size_t size)
{
    struct ia_tree *t = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_adapt(source, (struct ia_str){(const char *)data, size}, &t, &err);
    if (rc != IA_OK) {
        if (t || err.msg[0] == '\0' || err.hint[0] == '\0') {
            abort();
        }
        return 0;
    }
    if (ia_tree_count(t) == 0 || ia_tree_count(t) > IA_TREE_NODES_MAX) {
        abort();
    }
    show(t);
    ia_tree_free(t);
    return 0;
}

#endif
