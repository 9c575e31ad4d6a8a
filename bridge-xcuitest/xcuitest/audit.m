/* audit.m: Apple's accessibility audit, where the XCTest that runs has it. */
#import "agent.h"

#import "late_binding.h"

struct audit {
    struct ia_xc_op *op;
    struct ia_wire_issue *issues; /* room for IA_WIRE_ISSUES_MAX, in the reply's arena */
};

/* The element in one look: each attribute of a live element would be a query of its own. */
static struct ia_wire_node *element_of(struct audit *audit, id<IALateAuditIssue> issue)
{
    struct ia_wire_arena *arena = &audit->op->reply->arena;
    id<XCUIElementSnapshot> snapshot = [[issue element] snapshotWithError:NULL];
    struct ia_wire_node *node = snapshot != nil ? ia_wire_alloc(arena, sizeof(*node)) : NULL;
    if (node != NULL) {
        *node = ia_xc_node(snapshot);
        node->identifier = ia_wire_str(arena, node->identifier);
        node->label = ia_wire_str(arena, node->label);
        node->value = ia_wire_str(arena, node->value);
        node->placeholder = ia_wire_str(arena, node->placeholder);
    }
    return node;
}

static void take(struct audit *audit, id<IALateAuditIssue> issue)
{
    struct ia_wire_audit_reply *reply = &audit->op->reply->u.audit;
    if (reply->issues_n == IA_WIRE_ISSUES_MAX) {
        reply->cut = true;
        return;
    }
    struct ia_wire_issue *to = &audit->issues[reply->issues_n++];
    to->type = [issue auditType];
    to->summary = ia_xc_keep(audit->op, [issue compactDescription], IA_WIRE_TEXT_MAX);
    to->detail = ia_xc_keep(audit->op, [issue detailedDescription], IA_WIRE_TEXT_MAX);
    to->element = element_of(audit, issue);
}

/* The block is called during the message only and captures nothing but a pointer to C: blocks
 * that keep objects do not work on every runtime that these sources are built for. */
void ia_xc_audit(struct ia_xc_op *op)
{
    uint64_t types = op->req->u.audit.types != 0 ? op->req->u.audit.types : ~(uint64_t)0;
    XCUIApplication *app = ia_xc_front(op->agent);
    NSError *error = nil;
    struct audit room = {op, NULL};
    struct audit *audit = &room;
    if (![app respondsToSelector:@selector(performAccessibilityAuditWithAuditTypes:
                                                                      issueHandler:error:)]) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED,
                   "no accessibility audit here: it needs Xcode 15 and iOS 17");
        return;
    }
    audit->issues =
        ia_wire_alloc(&op->reply->arena, IA_WIRE_ISSUES_MAX * sizeof(*audit->issues));
    if (audit->issues == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "no memory for the audit");
        return;
    }
    op->reply->u.audit.issues = audit->issues;
    BOOL done = [(id<IALateAudit>)app performAccessibilityAuditWithAuditTypes:types
                                                                 issueHandler:^BOOL(id issue) {
                                                                   take(audit, issue);
                                                                   return YES;
                                                                 }
                                                                        error:&error];
    if (!done && error != nil) {
        ia_xc_fail(op, IA_WIRE_E_DEVICE, "the audit failed: %s",
                   ia_xc_utf8([error localizedDescription]));
        return;
    }
    ia_xc_done(op);
}
