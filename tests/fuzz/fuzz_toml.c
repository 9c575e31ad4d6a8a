/* fuzz_toml.c: any bytes as a configuration file. What is accepted must be listed as a file
 * that is accepted again and gives the same list; and any key of it can be set and taken out again. */
#include "base/config.h"
#include "base/config_schema.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const no_env[] = {"HOME=/home/ada", NULL};

/* Reads the bytes as a file and returns the values without their origins, or NULL when they are
 * refused. The whole list is added to ret_text. */
static char *load(const void *bytes, size_t n, struct ia_buf *ret_text)
{
    struct ia_paths paths = {.home = (char *)"/no/where",
                             .user_config = (char *)"/no/where/config.toml",
                             .project_config = (char *)"/no/where/ios-agent.toml"};
    struct ia_config *c = NULL;
    struct ia_err err = {0};
    enum ia_rc rc = ia_config_load(&paths, no_env, &c, &err);
    assert(rc == IA_OK);
    rc = ia_config_read_text(c, paths.user_config, IA_CFG_FROM_USER_FILE,
                             (struct ia_str){bytes, n}, &err);
    if (rc != IA_OK) {
        assert(strncmp(err.msg, paths.user_config, strlen(paths.user_config)) == 0);
        ia_config_free(c);
        return NULL;
    }
    struct ia_buf values = IA_BUF(1 << 22);
    for (int i = 0; i < IA_CFG_COUNT; i++) {
        ia_buf_printf(&values, "%s\n", ia_config_str(c, (enum ia_config_key)i));
    }
    ia_config_text(c, ret_text);
    ia_config_free(c);
    return ia_buf_steal(&values);
}

/* The change itself is checked by what makes it (config_edit.c): it refuses what would change more. */
static struct ia_buf edit(struct ia_str text, enum ia_config_key key, const char *value)
{
    struct ia_paths paths = {.home = (char *)"/no/where",
                             .user_config = (char *)"/no/where/config.toml",
                             .project_config = (char *)"/no/where/ios-agent.toml"};
    struct ia_buf out = IA_BUF(IA_CONFIG_FILE_MAX), again = IA_BUF(IA_CONFIG_FILE_MAX);
    bool changed = false, twice = true;
    enum ia_rc rc = ia_config_edit_text(&paths, key, value, text, &out, &changed, NULL);
    /* Not found: a key that its quotes hide behind escapes. */
    bool hidden = rc == IA_E_STATE && memchr(text.p, '\\', text.n);
    assert(rc == IA_OK || rc == IA_E_LIMIT || hidden);
    if (rc == IA_OK && changed) {
        rc = ia_config_edit_text(&paths, key, value, ia_buf_str(&out), &again, &twice, NULL);
        assert(rc == IA_OK && !twice);
    } else {
        ia_buf_reset(&out);
    }
    ia_buf_fini(&again);
    return out;
}

static void edit_all(struct ia_str text)
{
    static const struct {
        enum ia_config_key key;
        const char *value;
    } sets[] = {{IA_CFG_RUN_MODEL, "m"},
                {IA_CFG_RUN_MAX_STEPS, "7"},
                {IA_CFG_API_BASE_URL, "https://h"},
                {IA_CFG_LOG_FILE, "~"}};
    for (size_t i = 0; i < IA_COUNTOF(sets); i++) {
        struct ia_buf with = edit(text, sets[i].key, sets[i].value);
        struct ia_buf without =
            edit(with.len > 0 ? ia_buf_str(&with) : text, sets[i].key, NULL);
        ia_buf_fini(&with);
        ia_buf_fini(&without);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_buf text = IA_BUF(1 << 22);
    struct ia_buf again = IA_BUF(1 << 22);
    char *first = load(data, size, &text);
    if (first && !strstr(ia_buf_cstr(&text), "***@")) {
        char *second = load(text.p, text.len, &again);
        assert(second && strcmp(first, second) == 0);
        free(second);
    }
    if (first) {
        edit_all((struct ia_str){(const char *)data, size});
    }
    free(first);
    ia_buf_fini(&text);
    ia_buf_fini(&again);
    return 0;
}
