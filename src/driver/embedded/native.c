/* native.c: native actions as operations of the phone. What changes something is one: checked, logged,
 * done once. So is the question to the phone's owner, which is on the screen when the call returns. */
#include "driver/embedded/impl.h"

#include "driver/embedded/apps/native/native.h"

#include <jansson.h>

static enum ia_rc change(struct ia_device *d, const struct ia_deadline *deadline,
                         enum ia_native native, struct ia_str json, struct ia_buf *ret_answer,
                         struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_NATIVE, .n = (int)native, .text = json};
    enum ia_rc rc = ia_embedded_submit(d, deadline, &op, err);
    if (rc == IA_OK) {
        ia_buf_puts(ret_answer, ia_embedded_phone(d)->answer);
        rc = ia_buf_check(ret_answer, "the answer", err);
    }
    return rc;
}

static enum ia_rc look(struct ia_device *d, const struct ia_deadline *deadline,
                       enum ia_native native, const json_t *args, struct ia_buf *ret_answer,
                       struct ia_err *err)
{
    size_t before = ret_answer->len;
    struct ia_jsonw w;
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        ia_jsonw_init(&w, ret_answer);
        ia_jsonw_object(&w);
        rc = ia_phone_native_read(ia_embedded_phone(d), native, args, &w, err);
        ia_jsonw_end_object(&w);
    }
    if (rc != IA_OK) {
        ia_buf_cut(ret_answer, before);
        err->outcome = IA_OUTCOME_NOT_SENT;
        return rc;
    }
    if (ret_answer->len - before > IA_NATIVE_ANSWER_MAX) {
        rc = ia_err_set(err, IA_E_LIMIT, "%s: the answer is too long",
                        ia_native_actions[native].name);
        ia_err_hint(err, "ask for less: a shorter time, or a query");
        return ia_device_not_sent(rc, err);
    }
    return ia_buf_check(ret_answer, "the answer", err);
}

/* Puts the question on the screen; the refusal stays what it was. */
static void ask(struct ia_device *d, const struct ia_deadline *deadline, enum ia_native native,
                struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_ASK, .text = ia_str(ia_phone_native_service(native))};
    struct ia_err other = {.code = IA_OK};
    bool asked = ia_phone_native_asking(ia_embedded_phone(d), op.text);
    if (!asked && ia_embedded_submit(d, deadline, &op, &other) != IA_OK) {
        *err = other;
    }
}

enum ia_rc ia_embedded_native(struct ia_device *d, const struct ia_deadline *deadline,
                              enum ia_native native, struct ia_str json,
                              struct ia_buf *ret_answer, struct ia_err *err)
{
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    json_t *args = NULL;
    enum ia_rc rc = ia_native_parse(native, json, &args, e);
    if (rc == IA_OK) {
        rc = ia_native_actions[native].effect ? change(d, deadline, native, json, ret_answer, e)
                                              : look(d, deadline, native, args, ret_answer, e);
    }
    if (rc == IA_E_FORBIDDEN && e->retry_safe) {
        ask(d, deadline, native, e);
        rc = e->code;
    }
    json_decref(args);
    return rc;
}
