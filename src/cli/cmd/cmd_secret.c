/* secret set | list | remove: texts that runs may type and nobody may read, sealed in the store. */
#include "app/secret_source.h"
#include "app/setup.h"
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/key/passphrase.h"
#include "cli/view/table.h"

static enum ia_rc seal(struct ia_cli *c, struct ia_store *store, const char *name,
                       struct ia_err *err)
{
    struct ia_secret *value = NULL, *passphrase = NULL;
    struct ia_seal_opts opts = {.passphrase = {NULL, 0}};
    enum ia_rc rc = ia_secret_read(name, &value, err);
    if (rc == IA_OK) {
        rc = ia_stored_secret_check(name, ia_secret_bytes(value), err);
    }
    if (rc == IA_OK && ia_args_has(&c->args, "passphrase")) {
        rc = ia_passphrase_ask(true, &passphrase, err);
        if (rc == IA_OK) {
            opts.passphrase = ia_secret_bytes(passphrase);
        }
    }
    if (rc == IA_OK) {
        rc = ia_stored_secret_put(store, name, ia_secret_bytes(value), &opts, err);
    }
    ia_secret_free(passphrase);
    ia_secret_free(value);
    return rc;
}

static void put_json(void *ctx, const struct ia_secret_entry *entry)
{
    ia_secret_entry_json(entry, ctx);
}

enum ia_rc ia_cmd_secret_set(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    const char *name = ia_args_operand(&c->args, 0);
    enum ia_rc rc = ia_secret_name_check(name, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_setup_store(&setup, "ios-agent secret set", err);
    if (rc == IA_OK) {
        rc = seal(c, setup.store, name, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "stored: a goal writes {{secret:%s}}\n", name);
        if (ia_env_get(NULL, name)) {
            ia_buf_printf(&c->text, "but the environment has a variable %s, which goes first\n",
                          name);
        }
        rc = ia_secrets_each(setup.store, name, put_json, &c->w, err);
    }
    ia_setup_close(&setup);
    return rc;
}

/* ---- list -------------------------------------------------------------------------------- */

struct listing {
    struct ia_cli *c;
    struct ia_table *table;
    int count;
};

static void put_entry(void *ctx, const struct ia_secret_entry *e)
{
    struct listing *l = ctx;
    const char *seal = e->seal == IA_SEAL_PASSPHRASE ? "passphrase" : "key file";
    l->count++;
    ia_secret_entry_json(e, &l->c->w);
    ia_table_add(l->table, e->name);
    ia_table_add(l->table, e->stored ? e->sealed_at : "-");
    ia_table_add(l->table, e->stored ? seal : "-");
    ia_table_add(l->table, e->in_environment ? "environment" : "stored");
}

enum ia_rc ia_cmd_secret_list(struct ia_cli *c, struct ia_err *err)
{
    static const struct ia_table_column columns[] = {{.head = "NAME", .min = 10},
                                                     {.head = "STORED (UTC)", .drop = 2},
                                                     {.head = "SEALED WITH", .drop = 1},
                                                     {.head = "TAKEN FROM"}};
    struct ia_setup setup;
    struct listing l = {.c = c, .table = ia_table_new(columns, IA_COUNTOF(columns))};
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent secret list", err);
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        ia_jsonw_key(&c->w, "secrets");
        ia_jsonw_array(&c->w);
        rc = ia_secrets_each(setup.store, NULL, put_entry, &l, err);
        ia_jsonw_end_array(&c->w);
        ia_jsonw_end_object(&c->w);
    }
    if (rc == IA_OK && l.count == 0) {
        ia_buf_puts(&c->text, "no secrets; ios-agent secret set NAME stores one\n");
    }
    ia_table_write(l.table, ia_cli_width(c), &c->text);
    ia_table_free(l.table);
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_secret_remove(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    const char *name = ia_args_operand(&c->args, 0);
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent secret remove", err);
    if (rc == IA_OK) {
        rc = ia_stored_secret_remove(setup.store, name, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "removed %s\n", name);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "removed", name);
        ia_jsonw_end_object(&c->w);
    }
    ia_setup_close(&setup);
    return rc;
}
