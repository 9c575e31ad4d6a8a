/* treefile.c: reads an accessibility tree from a file or standard input and adapts it. */
#include "cli/sys/treefile.h"

#include "base/fd.h"

#include <string.h>

static enum ia_rc source_of(const struct ia_args *a, enum ia_source *ret, struct ia_err *err)
{
    *ret = ia_source_from_name(ia_args_text(a, "source"));
    if (*ret != IA_SOURCE_COUNT) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the kind of tree in the file is not given");
    ia_err_hint(err, "add --source " IA_SOURCE_NAMES);
    return rc;
}

enum ia_rc ia_treefile_read(const struct ia_args *a, const char *path, struct ia_tree **ret,
                            struct ia_err *err)
{
    enum ia_source source = IA_SOURCE_COUNT;
    struct ia_buf bytes = IA_BUF(IA_ADAPT_BYTES_MAX);
    enum ia_rc rc =
        strcmp(path, "-") == 0 ? ia_stdin_read(&bytes, err) : ia_file_read(path, &bytes, err);
    if (rc == IA_OK) {
        rc = source_of(a, &source, err);
    }
    if (rc == IA_OK) {
        rc = ia_adapt(source, ia_buf_str(&bytes), ret, err);
        rc = rc == IA_OK ? rc : ia_err_wrap(err, rc, "%s", path);
    }
    ia_buf_fini(&bytes);
    return rc;
}
