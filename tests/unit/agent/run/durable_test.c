/* What a run did not wait for is durable before anything outside changes by it. */
#include "../../store/faultvfs.h"
#include "rig.h"
#include "test.h"

#include "store/impl.h"

enum { SYNC_MS = 5, EFFECTS_MIN = 5 };

struct seen {
    struct rig *rig;
    int effects, too_early;
};

/* Of the device that the run drives: asked before each effect. */
static enum ia_rc look(void *ctx, struct ia_err *err)
{
    struct seen *seen = ctx;
    struct ia_durable *d = &seen->rig->store->durable;
    (void)err;
    pthread_mutex_lock(&d->mutex);
    seen->effects++;
    seen->too_early += d->synced < d->written;
    pthread_mutex_unlock(&d->mutex);
    return IA_OK;
}

static void an_intent_is_durable_before_its_effect_is_sent(void **state)
{
    (void)state;
    struct rig r;
    struct seen seen = {.rig = &r};
    faultvfs_install();
    rig_open(&r, "add_contact", NULL);
    r.device.forward.gate = look;
    r.device.forward.gate_ctx = &seen;
    faultvfs_slow(SYNC_MS); /* longer than it takes to look at the screen */
    rig_run(&r, "add a contact named Ada Lovelace");
    faultvfs_slow(0);
    rig_expect(&r, "passed", IA_OK);
    assert_true(seen.effects >= EFFECTS_MIN);
    assert_int_equal(seen.too_early, 0);
    rig_close(&r);
}

/* Each sync of the run in turn fails, and with it the store: an effect was sent only where the journal
 * could say so before. */
static void an_effect_whose_intent_is_not_durable_is_not_sent(void **state)
{
    (void)state;
    int stopped = 0;
    for (int nth = 1;; nth++) {
        struct rig r;
        struct ia_err err = {0};
        struct seen seen = {.rig = &r};
        rig_open(&r, "add_contact", NULL);
        r.device.forward.gate = look;
        r.device.forward.gate_ctx = &seen;
        faultvfs_arm(FAULT_SYNC, nth);
        enum ia_rc rc = rig_try(&r, "add a contact named Ada Lovelace", &err);
        bool hit = faultvfs_hit() > 0;
        (void)faultvfs_heal();
        assert_int_equal(seen.too_early, 0);
        assert_string_equal(ia_rc_name(rc), ia_rc_name(hit ? IA_E_DB : IA_OK));
        rig_close(&r);
        if (!hit) {
            break;
        }
        stopped++;
    }
    assert_true(stopped > EFFECTS_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_intent_is_durable_before_its_effect_is_sent),
        cmocka_unit_test(an_effect_whose_intent_is_not_durable_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
