/* audit.c: an audit: all rules, then the findings sorted, written as text and as JSON. */
#include "driver/snapshot/audit_impl.h"

static const struct {
    const char *id, *fix;
} rules[] = {
#define ROW(code, id, fix) {id, fix},
    IA_AUDIT_RULES(ROW)
#undef ROW
};

const char *ia_audit_rule_id(enum ia_audit_rule rule)
{
    return rules[rule].id;
}

const char *ia_audit_fix(enum ia_audit_rule rule)
{
    return rules[rule].fix;
}

const char *ia_audit_severity_name(enum ia_audit_severity severity)
{
    static const char *const names[] = {"error", "warning", "notice"};
    return names[severity];
}

/* Findings of one severity keep their order. */
static void sort(struct ia_audit *a)
{
    struct ia_finding *sorted = ia_arena_get(&a->arena, a->count + 1, sizeof(*sorted));
    size_t n = 0;
    for (int severity = IA_AUDIT_ERROR; severity <= IA_AUDIT_NOTICE; severity++) {
        for (size_t i = 0; i < a->count; i++) {
            if (a->findings[i].severity == severity) {
                sorted[n++] = a->findings[i];
            }
        }
    }
    a->findings = sorted;
}

void ia_audit_run(const struct ia_snapshot *s, const struct ia_tree *t, struct ia_audit *ret)
{
    *ret = (struct ia_audit){.count = 0};
    ret->findings = ia_arena_get(&ret->arena, IA_AUDIT_FINDINGS_MAX, sizeof(*ret->findings));
    ia_audit_elements(ret, s);
    ia_audit_nodes(ret, s, t);
    sort(ret);
}

void ia_audit_fini(struct ia_audit *a)
{
    ia_arena_fini(&a->arena);
}

/* ---- forms ------------------------------------------------------------------------------- */

static void put_count(struct ia_buf *out, size_t n, const char *what, const char *between)
{
    ia_buf_printf(out, "%zu %s%s%s", n, what, n == 1 ? "" : "s", between);
}

void ia_audit_text(const struct ia_audit *a, struct ia_buf *out)
{
    bool told[IA_AUDIT_RULE_COUNT] = {false};
    for (size_t i = 0; i < a->count; i++) {
        const struct ia_finding *f = &a->findings[i];
        ia_buf_printf(out, "%s %s: %s: %s\n",
                      ia_audit_severity_name((enum ia_audit_severity)f->severity),
                      rules[f->rule].id, f->element, f->message);
        if (!told[f->rule]) {
            ia_buf_printf(out, "  fix: %s\n", rules[f->rule].fix);
        }
        told[f->rule] = true;
    }
    put_count(out, a->counts[IA_AUDIT_ERROR], "error", ", ");
    put_count(out, a->counts[IA_AUDIT_WARNING], "warning", ", ");
    put_count(out, a->counts[IA_AUDIT_NOTICE], "notice", " in ");
    put_count(out, a->checked, "element", a->cut ? "; there are more findings\n" : "\n");
}

static void finding_json(const struct ia_finding *f, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "rule", rules[f->rule].id);
    ia_jsonw_kv(w, "severity", ia_audit_severity_name((enum ia_audit_severity)f->severity));
    ia_jsonw_key(w, "ref");
    if (f->ref > 0) {
        ia_jsonw_int(w, f->ref);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_kv(w, "element", f->element);
    ia_jsonw_kv(w, "message", f->message);
    ia_jsonw_kv(w, "fix", rules[f->rule].fix);
    ia_jsonw_key(w, "frame");
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "x", f->frame.x);
    ia_jsonw_kv_real(w, "y", f->frame.y);
    ia_jsonw_kv_real(w, "w", f->frame.w);
    ia_jsonw_kv_real(w, "h", f->frame.h);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

void ia_audit_json(const struct ia_audit *a, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "errors", (int64_t)a->counts[IA_AUDIT_ERROR]);
    ia_jsonw_kv_int(w, "warnings", (int64_t)a->counts[IA_AUDIT_WARNING]);
    ia_jsonw_kv_int(w, "notices", (int64_t)a->counts[IA_AUDIT_NOTICE]);
    ia_jsonw_kv_int(w, "checked", (int64_t)a->checked);
    ia_jsonw_kv_bool(w, "cut", a->cut);
    ia_jsonw_key(w, "findings");
    ia_jsonw_array(w);
    for (size_t i = 0; i < a->count; i++) {
        finding_json(&a->findings[i], w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}
