/* app_state.h: the state that an app reports, for expectations: `state "cart.total" = "42.00"`.
 *
 * The app registers values with the SDK (sdk/), which shows them as the value of one element of the
 * accessibility tree (driver/app_sdk.h):
 *
 *     {"v":1,"state":{"cart.items":"2","cart.total":"42.00"},"left_out":1}
 *
 * v is the version of this form. Members of state are texts. left_out, which may be missing, counts the
 * values that the SDK left out because of its limits. Nothing else is allowed. All of it comes from an app,
 * so it is read strictly and within the limits below. Pure; any thread. */
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

/* Whether that is a valid name: letters and digits of ASCII, ".", "_" and "-". */
bool ia_app_state_name_ok(struct ia_str name);

/* Appends the value of that name to ret. IA_E_PARSE: the message says what is wrong with the text.
 * IA_E_NOT_FOUND: the app does not report that value, and the message lists what it reports. Of the text,
 * messages quote valid names only. */
enum ia_rc ia_app_state_get(const char *json, const char *name, struct ia_buf *ret,
                            struct ia_err *err);

#endif
