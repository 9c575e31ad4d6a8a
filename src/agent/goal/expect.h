/* expect.h: expectations: what must hold in the end for a run to pass.
 *
 *     expectation = check / "after relaunch:" check / "command" STRING
 *     check       = ( "visible" / "gone" / "appears" / "disappears" / "changes" ) SEL
 *                 / "value" SEL "=" STRING / "count" SEL "=" NUMBER
 *                 / "text" STRING / "picture text" STRING / "app" BUNDLE / "state" STRING "=" STRING
 *
 * SEL is a selector (driver/snapshot/snapshot.h), STRING is in double quotes with \" and \\, BUNDLE a
 * bundle id.
 *
 *     visible     an element that matches is on the screen and not covered
 *     gone        nothing that matches is in the tree, on the screen or off it
 *     appears     visible, and nothing that matches was in the tree at the start
 *     disappears  gone, and something that matches was in the tree at the start
 *     changes     the first visible match has another value or state than it had at the start
 *     value       a visible match has that value or state ("on" and "off" for switches, "selected",
 *                 "disabled")
 *     count       so many matches stand on the screen
 *     text        some text on the screen contains it
 *     picture text  the same, or it is read on the picture of the screen (driver/image/ocr.h)
 *     app         that app is in front
 *     state       the app in front tells exactly that of its state, under that name (app_state.h)
 *
 * The start is the first screen of the run, after its setup. A check after a relaunch is made on the
 * screen that the app shows when it was ended and launched again: what was only on the screen is not
 * saved. A command holds when it exits with 0; it is run without a shell (agent/verdict/proof.h). */
#ifndef IA_AGENT_GOAL_EXPECT_H
#define IA_AGENT_GOAL_EXPECT_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/snapshot/snapshot.h"

enum { IA_EXPECT_BYTES_MAX = 200, IA_EXPECTS_MAX = 64 };

enum ia_expect_kind {
    IA_EXPECT_VISIBLE,
    IA_EXPECT_GONE,
    IA_EXPECT_APPEARS,
    IA_EXPECT_DISAPPEARS,
    IA_EXPECT_CHANGES,
    IA_EXPECT_VALUE,
    IA_EXPECT_COUNT,
    IA_EXPECT_TEXT,
    IA_EXPECT_APP,
    IA_EXPECT_STATE,
    IA_EXPECT_COMMAND,
    IA_EXPECT_KINDS
};

struct ia_expect {
    enum ia_expect_kind kind;
    bool relaunch;          /* checked after a relaunch */
    bool picture;           /* text: also looked for on the picture, by the caller */
    struct ia_selector sel; /* where the kind has one */
    int count;              /* count */
    char *text;             /* value, text, app, state, command; else NULL */
    char *name;             /* state; else NULL */
    char *start;            /* what was at the start; NULL: not known, or of no use */
    char *source;           /* as the user wrote it */
};

/* IA_E_PARSE: the message names the mistake and shows the text with a caret under it. Release
 * with ia_expect_fini. */
enum ia_rc ia_expect_parse(const char *text, struct ia_expect *ret, struct ia_err *err);
void ia_expect_fini(struct ia_expect *e);

/* Keeps what the first screen says of it, as a text that may be stored and set again in another
 * process: ia_expect_recall. Pure. */
void ia_expect_begin(struct ia_expect *e, const struct ia_snapshot *first);
void ia_expect_recall(struct ia_expect *e, struct ia_str start);

/* Whether it holds on that screen, which for `relaunch` is the one after it. A command is not
 * run: it never holds here. When not, appends one line to why (may be NULL): what was found
 * instead. The line may quote the screen, so it is data. */
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

/* The words of a command: split at blanks; single quotes keep blanks, a backslash any character.
 * Nothing is expanded. NULL-ended; free with ia_words_free. NULL where a quote is not closed or
 * there is no word. */
char **ia_command_words(const char *text);
void ia_words_free(char **words);

/* IA_E_USAGE where one of them runs a command and that is not allowed; the hint says how to. */
enum ia_rc ia_expects_allowed(const struct ia_expects *e, bool allow_commands,
                              struct ia_err *err);

/* Checks expectation texts without running: IA_E_PARSE with a message that shows the text and a
 * caret under the mistake. */
enum ia_rc ia_expect_check(const char *const *texts, size_t n, struct ia_err *err);

#endif
