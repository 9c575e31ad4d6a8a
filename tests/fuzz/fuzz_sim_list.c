/* fuzz_sim_list.c: any bytes as what `simctl list -j` prints. Whatever is accepted has rows
 * with a UDID and a name, and each is found again by its UDID,
 * or told why it cannot be used. */
#include "driver/simctl/list.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sim(const struct ia_sim_list *l, const struct ia_sim *sim)
{
    const struct ia_sim_query queries[] = {{sim->udid, NULL}, {sim->name, sim->runtime}};
    assert(ia_sim_is_udid(sim->udid) && sim->name[0] != '\0');
    assert(strlen(sim->runtime) < IA_SIM_RUNTIME_SIZE);
    for (size_t i = 0; i < IA_COUNTOF(queries); i++) {
        struct ia_sim_found found;
        struct ia_err err = {0};
        enum ia_rc rc = ia_sim_resolve(l, &queries[i], &found, &err);
        assert((rc == IA_OK) == (found.sim != NULL));
        assert(rc == IA_OK || rc == IA_E_NO_DEVICE || rc == IA_E_AMBIGUOUS);
        assert(rc == IA_OK || (err.msg[0] != '\0' && err.hint[0] != '\0'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_sim_list *l = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_sim_list_parse((struct ia_str){(const char *)data, size}, &l, &err);
    if (rc != IA_OK) {
        assert((rc == IA_E_PARSE || rc == IA_E_LIMIT) && !l);
        return 0;
    }
    for (size_t i = 0; i < l->count && i < 64; i++) {
        check_sim(l, &l->sims[i]);
    }
    ia_sim_list_free(l);
    return 0;
}
