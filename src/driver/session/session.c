/* session.c: captures and settling.
 *
 *   capture ─► snapshot without refs ─► same motion hash as the one before, for stable_us?
 *      ▲                                   │no                    │yes, or the cap is reached
 *      └───────────── poll_us ◄────────────┘                      ▼
 *                                                     adopt: refs, the latest snapshot
 *
 * Only the last capture gets refs: those on the way were seen by nobody.
 *
 * Everything here runs on the caller's thread; a session belongs to one thread at a time. A
 * failed capture changes nothing: the latest snapshot and its refs stay as they are. */
#include "driver/session/session_impl.h"

#include "base/hash.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/refs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STABLE_MS = 100, CAP_MS = 2500, POLL_MS = 50, MOVING_NAMES = 5, MOVING_BYTES_MAX = 256 };

static int64_t us_or(int ms, int standard_ms)
{
    return (int64_t)(ms > 0 ? ms : standard_ms) * 1000;
}

struct ia_session *ia_session_new(struct ia_device *device,
                                  const struct ia_session_options *opt)
{
    static const struct ia_session_options none = {0};
    opt = opt ? opt : &none;
    struct ia_session *s = ia_calloc(1, sizeof(*s));
    s->device = device;
    s->clock = opt->clock ? opt->clock : ia_clock_system();
    s->stable_us = us_or(opt->settle_stable_ms, STABLE_MS);
    s->cap_us = us_or(opt->settle_cap_ms, CAP_MS);
    s->poll_us = us_or(opt->poll_ms, POLL_MS);
    s->guard = opt->guard;
    s->guard_ctx = opt->guard_ctx;
    s->permit = opt->permit;
    s->refs = ia_refs_new();
    if (opt->first_ref > 1) {
        ia_refs_skip(s->refs, opt->first_ref);
    }
    s->moving = IA_BUF(MOVING_BYTES_MAX);
    return s;
}

static void forget_capture(struct ia_session *s)
{
    ia_snapshot_free(s->captured);
    ia_tree_free(s->captured_tree);
    s->captured = NULL;
    s->captured_tree = NULL;
    s->captured_has_refs = false;
}

void ia_session_free(struct ia_session *s)
{
    if (s) {
        ia_snapshot_free(s->latest);
        ia_snapshot_free(s->acted);
        forget_capture(s);
        for (size_t i = 0; i < IA_SESSION_LOOKS; i++) {
            ia_snapshot_free(s->looks[i]);
        }
        ia_refs_free(s->refs);
        ia_buf_fini(&s->moving);
        free(s);
    }
}

void ia_session_skip_refs(struct ia_session *s, uint32_t last_ref)
{
    ia_refs_skip(s->refs, last_ref + 1);
}

void ia_session_recall(struct ia_session *s, struct ia_str text)
{
    ia_refs_recall(s->refs, text);
}

uint32_t ia_session_last_ref(const struct ia_session *s)
{
    return ia_refs_last(s->refs);
}

const struct ia_snapshot *ia_session_latest(const struct ia_session *s)
{
    return s->latest;
}

bool ia_session_allowed(const struct ia_session *s, const struct ia_snapshot *screen)
{
    return !s->guard || s->guard(s->guard_ctx, screen, NULL) == IA_OK;
}

uint64_t ia_session_looks(const struct ia_session *s)
{
    return s->looks_made;
}

const struct ia_snapshot *ia_session_acted(const struct ia_session *s, uint32_t *ret_ref)
{
    *ret_ref = s->acted_ref;
    return s->acted;
}

const struct ia_refs *ia_session_refs(const struct ia_session *s)
{
    return s->refs;
}

void ia_session_name_containers(struct ia_session *s)
{
    if (s->latest) {
        ia_snapshot_name_containers(s->latest, s->refs);
        forget_capture(s); /* the next look has none unless it is asked for them */
    }
}

const char *ia_session_moving(const struct ia_session *s)
{
    return ia_buf_cstr(&s->moving);
}

void ia_act_result_fini(struct ia_act_result *r)
{
    ia_buf_fini(&r->changes);
}

/* ---- polling ---------------------------------------------------------------------------- */

