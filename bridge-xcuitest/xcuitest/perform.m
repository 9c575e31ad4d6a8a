/* perform.m: one request, from its autorelease pool to its outcome.
 *
 *   pool --> drop old issues --> @try { function of the table --> issue recorded? } --> reply
 *                                @catch: exception -----------------^
 *
 * XCTest reports a failure as an exception or as a recorded issue, and either outweighs what
 * the function itself replied. The code follows from XCTest's text (known_texts), the outcome
 * from ia_xc_send. */
#import "agent.h"

#import "BridgeTests.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    uint8_t op;
    ia_xc_fn *fn;
} table[] = {
    {IA_WIRE_OP_INFO, ia_xc_info},
    {IA_WIRE_OP_TREE, ia_xc_tree},
    {IA_WIRE_OP_TYPE_TEXT, ia_xc_type},
    {IA_WIRE_OP_DELETE_TEXT, ia_xc_delete},
    {IA_WIRE_OP_TAP_POINT, ia_xc_tap},
    {IA_WIRE_OP_LONG_PRESS_POINT, ia_xc_long_press},
    {IA_WIRE_OP_DRAG, ia_xc_drag},
    {IA_WIRE_OP_PINCH, ia_xc_pinch},
    {IA_WIRE_OP_PRESS_BUTTON, ia_xc_press_button},
    {IA_WIRE_OP_ORIENTATION, ia_xc_orientation},
    {IA_WIRE_OP_LAUNCH, ia_xc_launch},
    {IA_WIRE_OP_TERMINATE, ia_xc_terminate},
    {IA_WIRE_OP_STATE, ia_xc_app_state},
    {IA_WIRE_OP_LIST_APPS, ia_xc_list_apps},
    {IA_WIRE_OP_TARGET, ia_xc_target},
    {IA_WIRE_OP_OPEN_URL, ia_xc_open_url},
    {IA_WIRE_OP_ALERTS, ia_xc_alerts},
    {IA_WIRE_OP_ALERT_ACT, ia_xc_alert_act},
    {IA_WIRE_OP_PASTEBOARD, ia_xc_pasteboard},
    {IA_WIRE_OP_APPEARANCE, ia_xc_appearance},
    {IA_WIRE_OP_AUDIT, ia_xc_audit},
    {IA_WIRE_OP_SCREENSHOT, ia_xc_screenshot},
    {IA_WIRE_OP_NATIVE, ia_xc_native},
};

/* XCTest's own texts, which are English on every device, and what they mean. before_event:
 * XCTest checks this before it makes an event, so nothing was sent. */
static const struct {
    const char *part;
    enum ia_wire_code code;
    bool before_event;
} known_texts[] = {
    {"keyboard focus", IA_WIRE_E_NO_KEYBOARD, true},
    {"crashed", IA_WIRE_E_APP_GONE, false},
    {"is not running", IA_WIRE_E_APP_GONE, false},
    {"Failed to launch", IA_WIRE_E_NO_APP, false},
    {"Failed to activate", IA_WIRE_E_NO_APP, false},
    {"Timed out", IA_WIRE_E_TIMEOUT, false},
};

uint64_t ia_xc_can(void)
{
    uint64_t can = 0;
    for (size_t i = 0; i < COUNTOF(table); i++) {
        can |= IA_WIRE_BIT(table[i].op);
    }
    return can;
}

static enum ia_wire_outcome outcome(const struct ia_xc_op *op)
{
    if (!op->effect) {
        return IA_WIRE_NONE;
    }
    return op->sent ? IA_WIRE_UNKNOWN : IA_WIRE_NOT_SENT;
}

void ia_xc_fail(struct ia_xc_op *op, enum ia_wire_code code, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    ia_wire_reply_fail(op->reply, code, outcome(op), false, "%s", text);
}

void ia_xc_done(struct ia_xc_op *op)
{
    ia_wire_reply_ok(op->reply, op->effect);
}

