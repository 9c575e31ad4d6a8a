/* daemon token: shows the token that programs show to the daemon over HTTP, and makes it. */
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "server/http/token.h"

#include <stdlib.h>

enum ia_rc ia_cmd_daemon_token(struct ia_cli *c, struct ia_err *err)
{
    struct ia_paths paths;
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    if (rc != IA_OK) {
        return rc;
    }
    char token[IA_ACCESS_TOKEN_SIZE];
    char *path = ia_token_path(paths.home);
    rc = ia_args_has(&c->args, "new") ? IA_E_NOT_FOUND : ia_token_read(path, token, err);
    if (rc == IA_E_NOT_FOUND) {
        rc = ia_token_write(path, token, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s\n", token);
        c->verbatim = true;
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "token", token);
        ia_jsonw_kv(&c->w, "path", path);
        ia_jsonw_end_object(&c->w);
    }
    free(path);
    ia_paths_fini(&paths);
    return rc;
}
