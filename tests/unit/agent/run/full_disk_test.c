/* A disk that is full at any one write, or from there on: a run either comes to its verdict or waits
 * for `resume`, which brings it there. It never ends in an error, and nothing is done twice. */
#include "../../store/faultvfs.h"
#include "agent/run/claim.h"
#include "rig.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIDE = 11, TRIALS_MIN = 8 };

/* Answers by what the screen shows, so it goes on from anywhere. */
#define SCRIPT "../../../../e2e/crash_script"

static int install(void **state)
{
    (void)state;
    faultvfs_install();
    return 0;
}

static enum ia_run_state state_of(struct rig *r, const char *id)
{
    struct ia_run_row *row = NULL;
    assert_int_equal(ia_store_run(r->store, id, &row, NULL), IA_OK);
    enum ia_run_state state = row->state;
    ia_run_row_free(row);
    return state;
}

static void one_contact(const struct rig *r, int nth)
{
    char *phone = rig_phone_state(r);
    const char *ada = strstr(phone, "\"Ada Lovelace\"");
    if (!ada || strstr(ada + 1, "\"Ada Lovelace\"")) {
        fail_msg("write %d: %s", nth, phone);
    }
    free(phone);
}

/* After a sync that failed, only a store that was opened again writes. Whether it had to be. */
static bool reopened(struct rig *r)
{
    struct ia_tx *tx = NULL;
    if (ia_tx_begin(r->store, &tx, NULL) == IA_OK) {
        ia_tx_rollback(tx);
        return false;
    }
    ia_store_close(r->store);
    struct ia_store_opts opts = {.home = r->home};
    assert_int_equal(ia_store_open(&opts, &r->store, NULL), IA_OK);
    return true;
}

static void go_on(struct rig *r, const char *id, bool for_good, int nth)
{
    struct ia_err err = {0};
    enum ia_run_state state = state_of(r, id);
    /* A full disk that is full for good leaves the row as it is; its process gives it back. */
    if (for_good && (state == IA_RUN_CLAIMED || state == IA_RUN_RUNNING)) {
        assert_int_equal(ia_claim_put_back(r->store, id, &err), IA_OK);
    } else if (state != IA_RUN_QUEUED) {
        fail_msg("write %d left the run %s", nth, ia_run_state_name(state));
    }
    if (rig_try_go_on(r, id, &err) != IA_OK) {
        fail_msg("write %d: %s", nth, err.msg);
    }
    rig_expect(r, "passed", IA_OK);
}

/* Whether the run felt the fault. */
static bool live_through(enum fault fault, int nth)
{
    struct rig r;
    struct ia_err err = {0};
    char id[IA_ID_SIZE];
    rig_open(&r, SCRIPT, NULL);
    r.req.verify = IA_VERIFY_ALWAYS;
    faultvfs_arm(fault, nth);
    enum ia_rc rc = rig_try(&r, "save Ada, then turn on Airplane Mode", &err);
    bool hit = faultvfs_hit() > 0;
    (void)faultvfs_heal();
    (void)snprintf(id, sizeof(id), "%s", r.result.id);
    if (rc == IA_OK) {
        rig_expect(&r, "passed", IA_OK);
    } else if (rc != IA_E_DB_FULL) {
        fail_msg("write %d: %s: %s", nth, ia_rc_name(rc), err.msg);
    } else if (id[0]) {
        bool again = reopened(&r);
        go_on(&r, id, again || fault == FAULT_FULL_LONG, nth);
    }
    if (rc == IA_OK || id[0]) {
        one_contact(&r, nth);
    }
    rig_close(&r);
    return hit;
}

static void at_every_write(enum fault fault)
{
    int trials = 0;
    for (int nth = 1; live_through(fault, nth); nth += STRIDE) {
        trials++;
    }
    assert_true(trials > TRIALS_MIN);
}

static void a_disk_that_is_full_for_one_write_leaves_the_run_to_go_on(void **state)
{
    (void)state;
    at_every_write(FAULT_FULL);
}

static void a_disk_that_stays_full_leaves_the_run_to_go_on(void **state)
{
    (void)state;
    at_every_write(FAULT_FULL_LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_is_full_for_one_write_leaves_the_run_to_go_on),
        cmocka_unit_test(a_disk_that_stays_full_leaves_the_run_to_go_on),
    };
    return cmocka_run_group_tests(tests, install, NULL);
}
