/* verdict_script.h: scripts in which a model says that it is done and a verifier answers. */
#ifndef IA_TESTS_AGENT_VERDICT_SCRIPT_H
#define IA_TESTS_AGENT_VERDICT_SCRIPT_H

#include "test.h"

#include "rig.h"

#define GOAL "add a contact named Ada Lovelace"

#define SCRIPT(turns) "{\"turns\":[" turns "]}"
#define TURN(block) "{\"blocks\":[" block "]}"
#define ALWAYS(block) "{\"repeat\":true,\"blocks\":[" block "]}"
#define CALL(tool, input) "{\"tool_use\":\"" tool "\",\"input\":{" input "}}"
#define FINISH(verdict, quote)                                                                 \
    CALL("finish", "\"verdict\":\"" verdict "\",\"summary\":\"I say so.\","                    \
                   "\"evidence\":[{\"quote\":\"" quote "\"}]")
#define VERDICT(agrees, reason)                                                                \
    CALL("verdict", "\"agrees\":" agrees ",\"reason\":\"" reason "\"")
#define VERIFIER(answer) "{\"match\":{\"call\":\"verifier\"}," answer "}"
#define VERIFIER_TOLD(text, block)                                                             \
    "{\"match\":{\"call\":\"verifier\",\"user_text\":\"" text "\"},\"blocks\":[" block "]}"
#define SAYS_NO VERIFIER("\"blocks\":[" VERDICT("false", "Nobody was added.") "]")
#define OPEN_CONTACTS                                                                          \
    TURN(CALL("launch_app", "\"bundle_id\":\"com.apple.MobileAddressBook\"")) ","

/* One expectation. */
static inline void expect(struct rig *r, const char *const *texts)
{
    r->req.expect = texts;
    r->req.expect_count = 1;
}

/* Requests of the verifier, in the events of the last attempt. */
static inline int asked(const struct rig *r)
{
    int n = 0;
    for (const char *at = ia_buf_cstr(&r->events);
         (at = strstr(at, "\"purpose\":\"verify\"")) != NULL; at++) {
        n++;
    }
    return n;
}

#endif
