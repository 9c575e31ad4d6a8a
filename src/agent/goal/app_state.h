/* app_state.h: what an app tells of its state, for expectations: `state "cart.total" = "42.00"`.
 *
 * The app registers values with the SDK (sdk/), which shows them as the value of one element of the
 * accessibility tree (driver/app_sdk.h):
 *
 *     {"v":1,"state":{"cart.items":"2","cart.total":"42.00"},"left_out":1}
 *
 * v is the version of this form. Members of state are texts. left_out, which may be missing, is how
 * many the SDK had to leave out for its limits. Nothing else may be in it. All of it comes from an
 * app, and is read strictly within the limits below. Pure; any thread. */
#ifndef IA_AGENT_GOAL_APP_STATE_H
#define IA_AGENT_GOAL_APP_STATE_H

#include "base/buf.h"
#include "base/err.h"

enum {
    IA_APP_STATE_VERSION = 1,
    IA_APP_STATE_BYTES_MAX = 4096, /* of the JSON */
    IA_APP_STATE_VALUES_MAX = 64,
    IA_APP_STATE_NAME_MAX = 64,   /* bytes */
    IA_APP_STATE_VALUE_MAX = 256, /* bytes */
    IA_APP_STATE_LISTED = 12      /* names that a message gives */
};

/* Whether a value may be called so: letters and digits of ASCII, ".", "_" and "-". */
bool ia_app_state_name_ok(struct ia_str name);

/* Appends the value of that name to ret. IA_E_PARSE: the message says what is wrong with the text;
 * IA_E_NOT_FOUND: the app does not tell it, and the message says what it tells. Neither message has
 * anything of the text in it but names that are in order. */
enum ia_rc ia_app_state_get(const char *json, const char *name, struct ia_buf *ret,
                            struct ia_err *err);

#endif
