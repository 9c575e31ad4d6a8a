/* audit.c: POST /wda/performAccessibilityAudit: our own audit's findings in WebDriverAgent's form
 * (FBCustomCommands.m, XCUIApplication+FBHelpers.m). */
#include "server/wda/wda_impl.h"

#include "driver/session/session.h"

#include <string.h>

/* Apple's audit that looks for the like (XCUIAccessibilityAuditType). */
static const char *type_of(enum ia_audit_rule rule)
{
    switch (rule) {
    case IA_AUDIT_TARGET_SMALL:
    case IA_AUDIT_TARGET_OVERLAP:
        return "XCUIAccessibilityAuditTypeHitRegion";
    case IA_AUDIT_DISABLED_AROUND:
        return "XCUIAccessibilityAuditTypeTrait";
    default:
        return "XCUIAccessibilityAuditTypeSufficientElementDescription";
    }
}

/* Whether the body's "auditTypes" has it; without any, all are. */
static bool wanted(const struct ia_wda_call *c, const char *type)
{
    const json_t *types = json_object_get(c->body, "auditTypes");
    size_t i;
    const json_t *item;
    json_array_foreach(types, i, item)
    {
        const char *text = json_string_value(item);
        if (text &&
            (strcmp(text, type) == 0 || strcmp(text, "XCUIAccessibilityAuditTypeAll") == 0)) {
            return true;
        }
    }
    return json_array_size(types) == 0;
}

static void put_finding(struct ia_wda_call *c, const struct ia_finding *f, const char *type)
{
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "auditType", type);
    ia_jsonw_kv(&c->w, "compactDescription", f->message);
    ia_jsonw_kv(&c->w, "detailedDescription", ia_audit_fix((enum ia_audit_rule)f->rule));
    ia_jsonw_kv(&c->w, "element", f->element);
    ia_jsonw_kv(&c->w, "elementDescription", f->element);
    ia_jsonw_key(&c->w, "elementAttributes");
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "rect");
    ia_wda_put_rect(&c->w, f->frame);
    ia_jsonw_end_object(&c->w);
    ia_jsonw_end_object(&c->w);
}

enum ia_wda_error ia_wda_audit(struct ia_wda_call *c)
{
    struct ia_session *session = ia_session_new(c->s->device, NULL);
    struct ia_audit audit;
    enum ia_rc rc = ia_session_audit(session, &c->deadline, &audit, &c->err);
    if (rc == IA_OK) {
        ia_jsonw_array(&c->w);
        for (size_t i = 0; i < audit.count; i++) {
            const char *type = type_of((enum ia_audit_rule)audit.findings[i].rule);
            if (wanted(c, type)) {
                put_finding(c, &audit.findings[i], type);
            }
        }
        ia_jsonw_end_array(&c->w);
        ia_audit_fini(&audit);
    }
    ia_session_free(session);
    return ia_wda_result(rc);
}
