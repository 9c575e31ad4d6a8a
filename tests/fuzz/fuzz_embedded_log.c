/* The bytes of a phone's log, as a damaged disk may leave them. What is accepted is a phone
 * that can be looked at; cutting a torn end off gives the same phone. */
#include "driver/embedded/op/oplog.h"
#include "driver/embedded/phone/prefs.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t look(const struct ia_phone *p)
{
    struct ia_scene s;
    ia_phone_scene(p, &s);
    struct ia_tree *t = ia_tree_new();
    ia_scene_to_tree(&s, t);
    size_t count = ia_tree_count(t);
    if (count == 0 || ia_tree_truncated(t)) {
        abort();
    }
    ia_tree_free(t);
    ia_scene_fini(&s);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_str bytes = {(const char *)data, size};
    struct ia_phone *p = NULL, *again = NULL;
    struct ia_err err = {0};
    size_t good = 0, good_again = 0;
    enum ia_rc rc = ia_oplog_replay(bytes, "fuzz.log", 0, &p, &good, &err);
    if (rc != IA_OK) {
        if (rc != IA_E_DEVICE || err.code != rc || !strstr(err.msg, "fuzz.log, line ")) {
            abort();
        }
        return 0;
    }
    bytes.n = good;
    if (good > size ||
        ia_oplog_replay(bytes, "fuzz.log", 0, &again, &good_again, NULL) != IA_OK ||
        good_again != good || again->seq != p->seq || look(p) != look(again)) {
        abort();
    }
    ia_phone_free(p);
    ia_phone_free(again);
    return 0;
}
