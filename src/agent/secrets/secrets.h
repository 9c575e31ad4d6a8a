/* secrets.h: texts that a run may type and nobody may read.
 *
 * A device between the run and the real one. On the way in, {{secret:NAME}} in typed text
 * becomes the value; on the way out, the value becomes {{secret:NAME}} in every string of a
 * tree, and its place is blackened in pictures. So session, model, journal, events and reports
 * only ever see the name.
 *
 * A value is also found in other case and with other punctuation, as apps write numbers; then
 * the whole string is replaced. A field into which a secret was typed stays hidden, in text and in
 * pictures, until it is seen empty or is gone: it reads {{secret:NAME}} while it holds the value, and
 * "•••" when it holds what is left of it. What is not found: a value that an app shows cut or
 * encoded outside such a field, or that is drawn without being in the tree. Of a password field the
 * number of its dots is hidden too. One thread. */
#ifndef IA_AGENT_SECRETS_SECRETS_H
#define IA_AGENT_SECRETS_SECRETS_H

#include "agent/goal/request.h"
#include "base/buf.h"
#include "base/err.h"
#include "driver/device.h"

#include <jansson.h>

/* A shorter value would hide half the screen. */
enum { IA_SECRET_VALUE_BYTES_MIN = 3, IA_SECRET_VALUE_BYTES_MAX = 4096 };

/* Where values come from: appends the value of a secret to ret, nothing where it has none. ret has room
 * for a value and is wiped afterwards. Without a function no secret has a value. */
struct ia_secret_lookup {
    enum ia_rc (*value)(void *ctx, const char *name, struct ia_buf *ret, struct ia_err *err);
    void *ctx;
};
/* Asks for a value. One that is too long is IA_E_LIMIT. End with ia_secret_value_fini, whatever this
 * returns. */
enum ia_rc ia_secret_value(const struct ia_secret_lookup *from, const char *name,
                           struct ia_buf *ret, struct ia_err *err);
void ia_secret_value_fini(struct ia_buf *value); /* wipes */
/* That a run can type the value. IA_E_USAGE names the secret, and never the value. */
enum ia_rc ia_secret_value_check(const char *name, struct ia_str value, struct ia_err *err);

struct ia_secrets;

/* Looks up the values of the request's secrets and keeps copies, which are wiped at the end.
 * *ret is NULL when the request has none. IA_E_USAGE names the one without a value, or with one
 * that is too short or too long; beyond that what the lookup returns. device is borrowed, and may be NULL where only texts are
 * hidden and filled. hidden (an array of names, or NULL): further ones that are hidden in the same way but cannot be
 * typed. Free with ia_secrets_free. */
enum ia_rc ia_secrets_new(struct ia_device *device, const struct ia_secret_lookup *lookup,
                          const struct ia_run_request *req, const json_t *hidden,
                          struct ia_secrets **ret, struct ia_err *err);
void ia_secrets_free(struct ia_secrets *s); /* NULL is fine */

/* That no text of the request which is stored (goal, name, hint, expectations) has a value in
 * it. IA_E_USAGE names the secret and never the value. Punctuation and case do not matter; a
 * value that may stand in ordinary words by accident, as it is short, counts as a word of its
 * own only. A secret without a value, or one that cannot be looked up, is no error here. */
enum ia_rc ia_secrets_check_texts(const struct ia_secret_lookup *lookup,
                                  const struct ia_run_request *req, struct ia_err *err);

/* A letter or digit in lower case, anything beyond ASCII as it is; NUL for what is neither. */
char ia_secret_fold(char c);

/* The run goes on from an earlier process, which may have typed secrets: fields that hold a few
 * characters of one, and password fields, count as such at the first look. NULL is fine. */
void ia_secrets_resumed(struct ia_secrets *s);

/* The device to use instead. Closing it does nothing. */
struct ia_device *ia_secrets_device(struct ia_secrets *s);

/* Replaces every value in the text. Appends to out. */
void ia_secrets_hide(const struct ia_secrets *s, struct ia_str text, struct ia_buf *out);
/* Whether a whole value is in the text, in any form that is found. */
bool ia_secrets_hold(const struct ia_secrets *s, const char *text);
/* Appends typed text with its values. IA_E_USAGE for a name that is none of the run's. */
enum ia_rc ia_secrets_fill(const struct ia_secrets *s, struct ia_str text, struct ia_buf *out,
                           struct ia_err *err);

#endif
