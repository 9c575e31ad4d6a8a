/* settle.c: turns a proposal into the verdict of its run.
 *
 *   proposal ─► of a run that is out? ─► code of its key? ─► bundle readable? ─► device of the class?
 *            ─► stored at ia.verdict.BATCH.RUN, where the server takes one message ─► rows ─► acknowledged
 *
 * If this process is killed between two of these steps, the proposal was not acknowledged and is delivered again. The
 * stored verdict is then recognised as our own by its hash. */
#include "agent/run/claim.h"
#include "app/fleet/submit_impl.h"
#include "app/run_bundle.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/killpoint.h"
#include "base/log.h"
#include "store/fleet_runs.h"
#include "json/json.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum {
    VERDICT_MAX = 4096,
    AGAIN_MS = 500,
    LATER_MS = 1000,
    REFUSALS_MAX = 5,
    FETCHES_MAX = 10,
    OS_MAX = 32
};

/* ---- the verdict --------------------------------------------------------------------------- */

static void verdict_write(const struct ia_fleet_proposal *p, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_kv(&w, "worker", p->worker);
    ia_jsonw_kv_int(&w, "attempt", p->attempt);
    ia_jsonw_kv(&w, "sha256", p->sha256);
    ia_jsonw_end_object(&w);
}

enum counts { COUNTS, OTHER_COUNTS, GIVEN_UP };
/* The "worker" of a run that the submitter gave up. No worker can have this name. */
#define SUBMITTER "."

/* Reads whose verdict is stored. */
static enum ia_rc read_verdict(struct ia_fleet_submit *s, const char *subject,
                               const struct ia_fleet_proposal *p, enum counts *ret,
                               struct ia_err *err)
{
    struct ia_buf body = IA_BUF(VERDICT_MAX);
    bool found = false;
    enum ia_rc rc = ia_bus_last(s->opts.bus, IA_FLEET_VERDICTS, subject, &body, &found, err);
    json_t *doc = found ? json_loadb(ia_buf_cstr(&body), body.len, 0, NULL) : NULL;
    const char *worker = ia_json_text(doc, "worker");
    bool mine =
        strcmp(ia_json_text(doc, "sha256"), p->sha256) == 0 && strcmp(worker, p->worker) == 0;
    *ret = strcmp(worker, SUBMITTER) == 0 ? GIVEN_UP : mine ? COUNTS : OTHER_COUNTS;
    json_decref(doc);
    ia_buf_fini(&body);
    return rc;
}

/* Stores the verdict unless there is one. *ret: whose verdict is stored now. */
static enum ia_rc store_verdict(struct ia_fleet_submit *s, const struct ia_fleet_proposal *p,
                                enum counts *ret, struct ia_err *err)
{
    char subject[IA_FLEET_SUBJECT_SIZE];
    char id[IA_ID_SIZE + 32 + IA_FLEET_NAME_SIZE];
    struct ia_buf body = IA_BUF(VERDICT_MAX);
    enum ia_bus_put put = IA_BUS_TAKEN;
    ia_fleet_subject(IA_FLEET_VERDICT, NULL, p->batch, p->run, subject);
    /* The id names the worker, so that a second worker's verdict is refused instead of ignored as a duplicate. */
    (void)snprintf(id, sizeof(id), "v-%s-%d-%s", p->run, p->attempt, p->worker);
    verdict_write(p, &body);
    enum ia_rc rc =
        ia_bus_publish(s->opts.bus, subject, ia_buf_str(&body), id, true, &put, err);
    ia_buf_fini(&body);
    *ret = COUNTS;
    return rc == IA_OK && put != IA_BUS_STORED ? read_verdict(s, subject, p, ret, err) : rc;
}

/* ---- the rows ---------------------------------------------------------------------------- */

/* The worker died and may have spent the run's whole limit: the events say so. */
static void note_lost(struct ia_fleet_submit *s, struct ia_tx *tx,
                      const struct ia_fleet_slot *slot)
{
    const struct ia_event_run_interrupted lost = {
        .spent = {.has = true, .usd_max = slot->max_usd}};
    ia_tx_add_event(tx, slot->run_id, IA_EVENT(&lost), NULL);
    s->opts.lost(s->opts.ctx, slot->run_id, slot->max_usd);
}

/* Rows that the store refuses for their content are the worker's fault and must not end the sweep. */
static enum ia_rc rows_refused(enum ia_rc rc, struct ia_err *err)
{
    bool theirs = rc == IA_E_DB || rc == IA_E_EXISTS || rc == IA_E_STATE || rc == IA_E_LIMIT ||
                  rc == IA_E_NOT_FOUND || rc == IA_E_USAGE;
    return theirs ? (err->code = ia_err_wrap(err, IA_E_PARSE, "rows that no run has")) : rc;
}

