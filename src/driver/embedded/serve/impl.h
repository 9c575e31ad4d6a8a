/* impl.h: the insides of the served phone. Private to driver/embedded/serve/. */
#ifndef IA_DRIVER_EMBEDDED_SERVE_IMPL_H
#define IA_DRIVER_EMBEDDED_SERVE_IMPL_H

#include "core/core.h"
#include "driver/embedded/serve/serve.h"

#define IA_SERVE_SPRINGBOARD "com.apple.springboard"

struct ia_serve {
    struct ia_device *phone;
    struct ia_bridge *bridge;
    struct ia_cancel *cancel;
    const struct ia_clock *clock;      /* the one that the phone was to have */
    struct ia_clock patient;           /* the one that it has */
    const struct ia_bridge_call *call; /* that is performed, else NULL */
    char target[IA_WIRE_NAME_MAX + 1]; /* "": whatever is in front */
    char id[IA_DEVICE_NAME_MAX];
};

/* What ia_bridge_ops has of the same names. */
extern const uint64_t ia_serve_can;
void ia_serve_perform(void *ctx, const struct ia_wire_request *req,
                      const struct ia_bridge_call *call, struct ia_wire_reply *reply);

/* The phone as a host sees it (facts of INFO, STATE, LIST_APPS, ALERTS). */

/* The bundle id of what is on the screen. */
const char *ia_serve_front(struct ia_serve *s);
/* The app that `bundle_id` means: the target for "", what is in front when there is none. */
const char *ia_serve_app(struct ia_serve *s, const char *bundle_id);
bool ia_serve_installed(struct ia_serve *s, const char *bundle_id);
enum ia_wire_app_state ia_serve_state(struct ia_serve *s, const char *bundle_id);
void ia_serve_info(struct ia_serve *s, struct ia_wire_reply *reply);
void ia_serve_apps(struct ia_serve *s, struct ia_wire_reply *reply);
/* How the screen lies: IA_WIRE_PORTRAIT and so on. */
uint8_t ia_serve_orientation(struct ia_device *phone);
void ia_serve_alerts(struct ia_serve *s, struct ia_wire_reply *reply);

/* The target, target.c. */

void ia_serve_set_target(struct ia_serve *s, const char *bundle_id);
/* After an effect of a host, before which `front_before` was in front. */
void ia_serve_follow_target(struct ia_serve *s, const char *front_before);
/* Whether the app is on the screen. SpringBoard also is while a system alert is. */
bool ia_serve_in_front(struct ia_serve *s, const char *bundle_id);
/* Whether what is on the screen is what a request without an app means; else reply says why. */
bool ia_serve_reach_target(struct ia_serve *s, const struct ia_wire_request *req,
                           struct ia_wire_reply *reply);

/* Makes reply the failure that err is. */
void ia_serve_refuse(struct ia_wire_reply *reply, const struct ia_err *err);

#endif
