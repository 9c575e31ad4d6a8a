/* __lockdown UDID [paired]: prints what the iPhone says of itself, as JSON. This program runs it as a child
 * process, because calls of libimobiledevice cannot be cancelled (driver/usbmux/lockdown.h). */
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "driver/usbmux/lockdown.h"

#include <unistd.h>

enum ia_rc ia_cmd_lockdown(struct ia_cli *c, struct ia_err *err)
{
    struct ia_buf out = IA_BUF(16 << 10);
    bool paired = ia_args_operand(&c->args, 1) != NULL;
    enum ia_rc rc = ia_lockdown_ask(ia_args_operand(&c->args, 0), paired, &out, err);
    if (rc == IA_E_MISSING) {
        ia_buf_puts(&out, "{\"no_library\":true}");
        rc = IA_OK;
    }
    if (rc == IA_OK) {
        rc = ia_write_all(STDOUT_FILENO, out.p, out.len);
    }
    c->printed = true;
    ia_buf_fini(&out);
    return rc;
}
