/* audit_list.c: the list of findings, to which the rules add. */
#include "driver/app_sdk.h"
#include "driver/snapshot/audit_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(struct ia_audit *a, struct ia_finding f)
{
    if (a->count == IA_AUDIT_FINDINGS_MAX) {
        a->cut = true;
        return;
    }
    a->findings[a->count++] = f;
    a->counts[f.severity]++;
}

void ia_audit_add(struct ia_audit *a, enum ia_audit_rule rule, enum ia_audit_severity severity,
                  const struct ia_element *e, const char *fmt, ...)
{
    char message[400];
    struct ia_buf text = IA_BUF(4096);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    ia_element_text(e, &text);
    add(a, (struct ia_finding){.rule = (uint8_t)rule,
                               .severity = (uint8_t)severity,
                               .ref = e->ref,
                               .element = ia_arena_str(&a->arena, ia_buf_cstr(&text), text.len),
                               .message = ia_arena_str(&a->arena, message, strlen(message)),
                               .frame = e->frame});
    ia_buf_fini(&text);
}

void ia_audit_add_node(struct ia_audit *a, enum ia_audit_rule rule,
                       enum ia_audit_severity severity, const struct ia_node *n,
                       const char *message)
{
    char text[200];
    const char *name = n->label                          ? n->label
                       : ia_sdk_generated(n->identifier) ? NULL
                                                         : n->identifier;
    (void)snprintf(text, sizeof(text), "%s%s%.80s at %g,%g, %g by %g",
                   ia_eltype_name((enum ia_eltype)n->type), name ? " " : "", name ? name : "",
                   n->frame.x, n->frame.y, n->frame.w, n->frame.h);
    add(a, (struct ia_finding){.rule = (uint8_t)rule,
                               .severity = (uint8_t)severity,
                               .element = ia_arena_str(&a->arena, text, strlen(text)),
                               .message = ia_arena_str(&a->arena, message, strlen(message)),
                               .frame = n->frame});
}
