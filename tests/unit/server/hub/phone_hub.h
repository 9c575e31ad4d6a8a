/* phone_hub.h: two hubs over one home, as two processes have them, and a phone in it. */
#ifndef IA_TESTS_UNIT_SERVER_HUB_PHONE_HUB_H
#define IA_TESTS_UNIT_SERVER_HUB_PHONE_HUB_H

#include "tmpdir.h"

#include "base/clock.h"
#include "driver/registry/device_registry.h"
#include "server/hub/hub.h"
#include "store/store.h"

#define PHONE "embedded:hub"

struct world {
    char *home;
    struct ia_paths paths;
    struct ia_hub *hub, *other;
};

static inline struct ia_hub *hub_of(struct world *w, const char *command)
{
    return ia_hub_new(&(struct ia_hub_opts){.paths = &w->paths, .command = command});
}

static inline int begin(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    w->home = tmpdir_new();
    w->paths = (struct ia_paths){.home = w->home};
    w->hub = hub_of(w, "ios-agent daemon");
    w->other = hub_of(w, "ios-agent elsewhere");
    *state = w;
    return 0;
}

static inline int end(void **state)
{
    struct world *w = *state;
    /* A test that failed with a lane in hand must not wait for it. */
    if (ia_hub_busy(w->hub) + ia_hub_busy(w->other) > 0) {
        return -1;
    }
    ia_hub_free(w->hub);
    ia_hub_free(w->other);
    tmpdir_free(w->home);
    free(w);
    return 0;
}

static inline struct ia_deadline soon(int64_t ms, struct ia_cancel *cancel)
{
    return (struct ia_deadline){cancel, ia_mono_us(ia_clock_system()) + ms * 1000};
}

static inline struct ia_hub_lane *enter(struct ia_hub *hub, const char *device)
{
    struct ia_deadline deadline = soon(60000, NULL);
    struct ia_hub_lane *lane = NULL;
    struct ia_err err = {0};
    if (ia_hub_enter(hub, device, NULL, "cli", &deadline, &lane, &err) != IA_OK) {
        fail_msg("%s: %s", device, err.msg);
    }
    return lane;
}

/* The ref of the element with that label on a fresh screen. */
static inline uint32_t ref_of(struct ia_hub_lane *lane, const char *label)
{
    const struct ia_snapshot *s = NULL;
    assert_int_equal(ia_session_snapshot(lane->session, NULL, &s, NULL), IA_OK);
    struct ia_selector sel = {.label = (char *)label, .role = -1};
    const struct ia_element *e = ia_snapshot_find(s, &sel);
    assert_non_null(e);
    return e->ref;
}

static inline enum ia_rc tap(struct ia_hub_lane *lane, uint32_t ref, struct ia_err *err)
{
    struct ia_act_result result = {.changes = IA_BUF(1 << 16)};
    enum ia_rc rc = ia_session_tap(lane->session, NULL, ref, &result, err);
    ia_act_result_fini(&result);
    return rc;
}

#endif
