/* audit.m: Apple's accessibility audit, which needs Xcode 15 and iOS 17. */
#import "agent.h"

#import "late_binding.h"

struct audit {
    struct ia_xc_op *op;
    struct ia_wire_issue *issues; /* room for IA_WIRE_ISSUES_MAX, in the reply's arena */
};

/* Reads the element from one snapshot: each attribute of a live element would be a query of its
 * own. */
static struct ia_wire_node *read_element(struct audit *audit, id<IALateAuditIssue> issue)
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

static void add_issue(struct audit *audit, id<IALateAuditIssue> issue)
{
    struct ia_wire_audit_reply *reply = &audit->op->reply->u.audit;
    if (reply->issues_n == IA_WIRE_ISSUES_MAX) {
        reply->cut = true;
        return;
    }
    struct ia_wire_issue *to = &audit->issues[reply->issues_n++];
    to->type = [issue auditType];
    to->summary = ia_xc_arena_text(audit->op, [issue compactDescription], IA_WIRE_TEXT_MAX);
    to->detail = ia_xc_arena_text(audit->op, [issue detailedDescription], IA_WIRE_TEXT_MAX);
    to->element = read_element(audit, issue);
}

/* The block is called only during the audit and captures nothing but a C pointer: blocks that
 * retain objects do not work on every runtime that these sources are built for. */
void ia_xc_audit(struct ia_xc_op *op)
{
    uint64_t types = op->req->u.audit.types != 0 ? op->req->u.audit.types : ~(uint64_t)0;
    XCUIApplication *app = ia_xc_front(op->agent);
    NSError *error = nil;
    struct audit storage = {op, NULL};
    struct audit *audit = &storage;
    if (![app respondsToSelector:@selector(performAccessibilityAuditWithAuditTypes:
                                                                      issueHandler:error:)]) {
        ia_xc_fail(op, IA_WIRE_E_UNSUPPORTED,
                   "the accessibility audit needs Xcode 15 and iOS 17");
        return;
    }
    audit->issues =
        ia_wire_alloc(&op->reply->arena, IA_WIRE_ISSUES_MAX * sizeof(*audit->issues));
    if (audit->issues == NULL) {
        ia_xc_fail(op, IA_WIRE_E_MEMORY, "out of memory for the audit");
        return;
    }
    op->reply->u.audit.issues = audit->issues;
    BOOL done = [(id<IALateAudit>)app performAccessibilityAuditWithAuditTypes:types
                                                                 issueHandler:^BOOL(id issue) {
                                                                   add_issue(audit, issue);
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