bool ia_xc_send(struct ia_xc_op *op)
{
    if (!ia_bridge_cancelled(op->call)) {
        op->sent = true;
        op->agent->no_alert_until_us = 0;
        return true;
    }
    bool late = ia_bridge_now_us() >= op->call->deadline_us;
    ia_xc_fail(op, late ? IA_WIRE_E_TIMEOUT : IA_WIRE_E_CANCELLED,
               late ? "the deadline passed before anything was sent"
                    : "cancelled before anything was sent");
    return false;
}

void ia_xc_clear_issues(struct ia_xc_op *op)
{
    [op->agent->test takeIssue];
}

bool ia_xc_has_issue(struct ia_xc_op *op)
{
    return [op->agent->test hasIssue];
}

bool ia_xc_time_left(struct ia_xc_op *op, int64_t since_us, int at_most_ms, int spare_ms)
{
    int64_t now = ia_bridge_now_us();
    return !ia_bridge_cancelled(op->call) && now - since_us < (int64_t)at_most_ms * 1000 &&
           now < op->call->deadline_us - (int64_t)spare_ms * 1000;
}

void ia_xc_sleep_ms(int ms)
{
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    @try {
        int64_t end_us = ia_bridge_now_us() + (int64_t)ms * 1000;
        NSDate *end = [NSDate dateWithTimeIntervalSinceNow:ms / 1000.0];
        [[NSRunLoop currentRunLoop] runMode:NSDefaultRunLoopMode beforeDate:end];
        /* A run loop without a source returns at once, and another after its first event. */
        while (ia_bridge_now_us() < end_us) {
            ia_bridge_wait_until(-1, end_us);
        }
    } @catch (id e) {
        fprintf(stderr, "bridge: the run loop threw: %s\n", ia_xc_utf8(e));
    }
    [pool drain];
}

/* Fails with a text of XCTest, from an exception or an issue. */
static void fail_with_text(struct ia_xc_op *op, const char *text)
{
    enum ia_wire_code code = IA_WIRE_E_DEVICE;
    for (size_t i = 0; i < COUNTOF(known_texts); i++) {
        if (strstr(text, known_texts[i].part) != NULL) {
            code = known_texts[i].code;
            op->sent = op->sent && (op->partial || !known_texts[i].before_event);
            break;
        }
    }
    if (code == IA_WIRE_E_DEVICE && ia_xc_target_ended(op->agent)) {
        code = IA_WIRE_E_APP_GONE;
    }
    ia_xc_fail(op, code, "%s", text);
}

static ia_xc_fn *find(uint8_t op)
{
    for (size_t i = 0; i < COUNTOF(table); i++) {
        if (table[i].op == op) {
            return table[i].fn;
        }
    }
    return NULL;
}

static void run(struct ia_xc_op *op, ia_xc_fn *fn)
{
    fn(op);
    NSString *issue = [op->agent->test takeIssue];
    if (issue != nil) {
        fail_with_text(op, ia_xc_utf8(issue));
    }
}

void ia_xc_perform(void *agent, const struct ia_wire_request *req,
                   const struct ia_bridge_call *call, struct ia_wire_reply *reply)
{
    struct ia_xc_op op = {.agent = agent,
                          .req = req,
                          .call = call,
                          .reply = reply,
                          .effect = ia_wire_has_effect(req)};
    ia_xc_fn *fn = find(req->op);
    if (fn == NULL) {
        ia_xc_fail(&op, IA_WIRE_E_UNSUPPORTED, "this bridge does not support %s",
                   ia_wire_op_name(req->op));
        return;
    }
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    ia_xc_clear_issues(&op);
    @try {
        run(&op, fn);
    } @catch (NSException *e) {
        ia_xc_clear_issues(&op);
        NSString *text = [NSString stringWithFormat:@"%@: %@", [e name], [e reason]];
        fail_with_text(&op, ia_xc_utf8(text));
    } @catch (id e) {
        ia_xc_clear_issues(&op);
        fail_with_text(&op, ia_xc_utf8(e));
    }
    [pool drain];
}
