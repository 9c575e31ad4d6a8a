/* embedded state | log: what is true on a simulated phone, and what was done to it. */
#include "cli/clean.h"
#include "cli/cli.h"
#include "cli/phone.h"
#include "cli/setup.h"

typedef enum ia_rc oracle_fn(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                             struct ia_err *err);

static enum ia_rc ask(struct ia_cli *c, oracle_fn *oracle, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_phone phone = {.folder = NULL};
    enum ia_rc rc = ia_setup_config(&setup, err);
    if (rc == IA_OK) {
        rc = ia_setup_flag(&setup, &c->args, "device", IA_CFG_RUN_DEVICE, err);
    }
    if (rc == IA_OK) {
        rc = ia_phone_find(ia_config_str(setup.config, IA_CFG_RUN_DEVICE), &setup.paths, &phone,
                           err);
    }
    if (rc == IA_OK) {
        struct ia_embedded_options opt = {.folder = phone.folder, .name = phone.name};
        rc = oracle(&opt, &c->w, err);
    }
    if (rc == IA_OK && !c->json) {
        ia_clean_json(&c->text, ia_buf_str(&c->result));
        ia_buf_putc(&c->text, '\n');
    }
    ia_phone_fini(&phone);
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_embedded_state(struct ia_cli *c, struct ia_err *err)
{
    return ask(c, ia_embedded_state_json, err);
}

enum ia_rc ia_cmd_embedded_log(struct ia_cli *c, struct ia_err *err)
{
    return ask(c, ia_embedded_log_json, err);
}
