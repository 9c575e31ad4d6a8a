/* fuzz_toml.c: any bytes as a configuration file. What is accepted must be listed as a file
 * that is accepted again and gives the same list. */
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
    free(first);
    ia_buf_fini(&text);
    ia_buf_fini(&again);
    return 0;
}
