/* diff A B: what an agent would be told when screen A became screen B. */
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/treefile.h"
#include "driver/snapshot/snapshot.h"

static enum ia_rc read_snapshot(const struct ia_args *args, size_t operand,
                                struct ia_refs *refs, struct ia_snapshot **ret,
                                struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_treefile_read(args, ia_args_operand(args, operand), &t, err);
    if (rc == IA_OK) {
        *ret = ia_snapshot_new(t, refs, 0, 0);
    }
    ia_tree_free(t);
    return rc;
}

static void put(struct ia_cli *c, const struct ia_snapshot *a, const struct ia_snapshot *b)
{
    struct ia_buf text = IA_BUF(IA_CLI_OUTPUT_MAX);
    size_t max = (size_t)ia_args_int(&c->args, "max-bytes", 0);
    bool changed = ia_snapshot_diff(a, b, max, &text);
    ia_clean(&c->text, ia_buf_str(&text), IA_CLEAN_TEXT);
    if (text.len > 0 && text.p[text.len - 1] != '\n') {
        ia_buf_putc(&c->text, '\n');
    }
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_bool(&c->w, "changed", changed);
    ia_jsonw_key(&c->w, "diff");
    ia_jsonw_str(&c->w, ia_buf_str(&text));
    ia_jsonw_end_object(&c->w);
    ia_buf_fini(&text);
}

enum ia_rc ia_cmd_diff(struct ia_cli *c, struct ia_err *err)
{
    struct ia_snapshot *a = NULL;
    struct ia_snapshot *b = NULL;
    struct ia_refs *refs = ia_refs_new();
    enum ia_rc rc = read_snapshot(&c->args, 0, refs, &a, err);
    if (rc == IA_OK) {
        rc = read_snapshot(&c->args, 1, refs, &b, err);
    }
    if (rc == IA_OK) {
        put(c, a, b);
    }
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_refs_free(refs);
    return rc;
}