static enum ia_rc take_rows(struct ia_fleet_submit *s, const struct ia_fleet_slot *slot,
                            const struct ia_fleet_proposal *p, struct ia_run_bundle *b,
                            struct ia_err *err)
{
    struct ia_tx *tx = NULL;
    struct ia_run_row *run = NULL;
    const char(*blobs)[IA_SHA256_HEX_SIZE];
    bool pictures = p->url[0] && ia_run_bundle_blobs(b, &blobs) > 0;
    enum ia_rc rc = ia_store_run(s->opts.store, p->run, &run, err);
    rc = rc == IA_OK ? ia_tx_begin(s->opts.store, &tx, err) : rc;
    if (rc != IA_OK) {
        ia_run_row_free(run);
        return rc;
    }
    ia_run_bundle_set_recording(b, run->recording ? run->recording : "");
    ia_fleet_count_replay(tx, run, b);
    ia_run_row_free(run);
    if (s->opts.budgeted && ia_rc_from_name(ia_run_bundle_code(b)) == IA_E_FLEET) {
        note_lost(s, tx, slot);
    }
    rc = ia_run_bundle_take(tx, p->run, p->worker, p->attempt, b, err);
    if (rc != IA_OK) {
        ia_tx_rollback(tx);
        return rc;
    }
    ia_tx_end_fleet_run(tx, p->run, IA_FLEET_RUN_COUNTED, p->worker, pictures ? p->url : NULL);
    rc = rows_refused(ia_tx_commit_soon(tx, &s->commit, err), err);
    if (rc == IA_OK && pictures) {
        ia_fleet_fetch_wake(s->fetch);
    }
    return rc;
}

/* Ends a run whose verdict says that the submitter gave it up. */
static enum ia_rc end_given_up(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                               const struct ia_err *why, struct ia_err *err)
{
    enum ia_run_state to;
    struct ia_tx *tx = NULL;
    enum ia_rc rc = IA_OK;
    if (why->code == IA_E_CANCELLED) {
        const struct ia_run_moved moved = {.code = ia_rc_name(why->code), .summary = why->msg};
        rc = ia_tx_begin(s->opts.store, &tx, err);
        if (rc == IA_OK) {
            ia_run_move(tx, slot->run_id, IA_RUN_CANCELLED, &moved, NULL);
            rc = ia_tx_commit(tx, err);
        }
    } else {
        rc = ia_claim_refuse(s->opts.store, slot->run_id, why, &to, err);
    }
    if (rc == IA_OK) {
        ia_fleet_slot_free(s, slot);
    }
    return rc;
}

enum ia_rc ia_fleet_give_up(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                            const struct ia_err *why, struct ia_err *err)
{
    struct ia_fleet_proposal own = {.attempt = 1, .worker = SUBMITTER};
    enum counts counts = OTHER_COUNTS;
    (void)snprintf(own.batch, sizeof(own.batch), "%s", s->opts.batch);
    (void)snprintf(own.run, sizeof(own.run), "%s", slot->run_id);
    ia_sha256_hex(why->msg, strlen(why->msg), own.sha256);
    enum ia_rc rc = store_verdict(s, &own, &counts, err);
    if (rc != IA_OK || counts == OTHER_COUNTS) {
        return rc == IA_E_TIMEOUT ? IA_OK : rc; /* it is retried, or a worker was faster */
    }
    return end_given_up(s, slot, why, err);
}

/* ---- judging ----------------------------------------------------------------------------- */

/* If the class names an OS version, the device must have reported it when the run began. This detects a worker with wrong
 * labels, but not one that forges its devices' reports as well. */
static bool device_is_of_class(const struct ia_fleet_slot *slot, const struct ia_run_bundle *b)
{
    char os[OS_MAX];
    const char *has = ia_run_bundle_os(b); /* "iOS 26.0" */
    has += strcspn(has, "0123456789");
    ia_fleet_class_label(slot->class_key, "os", os, sizeof(os));
    size_t n = strlen(os);
    for (size_t i = 0; i < n; i++) {
        os[i] = os[i] == ':' ? '.' : os[i];
    }
    return n == 0 || !has[0] || (strncmp(has, os, n) == 0 && (has[n] == '\0' || has[n] == '.'));
}

/* Rejects a proposal. The worker may have acknowledged the order, so the run may have to be sent again. */
static enum ia_rc refuse(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                         const struct ia_fleet_proposal *p, const char *why, bool *ret_ended,
                         struct ia_err *err)
{
    struct ia_err said;
    s->figures.refused++;
    IA_LOG(IA_LOG_WARN, "fleet.refused", IA_S("run", p->run), IA_S("worker", p->worker),
           IA_S("why", why));
    if (!slot || ++slot->refusals < REFUSALS_MAX) {
        if (slot) {
            slot->doubted = true;
        }
        return IA_OK;
    }
    (void)ia_err_set(&said, IA_E_PROTO,
                     "%d proposals for this run were invalid; the last one, from %s: %s",
                     REFUSALS_MAX, p->worker, why);
    *ret_ended = true;
    return ia_fleet_give_up(s, slot, &said, err);
}

