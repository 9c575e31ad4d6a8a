/* secrets_impl.h: what the parts of secrets.h share. Private to src/agent/secrets.
 *
 *     secrets.c         the device: what goes in, trees and pictures that come out
 *     secret_values.c   values in texts
 *     secret_fields.c   fields that hold what is left of one
 *     secret_texts.c    values in requests */
#ifndef IA_AGENT_SECRETS_SECRETS_IMPL_H
#define IA_AGENT_SECRETS_SECRETS_IMPL_H

#include "agent/goal/job.h"
#include "agent/secrets/secret_fields.h"
#include "agent/secrets/secrets.h"
#include "driver/device_forward.h"

#define IA_SECRET_OPEN "{{secret:"
#define IA_SECRET_CLOSE "}}"
enum { IA_SECRET_TYPED_MAX = 32, IA_SECRET_TEXT_MAX = 1 << 20 };

struct ia_secret_item {
    char *name, *value;
    char *folded; /* letters and digits of the value in lower case; "" when too few */
    struct ia_buf shown;
};

struct ia_secrets {
    struct ia_device_forward forward; /* first: the device is the whole */
    struct ia_secret_item items[IA_JOB_SECRETS_MAX];
    size_t count, own; /* the first `own` can be typed; all are hidden */
    /* Texts that were typed, by their lengths in characters: as they are, and as shown. */
    struct {
        int real, shown;
    } typed[IA_SECRET_TYPED_MAX];
    size_t typed_count;
    struct ia_secret_fields fields;         /* where secrets were typed */
    const char *left[IA_SECRET_FIELDS_MAX]; /* what is left of some, in the tree looked at */
    size_t left_count;
    bool
        edited; /* something was left of one, so an app may have kept that and show it anywhere */
    int focused_real, focused_shown; /* characters in the field that has the focus */
};

/* Letters, digits and what is beyond ASCII, in lower case; for ia_free_wiped. */
char *ia_secret_folded(struct ia_str s) IA_MUST_USE;
/* Whether it is, and nothing else in the text may be what is left of one. */
bool ia_secrets_whole(const struct ia_secrets *s, const char *text);
/* The same as ia_secrets_hide for each string of a JSON text; what is no JSON becomes nothing. */
void ia_secret_json_hide(const struct ia_secrets *s, struct ia_str json, struct ia_buf *out);
/* As struct ia_secret_fields has it; ctx is the secrets. */
bool ia_secrets_like(void *ctx, const char *text, bool closely);

#endif
