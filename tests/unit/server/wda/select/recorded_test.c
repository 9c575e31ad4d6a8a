/* What real clients sent: each selector and each list of actions is understood. */
#include "test.h"

#include "server/wda/actions/actions.h"
#include "source_dir.h"
#include "wda_trees.h"

static json_t *rows_of(const char *path, size_t least)
{
    json_t *rows = json_load_file(path, 0, NULL);
    assert_true(json_array_size(rows) >= least);
    return rows;
}

/* The codes of node.h as WebDriver's words. */
static const char *error_of(const char *got)
{
    static const struct {
        const char *code, *error;
    } rows[] = {
        {"PARSE: ", "invalid selector"}, {"USAGE: ", "invalid argument"},
        {"TIMEOUT: ", "timeout"},        {"NOT_FOUND: ", "unknown error"},
        {"STATE: ", "unknown error"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strncmp(got, rows[i].code, strlen(rows[i].code)) == 0) {
            return rows[i].error;
        }
    }
    return "";
}

static void every_recorded_selector_is_understood(void **state)
{
    const struct ia_wda_screen *s = ((struct fixture *)*state)->screen;
    json_t *rows = rows_of(IA_TEST_DATA "/wda/selectors.json", 100);
    size_t i, hits = 0;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *value = ia_json_text(row, "value");
        const char *got = found(s, 0, ia_json_text(row, "using"), value, false);
        if (strcmp(error_of(got), ia_json_text(row, "error")) != 0) {
            fail_msg("%s: %s", value, got);
        }
        hits += got[0] >= '0' && got[0] <= '9';
    }
    assert_true(hits > 20); /* the tree has some of what they looked for */
    json_decref(rows);
}

static enum ia_rc middle(void *ctx, struct ia_str id, struct ia_point *ret, struct ia_err *err)
{
    (void)ctx, (void)err;
    assert_true(ia_str_is(id, "ELEMENT-1"));
    *ret = (struct ia_point){100, 200};
    return IA_OK;
}

static void every_recorded_list_of_actions_is_understood(void **state)
{
    (void)state;
    json_t *rows = rows_of(IA_TEST_DATA "/wda/actions.json", 20);
    struct ia_wda_where where = {middle, NULL};
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        struct ia_wda_acts acts = {0};
        struct ia_err err = {.msg = ""};
        enum ia_rc rc =
            ia_wda_actions_read(json_object_get(row, "actions"), &where, &acts, &err);
        bool unsupported = strcmp(ia_json_text(row, "error"), "unsupported operation") == 0;
        if (rc != (unsupported ? IA_E_UNSUPPORTED : IA_OK)) {
            fail_msg("%zu: %s", i, err.msg);
        }
        assert_int_equal(acts.n, unsupported ? 0 : 1);
        ia_wda_acts_free(&acts);
    }
    json_decref(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SCREEN(every_recorded_selector_is_understood),
        cmocka_unit_test(every_recorded_list_of_actions_is_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
