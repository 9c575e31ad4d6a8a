/* slot.c: what is open on a lane: the lock of its file, its device, and a session that begins anew where
 * somebody else drove the device. */
#include "server/hub/hub_impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The refs stay counted, so that the next session gives none of them again. */
static void end_session(struct ia_hub_slot *l)
{
    if (l->shared.session) {
        l->last_ref = ia_session_last_ref(l->shared.session);
    }
    ia_snapshot_free(l->shared.shown);
    ia_session_free(l->shared.session);
    l->shared.shown = NULL;
    l->shared.session = NULL;
}

void ia_slot_close(struct ia_hub_slot *l)
{
    end_session(l);
    ia_device_close(l->shared.device);
    l->shared.device = NULL;
    l->shared.keep_open = false;
    ia_device_spec_fini(&l->spec);
    l->spec = (struct ia_device_spec){.kind = NULL};
}

/* A session whose refs begin behind all that were given; it knows the screen that the old ones were
 * shown on, so that the refusal of one names what it was. */
static void begin_session(struct ia_hub_slot *l)
{
    struct ia_buf before = IA_BUF(IA_TEXT_BYTES);
    const struct ia_snapshot *latest =
        l->shared.session ? ia_session_latest(l->shared.session) : NULL;
    if (latest) {
        ia_snapshot_text(latest, 0, &before);
    }
    end_session(l);
    const struct ia_lane_hold *hold = l->own.fd >= 0 ? &l->own : &l->hold;
    uint32_t last = l->last_ref > hold->refs ? l->last_ref : hold->refs;
    struct ia_session_options opts = {.first_ref = last < IA_HUB_REFS_MAX ? last + 1 : 1};
    l->shared.session = ia_session_new(l->shared.device, &opts);
    if (before.len > 0) {
        ia_session_recall(l->shared.session, ia_buf_str(&before));
    }
    ia_buf_fini(&before);
}

/* Who watched elsewhere gave refs and took no turn for it. */
static void skip_refs(struct ia_hub_slot *l, uint32_t last)
{
    if (last > ia_session_last_ref(l->shared.session) && last < IA_HUB_REFS_MAX) {
        ia_session_skip_refs(l->shared.session, last);
    }
}

void ia_slot_describe(const struct ia_hub *hub, const struct ia_hub_slot *l,
                      char ret[IA_LANE_HOLDER_MAX])
{
    (void)snprintf(ret, IA_LANE_HOLDER_MAX, "a command (%s, %s, pid %ld)", hub->command,
                   l->actor, (long)getpid());
}

enum ia_rc ia_slot_hold(const struct ia_hub *hub, struct ia_hub_slot *l, const char *name,
                        const struct ia_deadline *deadline, struct ia_lane_hold *ret,
                        struct ia_err *err)
{
    char who[IA_LANE_HOLDER_MAX];
    ia_slot_describe(hub, l, who);
    if (!l->watched) {
        return ia_lane_take(hub->paths->home, name, who, ia_clock_system(), deadline->cancel,
                            deadline->at_us, ret, err);
    }
    enum ia_rc rc = ia_lane_watch(hub->paths->home, name, who, ret, &l->holder.run, err);
    if (rc == IA_E_BUSY) {
        memcpy(l->holder.who, ret->previous, sizeof(l->holder.who));
        (void)snprintf(l->holder.lane, sizeof(l->holder.lane), "%s", name);
    }
    return rc;
}

/* Under the device's own name for its lane, where it has one. */
static enum ia_rc hold_own(const struct ia_hub *hub, struct ia_hub_slot *l,
                           const struct ia_deadline *deadline, struct ia_err *err)
{
    struct ia_device_info info = {.kind = ""};
    enum ia_rc rc = ia_device_info(l->shared.device, &info, err);
    if (rc != IA_OK || strcmp(ia_device_info_lane(&info), l->name) == 0) {
        return rc;
    }
    return ia_slot_hold(hub, l, ia_device_info_lane(&info), deadline, &l->own, err);
}

static enum ia_rc open_lane(const struct ia_hub *hub, struct ia_hub_slot *l,
                            struct ia_device_spec *spec, const struct ia_deadline *deadline,
                            struct ia_err *err)
{
    ia_slot_close(l);
    enum ia_rc rc = ia_device_spec_open(spec, deadline, false, &l->shared.device, err);
    if (rc == IA_OK) {
        l->spec = *spec;
        *spec = (struct ia_device_spec){.kind = NULL};
        rc = hold_own(hub, l, deadline, err);
    }
    return rc;
}

/* Whether somebody else had the device since it was held here, and who: the next command is told. */
static bool note_others(struct ia_hub_slot *l)
{
    const struct ia_lane_hold *hold = l->own.fd >= 0 ? &l->own : &l->hold;
    uint64_t expected = l->generation + !l->watched;
    bool others = l->met && hold->generation != expected;
    l->met = true;
    l->generation = hold->generation;
    if (others) {
        (void)snprintf(l->driven_by, sizeof(l->driven_by), "%s", hold->previous);
        l->driven = true;
    }
    l->shared.generation = l->generation;
    l->shared.driven_by = l->driven ? l->driven_by : NULL;
    l->driven = l->driven && l->watched;
    return others;
}

enum ia_rc ia_slot_ready(const struct ia_hub *hub, struct ia_hub_slot *l,
                         struct ia_device_spec *spec, const struct ia_deadline *deadline,
                         struct ia_err *err)
{
    bool changed = false;
    bool open = l->shared.device && (l->watched || ia_device_spec_serves(&l->spec, spec));
    enum ia_rc rc =
        open ? hold_own(hub, l, deadline, err) : open_lane(hub, l, spec, deadline, err);
    if (rc == IA_OK && open && l->shared.device->ops->acquire) {
        rc = ia_device_acquire(l->shared.device, deadline, &changed, err);
    }
    if (rc != IA_OK) {
        ia_slot_close(l);
        return rc;
    }
    bool others = note_others(l);
    if (!open || others || changed) {
        begin_session(l);
    } else {
        const struct ia_lane_hold *hold = l->own.fd >= 0 ? &l->own : &l->hold;
        skip_refs(l, hold->refs);
    }
    return IA_OK;
}
