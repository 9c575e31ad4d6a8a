/* A path of the memory tool. What is taken for one has names that no file system reads as anything else,
 * and joined again they are the same path. */
#include "agent/core_tools/memory_path.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > IA_MEMORY_NAME_MAX || name[0] == '.' || strpbrk(name, "/\\%:~\"'<>|*?")) {
        abort();
    }
    for (size_t i = 0; i < n; i++) {
        if (name[i] < ' ' || name[i] > '~') {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = ia_strndup((const char *)data, size);
    struct ia_memory_path path, again;
    struct ia_err err = {0};
    enum ia_rc rc = ia_memory_path_read(text, &path, &err);
    if (rc != IA_OK && (rc != IA_E_USAGE || !err.msg[0])) {
        abort();
    }
    if (rc == IA_OK) {
        struct ia_buf joined = IA_BUF(4096);
        ia_buf_puts(&joined, IA_MEMORY_ROOT);
        for (size_t i = 0; i < path.count; i++) {
            check_name(path.names[i]);
            ia_buf_printf(&joined, "/%s", path.names[i]);
        }
        size_t n = strlen(text);
        n -= n > 0 && text[n - 1] == '/'; /* one at the end is left out */
        if (joined.len != n || memcmp(joined.p, text, n) != 0 ||
            ia_memory_path_read(ia_buf_cstr(&joined), &again, NULL) != IA_OK ||
            again.count != path.count) {
            abort();
        }
        ia_buf_fini(&joined);
    }
    free(text);
    return 0;
}
