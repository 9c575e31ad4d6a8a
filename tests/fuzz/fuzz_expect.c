/* Expectations as a user may write them. Whatever is accepted can be checked against a screen, with
 * a start that is known, unknown or stored, never runs anything, and gives words if it is a command;
 * whatever is not accepted has a message that shows the text. */
#include "agent/goal/expect.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ia_snapshot *make_screen(void)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_refs *refs = ia_refs_new();
    struct ia_rect all = {0, 0, 400, 800};
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, all);
    struct ia_node *field =
        ia_tree_add(t, root, IA_EL_TEXT_FIELD, (struct ia_rect){0, 50, 400, 44});
    field->label = "Name";
    field->value = "Ada";
    field->identifier = "name";
    ia_tree_set_app(t, "com.acme.book");
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 400, 800);
    ia_refs_free(refs);
    ia_tree_free(t);
    return s;
}

static void check(const struct ia_expect *x, const struct ia_snapshot *screen)
{
    struct ia_buf why = IA_BUF(65536);
    bool holds = ia_expect_holds(x, screen, &why);
    if (holds != (why.len == 0) || (holds && x->kind == IA_EXPECT_COMMAND)) {
        abort();
    }
    ia_buf_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ia_snapshot *screen;
    if (!screen) {
        screen = make_screen();
    }
    char *text = ia_strndup((const char *)data, size);
    struct ia_expect x;
    struct ia_err err = {0};
    if (ia_expect_parse(text, &x, &err) == IA_OK) {
        check(&x, screen);
        ia_expect_begin(&x, screen);
        check(&x, screen);
        ia_expect_recall(&x, (struct ia_str){(const char *)data, size});
        check(&x, screen);
        char **words = x.kind == IA_EXPECT_COMMAND ? ia_command_words(x.text) : NULL;
        if ((words != NULL) != (x.kind == IA_EXPECT_COMMAND)) {
            abort();
        }
        ia_words_free(words);
        ia_expect_fini(&x);
    } else if (err.code != IA_E_PARSE || err.msg[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
