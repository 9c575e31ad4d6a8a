/* expect.h: expectations: what must hold on the last screen for a run to pass.
 *
 *     expectation = "visible" SEL / "gone" SEL / "value" SEL "=" STRING / "text" STRING
 *                 / "app" BUNDLE
 *
 * SEL is a selector (driver/snapshot/snapshot.h), STRING is in double quotes with \" and \\, BUNDLE a bundle
 * id. visible: an element that matches is on the screen and not covered. gone: nothing that
 * matches is in the tree, on the screen or off it. value: a visible element that matches has
 * that value
 * ("on" and "off" for switches). text: some text on the screen contains it. */
#ifndef IA_AGENT_GOAL_EXPECT_H
#define IA_AGENT_GOAL_EXPECT_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/snapshot/snapshot.h"

enum { IA_EXPECT_BYTES_MAX = 200, IA_EXPECTS_MAX = 64 };

enum ia_expect_kind {
    IA_EXPECT_VISIBLE,
    IA_EXPECT_GONE,
    IA_EXPECT_VALUE,
    IA_EXPECT_TEXT,
    IA_EXPECT_APP
};

struct ia_expect {
    enum ia_expect_kind kind;
    struct ia_selector sel; /* visible, gone, value */
    char *text;             /* value, text, app; else NULL */
    char *source;           /* as the user wrote it */
};

/* IA_E_PARSE: the message names the mistake and shows the text with a caret under it. Release
 * with ia_expect_fini. */
enum ia_rc ia_expect_parse(const char *text, struct ia_expect *ret, struct ia_err *err);
void ia_expect_fini(struct ia_expect *e);

/* Whether it holds. When not, appends one line to why (may be NULL): what was found instead.
 * The line may quote the screen, so it is data. */
bool ia_expect_holds(const struct ia_expect *e, const struct ia_snapshot *s,
                     struct ia_buf *why);

/* A parsed list. */
struct ia_expects {
    struct ia_expect *items;
    size_t count;
};
enum ia_rc ia_expects_parse(const char *const *texts, size_t n, struct ia_expects *ret,
                            struct ia_err *err);
void ia_expects_fini(struct ia_expects *e);

/* Checks expectation texts without running: IA_E_PARSE with a message that shows the text and a
 * caret under the mistake. */
enum ia_rc ia_expect_check(const char *const *texts, size_t n, struct ia_err *err);

#endif