static int64_t deadline_of(const struct ia_deadline *deadline)
{
    return deadline ? deadline->at_us : IA_NO_DEADLINE;
}

struct ia_poll ia_poll_begin(struct ia_session *s, const struct ia_deadline *deadline,
                             int64_t cap_us)
{
    int64_t now = ia_mono_us(s->clock);
    int64_t until_us = deadline_of(deadline);
    /* The comparison with INT64_MAX keeps a wait without a cap from overflowing. */
    bool capped = cap_us < INT64_MAX - now && now + cap_us < until_us;
    return (struct ia_poll){s, deadline, capped ? now + cap_us : until_us, 0};
}

enum ia_rc ia_poll_next(struct ia_poll *p, bool still)
{
    struct ia_cancel *cancel = p->deadline ? p->deadline->cancel : NULL;
    if (ia_cancel_fired(cancel)) {
        return IA_E_CANCELLED;
    }
    p->count++;
    /* Time does not pass on such a device, so waiting is of no use: a screen that stood
     * still will not change any more, and the count bounds one that changes with every look. */
    if (p->s->info.instant) {
        return still || p->count >= IA_POLLS_MAX ? IA_E_TIMEOUT : IA_OK;
    }
    int64_t now = ia_mono_us(p->s->clock);
    if (now >= p->until_us) {
        return IA_E_TIMEOUT;
    }
    /* Shortened to end at the limit, so that the last look is taken then and not a whole
     * poll later. */
    int64_t next = p->until_us - now < p->s->poll_us ? p->until_us : now + p->s->poll_us;
    return ia_clock_wait(p->s->clock, cancel, next);
}

/* ---- captures --------------------------------------------------------------------------- */

static enum ia_rc learn_device(struct ia_session *s, struct ia_err *err)
{
    if (s->known) {
        return IA_OK;
    }
    enum ia_rc rc = ia_device_info(s->device, &s->info, err);
    s->known = rc == IA_OK;
    return rc;
}

