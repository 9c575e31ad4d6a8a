/* devices: what can be driven: Apple's simulators, iPhones that are plugged in, and the phones that this
 * program simulates. */
#include "app/device_json.h"
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/sim.h"
#include "cli/view/table.h"

#include <stdio.h>

static const struct ia_table_column columns[] = {
    {.head = "NAME", .min = 12}, {.head = "RUNTIME"}, {.head = "STATE"}, {.head = "UDID"}};

static const struct ia_table_column iphone_columns[] = {{.head = "NAME", .min = 12},
                                                        {.head = "IOS"},
                                                        {.head = "BY"},
                                                        {.head = "TRUST"},
                                                        {.head = "DEVICE"}};

/* What is shown of each kind, which stand in the text one below the other. */
struct listing {
    struct ia_table *table, *iphones;
    size_t iphone_count;
    struct ia_buf iphones_problem, phones;
};

static void add_simulator(void *ctx, const struct ia_sim *sim)
{
    struct ia_table *t = ((struct listing *)ctx)->table;
    ia_table_add(t, sim->name);
    ia_table_add(t, sim->runtime);
    ia_table_add(t, sim->available ? sim->state_text : "unavailable");
    ia_table_add(t, sim->udid);
}

static void add_iphone(void *ctx, const struct ia_usbmux_phone *phone,
                       const struct ia_lockdown *says)
{
    struct listing *l = ctx;
    char device[IA_USBMUX_UDID_SIZE + 8];
    (void)snprintf(device, sizeof(device), "iphone:%s", phone->udid);
    ia_table_add(l->iphones, says->name[0] != '\0' ? says->name : "?");
    ia_table_add(l->iphones, says->version[0] != '\0' ? says->version : "?");
    ia_table_add(l->iphones, phone->network ? "Wi-Fi" : "USB");
    ia_table_add(l->iphones, ia_lockdown_trust_word(says->trust));
    ia_table_add(l->iphones, device);
    l->iphone_count++;
}

static void add_phone(void *ctx, const char *name)
{
    struct listing *l = ctx;
    ia_clean(&l->phones, ia_str(name), IA_CLEAN_LINE);
    ia_buf_putc(&l->phones, '\n');
}

static void put_simulators(struct ia_cli *c, const struct listing *l,
                           const struct ia_device_listing *found)
{
    ia_table_write(l->table, ia_cli_width(c), &c->text);
    if (found->shown == 0) {
        ia_buf_puts(&c->text, "no simulator\n");
    }
    if (found->hidden > 0) {
        ia_buf_printf(&c->text, "and %zu more that are unavailable or not iOS (--all)\n",
                      found->hidden);
    }
}

static void put_problem(struct ia_buf *out, const char *what, const struct ia_err *err)
{
    ia_buf_printf(out, "no %s: ", what);
    ia_clean(out, ia_str(err->msg), IA_CLEAN_LINE);
    if (err->hint[0] != '\0') {
        ia_buf_puts(out, "\n  hint: ");
        ia_clean(out, ia_str(err->hint), IA_CLEAN_LINE);
    }
    ia_buf_putc(out, '\n');
}

static void add_iphones_problem(void *ctx, const struct ia_err *why)
{
    put_problem(&((struct listing *)ctx)->iphones_problem, "iPhones", why);
}

/* A missing Xcode is a line of the list. Any other problem with simulators fails the command, after
 * the other devices are listed. */
static enum ia_rc list(struct ia_cli *c, const struct ia_paths *paths, struct ia_err *err)
{
    struct listing l = {.table = ia_table_new(columns, IA_COUNTOF(columns)),
                        .iphones = ia_table_new(iphone_columns, IA_COUNTOF(iphone_columns)),
                        .iphones_problem = IA_BUF(IA_CLI_OUTPUT_MAX),
                        .phones = IA_BUF(IA_CLI_OUTPUT_MAX)};
    struct ia_device_listing found = {.simulator = add_simulator,
                                      .iphone = add_iphone,
                                      .iphones_problem = add_iphones_problem,
                                      .phone = add_phone,
                                      .ctx = &l,
                                      .all = ia_args_has(&c->args, "all")};
    struct ia_cli_sim s;
    enum ia_rc rc = ia_cli_sim_begin(&s, err);
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        rc = ia_devices_json(&c->w, paths, &s.deadline, &found, err);
        ia_jsonw_end_object(&c->w);
        if (rc == IA_OK) {
            put_simulators(c, &l, &found);
        } else {
            put_problem(&c->text, "simulators", err);
        }
        if (l.iphone_count > 0) {
            ia_buf_puts(&c->text, "\niPhones that are plugged in (--device):\n");
            ia_table_write(l.iphones, ia_cli_width(c), &c->text);
        }
        ia_buf_putstr(&c->text, ia_buf_str(&l.iphones_problem));
        ia_buf_puts(&c->text, "\nsimulated by this program (--device):\n");
        ia_buf_putstr(&c->text, ia_buf_str(&l.phones));
    }
    ia_cli_sim_close(&s);
    ia_table_free(l.table);
    ia_table_free(l.iphones);
    ia_buf_fini(&l.iphones_problem);
    ia_buf_fini(&l.phones);
    return rc == IA_E_MISSING ? IA_OK : rc;
}

enum ia_rc ia_cmd_devices(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config(&setup, err);
    if (rc == IA_OK) {
        rc = list(c, &setup.paths, err);
    }
    ia_setup_close(&setup);
    return rc;
}
