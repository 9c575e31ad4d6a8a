/* embedded state | log | bugs: what is true on a simulated phone, what was done to it, and what
 * can be made to go wrong with it. */
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "driver/registry/device_registry.h"

#include <jansson.h>
#include <stdlib.h>

typedef enum ia_rc oracle_fn(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                             struct ia_err *err);

static enum ia_rc find_phone(struct ia_cli *c, struct ia_setup *setup,
                             struct ia_device_spec *spec, struct ia_embedded_options *opt,
                             char **folder, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_config(setup, err);
    if (rc == IA_OK) {
        rc = ia_args_configure(&c->args, "device", setup->config, IA_CFG_RUN_DEVICE, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_spec_find(ia_config_str(setup->config, IA_CFG_RUN_DEVICE), &setup->paths,
                                 spec, err);
    }
    return rc == IA_OK ? ia_device_spec_embedded(spec, opt, folder, err) : rc;
}

/* For a person at a terminal. */
static enum ia_rc put_indented(struct ia_cli *c, struct ia_err *err)
{
    json_error_t where;
    json_t *j = json_loadb(c->result.p, c->result.len, JSON_DECODE_ANY, &where);
    char *text = j ? json_dumps(j, JSON_INDENT(2) | JSON_ENCODE_ANY) : NULL;
    enum ia_rc rc = text ? IA_OK : ia_err_set(err, IA_E_INTERNAL, "%s", where.text);
    ia_clean_json(&c->text, ia_str(text ? text : ""));
    ia_buf_putc(&c->text, '\n');
    free(text);
    json_decref(j);
    return rc;
}

static enum ia_rc ask(struct ia_cli *c, oracle_fn *oracle, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_embedded_options opt;
    char *folder = NULL;
    enum ia_rc rc = find_phone(c, &setup, &spec, &opt, &folder, err);
    if (rc == IA_OK) {
        opt.query = NULL;
        opt.at = ia_args_int(&c->args, "at", 0);
        rc = oracle(&opt, &c->w, err);
    }
    c->verbatim = true;
    if (rc == IA_OK && !c->json && ia_cli_width(c) > 0) {
        rc = put_indented(c, err);
    } else if (rc == IA_OK && !c->json) {
        ia_clean_json(&c->text, ia_buf_str(&c->result));
        ia_buf_putc(&c->text, '\n');
    }
    free(folder);
    ia_device_spec_fini(&spec);
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

/* Opening the phone with a set of bugs installs it. */
static enum ia_rc plant(struct ia_cli *c, const char *list, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_embedded_options opt;
    char *folder = NULL;
    struct ia_device *d = NULL;
    struct ia_buf query = IA_BUF(4096);
    ia_buf_printf(&query, "bugs=%s", list);
    enum ia_rc rc = find_phone(c, &setup, &spec, &opt, &folder, err);
    if (rc == IA_OK) {
        rc = ia_buf_check(&query, "the list of bugs", err);
    }
    if (rc == IA_OK) {
        free(spec.query);
        spec.query = ia_buf_steal(&query);
        rc = ia_device_spec_open(&spec, NULL, false, &d, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "phone", spec.name);
        ia_jsonw_kv(&c->w, "bugs", list);
        ia_jsonw_end_object(&c->w);
        ia_buf_puts(&c->text, "planted on ");
        ia_device_spec_lane(&spec, &c->text);
        ia_buf_printf(&c->text, ": %s\n", list);
    }
    free(folder);
    ia_device_close(d);
    ia_buf_fini(&query);
    ia_device_spec_fini(&spec);
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_embedded_bugs(struct ia_cli *c, struct ia_err *err)
{
    const char *list = ia_args_text(&c->args, "set");
    if (list) {
        return plant(c, list, err);
    }
    ia_embedded_bugs_json(&c->w);
    ia_embedded_bugs_text(&c->text);
    return IA_OK;
}