static enum ia_rc read_tree(struct ia_session *s, const struct ia_deadline *deadline,
                            struct ia_tree **ret, struct ia_err *err)
{
    static const struct ia_deadline no_deadline = {NULL, IA_NO_DEADLINE};
    enum ia_rc rc = learn_device(s, err);
    struct ia_tree *t = NULL;
    if (rc == IA_OK) {
        rc = ia_device_tree(s->device, deadline ? deadline : &no_deadline, &t, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_tree_check(t, err);
    if (rc != IA_OK) {
        ia_tree_free(t);
        return rc;
    }
    s->looks_made++;
    *ret = t;
    return IA_OK;
}

enum ia_rc ia_session_capture(struct ia_session *s, const struct ia_deadline *deadline,
                              struct ia_snapshot **ret, struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = read_tree(s, deadline, &t, err);
    if (rc == IA_OK) {
        *ret = ia_snapshot_build(t, s->info.width_pt, s->info.height_pt);
        ia_tree_free(t);
    }
    return rc;
}

enum ia_rc ia_session_capture_again(struct ia_session *s, const struct ia_deadline *deadline,
                                    struct ia_snapshot **ret, struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = read_tree(s, deadline, &t, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (s->captured && ia_tree_equal(t, s->captured_tree)) {
        ia_tree_free(t);
    } else {
        forget_capture(s);
        s->captured = ia_snapshot_build(t, s->info.width_pt, s->info.height_pt);
        s->captured_tree = t;
    }
    *ret = ia_snapshot_ref(s->captured);
    return IA_OK;
}

bool ia_session_saw_title(const struct ia_session *s, const char *title)
{
    uint64_t h = ia_hash(IA_HASH_SEED, title, strlen(title));
    for (size_t i = 0; i < IA_SESSION_TITLES; i++) {
        if (s->titles[i] == h) {
            return true;
        }
    }
    return false;
}

static void give_refs(struct ia_session *s, struct ia_snapshot *fresh)
{
    if (fresh->screen && !ia_session_saw_title(s, fresh->screen)) {
        uint64_t h = ia_hash(IA_HASH_SEED, fresh->screen, strlen(fresh->screen));
        s->titles[s->title_at++ % IA_SESSION_TITLES] = h;
    }
    ia_snapshot_adopt(fresh, s->refs);
}

void ia_session_adopt(struct ia_session *s, struct ia_snapshot *fresh)
{
    bool again = fresh == s->captured && s->captured_has_refs;
    if (!again) {
        give_refs(s, fresh);
        s->captured_has_refs = fresh == s->captured;
    }
    ia_snapshot_free(s->latest);
    s->latest = fresh;
}

/* ---- settling --------------------------------------------------------------------------- */

/* True when the listed element i of now was at the same place in before. */
static bool stood_still(const struct ia_snapshot *before, const struct ia_snapshot *now,
                        size_t i)
{
    for (size_t k = 0; k < before->count; k++) {
        const struct ia_element *e = &before->elements[k];
        if (e->listed && e->role == now->elements[i].role &&
            fabs(e->frame.x - now->elements[i].frame.x) < 1 &&
            fabs(e->frame.y - now->elements[i].frame.y) < 1 &&
            ia_phrase_alike(e->label, now->elements[i].label)) {
            return true;
        }
    }
    return false;
}

static void name_moving(const struct ia_snapshot *before, const struct ia_snapshot *now,
                        struct ia_buf *moving)
{
    int named = 0;
    for (size_t i = 0; before && i < now->count && named < MOVING_NAMES; i++) {
        if (now->elements[i].listed && !stood_still(before, now, i)) {
            ia_buf_printf(moving, "%s%u", named ? ", " : "", (unsigned)now->elements[i].ref);
            named++;
        }
    }
}

struct settling {
    struct ia_snapshot *now, *before; /* the last two captures */
    int64_t still_since_us;
    bool still; /* they are equal */
};

static void settling_free(struct settling *t)
{
    ia_snapshot_free(t->now);
    ia_snapshot_free(t->before);
}

/* One more capture. A tree that is empty for a moment counts as movement. */
static enum ia_rc settling_step(struct ia_session *s, const struct ia_deadline *deadline,
                                struct settling *t, struct ia_err *err)
{
    struct ia_snapshot *fresh = NULL;
    enum ia_rc rc = ia_session_capture_again(s, deadline, &fresh, err);
    if (rc != IA_OK) {
        t->still = false;
        t->still_since_us = ia_mono_us(s->clock);
        return rc;
    }
    ia_snapshot_free(t->before);
    t->before = t->now;
    t->now = fresh;
    t->still = t->before && t->before->motion == fresh->motion;
    if (!t->still) {
        t->still_since_us = ia_mono_us(s->clock);
    }
    return IA_OK;
}

static bool settled(const struct ia_session *s, const struct settling *t)
{
    return t->still &&
           (s->info.instant || ia_mono_us(s->clock) - t->still_since_us >= s->stable_us);
}

enum ia_rc ia_session_settle(struct ia_session *s, const struct ia_deadline *deadline,
                             bool *ret_settled, struct ia_err *err)
{
    struct settling t = {0};
    struct ia_poll poll = ia_poll_begin(s, deadline, s->cap_us);
    enum ia_rc rc = IA_OK;
    enum ia_rc go = IA_OK;
    do {
        rc = settling_step(s, deadline, &t, err);
        bool hopeless = rc != IA_OK && rc != IA_E_TREE_EMPTY;
        if (hopeless || settled(s, &t)) {
            break;
        }
        go = ia_poll_next(&poll, t.still);
    } while (go == IA_OK);
    if (go == IA_E_CANCELLED) {
        rc = ia_err_set(err, go, "cancelled while the screen was settling");
    }
    if (rc == IA_OK) {
        *ret_settled = settled(s, &t);
        ia_session_adopt(s, t.now);
        ia_buf_reset(&s->moving);
        /* After the adoption, as the moving elements are named by their refs. */
        if (!*ret_settled) {
            name_moving(t.before, t.now, &s->moving);
        }
        /* The session owns it now. */
        t.now = NULL;
    }
    settling_free(&t);
    return rc;
}

enum ia_rc ia_session_snapshot(struct ia_session *s, const struct ia_deadline *deadline,
                               const struct ia_snapshot **ret, struct ia_err *err)
{
    bool is_settled = false;
    enum ia_rc rc = ia_session_settle(s, deadline, &is_settled, err);
    if (rc == IA_OK) {
        *ret = s->latest;
    }
    return rc;
}

enum ia_rc ia_session_audit(struct ia_session *s, const struct ia_deadline *deadline,
                            struct ia_audit *ret, struct ia_err *err)
{
    bool is_settled = false;
    struct ia_snapshot *fresh = NULL;
    enum ia_rc rc = ia_session_settle(s, deadline, &is_settled, err);
    if (rc == IA_OK) {
        rc = ia_session_capture_again(s, deadline, &fresh, err);
    }
    if (rc == IA_OK) {
        ia_session_adopt(s, fresh);
        ia_audit_run(s->latest, s->captured_tree, ret);
    }
    return rc;
}

enum ia_rc ia_session_peek(struct ia_session *s, const struct ia_deadline *deadline,
                           const struct ia_snapshot **ret, struct ia_err *err)
{
    struct ia_snapshot *fresh = NULL;
    enum ia_rc rc = ia_session_capture_again(s, deadline, &fresh, err);
    if (rc == IA_OK) {
        ia_session_adopt(s, fresh);
        ia_buf_reset(&s->moving);
        *ret = s->latest;
    }
    return rc;
}

/* ---- looks of who only watches ---------------------------------------------------------- */

uint64_t ia_session_look_id(const struct ia_snapshot *look)
{
    uint64_t h = look->content;
    for (size_t i = 0; i < look->count; i++) {
        const struct ia_element *e = &look->elements[i];
        if (e->ref != 0) {
            int64_t v[5] = {e->ref, lrint(e->frame.x), lrint(e->frame.y), lrint(e->frame.w),
                            lrint(e->frame.h)};
            h = ia_hash(h, v, sizeof(v));
        }
    }
    return h;
}

/* Its place among them; IA_SESSION_LOOKS: it is none of them. */
static size_t find_look(const struct ia_session *s, uint64_t id)
{
    size_t i = 0;
    while (i < IA_SESSION_LOOKS && !(s->looks[i] && ia_session_look_id(s->looks[i]) == id)) {
        i++;
    }
    return i;
}

/* As the newest, in place of the same one or of the oldest. */
static void keep_look(struct ia_session *s, struct ia_snapshot *look)
{
    size_t at = find_look(s, ia_session_look_id(look));
    at = at < IA_SESSION_LOOKS ? at : IA_SESSION_LOOKS - 1;
    ia_snapshot_free(s->looks[at]);
    for (; at > 0; at--) {
        s->looks[at] = s->looks[at - 1];
    }
    s->looks[0] = ia_snapshot_ref(look);
}

enum ia_rc ia_session_look(struct ia_session *s, const struct ia_deadline *deadline,
                           struct ia_snapshot **ret, struct ia_err *err)
{
    enum ia_rc rc = ia_session_capture(s, deadline, ret, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_snapshot_adopt(*ret, s->refs);
    ia_snapshot_name_containers(*ret, s->refs);
    keep_look(s, *ret);
    return IA_OK;
}

enum ia_rc ia_session_go_by(struct ia_session *s, uint64_t look_id, struct ia_err *err)
{
    size_t at = look_id ? find_look(s, look_id) : IA_SESSION_LOOKS;
    s->seen = at < IA_SESSION_LOOKS ? s->looks[at] : NULL;
    if (s->seen || !look_id) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_STALE_REF,
                               "the frame that was seen is not known any more: too much "
                               "happened since");
    ia_err_hint(err, "look at the newest frame, and do it again if that is what you mean");
    return ia_device_not_sent(rc, err);
}

bool ia_session_look_has(const struct ia_session *s, uint32_t ref)
{
    return ia_session_was_shown(s, NULL, ref) != NULL;
}

const struct ia_element *ia_session_was_shown(const struct ia_session *s,
                                              const struct ia_snapshot *latest, uint32_t ref)
{
    const struct ia_snapshot *by = s->seen ? s->seen : latest;
    const struct ia_element *e = by ? ia_snapshot_by_ref(by, ref) : NULL;
    for (size_t i = 0; !s->seen && !e && i < IA_SESSION_LOOKS && s->looks[i]; i++) {
        e = ia_snapshot_by_ref(s->looks[i], ref);
    }
    return e;
}
