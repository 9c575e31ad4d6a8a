/* Any bytes as a recording's file. Whatever is accepted is written and read back equal, can have its names filled and put
 * back, and be looked for on a screen; whatever is not has a message that begins with the file. */
#include "agent/recording/recording_vars.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char path[] = "x.rec.toml";

static struct ia_snapshot *make_screen(void)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_refs *refs = ia_refs_new();
    const struct ia_rect all = {0, 0, 400, 800}, line = {0, 100, 400, 40};
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, all);
    struct ia_node *text = ia_tree_add(t, root, IA_EL_STATIC_TEXT, line);
    text->label = "Your code is 482913. Do not share it";
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 400, 800);
    ia_refs_free(refs);
    ia_tree_free(t);
    return s;
}

static void take(void *ctx, const char *var)
{
    (*(size_t *)ctx)++;
    assert(strchr(var, '=') && !strstr(strchr(var, '='), "{{"));
}

static void use_steps(const json_t *doc)
{
    struct ia_snapshot *s = make_screen();
    struct ia_buf why = IA_BUF(1 << 20);
    for (size_t i = 0; i < ia_recording_count(doc); i++) {
        const json_t *step = ia_recording_step(doc, i);
        struct ia_signature sig = {0};
        size_t taken = 0;
        assert(ia_recording_act(step) != IA_TOOL_COUNT);
        (void)ia_recording_target(step, &sig);
        ia_signature_fini(&sig);
        bool all = ia_recording_capture(step, s, take, &taken, &why);
        assert(!all || taken == json_object_size(json_object_get(step, "capture")));
    }
    ia_buf_fini(&why);
    ia_snapshot_free(s);
}

/* Written, read and written again, it is the same. */
static void check_same(const json_t *doc)
{
    struct ia_buf once = IA_BUF(SIZE_MAX), again = IA_BUF(SIZE_MAX);
    struct ia_err err = {0};
    json_t *back = NULL;
    ia_recording_write(doc, &once);
    enum ia_rc rc = once.len <= IA_RECORDING_BYTES_MAX
                        ? ia_recording_read(path, ia_buf_str(&once), &back, &err)
                        : IA_E_LIMIT; /* escapes may make it longer */
    assert(rc == IA_OK || rc == IA_E_LIMIT);
    if (rc == IA_OK) {
        ia_recording_write(back, &again);
        assert(ia_str_eq(ia_buf_str(&once), ia_buf_str(&again)));
    }
    json_decref(back);
    ia_buf_fini(&once);
    ia_buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const vars[] = {"first=Ada \"L\"", "code=482913", "n=1"};
    const struct ia_run_request req = {.vars = vars, .var_count = 3};
    struct ia_err err = {0};
    json_t *doc = NULL;
    enum ia_rc rc =
        ia_recording_read(path, (struct ia_str){(const char *)data, size}, &doc, &err);
    if (rc != IA_OK) {
        assert(rc == IA_E_CONFIG && strncmp(err.msg, path, strlen(path)) == 0);
        return 0;
    }
    check_same(doc);
    use_steps(doc);
    ia_recording_fill(doc, vars, 3);
    rc = ia_recording_name_vars(doc, &req, &err);
    assert(rc == IA_OK || rc == IA_E_STATE);
    json_decref(doc);
    return 0;
}
