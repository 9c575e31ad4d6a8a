/* version: prints the name and version of the program. */
#include "cli/cmd/cmd.h"

enum ia_rc ia_cmd_version(struct ia_cli *c, struct ia_err *err)
{
    (void)err;
    ia_buf_puts(&c->text, "ios-agent " IA_VERSION "\n");
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "name", "ios-agent");
    ia_jsonw_kv(&c->w, "version", IA_VERSION);
    ia_jsonw_end_object(&c->w);
    return IA_OK;
}
