/* envelope.c: the envelope around what a command printed, found and failed with. */
#include "base/envelope.h"

#include "base/clean.h"
#include "base/jsonw.h"

void ia_envelope(struct ia_buf *out, struct ia_str text, struct ia_str result, enum ia_rc rc,
                 const struct ia_err *err)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "status", rc == IA_OK ? "ok" : "error");
    ia_jsonw_key(&w, "stdout");
    ia_jsonw_str(&w, text);
    ia_jsonw_key(&w, "result");
    if (result.n > 0) {
        ia_jsonw_raw(&w, result);
    } else {
        ia_jsonw_null(&w);
    }
    ia_jsonw_key(&w, "error");
    if (rc == IA_OK) {
        ia_jsonw_null(&w);
    } else {
        ia_jsonw_err(&w, err);
    }
    ia_jsonw_end_object(&w);
    ia_buf_putc(out, '\n');
}

enum ia_rc ia_envelope_line(struct ia_buf *out, struct ia_str text, struct ia_str result,
                            enum ia_rc rc, const struct ia_err *err, size_t max)
{
    struct ia_buf raw = IA_BUF(max);
    ia_envelope(&raw, text, result, rc, err);
    if (!ia_buf_ok(&raw)) {
        struct ia_str none = {NULL, 0};
        struct ia_err big;
        rc = ia_err_set(&big, IA_E_LIMIT, "the output is larger than %zu bytes", max);
        ia_buf_fini(&raw);
        ia_envelope(&raw, none, none, rc, &big);
    }
    ia_clean_json(out, ia_buf_str(&raw));
    ia_buf_fini(&raw);
    return rc;
}