static enum ia_rc count(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                        const struct ia_fleet_proposal *p, struct ia_run_bundle *b,
                        bool *ret_ended, struct ia_err *err)
{
    enum counts counts = OTHER_COUNTS;
    struct ia_err why;
    enum ia_rc rc = store_verdict(s, p, &counts, err);
    IA_KILL_POINT("fleet.verdict.stored");
    if (rc != IA_OK) {
        return rc;
    }
    if (counts == OTHER_COUNTS) {
        s->figures.superseded++;
        return IA_OK;
    }
    *ret_ended = true;
    if (counts == COUNTS) {
        rc = take_rows(s, slot, p, b, err);
        IA_KILL_POINT("fleet.rows.written");
        if (rc == IA_OK) {
            s->figures.counted++;
            ia_fleet_keep_healed(s, p->run, b);
            ia_fleet_slot_free(s, slot);
        }
        if (rc != IA_E_PARSE) {
            return rc;
        }
        why = *err;
    } else {
        (void)ia_err_set(&why, IA_E_PROTO, "the run was given up before");
    }
    return end_given_up(s, slot, &why, err);
}

static enum ia_rc judge(struct ia_fleet_submit *s, struct ia_fleet_slot *slot,
                        struct ia_fleet_proposal *p, bool *ret_ended, struct ia_err *err)
{
    struct ia_run_bundle *b = NULL;
    struct ia_buf fetched = IA_BUF(IA_BUNDLE_BYTES_MAX);
    enum ia_rc rc = IA_OK;
    if (p->bundle.n == 0) {
        rc = ia_fleet_fetch_blob(p->url, p->run, p->sha256, &slot->key, IA_BUNDLE_BYTES_MAX,
                                 &fetched, err);
        p->bundle = ia_buf_str(&fetched);
    }
    if (rc != IA_OK) {
        ia_buf_fini(&fetched);
        /* The worker may be offline: the proposal is delivered again, a limited number of times. */
        return ++slot->unfetched < FETCHES_MAX
                   ? IA_E_TIMEOUT
                   : refuse(s, slot, p, "its bundle cannot be fetched", ret_ended, err);
    }
    rc = ia_run_bundle_read(p->bundle, p->run, &b, err);
    if (rc != IA_OK) {
        rc = refuse(s, slot, p, err->msg, ret_ended, err);
    } else if (!device_is_of_class(slot, b)) {
        rc = refuse(s, slot, p, "its device is not of the class that the order is for",
                    ret_ended, err);
    } else {
        rc = count(s, slot, p, b, ret_ended, err);
    }
    ia_run_bundle_free(b);
    ia_buf_fini(&fetched);
    return rc;
}

/* Whether a run that has no slot is finished. Otherwise its sweep was resumed, and it gets a slot soon. */
static bool is_over(struct ia_fleet_submit *s, const char *run_id)
{
    enum ia_run_state state;
    enum ia_rc rc = ia_store_run_state(s->opts.store, run_id, &state, NULL);
    return rc == IA_E_NOT_FOUND || (rc == IA_OK && ia_run_state_final(state));
}

/* Workers do not begin a run that has a stored proposal, so a refused proposal must be removed. The subject is chosen by
 * the publisher and could contain wildcards, which would remove other proposals. */
static void remove_refused(struct ia_fleet_submit *s, const struct ia_bus_message *m)
{
    struct ia_err ignored;
    if (!strpbrk(m->subject, "*>")) {
        (void)ia_bus_purge(s->opts.bus, IA_FLEET_PROPOSED, m->subject, &ignored);
    }
}

enum ia_rc ia_fleet_settle(struct ia_fleet_submit *s, const struct ia_bus_message *m,
                           bool *ret_ended, bool *ret_done, struct ia_err *err)
{
    const size_t refused = s->figures.refused;
    *ret_done = false;
    struct ia_fleet_proposal p;
    char code[IA_SHA256_HEX_SIZE];
    struct ia_err said = {0};
    enum ia_rc rc = ia_fleet_proposal_read(m->body, &p, code, &said);
    struct ia_fleet_slot *slot = rc == IA_OK ? ia_fleet_slot_of(s, p.run) : NULL;
    if (rc != IA_OK) {
        IA_LOG(IA_LOG_WARN, "fleet.refused", IA_S("why", said.msg));
        s->figures.refused++;
        rc = IA_OK;
    } else if (!slot && !is_over(s, p.run)) {
        ia_bus_give_back(s->opts.bus, m, LATER_MS);
        return IA_OK;
    } else if (!slot) {
        s->figures.superseded++;
    } else if (!ia_fleet_proposal_true(&p, code, &slot->key)) {
        /* The author never had the order: the proposal says nothing about the run. */
        rc = refuse(s, NULL, &p, "the code of the proposal is not that of the run", ret_ended,
                    err);
    } else {
        rc = judge(s, slot, &p, ret_ended, err);
    }
    if (s->figures.refused > refused) {
        remove_refused(s, m);
    }
    if (rc == IA_E_TIMEOUT) {
        ia_bus_give_back(s->opts.bus, m, AGAIN_MS);
        return IA_OK;
    }
    *ret_done = rc == IA_OK;
    return rc;
}
