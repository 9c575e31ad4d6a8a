/* replay_touched.c: what a model touched instead of the recorded element. */
#include "agent/run/replay_impl.h"

#include "driver/snapshot/phrase.h"

enum { NAMES_BYTES = 4096 };

/* True if a line of the text form names the element by role and label; number, states and value may differ. */
static bool names(const char *line, const struct ia_element *e)
{
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_element_text(e, &text);
    const char *a = line + strspn(line, "0123456789 "), *b = ia_buf_cstr(&text);
    b += strspn(b, "0123456789 ");
    size_t role = strcspn(a, " :");
    bool same = role == strcspn(b, " :") && strncmp(a, b, role) == 0;
    a += strcspn(a, " ");
    b += strcspn(b, " ");
    const char *a_end = strstr(a, " = "), *b_end = strstr(b, " = ");
    size_t n = a_end ? (size_t)(a_end - a) : strlen(a),
           m = b_end ? (size_t)(b_end - b) : strlen(b);
    same = same && n == m && memcmp(a, b, n) == 0;
    ia_buf_fini(&text);
    return same;
}

const struct ia_element *ia_replay_touched(const struct ia_run_ctx *run,
                                           const struct ia_snapshot *now)
{
    const struct ia_session *session = run->device.session;
    const struct ia_element *found = NULL;
    uint32_t ref = 0;
    (void)ia_session_acted(session, &ref);
    if (ref > 0) {
        (void)ia_snapshot_resolve(now, ia_session_refs(session), ref, &found, NULL);
        return found;
    }
    size_t n = 0;
    for (size_t i = 0; run->replay.touched && i < ia_snapshot_count(now); i++) {
        const struct ia_element *e = ia_snapshot_at(now, i);
        if (e->listed && names(run->replay.touched, e)) {
            found = e;
            n++;
        }
    }
    return n == 1 ? found : NULL;
}

/* As it was when the model touched it; NULL if that was before a resume. */
static const struct ia_element *acted_on(const struct ia_run_ctx *run, struct ia_signature *ret)
{
    const struct ia_session *session = run->device.session;
    const struct ia_element *e = NULL;
    uint32_t ref = 0;
    const struct ia_snapshot *before = ia_session_acted(session, &ref);
    bool found =
        before && ref > 0 &&
        ia_snapshot_resolve(before, ia_session_refs(session), ref, &e, NULL) == IA_OK &&
        ia_signature_of(before, e, ret);
    return found ? e : NULL;
}

void ia_replay_same(const struct ia_run_ctx *run, struct ia_buf *out)
{
    struct ia_signature target = {0}, touched = {0};
    const json_t *step = ia_recording_step(run->replay.recording, run->replay.at);
    const struct ia_element *e = acted_on(run, &touched);
    if (e && ia_recording_target(step, &target) &&
        ia_replay_equal(target.text[IA_SIGN_ID], touched.text[IA_SIGN_ID])) {
        ia_element_text(e, out);
    }
    ia_signature_fini(&target);
    ia_signature_fini(&touched);
}

static void put_names(const struct ia_signature *sig, struct ia_buf *out)
{
    static const enum ia_sign names[] = {IA_SIGN_ID, IA_SIGN_LABEL, IA_SIGN_PLACEHOLDER,
                                         IA_SIGN_IN};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        ia_buf_printf(out, "%s\n", sig->text[names[i]] ? sig->text[names[i]] : "");
    }
}

bool ia_replay_keeps_vars(const struct ia_run_ctx *run)
{
    struct ia_signature target = {0}, touched = {0};
    struct ia_buf wanted = IA_BUF(NAMES_BYTES), is = IA_BUF(NAMES_BYTES);
    const char *earlier = run->replay.touched ? run->replay.touched : "";
    if (ia_recording_target(ia_recording_step(run->replay.recording, run->replay.at),
                            &target)) {
        put_names(&target, &wanted);
    }
    if (acted_on(run, &touched)) {
        put_names(&touched, &is);
    } else {
        ia_buf_puts(&is, earlier + strspn(earlier, "0123456789"));
    }
    bool keeps = true;
    for (size_t i = 0; i < run->req->var_count && keeps; i++) {
        const char *eq = strchr(run->req->vars[i], '='), *value = eq ? eq + 1 : "";
        keeps = !ia_phrase_has(ia_buf_cstr(&wanted), value) ||
                ia_phrase_has(ia_buf_cstr(&is), value);
    }
    ia_signature_fini(&target);
    ia_signature_fini(&touched);
    ia_buf_fini(&wanted);
    ia_buf_fini(&is);
    return keeps;
}
