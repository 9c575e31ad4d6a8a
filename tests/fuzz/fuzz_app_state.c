/* The state that an app tells, as its element has it. Whatever is read is within the limits and is what
 * the text says; whatever is refused gives a message and no value; and an expectation holds for exactly
 * what was read. */
#include "agent/goal/app_state.h"
#include "agent/goal/expect.h"
#include "driver/app_sdk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ia_snapshot *screen_that_tells(const char *json)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_refs *refs = ia_refs_new();
    struct ia_rect all = {0, 0, 400, 800};
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, all);
    struct ia_node *button =
        ia_tree_add(t, root, IA_EL_BUTTON, (struct ia_rect){0, 50, 400, 44});
    struct ia_node *probe = ia_tree_add(t, root, IA_EL_OTHER, (struct ia_rect){0, 0, 1, 1});
    button->label = "Buy";
    probe->identifier = IA_SDK_STATE;
    probe->value = json;
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 400, 800);
    ia_refs_free(refs);
    ia_tree_free(t);
    return s;
}

/* Nothing of it is on the screen. */
static void check_hidden(const struct ia_snapshot *s)
{
    static const char shown[] = "- 400x800 #";
    struct ia_buf text = IA_BUF(65536);
    ia_snapshot_text(s, 0, &text);
    const char *end = strchr(ia_buf_cstr(&text), '\n');
    if (strncmp(ia_buf_cstr(&text), shown, strlen(shown)) != 0 || !end ||
        strcmp(end, "\n1 button Buy\n") != 0) {
        abort();
    }
    ia_buf_fini(&text);
}

static void check_expectation(const struct ia_snapshot *s, bool read,
                              const struct ia_buf *value)
{
    struct ia_expect x = {.kind = IA_EXPECT_STATE,
                          .sel = {.role = -1},
                          .name = ia_strdup("a"),
                          .text = ia_strdup(read ? ia_buf_cstr(value) : "x"),
                          .source = ia_strdup("state")};
    struct ia_buf why = IA_BUF(65536);
    if (ia_expect_holds(&x, s, &why) != read || (why.len == 0) != read) {
        abort();
    }
    ia_buf_fini(&why);
    ia_expect_fini(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *json = ia_strndup((const char *)data, size);
    struct ia_buf value = IA_BUF(IA_APP_STATE_VALUE_MAX);
    struct ia_err err = {0};
    enum ia_rc rc = ia_app_state_get(json, "a", &value, &err);
    bool refused = (rc == IA_E_PARSE || rc == IA_E_NOT_FOUND) && err.msg[0] && value.len == 0;
    if (rc != IA_OK && !refused) {
        abort();
    }
    if (rc == IA_OK && strlen(ia_buf_cstr(&value)) != value.len) {
        abort();
    }
    struct ia_snapshot *s = screen_that_tells(json);
    check_hidden(s);
    check_expectation(s, rc == IA_OK, &value);
    ia_snapshot_free(s);
    ia_buf_fini(&value);
    free(json);
    return 0;
}
